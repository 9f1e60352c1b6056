"""The help of a place: its keys, and those that work everywhere.

What the command palette lists, and in which order: what has the typed words best comes first, then the gravest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Known
from fsadvisor.pages.document import Block, Document, Gap, Heading, paragraph
from fsadvisor.pages.glyphs import Span, Tone, line, span
from fsadvisor.pages.values import full_name, short_name, value_text
from fsadvisor.report import finding_page as parts
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, Outcome
from fsadvisor.rulebook.shelf import own_shelf
from fsadvisor.rulebook.words import found
from fsadvisor.storage.catalogue import catalogue
from fsadvisor.tui.views.look import finding_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Subject
    from fsadvisor.tui.views.look import Look


_KEYS_WIDTH: Final = 18
_SPELT: Final = {
    "slash": "/",
    "question_mark": "?",
    "colon": ":",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "plus": "+",
    "minus": "-",
    "space": "Space",
    "enter": "Enter",
    "escape": "Esc",
    "tab": "Tab",
    "backspace": "Backspace",
    "up": "Up",
    "down": "Down",
    "left": "Left",
    "right": "Right",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
}
"""Textual's names of keys as a keyboard has them."""
MOVING: Final = (
    ("Up, k", "One line up"),
    ("Down, j", "One line down"),
    ("PgUp, Ctrl-B", "One page up"),
    ("PgDn, Ctrl-F", "One page down"),
    ("Home, g", "To the top"),
    ("End, G", "To the bottom"),
    ("Tab", "To the next list or text"),
    ("}, {", "To the next part of a text, or the one before"),
    ("n, N", "To the next match of a search, or the one before"),
    ("Esc", "Back"),
)


def spelt(keys: str) -> str:
    """Textual's 'ctrl+p,colon' as people say it: 'Ctrl-P, :'."""
    return ", ".join(_one(key.strip()) for key in keys.split(","))


def _one(key: str) -> str:
    *held, last = key.split("+")
    last = _SPELT.get(last, last)
    return "-".join((*(each.capitalize() for each in held), last.upper() if held else last))


def help_page(place: str, here: Iterable[tuple[str, str]], everywhere: Iterable[tuple[str, str]]) -> Document:
    """Pairs of keys (as Textual names them) and what they do."""
    return Document(
        f"Keys of {place}",
        (
            *_part(f"Here: {place}", ((spelt(keys), words) for keys, words in here)),
            *_part("Moving", MOVING),
            *_part("Everywhere", ((spelt(keys), words) for keys, words in everywhere)),
            *_part("Signs", _SIGNS),
        ),
    )


_SIGNS: Final = (
    ("yes, no, unknown", "What is unknown is never taken for a no, and never for a yes."),
    ("withheld", "There is advice, but something that must be safe is not known; no commands until it is."),
    ("blocked", "There is advice, but something is not safe here; no commands."),
    ("waived", "Somebody has accepted it, until the day that the finding names."),
)


def _part(title: str, pairs: Iterable[tuple[str, str]]) -> Iterator[Block]:
    found = list(pairs)
    if not found:
        return
    yield Heading(title)
    for keys, words in found:
        first = line(span("  "), span(keys, Tone.KEY), Span(" " * max(_KEYS_WIDTH - len(keys), 1)))
        yield paragraph(words, first=first, indent=_KEYS_WIDTH + 2)
    yield Gap()


MOST: Final = 50
"""Entries that are shown: a machine may have thousands of disks."""

_MOST_ALIKE: Final = 8
"""Of those that have only the letters: what was mistyped is among the best, and the rest is noise."""

_LOOKED_AT: Final = 100
"""Subjects of a kind that are looked through for one that has a fact: the list is made while somebody waits."""

_FEW: Final = 3
"""Subjects of a rule that have an entry each."""

_LONGEST: Final = 120
_SEVERITIES: Final = ("critical", "high", "moderate", "low")
_SAID: Final = {
    Outcome.OK: "not found here",
    Outcome.UNDETERMINED: "could not be told",
    Outcome.NOT_APPLICABLE: "does not apply here",
}
ACTION, ADVICE, FACT, WHY_NOT, SHOWN, RULE = range(6)
"""Kinds of entries, in their order where all else is alike."""


class Entry(Struct, frozen=True):
    """One line, and under it one that says more; `about` is whom it speaks of: alone, that finds it only in advice."""

    kind: int
    what: str
    about: str = ""
    under: str = ""
    gravity: int = 0
    subplace: str = ""
    """What is opened, with `key`; '' of an action, whose key is its place in the list of actions."""

    key: str = ""

    @property
    def words(self) -> str:
        """The first line."""
        return f"{self.what}, on {self.about}" if self.about else self.what


def entries(look: Look, rules: Sequence[Rule]) -> Iterator[Entry]:
    """All advice, every fact by its name, what is not advised and why, every rule and every subject."""
    yield from _advice(look)
    yield from _facts(look)
    yield from _not_advised(look, rules)
    for subject in look.storage.subjects:
        words = span(f"Show {full_name(subject)}", longest=_LONGEST).text
        yield Entry(SHOWN, words, subplace="subject", key=subject.id)


def _advice(look: Look) -> Iterator[Entry]:
    for one in look.findings:
        where = span(parts.where(one, _FEW, ""), longest=_LONGEST).text
        yield Entry(
            ADVICE,
            f"Advice: {one.rule.id}",
            where,
            span(f"{parts.headline(one)}: {one.rule.title}").text,
            _SEVERITIES.index(one.rule.severity),
            "finding",
            finding_key(one),
        )


def _facts(look: Look) -> Iterator[Entry]:
    """Each fact by its name, with its value of the first subject that has one, whose facts are opened."""
    of_kind: dict[str, list[Subject]] = {}
    for subject in look.storage.subjects:
        of_kind.setdefault(subject.kind, []).append(subject)
    for name, entry in catalogue().items():
        kind, _, field = name.partition(".")
        subjects = of_kind.get(kind, ())
        told = ((one, getattr(one.scope[kind], field)) for one in subjects[:_LOOKED_AT])
        found = next(((one, fact) for one, fact in told if isinstance(fact, Known)), None)
        if found is not None:
            value = span(value_text(entry, found[1].value), longest=_LONGEST // 2).text
            more = f" and {len(subjects) - 1:,} more" if len(subjects) > 1 else ""
            about = span(f"{short_name(found[0])}{more}", longest=_LONGEST).text
            yield Entry(FACT, f"{name} = {value}", about, entry.doc, 0, "subject", found[0].id)


def _not_advised(look: Look, rules: Sequence[Rule]) -> Iterator[Entry]:
    said: dict[str, list[tuple[Outcome, Sequence[Subject]]]] = {}
    asked: set[str] = set()
    for rule, outcome, subjects in look.verdicts.groups():
        asked.add(rule.id)
        if outcome not in CALLS_FOR_ACTION:
            said.setdefault(rule.id, []).append((outcome, subjects))
    for rule in rules:
        gravity = _SEVERITIES.index(rule.severity)
        asked_by = "that `fsadvisor doctor` looks for" if rule.subject == "now" else "which applies to nothing here"
        under = span(f"{rule.severity} {rule.kind}, {asked_by}: {rule.title}").text
        if rule.id not in asked:
            yield Entry(RULE, f"Rule {rule.id}", "", under, gravity, "rule", rule.id)
        else:
            yield from _why_not(rule, said.get(rule.id, ()), gravity)


def _why_not(rule: Rule, said: Sequence[tuple[Outcome, Sequence[Subject]]], gravity: int) -> Iterator[Entry]:
    """Of few subjects each; of many the first of those of whom the same is said."""
    few = sum(len(subjects) for _, subjects in said) <= _FEW
    for outcome, subjects in said:
        for subject in subjects if few else subjects[:1]:
            about = full_name(subject) if len(subjects) == 1 or few else short_name(subject)
            more = "" if few or len(subjects) == 1 else f" and {len(subjects) - 1:,} more"
            yield Entry(
                WHY_NOT,
                f"Why not {rule.id}",
                span(f"{about}{more}", longest=_LONGEST).text,
                span(f"{rule.severity} {rule.kind}, {_SAID[outcome]}: {rule.title}").text,
                gravity,
                "finding",
                f"{rule.id}\n{subject.id}",
            )


def found_entries(every: Iterable[Entry], typed: str, alike: Callable[[str], float]) -> list[Entry]:
    """Those that have the words, best first; else rules that the index of symptoms leads to; else what is alike."""
    listed = list(every)
    words = typed.casefold().split()
    fitting = [(fit, one) for one in listed if (fit := _fit(words, one))]
    if fitting:
        ordered = sorted(fitting, key=lambda pair: (-pair[0], pair[1].kind, pair[1].gravity))
        return [one for _, one in ordered[:MOST]]
    if meant := _meant(listed, typed):
        return meant[:MOST]
    scored = [(score, one) for one in listed if (score := alike(one.what)) > 0]
    return [one for _, one in sorted(scored, key=lambda pair: -pair[0])[:_MOST_ALIKE]]


def _meant(listed: Sequence[Entry], typed: str) -> list[Entry]:
    """Entries of the rules that the words are about, in the index's order; what applies to nothing here comes last."""
    led = [one.key for one in found(typed, own_shelf().rules) if one.kind == "rule"]
    among = [one for one in listed if one.kind in (ADVICE, WHY_NOT, RULE) and _rule_of(one) in led]
    return sorted(among, key=lambda one: (one.kind == RULE, led.index(_rule_of(one)), one.kind))


def _rule_of(one: Entry) -> str:
    return one.key.partition("\n")[0]


def _fit(words: Sequence[str], one: Entry) -> int:
    """How well: 5 the very fact, 4 from a word's start on, 3 as typed, 2 every word, 1 with those that it is about."""
    text, about = f"{one.what} {one.under}".casefold(), one.about.casefold()
    whole = " ".join(words)
    name = one.what.partition(" = ")[0] if one.kind == FACT else ""
    if whole in (name, name.partition(".")[2]):
        return 5
    if whole in text:
        return 4 if re.search(rf"(?<![^\W_]){re.escape(whole)}", text) else 3
    if all(word in text for word in words):
        return 2
    both = all(word in text or word in about for word in words)
    return int(both and (one.kind == ADVICE or any(word in text for word in words)))
