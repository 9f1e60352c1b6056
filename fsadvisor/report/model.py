r"""The shape of the JSON report; `fsadvisor schema` is made from these types.

Texts are those of the machine, with two exceptions. A byte that is no UTF-8 stands as \xNN, four characters, and any
other lone surrogate as \uNNNN, because strict parsers refuse a document that holds one: the way back is to take \xNN
for the byte, and a name that really has these four characters looks the same. Characters that could harm a terminal
(controls, bidirectional marks, zero-width signs) are written as JSON escapes, which every parser undoes.
"""

import datetime as dt
from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from fsadvisor.facts import Cause, Truth
from fsadvisor.rulebook.loading import RuleError
from fsadvisor.rulebook.ranking import Rank
from fsadvisor.rulebook.remedy import Instructions
from fsadvisor.rulebook.rule import Outcome, Part
from fsadvisor.rulebook.shape import Gain, Reference, RuleKind, Severity, SubjectKind
from fsadvisor.rulebook.tables import Verdict as ErratumVerdict
from fsadvisor.storage import Ignored

SCHEMA: Final = "fsadvisor/report/2"

Value: TypeAlias = bool | int | float | str | tuple[str, ...]


class MachineIdentity(Struct, frozen=True, kw_only=True):
    """Which machine it is and when it was looked at; None where that is not known, as of a recording."""

    host: str | None = None
    id: str | None = None
    boot: str | None = None
    time: str | None = None
    os: str | None = None
    stable: Mapping[str, str] = msgspec.field(default_factory=dict)
    """A name of a subject that outlives its kernel name, by its id."""


class Provenance(Struct, frozen=True, kw_only=True):
    """What a report says of its own making: by which version, as root or not, and which rules did not load."""

    version: str
    root: bool | None
    """None where a recording does not tell."""

    rule_errors: tuple[RuleError, ...] = ()
    identity: MachineIdentity | None = None


class Machine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What was looked at, when, and by which version of fsadvisor; null is what a recording does not tell.

    `id` is a hash of /etc/machine-id made for this program alone, the id itself with --plain-ids; `boot` is of the
    boot, likewise. `time` is in UTC; of a recording or an archive it is the day that it was made, by its own
    clock.
    """

    name: str
    host: str | None
    id: str | None
    boot: str | None
    time: str | None
    os: str | None
    kernel: str | None
    root: bool | None
    fsadvisor: str


class Outcomes(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How many verdicts of each kind: withheld is safety not known, blocked not safe here, undetermined not known."""

    advise: int
    withheld: int
    blocked: int
    undetermined: int
    ok: int
    not_applicable: int


class Severities(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How many verdicts say `advise` and are not waived, by severity."""

    critical: int
    high: int
    moderate: int
    low: int


class Findings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How many findings count, by severity: what one rule says alike of several subjects is one finding.

    Those of small effect, and those that follow from another or wait for it, are not counted: the report does neither.
    """

    critical: int
    high: int
    moderate: int
    low: int


class RuleNotLoaded(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A mistake in a rule file; line and column count from 1."""

    file: str
    line: int
    column: int | None
    message: str


class Summary(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Counts; `highest` is the gravest severity of an `advise`, `incomplete` says that something is not known.

    `could_not_look` says why no storage could be looked at (exit status 5); null where some was.
    Neither `highest` nor the counts by severity count what is waived; `verdicts` does.
    """

    verdicts: Outcomes
    advise: Severities
    findings: Findings
    highest: Severity | None
    incomplete: bool
    could_not_look: str | None
    rules_not_loaded: tuple[RuleNotLoaded, ...]
    waived: int
    ignored: tuple[Ignored, ...]


class Subject(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Something that rules speak of; `below` are the ids of the subjects that it stands on.

    `facts` are those that are known; of the others `unknown` says why not, by the place in the report's `unknown`,
    counted from 0. Facts that are not applicable are left out. `sources` says where the known ones come from, and is
    there with --full. `scope` says which other subject answers facts of a kind that are asked
    of this one ({"filesystem": "filesystem:/dev/sda1"}); those of `host` are always the host's. `stable` outlives the
    kernel's name: a hash of a serial number or UUID made for this machine; it is not there where none is known.
    """

    id: str
    kind: SubjectKind
    name: str
    below: tuple[str, ...]
    facts: dict[str, Value]
    unknown: dict[str, int]
    sources: dict[str, tuple[str, ...]] | msgspec.UnsetType = msgspec.UNSET
    scope: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    stable: str | msgspec.UnsetType = msgspec.UNSET


class UnknownFact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why facts are not known, and how to learn them (may be empty)."""

    cause: Cause
    learn: str


class Ask(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A question of a rule, as an expression of the rule language, and the names of the facts that it asks."""

    part: Part
    ask: str
    expr: str
    facts: tuple[str, ...]


class Erratum(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a document that advice comes from says otherwise (by its number), and what holds instead."""

    number: str
    seed: str
    says: str
    verdict: ErratumVerdict
    correction: str
    source: str


class Waived(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Who accepted a finding, when and why; it holds up to and with the day `until`."""

    by: str
    on: dt.date
    until: dt.date
    because: str
    link: str


class Behind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The verdict that another stands behind: its `cause`, or what has to be repaired `first`."""

    why: Literal["cause", "first"]
    rule: str
    subject: str


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What all verdicts of a rule share; why, and what it may bring, where one of them calls for action."""

    id: str
    kind: RuleKind
    severity: Severity
    title: str
    asks: tuple[Ask, ...]
    why: str | msgspec.UnsetType = msgspec.UNSET
    gain: Gain | msgspec.UnsetType = msgspec.UNSET
    errata: tuple[Erratum, ...] | msgspec.UnsetType = msgspec.UNSET
    references: tuple[Reference, ...] | msgspec.UnsetType = msgspec.UNSET


class Passed(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A rule that found nothing on some subjects, or that does not apply to them (only with --all)."""

    rule: str
    verdict: Outcome
    subjects: tuple[str, ...]


class Verdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a rule says of a subject. Verdicts stand in the order of `rank`; `because` says it in words.

    Rank, reason and remedy are there where there is something to do, or would be.
    `truths` are the answers to the first asks of its rule, in their order: what must be safe is asked only where there
    is something to do. The facts that an ask names are those of the subject, or of what its `scope` names.
    """

    rule: str
    subject: str
    verdict: Outcome
    severity: Severity
    title: str
    truths: tuple[Truth, ...]
    because: str | msgspec.UnsetType = msgspec.UNSET
    rank: Rank | msgspec.UnsetType = msgspec.UNSET
    gain: Gain | msgspec.UnsetType = msgspec.UNSET
    """There where something was measured here; else that of the rule holds."""

    remedy: Instructions | msgspec.UnsetType = msgspec.UNSET
    title_here: str | msgspec.UnsetType = msgspec.UNSET
    """There where the rule's title has words with this machine's values; `title` is the generic one."""

    waived: Waived | msgspec.UnsetType = msgspec.UNSET
    """There where somebody has accepted it; then it does not count for --fail-on."""

    behind: Behind | msgspec.UnsetType = msgspec.UNSET
    """There where it follows from another finding, or waits for one."""


class Report(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole document. `rules` are those of `verdicts`; `passed` are all other checks."""

    schema: Literal["fsadvisor/report/2"]
    machine: Machine
    summary: Summary
    rules: tuple[Rule, ...]
    subjects: tuple[Subject, ...]
    unknown: tuple[UnknownFact, ...]
    verdicts: tuple[Verdict, ...]
    passed: tuple[Passed, ...]
