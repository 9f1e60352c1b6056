r"""The shape of the JSON report; `fsadvisor schema` is made from these types.

Texts are those of the machine, with two exceptions. A byte that is no UTF-8 stands as \xNN, four characters, and any
other lone surrogate as \uNNNN, because strict parsers refuse a document that holds one: the way back is to take \xNN
for the byte, and a name that really has these four characters looks the same. Characters that could harm a terminal
(controls, bidirectional marks, zero-width signs) are written as JSON escapes, which every parser undoes.
"""

import datetime as dt
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from fsadvisor.facts import Cause
from fsadvisor.rulebook.ranking import Rank
from fsadvisor.rulebook.rule import Outcome, Part
from fsadvisor.rulebook.shape import Gain, Keep, Needs, Reference, RuleKind, Severity, SubjectKind
from fsadvisor.rulebook.shelf import RuleError
from fsadvisor.rulebook.tables import Verdict as ErratumVerdict
from fsadvisor.truth import Truth

SCHEMA: Final = "fsadvisor/report/1"

Value: TypeAlias = bool | int | float | str | tuple[str, ...]


class About(Struct, frozen=True, kw_only=True):
    """What a report says of its own making: by which version, as root or not, and which rules did not load."""

    version: str
    root: bool | None
    """None where a recording does not tell."""

    rule_errors: tuple[RuleError, ...] = ()


class FactFields(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A fact: `value` and `source` where it is known, else `unknown` (the cause), `learn` (the cure, may be empty)."""

    value: Value | msgspec.UnsetType = msgspec.UNSET
    unknown: Cause | msgspec.UnsetType = msgspec.UNSET
    learn: str | msgspec.UnsetType = msgspec.UNSET
    source: str


Fact: TypeAlias = Annotated[
    FactFields,
    msgspec.Meta(extra_json_schema={"oneOf": [{"required": ["value"]}, {"required": ["unknown", "learn"]}]}),
]
Facts: TypeAlias = dict[str, Fact]


class Machine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What was looked at, and by which version of fsadvisor; `root` is null where a recording does not tell."""

    name: str
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


class RuleNotLoaded(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A mistake in a rule file; line and column count from 1."""

    file: str
    line: int
    column: int | None
    message: str


class Ignored(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An attestation or waiver that does not count, and why; `place` is where it stands in the file."""

    place: str
    what: str
    why: str


class Summary(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Counts; `highest` is the gravest severity of an `advise`, `incomplete` says that something could not be told.

    `could_not_look` says why no storage could be looked at (exit status 5); null where some was.
    Neither `highest` nor the counts by severity count what is waived; `verdicts` does.
    """

    verdicts: Outcomes
    advise: Severities
    highest: Severity | None
    incomplete: bool
    could_not_look: str | None
    rules_not_loaded: tuple[RuleNotLoaded, ...]
    waived: int
    ignored: tuple[Ignored, ...]


class Subject(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Something that rules speak of; `below` are the ids of the subjects that it stands on.

    Facts that are not applicable are left out. A mount's filesystem and a service's mount are subjects of their own,
    to be found through `below`.
    """

    id: str
    kind: SubjectKind
    name: str
    below: tuple[str, ...]
    facts: Facts


class Ask(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A question of the rule, its answer for the subject, and the facts that it asked."""

    part: Part
    ask: str
    expr: str
    truth: Truth
    facts: Facts


class Remedy(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What to do: shell commands, or `no_commands`, the reason why none are shown; `needs` is the disruption."""

    needs: Needs
    now: tuple[str, ...]
    keep: tuple[Keep, ...]
    undo: tuple[str, ...]
    verify: tuple[str, ...]
    advice: str
    no_commands: str


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
    """The verdict that another stands behind: its `cause`, or what has to be mended `first`."""

    why: Literal["cause", "first"]
    rule: str
    subject: str


class Verdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a rule says of a subject. Verdicts stand in the order of `rank`; `because` says it in words."""

    rule: str
    subject: str
    verdict: Outcome
    kind: RuleKind
    severity: Severity
    title: str
    because: str
    rank: Rank
    why: str
    asks: tuple[Ask, ...]
    gain: Gain | None
    errata: tuple[Erratum, ...]
    remedy: Remedy
    references: tuple[Reference, ...]
    title_here: str | msgspec.UnsetType = msgspec.UNSET
    """There where the rule's title has words with this machine's values; `title` is the generic one."""

    waived: Waived | msgspec.UnsetType = msgspec.UNSET
    """There where somebody has accepted it; then it does not count for --fail-on."""

    behind: Behind | msgspec.UnsetType = msgspec.UNSET
    """There where it follows from another finding, or waits for one."""


class Report(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole document."""

    schema: Literal["fsadvisor/report/1"]
    machine: Machine
    summary: Summary
    subjects: tuple[Subject, ...]
    verdicts: tuple[Verdict, ...]
