"""`fsadvisor explain`, `find` and `rules`: a rule's page, or what any words lead to and what it is on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.pages.document import Gap, Heading, Item, Prose
from fsadvisor.pages.glyphs import Tone, clean, line, span
from fsadvisor.pages.text import render
from fsadvisor.patterns import did_you_mean
from fsadvisor.report import rule_page
from fsadvisor.rulebook import words
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, Outcome
from fsadvisor.verbs import RefusedError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from fsadvisor.pages.document import Block
    from fsadvisor.rulebook.advise import Verdicts
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.rulebook.words import Here, WordMatch

_SHOWN = 3


def pages(chosen: argparse.Namespace, rules: Sequence[Rule], judged: Callable[[], Verdicts]) -> Iterable[str]:
    """What is printed; the machine is looked at only where it has to be. Raises RefusedError."""
    typed, by_id = " ".join(chosen.words), {rule.id: rule for rule in rules}
    near = did_you_mean(typed, by_id)
    if chosen.verb == "explain":
        if typed == "order":
            return render(rule_page.order())
        if typed in by_id:
            return render(rule_page.document(by_id[typed]).blocks)
        if "-" in typed and " " not in typed:
            raise RefusedError(
                f"no rule {typed!r}{near}; in your own words: fsadvisor find {typed.replace('-', ' ')!r}"
            )
    if (typed or chosen.verb != "rules") and not words.found(typed, rules):
        raise RefusedError(f"no rule {typed!r}{near}, and nothing else is found by it; `fsadvisor rules` lists all")
    here = words.states(judged(), rules)
    return _listing(typed, rules, here) if chosen.verb == "rules" else _page(typed, rules, here)


def _page(typed: str, rules: Sequence[Rule], here: Mapping[str, Here]) -> Iterator[str]:
    """What no rule asks, this machine's answer, what to read and run. Nothing where the words lead nowhere."""
    entries = words.found(typed, rules, here)
    beyond = [one for one in entries[:1] if one.kind == "beyond"]
    if beyond:
        entries = entries[1:]
        yield from render([Heading("No rule asks for this"), *map(_item, beyond), *[Gap()][: len(entries)]], margin=0)
    if entries:
        so = [one for one in entries if one.here is not None and one.here.outcome in CALLS_FOR_ACTION][:_SHOWN]
        rest = [_item(one) for one in entries if one not in so]
        yield from render([Heading("On this machine"), *(map(_item, so) if so else _clear(entries))], margin=0)
        yield from render([Gap(), Heading("To read and to run"), *rest] if rest else [], margin=0)


def _listing(typed: str, rules: Sequence[Rule], here: Mapping[str, Here]) -> Iterator[str]:
    """Rules, all in the order of their ids or those that the words find, with their state on this machine."""
    by_id = {rule.id: rule for rule in rules}
    among = [by_id[one.key] for one in words.found(typed, rules, here) if one.kind == "rule"] if typed else rules
    for rule in among:
        yield from render([_rule(rule, here[rule.id])], margin=0)


def _clear(entries: Sequence[WordMatch]) -> Iterator[Block]:
    """What was checked where nothing is advised, and how to tell what hurts now."""
    outcomes = [one.here.outcome for one in entries if one.here is not None]
    clear, untold = outcomes.count(Outcome.OK), outcomes.count(Outcome.UNDETERMINED)
    counts = ", ".join(
        said for many, said in ((clear, f"{clear} checked and not so"), (untold, f"{untold} could not be told")) if many
    )
    counts = f"Of the rules below: {counts}." if counts else ""
    doctor = next((one.title for one in entries if one.key.startswith("doctor")), "fsadvisor doctor")
    yield Prose(f"{counts} What hurts at this moment is told by `{doctor}`.".strip())


def _item(match: WordMatch) -> Block:
    state = f" ({clean(match.here.says)})" if match.here else ""
    return Item(line(span(match.title, Tone.STRONG), f": {match.says}", span(state, Tone.DIM)))


def _rule(rule: Rule, here: Here) -> Block:
    return Item(line(span(rule.id, Tone.STRONG), f": {rule.title} ", span(f"({clean(here.says)})", Tone.DIM)))
