"""The report besides its findings: what it is about, what it comes to, and its sections, for all forms."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Unknown
from fsadvisor.pages.document import DrawnLines, Fold, Gap, Heading, Labelled, Remark, Verbatim
from fsadvisor.pages.glyphs import cut, line, span
from fsadvisor.pages.values import counted, full_name, listed
from fsadvisor.report import as_json, findings, power_loss
from fsadvisor.report.finding_page import headline, subjects_named
from fsadvisor.report.finding_page import in_one_line as finding_line
from fsadvisor.report.findings import NAMED, cures, whose
from fsadvisor.rulebook.advise import tally
from fsadvisor.rulebook.ranking import MEASURED_GAIN, REST
from fsadvisor.rulebook.rule import SAID, Outcome
from fsadvisor.rulebook.shape import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fsadvisor.pages.document import Block
    from fsadvisor.report.findings import Finding
    from fsadvisor.report.model import Provenance
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.storage import Storage, Subject

NOT_FOUND: Final = "Checked, and not found here"
NOT_APPLYING: Final = "Does not apply here"

_KINDS: Final = ("disk", "layer", "filesystem", "mount", "service")
_COUNTS: Final = ("host.block_devices", "host.mounts", "host.services")
_GROUPS: Final = {
    "losing": "Being lost now",
    "errors": "Errors now, and more to come",
    "power-cut": "At the next power cut or crash",
    "boot": "At the next boot or mount",
    "stall": "Writes stall or fail",
    MEASURED_GAIN: "Gains that were measured here",
    REST: "The rest",
}
"""By urgency, in the order of `fsadvisor explain order`; within each, the worst severity first."""

_UNSAFE: Final = "Not safe here"
_FOLDED: Final = "Follows from another finding, or waits for it"
_SCREEN: Final = 14
"""Lines of the findings in the overview."""
_MINOR: Final = 3
_DRIVES: Final = 4
_UNKNOWN: Final = 2
_PLURALS: Final = {"risk": "risks", "gain": "gains", "hygiene": "hygiene"}
NOT_BY_SEVERITY: Final = (
    SAID[Outcome.BLOCKED],
    SAID[Outcome.WITHHELD],
    findings.ALSO,
    findings.BEHIND,
    findings.WAIVED,
)
"""What a finding may count as besides its severity, in the order in which that is told."""

_KEPT: Final = ("attestation, waiver or result", "attestations, waivers or results")


class Section(Struct, frozen=True):
    """A part of the report below its title; `number` says how many things it tells of, where that stands there."""

    id: str
    title: str
    number: str
    blocks: Iterator[Block]


def sections(
    storage: Storage, verdicts: Sequence[Verdict], about: Provenance, *, full: bool = True
) -> Iterator[Section]:
    """Those that have something to say, in order; where it is not `full`, without what `brief` tells of."""
    if full and any(subject.kind == "disk" for subject in storage.subjects):
        yield Section("power-loss", "Power loss", "", power_loss.blocks(storage))
    if full and (number := tally(verdicts)[Outcome.UNDETERMINED]):
        yield Section("not-told", "Could not be told", f": {counted(number, 'check')}", not_told(verdicts))
    if about.rule_errors:
        yield Section("not-loaded", "Rules that did not load", "", _not_loaded(about))
    if storage.ignored:
        yield Section("ignored", "Attestations, waivers and results of probes that are ignored", "", _ignored(storage))


def not_told(verdicts: Iterable[Verdict]) -> Iterator[Block]:
    """What could not be told, grouped by what would tell it."""
    for cure in cures(verdicts):
        yield from (Gap(), Heading(cure.heading))
        yield Labelled("tells", line(f"{listed(cure.facts)} of {whose(cure.subjects.values())}"), 7)
        rules = sorted(cure.rules.items(), key=lambda rule: (SEVERITIES.index(rule[1]), rule[0]))
        yield Labelled("for", line(", ".join(f"{rule} ({severity})" for rule, severity in rules)), 7)
        if len(cure.subjects) > NAMED:
            names = partial(_full_names, cure.subjects.values())
            yield Fold(f"All {counted(len(cure.subjects), 'subject')}", names)


def _full_names(subjects: Iterable[Subject]) -> Iterator[Block]:
    yield Remark(line(listed(map(full_name, subjects))))


def _not_loaded(about: Provenance) -> Iterator[Block]:
    yield from (Gap(), Verbatim(tuple(span(str(error)) for error in about.rule_errors)))


def _ignored(storage: Storage) -> Iterator[Block]:
    yield Gap()
    for one in storage.ignored:
        what = "" if one.what == one.place else f"{one.what}: "
        yield Remark(line(f"{one.place}: {what}{one.why}"))


def made_of(storage: Storage, about: Provenance) -> str:
    """Which fsadvisor looked at which machine, and as whom."""
    blind = as_json.could_not_look(storage, about.root)
    words = [f"{f'Could not look: {blind}. ' if blind else ''}fsadvisor {about.version}: {storage.machine}"]
    if kernel := as_json.kernel(storage):
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
            for name, fact in as_json.own_facts(subject):
                if name in _COUNTS and isinstance(fact, Unknown):
                    yield name, fact


def summed_up(
    listed_findings: Sequence[Finding], verdicts: Sequence[Verdict], about: Provenance, storage: Storage
) -> str:
    """'1 critical risk, 2 moderate gains, 1 safety not known; 14 checks passed; 6 not known.'.

    `listed_findings` are all, those that stand behind another, too.
    """
    numbers = tally(verdicts)
    nothing = "No storage was looked at" if as_json.could_not_look(storage, about.root) else "Nothing to advise"
    parts = [", ".join(_advice(listed_findings, nothing))]
    parts.append(f"{counted(numbers[Outcome.OK], 'check')} passed")
    if numbers[Outcome.UNDETERMINED]:
        parts.append(f"{numbers[Outcome.UNDETERMINED]:,} not known")
    if about.rule_errors:
        parts.append(f"{counted(len({error.file for error in about.rule_errors}), 'rule')} did not load")
    if storage.ignored:
        parts.append(f"{counted(len(storage.ignored), *_KEPT)} ignored")
    return "; ".join(parts) + "."


def _advice(found: Sequence[Finding], nothing: str) -> Iterator[str]:
    counts = Counter(one.counts_as for one in found)
    kinds = Counter((one.rule.severity, one.rule.kind) for one in found if one.counts_as == one.rule.severity)
    for (severity, kind), number in kinds.items():
        yield f"{number:,} {severity} {kind if number == 1 else _PLURALS[kind]}"
    if not kinds:
        yield nothing
    yield from (f"{counts[what]:,} {what}" for what in NOT_BY_SEVERITY if counts[what])


def main_and_minor(found: Sequence[Finding]) -> tuple[list[Finding], list[Finding]]:
    """The findings, and those whose effect is too small to be one."""
    return [one for one in found if not one.minor], [one for one in found if one.minor]


def brief(storage: Storage, minor: Sequence[Finding], width: int) -> Iterator[Block]:
    """What is of small effect, and power loss, in a few lines."""
    if minor:
        lines = [finding_line(finding) for finding in minor]
        yield Remark(line(f"Also possible, of small effect or not safe here{_more(len(lines) - _MINOR)}"))
        yield rows(lines, _MINOR, width)
    drives = power_loss.alike(storage)
    if drives:
        yield from power_loss.table(drives[:_DRIVES], width, _more(len(drives) - _DRIVES))


def unknown(verdicts: Sequence[Verdict], width: int) -> Iterator[Block]:
    """What could not be told, by the one thing to do, or to ask, that would settle most of it first."""
    to_do = sorted(findings.cures(verdicts), key=lambda one: (not one.first.learn, -one.checks, one.gravity))
    if to_do:
        yield Remark(line(f"Unknown, and what would tell it{_more(len(to_do) - _UNKNOWN)}"))
        yield rows([f"{counted(one.checks, 'check')}: {one.heading}" for one in to_do], _UNKNOWN, width)


def overview(found: Sequence[Finding], width: int) -> Iterator[Block]:
    """One screen: what is wrong now, what may go wrong, what may be gained, a line each."""
    digits, folded = len(str(len(found))), findings.below(found)
    order = (*_GROUPS.values(), _UNSAFE, _FOLDED)
    groups: dict[str, list[str]] = {title: [] for title in order}
    for number, finding in enumerate(found, 1):
        above = folded.get((finding.rule.id, finding.verdicts[0].subject.id))
        behind = f" ({above.words} {above.number})" if above else ""
        where = f"{subjects_named(list(finding.subjects), 3, '')}: " if finding.title == finding.rule.title else ""
        grave = headline(finding)
        if _group(finding) != _GROUPS[REST]:
            grave = grave.replace(f" {finding.rule.kind}", "")
        words = f"{number:>{digits}}  {grave}{behind}: {where}{finding.title}"
        groups[_FOLDED if above else _group(finding)].append(words)
    groups = {title: lines for title, lines in groups.items() if lines}
    left = _SCREEN - len(groups)
    for title, lines in groups.items():
        shown = min(len(lines), max(left, 1))
        yield Remark(line(f"{title}{_more(len(lines) - shown)}"))
        yield rows(lines, shown, width)
        left -= shown


def _group(finding: Finding) -> str:
    if finding.outcome is Outcome.BLOCKED:
        return _UNSAFE
    return _GROUPS[finding.urgency]


def rows(lines: Sequence[str], most: int, width: int) -> DrawnLines:
    """So many at most, a line each, cut at the edge: a healthy server's report fits one screen."""
    return DrawnLines(tuple(cut(line(f"  {words}"), width, "...") for words in lines[:most]))


def _more(number: int) -> str:
    return f" (and {number:,} more)" if number > 0 else ""
