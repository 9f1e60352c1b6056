"""The page of a rule: what it asks, why, what it brings, what to do. Nothing of it was found on a machine."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from fsadvisor.pages.document import (
    Commands,
    Document,
    Figure,
    Figures,
    Gap,
    Heading,
    Hyperlink,
    Item,
    Prose,
    Remark,
    paragraph,
)
from fsadvisor.pages.glyphs import Line, Span, Tone, clean, line, span
from fsadvisor.pages.markdown import code, plain, render
from fsadvisor.pages.values import counted, listed
from fsadvisor.rulebook import tables
from fsadvisor.rulebook.advise import RUNNING
from fsadvisor.rulebook.ranking import ORDER, WITHIN
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.storage.catalogue import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.pages.document import Block
    from fsadvisor.rulebook import shape
    from fsadvisor.rulebook.remedy import KeepTemplate, OtherWay, Remedy, Template
    from fsadvisor.rulebook.rule import Ask, Rule
    from fsadvisor.rulebook.shape import Gain, TrialShape
    from fsadvisor.storage.catalogue import FactEntry

NEEDS: Final = {
    "online": "no interruption",
    "restart": "needs a restart of the program",
    "remount": "needs a remount",
    "unmount": "needs an unmount",
    "reboot": "needs a reboot",
    "reformat": "needs a new format: all data must be restored",
    "hardware": "replace or add hardware",
}
APPLICABILITY: Final = {
    "as-it-stands": "commands to paste",
    "value": "names or numbers to fill in",
    "person": "needs a person's judgement",
}
GUIDES: Final = "What guides say, and what is wrong with it"

_IN_OPTIONS: Final = "Edit /etc/fstab or the mount unit"


def part(title: str, *blocks: Block) -> Iterator[Block]:
    """A part of a page below its title."""
    yield from (Gap(), Heading(title), *blocks)


def by_file(kept: Iterable[tuple[str, str]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The title for each file ('' where mount options change), and what goes there."""
    files: dict[str, list[str]] = {}
    for file, words in kept:
        files.setdefault(file, []).append(words)
    for file, lines in files.items():
        yield f"Permanently: put into {clean(file)}" if file else _IN_OPTIONS, tuple(lines)


def options(mount: str, add: tuple[str, ...], remove: tuple[str, ...]) -> str:
    """'/srv: add noatime; remove relatime'."""
    changes = [f"{verb} {', '.join(some)}" for verb, some in (("add", add), ("remove", remove)) if some]
    return f"{mount}: {'; '.join(changes)}"


def figures(gain: shape.Gain) -> Figures:
    """Every figure with who says it and where it was seen, and which to believe."""
    remarks: list[Line] = []
    if not gain.figures:
        remarks.append(line("No figure is known."))
    if gain.believe:
        remarks.append(line(span("Realistic expectation: ", Tone.STRONG), gain.believe))
    if gain.measure and not gain.is_measured_here:
        remarks.append(line("The probe ", span(gain.measure, Tone.KEY), " would measure it."))
    return Figures(tuple(map(_figure, gain.figures)), tuple(remarks))


def _figure(figure: shape.GainFigure) -> Figure:
    """With the table of published figures that it stands in."""
    conditions = line(span(figure.conditions, Tone.DIM))
    if not figure.table:
        return Figure(figure.says, figure.source, "", conditions)
    table = span("(published table)", Tone.DIM, link=f"tables.md#{figure.table}")
    return Figure(
        figure.says, figure.source, tables.table(figure.table).basis, (*conditions, Span(" ", Tone.DIM), table)
    )


def guides(rule: Rule) -> Iterator[Block]:
    """What holds, and below it what a guide says instead and the number of the erratum: never the claim alone."""
    if rule.errata:
        yield from part(GUIDES, *map(_erratum, rule.errata))


def _erratum(number: str) -> Item:
    """'noatime implies nodiratime (mount(8))', 'Imprecise, though told by …: mount with noatime,nodiratime'."""
    erratum = tables.errata()[number]
    joint = "and" if erratum.verdict == "right" else "though"
    source = span(tables.published_sources()[erratum.seed].name, Tone.DIM, link=f"errata.md#{number.lower()}")
    claim = line(
        span(f"{erratum.verdict.capitalize()}, {joint} told by ", Tone.DIM), source, span(f": {erratum.says}", Tone.DIM)
    )
    return Item(line(f"{erratum.correction} ({erratum.source})"), claim)


def references(rule: Rule) -> Iterator[Block]:
    """Who says so."""
    return part("References", *(Hyperlink(one.url, one.says) for one in rule.references))


_FOUND_WHERE: Final = {
    "risk": "It warns where the answer is yes also to",
    "gain": "There is something to gain where it is yes also to",
    "hygiene": "There is something to tidy where it is yes also to",
}
_VERDICTS: Final = {
    Outcome.ADVISE: "advised",
    Outcome.WITHHELD: "advised, but safety not known: no commands until it is proven",
    Outcome.BLOCKED: "advised, but not safe here: no commands",
    Outcome.UNDETERMINED: "not known: needs a fact",
    Outcome.OK: "passed",
    Outcome.NOT_APPLICABLE: "does not apply",
}


_NO_VERDICT: Final = "This is what the rule looks for, and says where it finds it: not what was found here."


def document(rule: Rule) -> Document:
    """What the rule asks, why, what it brings, what must be safe, what to do and how to undo it, who says so."""
    headline = f"{rule.id}: {_headline(rule)}"
    file = Commands((clean(rule.file, None),), name="where the rule is written")
    blocks = (
        paragraph(span(rule.title, Tone.TITLE)),
        paragraph(span(headline, Tone.DIM)),
        paragraph(_NO_VERDICT),
        Gap(),
        *_parts(rule),
        *part(f"Written, with {counted(len(rule.examples), 'example')}, in", file),
    )
    return Document(rule.id, blocks)


def _headline(rule: Rule) -> str:
    """Its severity, kind and subject; that it does not run, where it does not."""
    idle = "" if rule.status in RUNNING else f" ({rule.status}: it does not run)"
    return f"{rule.severity} {rule.kind}, on a {rule.subject}{idle}"


def order() -> Iterator[Block]:
    """The table that findings are ordered by."""
    yield from (paragraph("Findings stand in this order:"), Gap())
    for number, meaning in enumerate(ORDER.values(), 1):
        yield paragraph(meaning, first=line(f"  {number}  "))
    yield Gap()
    yield from map(paragraph, WITHIN)


def markdown(rule: Rule) -> Iterator[str]:
    """The same as a page of docs/rules/."""
    source = f"rules/{rule.subject}/{rule.id}.toml"
    yield f"# {plain(rule.title)}\n\n"
    yield f"{code(rule.id)}: {_headline(rule)}. "
    yield f"Written in [{source}](../../{source}); [all rules](README.md).\n\n"
    yield from render(_parts(rule), "../")


def _parts(rule: Rule) -> Iterator[Block]:
    """The whole page but its title and where it is written."""
    yield Prose(rule.why)
    for title, asks in (
        ("It applies where the answer is yes to", rule.applies),
        (_FOUND_WHERE[rule.kind], rule.checks),
        ("Commands are shown only where it is proven to be yes also to", rule.safety),
    ):
        if asks:
            yield from part(title, *map(_ask, asks))
    if rule.gain:
        yield from part(f"What it brings: {rule.gain.metric} ({rule.gain.basis})", *_gain(rule.gain))
    yield from _remedy(rule.remedy)
    if rule.trial:
        yield from part("Try it first, on scratch filesystems", Prose(_tried(rule.id, rule.trial)))
    names = dict.fromkeys(name for ask in rule.asks for name in ask.expression.names)
    yield from part("Facts that it asks", *(_fact(catalogue()[name]) for name in names))
    yield from references(rule)
    yield from guides(rule)
    yield from part("What it says of whom", *_examples(rule))


def _ask(ask: Ask) -> Item:
    because = f" {ask.because}" if ask.because else ""
    return Item(line(ask.ask, span(because, Tone.DIM)), line(span(ask.expression.text, Tone.COMMAND)))


def _fact(entry: FactEntry) -> Item:
    words = line(span(entry.name, Tone.STRONG), f": {entry.doc}", span(f" ({entry.source})", Tone.DIM))
    return Item(words, marked=False)


def _gain(gain: Gain) -> Iterator[Block]:
    yield from figures(gain).items
    if not gain.figures:
        yield Prose("No figure is known.")
    if gain.believe:
        yield Prose(f"Realistic expectation: {gain.believe}")
    if gain.measured:
        doc = catalogue()[gain.measured].doc
        yield Prose(f"The probe {gain.measure} tells it here, at most, by {gain.measured}: {doc}.")
    elif gain.measure:
        yield Prose(f"The probe {gain.measure} would measure it.")


def _tried(rule: str, trial: TrialShape) -> str:
    before, after = _side(trial.before, trial.mkfs_before), _side(trial.after, trial.mkfs_after)
    return (
        f"`fsadvisor trial {rule} --on-scratch DIR` compares {before} with {after} by the job {trial.job}, on "
        f"{listed(trial.types, 'or')} in images on the filesystem of DIR."
    )


def _side(options: tuple[str, ...], mkfs: tuple[str, ...]) -> str:
    words = [*(f"`-o {','.join(options)}`" for _ in options[:1]), *(f"mkfs `{shlex.join(mkfs)}`" for _ in mkfs[:1])]
    return " and ".join(words) or "the filesystem as it is"


def _remedy(remedy: Remedy) -> Iterator[Block]:
    needs = f"{NEEDS[remedy.needs]}; {APPLICABILITY[remedy.applicability]}"
    yield from _commands(f"What to do ({needs})", _texts(remedy.now))
    for title, lines in by_file(_file_and_line(keep) for keep in remedy.keep):
        yield from _commands(title, lines)
    yield from _commands("Check", _texts(remedy.verify))
    yield from _commands("Undo", _texts(remedy.undo))
    commands = bool(remedy.now or remedy.keep)
    if commands:
        yield Gap()
        yield Remark(line(span("Facts in braces are filled in, and quoted for the shell.", Tone.TITLE)))
    words = (*(Prose(one) for one in [remedy.advice] if one), *(_way(one) for one in remedy.ways))
    if words:
        yield from part("Note" if commands else f"What to do ({needs})", *words)


def _way(way: OtherWay) -> Block:
    return paragraph(span(f"Where {way.when.text}: ", Tone.STRONG), way.advice)


def _commands(title: str, lines: tuple[str, ...]) -> Iterator[Block]:
    return part(title, Commands(lines, name="the templates")) if lines else iter(())


def _texts(templates: tuple[Template, ...]) -> tuple[str, ...]:
    return tuple(map(_text, templates))


def _file_and_line(keep: KeepTemplate) -> tuple[str, str]:
    return keep.file, _text(keep.line) if keep.file else options(_text(keep.mount), keep.add, keep.remove)


def _text(template: Template) -> str:
    return "".join(piece if isinstance(piece, str) else f"{{{piece.name}}}" for piece in template.pieces)


def _examples(rule: Rule) -> Iterator[Block]:
    named: dict[str, list[str]] = {}
    for outcome, words in _VERDICTS.items():
        for example in rule.examples:
            if example.expect is outcome and not example.like:
                named.setdefault(words, []).append(example.name)
    for words, names in named.items():
        yield Item(line(span(words, Tone.STRONG)), marked=False)
        yield from (Item(line(name), level=1) for name in names)
