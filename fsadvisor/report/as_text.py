"""The report for people: plain text, ranked, complete without colour, the same bytes wherever it is written to."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Unknown
from fsadvisor.pages.escape import clean
from fsadvisor.pages.text import NARROWEST, WIDTH, counted, listed, render, wrapped
from fsadvisor.pages.values import short_name, told
from fsadvisor.report import finding_page, shaping
from fsadvisor.report.brief import brief
from fsadvisor.report.finding_parts import SUBJECTS, headline, where
from fsadvisor.report.findings import findings, unfolded
from fsadvisor.report.open_text import open_text
from fsadvisor.report.power_text import power_text
from fsadvisor.rulebook.rule import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.advise import Verdict
    from fsadvisor.report.findings import Finding
    from fsadvisor.report.model import About
    from fsadvisor.storage import Storage

_KINDS: Final = ("disk", "layer", "filesystem", "mount", "service")
_COUNTS: Final = ("host.block_devices", "host.mounts", "host.services")
_IN_OVERVIEW: Final = 3
_PLURALS: Final = {"risk": "risks", "gain": "gains", "hygiene": "hygiene"}


def as_text(
    storage: Storage,
    verdicts: Sequence[Verdict],
    about: About,
    *,
    width: int = WIDTH,
    full: bool = False,
    every: bool = False,
) -> Iterator[str]:
    """The report in lines.

    `full` tells of small gains, power loss and what is open with all evidence; `every`, which is full, too, names what
    passed and what does not apply.
    """
    columns = max(width, NARROWEST)
    full = full or every
    found, minor = main_and_minor(findings(verdicts))
    if full:
        found, minor = unfolded([*found, *minor]), []
    yield from _head(storage, about, columns)
    yield "\n"
    yield from wrapped(summed_up([*found, *minor], verdicts, about, len(storage.ignored)), columns)
    if len(found) > 1:
        yield from _overview(found, columns)
    told_in: dict[str, int] = {}
    for number, finding in enumerate(found, 1):
        yield "\n\n"
        yield from render(finding_page.document(finding, number, told_in.get(finding.rule.id)), columns)
        told_in.setdefault(finding.rule.id, number)
    if full:
        yield from _power_loss(storage, columns)
        yield from _not_told(verdicts, columns)
    else:
        yield from brief(storage, verdicts, minor, columns)
    yield from _not_loaded(about)
    yield from _ignored(storage, columns)
    if every:
        yield from _names(NOT_FOUND, Outcome.OK, verdicts, columns)
        yield from _names(NOT_APPLYING, Outcome.NOT_APPLICABLE, verdicts, columns)


def _head(storage: Storage, about: About, columns: int) -> Iterator[str]:
    yield from wrapped(clean(made_of(storage, about)), columns)
    yield from wrapped(looked_at(storage), columns)
    for name, fact in not_looked_at(storage):
        yield from wrapped(told(name, fact, fact.source), columns, "", "  ")


def made_of(storage: Storage, about: About) -> str:
    """Which fsadvisor looked at which machine, and as whom."""
    words = [f"fsadvisor {about.version}: {storage.machine}"]
    if kernel := shaping.kernel(storage):
        words.append(f"Linux {kernel}")
    if about.root is not None:
        words.append("looked at as root" if about.root else "looked at as an ordinary user")
    return ", ".join(words)


def looked_at(storage: Storage) -> str:
    """How much of each kind was seen."""
    numbers = Counter(subject.kind for subject in storage.subjects)
    if any(numbers[kind] for kind in _KINDS):
        return listed(counted(numbers[kind], kind) for kind in _KINDS if numbers[kind])
    if any(not_looked_at(storage)):
        return "Nothing could be looked at."
    return "There is nothing to look at: no disk and no mount that holds people's files was found."


def not_looked_at(storage: Storage) -> Iterator[tuple[str, Unknown]]:
    """What a count of 0 must not be taken for."""
    for subject in storage.subjects:
        if subject.kind == "host":
            for name, fact in shaping.own_facts(subject):
                if name in _COUNTS and isinstance(fact, Unknown):
                    yield name, fact


NOT_FOUND: Final = "Checked, and not found here"
NOT_APPLYING: Final = "Does not apply here"
NONE_OF_IT: Final = "None of this is so here; `fsadvisor explain RULE` says what a rule looks for."

_KEPT: Final = ("attestation, waiver or result", "attestations, waivers or results")


def summed_up(found: Sequence[Finding], verdicts: Sequence[Verdict], about: About, ignored: int) -> str:
    """'1 critical risk, 2 moderate gains, 1 withheld; 14 checks passed; 6 could not be told.'."""
    numbers = Counter(verdict.outcome for verdict in verdicts)
    parts = [", ".join(_advice(found))]
    parts.append(f"{counted(numbers[Outcome.OK], 'check')} passed")
    if numbers[Outcome.UNDETERMINED]:
        parts.append(f"{numbers[Outcome.UNDETERMINED]:,} could not be told")
    if about.rule_errors:
        parts.append(f"{counted(len({error.file for error in about.rule_errors}), 'rule')} did not load")
    if ignored:
        parts.append(f"{counted(ignored, *_KEPT)} ignored")
    return "; ".join(parts) + "."


def _advice(found: Sequence[Finding]) -> Iterator[str]:
    main, minor = main_and_minor([one for one in found if one.waiver is None])
    kinds = Counter((one.rule.severity, one.rule.kind) for one in main if one.outcome is Outcome.ADVISE)
    for (severity, kind), number in kinds.items():
        yield f"{number:,} {severity} {kind if number == 1 else _PLURALS[kind]}"
    if not kinds:
        yield "Nothing to advise"
    if number := sum(one.outcome is Outcome.WITHHELD for one in main):
        yield f"{number:,} {Outcome.WITHHELD.value}"
    if minor:
        yield f"{len(minor):,} also possible"
    if number := sum(one.waiver is not None for one in found):
        yield f"{number:,} waived"


def _overview(found: Sequence[Finding], columns: int) -> Iterator[str]:
    yield "\n"
    digits = len(str(len(found)))
    for number, finding in enumerate(found, 1):
        first = f"  {number:>{digits}}  "
        yield from wrapped(f"{headline(finding)}: {finding.rule.title}", columns, first)
        yield from wrapped(where(finding, _IN_OVERVIEW), columns, " " * len(first))


def main_and_minor(found: Sequence[Finding]) -> tuple[list[Finding], list[Finding]]:
    """The findings, and those whose effect is too small to be one."""
    return [one for one in found if not one.minor], [one for one in found if one.minor]


def _not_told(verdicts: Sequence[Verdict], columns: int) -> Iterator[str]:
    number = sum(verdict.outcome is Outcome.UNDETERMINED for verdict in verdicts)
    if number:
        yield "\n\n"
        yield f"COULD NOT BE TOLD: {counted(number, 'check')}\n"
        yield from open_text(verdicts, columns)


def _power_loss(storage: Storage, columns: int) -> Iterator[str]:
    if any(subject.kind == "disk" for subject in storage.subjects):
        yield "\n\n"
        yield "POWER LOSS\n"
        yield from power_text(storage, columns)


def _not_loaded(about: About) -> Iterator[str]:
    if about.rule_errors:
        yield "\n\n"
        yield "RULES THAT DID NOT LOAD\n\n"
        yield from (f"   {clean(str(error))}\n" for error in about.rule_errors)


def _ignored(storage: Storage, columns: int) -> Iterator[str]:
    if storage.ignored:
        yield "\n\n"
        yield "ATTESTATIONS, WAIVERS AND RESULTS OF PROBES THAT ARE IGNORED\n\n"
        for one in storage.ignored:
            what = "" if one.what == one.place else f"{one.what}: "
            yield from wrapped(f"{one.place}: {what}{one.why}", columns, "   ", "     ")


def _names(title: str, outcome: Outcome, verdicts: Sequence[Verdict], columns: int) -> Iterator[str]:
    subjects: dict[str, list[str]] = {}
    for verdict in verdicts:
        if verdict.outcome is outcome:
            subjects.setdefault(verdict.rule.id, []).append(short_name(verdict.subject))
    if not subjects:
        return
    yield "\n\n"
    yield f"{title.upper()}: {counted(sum(map(len, subjects.values())), 'check')}\n\n"
    yield from wrapped(NONE_OF_IT, columns, "   ")
    yield "\n"
    for rule, names in subjects.items():
        more = [f"{len(names) - SUBJECTS:,} more"] if len(names) > SUBJECTS else []
        yield from wrapped(f"{rule}: {listed(names[:SUBJECTS] + more)}", columns, "   ", "     ")
