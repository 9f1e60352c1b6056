"""What a person types as the value of a fact, in the units that people write.

The form in which one says what only a person can know, and what it would write.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any, Final

from fsadvisor.pages.document import Block, Commands, Document, Gap, Heading, Paragraph, paragraph
from fsadvisor.pages.glyphs import Line, Span, Tone, columns, cut, line, span
from fsadvisor.pages.screen import laid
from fsadvisor.pages.values import full_name, value_text
from fsadvisor.patterns import did_you_mean
from fsadvisor.rulebook.expr import value_for
from fsadvisor.rulebook.mistakes import RuleTextError
from fsadvisor.storage.catalogue import Kind, catalogue
from fsadvisor.tui.views.rows import Row
from fsadvisor.tui.views.severity import TONES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fsadvisor.facts import Known
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Subject
    from fsadvisor.storage.catalogue import FactEntry


_NUMBER: Final = re.compile(r"(?P<amount>[+-]?[\d_,]*\.?\d+(?:e[+-]?\d+)?)\s*(?P<unit>\S*)", re.ASCII | re.IGNORECASE)
_VERSION: Final = re.compile(r"v?(\d{1,6}(?:\.\d{1,6}){1,2})(?:[-+].*)?", re.ASCII)
_WORDS: Final = {
    "yes": True,
    "y": True,
    "true": True,
    "on": True,
    "no": False,
    "n": False,
    "false": False,
    "off": False,
}
_SIZES: Final = {
    **dict.fromkeys(("b", "byte", "bytes"), 1),
    **{sign: 1024**power for power, letter in enumerate("kmgtp", 1) for sign in (letter, f"{letter}ib")},
    **{f"{letter}b": 1000**power for power, letter in enumerate("kmgtp", 1)},
}
_TIMES: Final = {
    **dict.fromkeys(("µs", "us", "μs"), 1e-6),
    "ns": 1e-9,
    "ms": 1e-3,
    "1/100": 1e-2,
    **dict.fromkeys(("s", "sec", "second", "seconds"), 1.0),
    **dict.fromkeys(("min", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86400.0),
}
_MEASURES: Final = (_SIZES, _TIMES)
_OWN: Final = {"1/100 s": "1/100", "bytes/s": "bytes"}
"""How the catalogue's unit is called in the tables above, where not by its own name."""

_LARGEST: Final = 1 << 63
_LONGEST: Final = 4096


class NoValueError(Exception):
    """What was typed is no value of the fact; the text says why, and what would be."""


def typed(entry: FactEntry, text: str) -> Any:  # noqa: ANN401 - any type of the catalogue
    """The value that a text means for a fact. Raises NoValueError."""
    words = text.strip()
    if len(words) > _LONGEST:
        raise NoValueError(f"longer than {_LONGEST} characters")
    if entry.kind is Kind.TEXTS:
        return () if words in ("", "none") else tuple(one.strip() for one in words.split(",") if one.strip())
    if not words:
        raise NoValueError(f"say the value: {hint(entry)}")
    if entry.kind is Kind.YES_NO:
        return _yes_or_no(words)
    if entry.kind in (Kind.WHOLE, Kind.REAL):
        return _number(entry, words)
    return _text(entry, words)


def hint(entry: FactEntry) -> str:
    """How a value is written."""
    if entry.choices:
        return ", ".join(entry.choices)
    unit = f" of {entry.unit}" if entry.unit else ""
    return {
        Kind.YES_NO: "yes or no",
        Kind.WHOLE: f"a whole number{unit}{_example(entry)}",
        Kind.REAL: f"a number{unit}{_example(entry)}",
        Kind.TEXT: "any text",
        Kind.VERSION: "a version such as 6.6 or 5.14.0",
        Kind.TEXTS: "texts with commas between them, or none",
    }[entry.kind]


def _example(entry: FactEntry) -> str:
    own = _OWN.get(entry.unit, entry.unit).casefold()
    if own in _SIZES:
        return ", such as 512 MiB"
    return ", such as 5 ms" if own in _TIMES else ""


def _yes_or_no(words: str) -> bool:
    answer = _WORDS.get(words.casefold())
    if answer is None:
        raise NoValueError(f"{words[:40]!r} is neither yes nor no")
    return answer


def _text(entry: FactEntry, words: str) -> Any:  # noqa: ANN401 - a text or a version
    if entry.kind is Kind.VERSION and (found := _VERSION.fullmatch(words)):
        words = found[1]
    elif entry.choices and (alike := [one for one in entry.choices if one.casefold() == words.casefold()]):
        words = alike[0]
    try:
        return value_for(entry, words)
    except RuleTextError as error:
        raise NoValueError(error.message) from None


def _number(entry: FactEntry, words: str) -> int | float:
    match = _NUMBER.fullmatch(words)
    if match is None:
        raise NoValueError(f"{words[:40]!r} is no number: write {hint(entry)}")
    amount = float(match["amount"].replace(",", "").replace("_", "")) * _factor(entry, match["unit"])
    if not -_LARGEST < amount < _LARGEST:
        raise NoValueError(f"{words[:40]!r} is out of all proportion")
    if entry.kind is Kind.REAL:
        return amount
    if abs(amount - round(amount)) > 1e-6 * max(abs(amount), 1):
        raise NoValueError(f"{amount:g} is no whole number{f' of {entry.unit}' if entry.unit else ''}")
    return round(amount)


def _factor(entry: FactEntry, unit: str) -> float:
    """What one of the unit that was typed is in the fact's own."""
    own = _OWN.get(entry.unit, entry.unit).casefold()
    typed = unit.casefold().removesuffix("/s") if entry.unit.endswith("/s") else unit.casefold()
    if typed in ("", own, entry.unit.casefold()) or (own == "percent" and typed == "%") or f"{typed}s" == own:
        return 1.0
    for table in _MEASURES:
        if own in table:
            if typed in table:
                return table[typed] / table[own]
            raise NoValueError(f"{unit[:20]!r} is no unit of {entry.name}{did_you_mean(typed, table)}")
    raise NoValueError(f"{unit[:20]!r} is not the unit of {entry.name}: {entry.unit or 'it has none'}")


FORM_FIELDS: Final = (
    ("by", "Who says so"),
    ("because", "Why others may believe it"),
    ("link", "Its data sheet or runbook: an address, or a path"),
    ("until", "Up to and with the day"),
)
"""What is asked besides the value: the option of `fsadvisor attest`, and the question."""

WAIVE_FIELDS: Final = (
    ("by", "Who accepts the risk"),
    ("because", "Why it can be accepted until then"),
    ("link", "The ticket or the runbook, if there is one: an address, or a path"),
    ("until", "Until which day; after it the finding counts again"),
)
"""The same of `fsadvisor waive`."""


def form_question(fact: str, subject: Subject | None, name: str, answered: Known[Any] | None) -> Sequence[Line]:
    """What is to be said of a fact, and what was said of it before."""
    entry = catalogue()[fact]
    whose = full_name(subject) if subject else name
    lines = [
        line(span("Attest ", Tone.TITLE), span(fact, Tone.STRONG), span(f" of {whose}", Tone.TITLE)),
        line(span(entry.doc, Tone.DIM)),
    ]
    if answered is not None:
        lines.append(
            line(
                span(f"It is answered: {value_text(entry, answered.value)}", Tone.STRONG),
                span(f", {answered.source}. Another answer takes its place; Esc keeps it.", Tone.DIM),
            )
        )
    return lines


EVERY: Final = "every"


def every_row(number: int, width: int, glyphs: Glyphs) -> Row:
    """The row that stands for all subjects at once; its key is EVERY."""
    return Row(EVERY, (cut(line(span(f" all {number:,} of them", Tone.STRONG)), width, glyphs.ellipsis),))


def waive_question(rule: Rule, whose: str) -> Sequence[Line]:
    """Which risk is to be accepted, and what comes of that."""
    return (
        line(span("Accept the risk: ", Tone.TITLE), span(rule.title, Tone.STRONG), span(f" on {whose}", Tone.TITLE)),
        line(
            span(f"{rule.severity} {rule.kind}", TONES[rule.severity]),
            span(f" ({rule.id}). It stays in the report as waived, with your reason, and alarms nobody.", Tone.DIM),
        ),
    )


def wrapping(lines: Sequence[Line], width: int) -> list[Line]:
    """Words that are read whole on any screen, a column from its edge."""
    return laid((Paragraph(one, (Span(" "),), 1) if one else Gap() for one in lines), width)


def form_choices(fact: str, width: int, glyphs: Glyphs) -> list[Row]:
    """The values that one can choose, '' of the fact's that has to be typed."""
    entry = catalogue()[fact]
    words = ("yes", "no") if entry.kind is Kind.YES_NO else entry.choices
    return [Row(one, (cut(line(span(f"  {one}", Tone.STRONG)), width, glyphs.ellipsis),)) for one in words]


def attest_command(fact: str, subject: str, value: str, fields: Mapping[str, str]) -> str:
    """The command line that writes the same."""
    options = [part for name, _ in FORM_FIELDS if fields.get(name) for part in (f"--{name}", fields[name])]
    return shlex.join(["fsadvisor", "attest", fact, subject, value, *options])


def waive_command(rule: str, subject: str, fields: Mapping[str, str]) -> str:
    """The command line that waives the same."""
    options = [part for name, _ in FORM_FIELDS if fields.get(name) for part in (f"--{name}", fields[name])]
    return shlex.join(["fsadvisor", "waive", rule, subject, *options])


def answer_of(value: object) -> str:
    """A value as it is chosen in a list."""
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


_ANSWERS: Final = {"yes": Tone.GOOD, "no": Tone.BAD, "": Tone.UNKNOWN}


def next_answer(fact: str, before: str) -> str:
    """The answer after that one, from none ('') through all that can be chosen; '' always where it has to be typed."""
    entry = catalogue()[fact]
    answers = ("", *(("yes", "no") if entry.kind is Kind.YES_NO else entry.choices))
    return answers[(answers.index(before) + 1) % len(answers)]


def checklist_rows(
    asked: Sequence[tuple[str, str]],
    answers: Mapping[int, str],
    before: Mapping[int, tuple[str, str]],
    width: int,
    glyphs: Glyphs,
) -> list[Row]:
    """The answer and the whole question, then the fact; `asked` are (name of its subject, fact).

    `before` are answers that were given before: (answer, who gave it).
    """
    room = max((3, *map(len, answers.values()), *(len(said) for said, _ in before.values())))
    rows, blank = [], Span(" " * (room + 4))
    for index, (whose, fact) in enumerate(asked):
        earlier, who = before.get(index, ("", ""))
        answer = answers.get(index) or earlier
        settled = bool(earlier) and not answers.get(index)
        box = span((answer or glyphs.question).center(room), Tone.DIM if settled else _ANSWERS.get(answer, Tone.STRONG))
        doc = span(catalogue()[fact].doc, Tone.DIM if settled else Tone.PLAIN)
        under = line(blank, span(f"{fact} of {whose}{f'; {who}' if who else ''}", Tone.DIM))
        question = Paragraph((doc,), (Span(" ["), box, Span("] ")), columns((blank,)))
        rows.append((*laid((question,), width), cut(under, width, glyphs.ellipsis)))
    most = max(map(len, rows), default=0)
    return [Row(str(at), (*lines, *((),) * (most - len(lines)))) for at, lines in enumerate(rows)]


def review(file: str, toml: str, same: Sequence[str]) -> Document:
    """What would be written, to the letter, and where."""
    blocks: list[Block] = [
        paragraph(span("These lines would go to ", Tone.TITLE), span(file, Tone.STRONG)),
        Gap(),
        Commands(tuple(toml.rstrip("\n").split("\n")), name="the lines"),
        Gap(),
        Heading("The same from the command line"),
        Commands(tuple(same), name="the commands"),
        Gap(),
        paragraph(
            span("y", Tone.KEY),
            Span(" writes them, "),
            span("Esc", Tone.KEY),
            Span(" goes back. Nothing has been written yet."),
        ),
    ]
    return Document("review", tuple(blocks))
