"""The report for what watches machines: flat lines, a brief, OpenMetrics, Nagios, checkmk, SARIF and JUnit.

A finding counts where it is advised and nobody has accepted it, as it does for the exit status.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
from msgspec import UNSET, Struct

from fsadvisor.facts import Known
from fsadvisor.pages import published
from fsadvisor.pages.glyphs import clean
from fsadvisor.pages.published import json_escaped, without_surrogates
from fsadvisor.pages.values import counted
from fsadvisor.report import as_json, model, titles
from fsadvisor.report.findings import findings
from fsadvisor.rulebook.advise import among, tally
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, Outcome
from fsadvisor.rulebook.shape import (
    SEVERITIES,
    Severity,
)
from fsadvisor.storage import Disk

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Storage

LINES: Final = "fsadvisor/lines/1"
BRIEF: Final = "fsadvisor/brief/1"
_SUBJECTS: Final = 20
_UNQUOTED: Final = str.maketrans("'\"", "``")


class JudgedMachine(Struct, frozen=True, kw_only=True):
    """What was looked at and judged; `grave` are the severities that --fail-on means."""

    storage: Storage
    verdicts: Sequence[Verdict]
    about: model.Provenance
    grave: Collection[str]

    def calling(self) -> Iterator[Verdict]:
        """What calls for action, in rank order."""
        return among(self.verdicts, CALLS_FOR_ACTION)

    @property
    def blind(self) -> str:
        """Why nothing could be seen; '' where something was."""
        return as_json.could_not_look(self.storage, self.about.root)


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A line: of the machine (first), of each disk, of each finding; what does not belong to it is left out.

    `id` is the machine's, `counts` says that the finding counts for --fail-on. `now` are the commands, one a line.
    """

    schema: Literal["fsadvisor/lines/1"]
    what: Literal["machine", "disk", "finding"]
    machine: str
    host: str | None = None
    id: str | None = None
    time: str | None = None
    version: str | None = None
    os: str | None = None
    kernel: str | None = None
    advised: int | None = None
    undetermined: int | None = None
    could_not_look: str | None = None
    subject: str | None = None
    stable: str | None = None
    model: str | None = None
    firmware: str | None = None
    size_bytes: int | None = None
    plp: str | None = None
    rule: str | None = None
    verdict: str | None = None
    severity: str | None = None
    kind: str | None = None
    counts: bool | None = None
    waived: bool | None = None
    behind: str | None = None
    title: str | None = None
    now: str | None = None


def lines(seen: JudgedMachine) -> Iterator[str]:
    """JSON, one object a line, without nesting."""
    header = as_json.machine(seen.storage, seen.about)
    common = {"schema": LINES, "machine": header.name, "host": header.host, "id": header.id, "time": header.time}
    outcomes = tally(seen.verdicts)
    yield _line(
        common, what="machine", version=header.fsadvisor, os=header.os, kernel=header.kernel,
        advised=outcomes[Outcome.ADVISE], undetermined=outcomes[Outcome.UNDETERMINED],
        could_not_look=seen.blind or None,
    )  # fmt: skip
    stable = seen.about.identity.stable if seen.about.identity else {}
    for subject in seen.storage.subjects:
        disk = subject.scope.get("disk") if subject.kind == "disk" else None
        if isinstance(disk, Disk):
            known = {name: getattr(disk, name) for name in ("model", "firmware", "size_bytes", "plp")}
            told = {name: fact.value for name, fact in known.items() if isinstance(fact, Known)}
            yield _line(common, what="disk", subject=subject.id, stable=stable.get(subject.id), **told)
    for verdict in seen.calling():
        yield _line(
            common, what="finding", subject=verdict.subject.id, stable=stable.get(verdict.subject.id),
            rule=verdict.rule.id, verdict=verdict.outcome.value, severity=verdict.rule.severity, kind=verdict.rule.kind,
            counts=as_json.is_advised(verdict), waived=verdict.waiver is not None,
            behind=verdict.behind.rule.id if verdict.behind else None, title=_title(verdict),
            now="\n".join(verdict.instructions().now) or None,
        )  # fmt: skip


def _line(common: Mapping[str, Any], **fields: object) -> str:
    return published.document(msgspec.convert(published.encodable({**common, **fields}), Line))


def _title(verdict: Verdict) -> str:
    return titles.title(verdict.rule, (verdict.subject,))


class BriefFinding(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What calls for action: the first subjects, how many there are, and what to do on the first one."""

    rule: str
    verdict: Outcome
    severity: Severity
    title: str
    subjects: tuple[str, ...]
    number: int
    waived: bool
    needs: str
    now: tuple[str, ...]
    advice: str
    behind: tuple[str, ...] | msgspec.UnsetType = UNSET
    """Rules whose findings follow from it, or wait for it."""


class Brief(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What calls for action, in rank order."""

    schema: Literal["fsadvisor/brief/1"]
    machine: model.Machine
    summary: model.Summary
    findings: tuple[BriefFinding, ...]


def brief(seen: JudgedMachine) -> Iterator[str]:
    """One short document."""
    found = findings(seen.verdicts)
    content = Brief(
        schema=BRIEF,
        machine=as_json.machine(seen.storage, seen.about),
        summary=as_json.summary(seen.storage, seen.verdicts, seen.about),
        findings=tuple(_brief(one) for one in found),
    )
    yield json_escaped(published.piece(content).decode()) + "\n"


def _brief(finding: Any) -> BriefFinding:  # noqa: ANN401 - a Finding
    todo = finding.verdicts[0].instructions()
    below = tuple(dict.fromkeys(it.rule.id for it in (*finding.consequences, *finding.waiting)))
    return BriefFinding(
        rule=finding.rule.id, verdict=finding.outcome, severity=finding.rule.severity, title=finding.title,
        subjects=tuple(it.id for it in finding.subjects)[:_SUBJECTS], number=len(finding.verdicts),
        waived=finding.waiver is not None, needs=todo.needs, now=todo.now, advice=todo.advice, behind=below or UNSET,
    )  # fmt: skip


def openmetrics(seen: JudgedMachine) -> Iterator[str]:
    """Gauges alone, which node_exporter's textfile collector reads as well."""
    summary = as_json.summary(seen.storage, seen.verdicts, seen.about)
    advised = msgspec.to_builtins(summary.advise)
    yield from _gauge("fsadvisor_build", "version of fsadvisor", [({"version": seen.about.version}, 1)])
    yield from _gauge("fsadvisor_could_not_look", "1 where no storage could be seen", [({}, int(bool(seen.blind)))])
    yield from _gauge(
        "fsadvisor_advised", "verdicts (a rule on a subject) that are advised and not waived, by severity",
        [({"severity": severity}, advised[severity]) for severity in SEVERITIES],
    )  # fmt: skip
    yield from _gauge(
        "fsadvisor_verdicts", "verdicts by what they say",
        [({"verdict": name}, number) for name, number in msgspec.to_builtins(summary.verdicts).items()],
    )  # fmt: skip
    yield from _gauge(
        "fsadvisor_finding", "1 for each that calls for action; counts: it is advised and not waived",
        [
            (
                {
                    "rule": verdict.rule.id, "subject": verdict.subject.id, "severity": verdict.rule.severity,
                    "verdict": verdict.outcome.value, "counts": "yes" if as_json.is_advised(verdict) else "no",
                },
                1,
            )
            for verdict in seen.calling()
        ],
    )  # fmt: skip
    yield "# EOF\n"


def _gauge(name: str, says: str, samples: Iterable[tuple[Mapping[str, str], int]]) -> Iterator[str]:
    yield f"# HELP {name} {says}\n# TYPE {name} gauge\n"
    for labels, value in samples:
        told = ",".join(f'{label}="{_label(text)}"' for label, text in labels.items())
        yield f"{name}{{{told}}} {value}\n" if told else f"{name} {value}\n"


def _label(text: str) -> str:
    """Two texts are never one label: a backslash of theirs is doubled before escapes are made of other characters."""
    return clean(text.replace("\\", "\\\\"), None).replace("\\", "\\\\").replace('"', '\\"')


OK, WARNING, CRITICAL, UNKNOWN = range(4)
_STATES: Final = ("OK", "WARNING", "CRITICAL", "UNKNOWN")


def state(seen: JudgedMachine) -> int:
    """As plugins of Nagios exit: critical from severity high on, warning below, unknown where nothing was seen."""
    if seen.blind:
        return UNKNOWN
    found = {one.rule.severity for one in seen.calling() if as_json.is_advised(one)} & set(seen.grave)
    return CRITICAL if found & set(SEVERITIES[:2]) else WARNING if found else OK


def nagios(seen: JudgedMachine) -> Iterator[str]:
    """A line with performance data, then a line for each finding that counts."""
    data = " ".join(f"{name}={number};;;0" for name, number in _numbers(seen).items())
    yield f"FSADVISOR {_STATES[state(seen)]} - {_plain(_summary_line(seen))} | {data}\n"
    yield from (f"{_plain(one)}\n" for one in _finding_lines(seen))


def checkmk(seen: JudgedMachine) -> Iterator[str]:
    """A line of a local check; details stand behind an escaped line break.

    Checkmk 1.6 splits the whole line as a shell does: an apostrophe in it would be a quote that nobody closes.
    """
    data = "|".join(f"{name}={number}" for name, number in _numbers(seen).items())
    words = "\\n".join(_plain(one) for one in (_summary_line(seen), *_finding_lines(seen)))
    yield f'{state(seen)} "fsadvisor" {data} {words.translate(_UNQUOTED)}\n'


def _numbers(seen: JudgedMachine) -> dict[str, int]:
    it = as_json.summary(seen.storage, seen.verdicts, seen.about)
    return {**msgspec.to_builtins(it.advise), "undetermined": it.verdicts.undetermined, "waived": it.waived}


def _summary_line(seen: JudgedMachine) -> str:
    if seen.blind:
        return f"could not look: {seen.blind}"
    found = _counted(seen)
    return f"{counted(len(found), 'finding')}; first: {_title(found[0])}" if found else "nothing to advise"


def _counted(seen: JudgedMachine) -> list[Verdict]:
    """What counts; what follows from another finding or waits for it comes last, as in the report."""
    return sorted(filter(as_json.is_advised, seen.calling()), key=lambda verdict: verdict.behind is not None)


def _finding_lines(seen: JudgedMachine) -> Iterator[str]:
    return (f"{one.rule.severity}: {_title(one)} [{one.rule.id}]" for one in _counted(seen))


def _plain(text: str) -> str:
    """Without what parts a line's pieces."""
    return clean(text, None).replace("|", "/").replace("\\", "/")


_LEVELS: Final = {"critical": "error", "high": "error", "moderate": "warning", "low": "note"}


def sarif(seen: JudgedMachine) -> Iterator[str]:
    """SARIF 2.1.0: a result for each that calls for action, 'review' where it is not safe, or that is not known."""
    calling = list(seen.calling())
    rules = list(dict.fromkeys(one.rule for one in calling))
    driver = {"name": "fsadvisor", "version": seen.about.version, "rules": [_sarif_rule(rule) for rule in rules]}
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": not seen.blind}],
        "results": [_result(one, rules.index(one.rule)) for one in calling],
    }
    document = {"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "runs": [run]}
    yield json.dumps(published.encodable(document), indent=1) + "\n"


def _sarif_rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(verdict: Verdict, rule: int) -> dict[str, Any]:
    advised = verdict.outcome is Outcome.ADVISE
    result: dict[str, Any] = {
        "ruleId": verdict.rule.id,
        "ruleIndex": rule,
        "kind": "fail" if advised else "review",
        "level": _LEVELS[verdict.rule.severity] if advised else "none",
        "message": {"text": _title(verdict)},
        "locations": [{"logicalLocations": [{"fullyQualifiedName": verdict.subject.id, "kind": "resource"}]}],
        "partialFingerprints": {"ruleAndSubject/v1": f"{verdict.rule.id} {verdict.subject.id}"},
    }
    if verdict.waiver is not None:
        result["suppressions"] = [
            {"kind": "external", "justification": f"{verdict.waiver.by}: {verdict.waiver.because}"}
        ]
    return result


def junit(seen: JudgedMachine) -> Iterator[str]:
    """A test case for each rule and subject: what counts failed; what could not be told, or is not safe, skipped."""
    failed = sum(map(as_json.is_advised, seen.verdicts))
    skipped = sum(_is_skipped(one) for one in seen.verdicts)
    errors = int(bool(seen.blind))
    numbers = f'tests="{len(seen.verdicts) + errors}" failures="{failed}" skipped="{skipped}" errors="{errors}"'
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {numbers}>\n<testsuite name="fsadvisor" {numbers}>\n'
    if seen.blind:
        yield f'<testcase classname="fsadvisor" name="look"><error message={_attribute(seen.blind)}/></testcase>\n'
    for verdict in seen.verdicts:
        named = f"classname={_attribute(verdict.rule.id)} name={_attribute(verdict.subject.id)}"
        if as_json.is_advised(verdict):
            says = f"{verdict.rule.severity}: {_title(verdict)}"
            yield f"<testcase {named}><failure message={_attribute(says)}/></testcase>\n"
        elif _is_skipped(verdict):
            yield f'<testcase {named}><skipped message="{verdict.outcome.value}"/></testcase>\n'
        else:
            yield f"<testcase {named}/>\n"
    yield "</testsuite>\n</testsuites>\n"


def _is_skipped(verdict: Verdict) -> bool:
    return verdict.outcome not in (Outcome.OK, Outcome.NOT_APPLICABLE) and not as_json.is_advised(verdict)


def _attribute(text: str) -> str:
    from xml.sax.saxutils import quoteattr  # loads urllib.request, which no other format needs

    return quoteattr(clean(without_surrogates(text), None))


FORMATS: Final[Mapping[str, Callable[[JudgedMachine], Iterator[str]]]] = {
    "lines": lines,
    "brief": brief,
    "openmetrics": openmetrics,
    "nagios": nagios,
    "checkmk": checkmk,
    "sarif": sarif,
    "junit": junit,
}
