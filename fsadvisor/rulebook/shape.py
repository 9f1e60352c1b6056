"""What a rule file may hold, key by key; a key that is not here does not load.

Every docstring line is what `fsadvisor rule` and the docs say of the key.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias, get_args

import msgspec

RuleKind: TypeAlias = Literal["risk", "gain", "hygiene"]
SubjectKind: TypeAlias = Literal["host", "disk", "layer", "filesystem", "mount", "service", "now"]
Severity: TypeAlias = Literal["critical", "high", "moderate", "low"]
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)
"""The gravest first."""
Urgency: TypeAlias = Literal["losing", "errors", "power-cut", "boot", "stall", ""]
Status: TypeAlias = Literal["draft", "trial", "settled", "retired"]
Basis: TypeAlias = Literal["measured", "documented", "reported"]
Needs: TypeAlias = Literal["online", "remount", "restart", "unmount", "reboot", "reformat", "hardware"]
Expect: TypeAlias = Literal["advise", "withheld", "blocked", "undetermined", "ok", "not_applicable"]


_HERE: Final = "measured here"


class AskShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question in words and as an expression; `because` says why its bounds are what they are, where it has any."""

    ask: str
    expr: str
    because: str = ""


class GainFigure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number that somebody gives: what it says, who says it, on what machine and how.

    `table` names the published table that it stands in, such as 003-assumptions.
    """

    says: str
    source: str
    conditions: str
    table: str = ""


class Gain(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What following the advice is good for.

    `metric` is what gets better, `basis` the best ground there is, `figures` every number known, those that
    contradict each other too; `believe` says which to trust; `measure` names the probe that would measure it here,
    `measured` a fact in percent that the probe sets: the share that following the advice can save at most.
    """

    metric: str
    basis: Basis
    figures: tuple[GainFigure, ...] = ()
    believe: str = ""
    measure: str = ""
    measured: str = ""

    @property
    def is_measured_here(self) -> bool:
        """Whether a probe has told it on this machine."""
        return any(figure.source == _HERE for figure in self.figures)


def measured_gain(gain: Gain, says: str, how: str) -> Gain:
    """The gain where a probe has told it: this figure first, and measured."""
    here = GainFigure(says=says, source=_HERE, conditions=how)
    return msgspec.structs.replace(gain, basis="measured", figures=(here, *gain.figures))


class Keep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What makes the remedy last: a `line` in a `file`, or mount options to `add` and `remove` for a `mount` point."""

    file: str = ""
    line: str = ""
    mount: str = ""
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()


class WayShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """More `advice` for some subjects only: those of which the expression `when` is true, or not known.

    `page` is the address of the reference that findings on these subjects name, where it is not the first, and
    `needs` the disruption, where it is another than the remedy's. `by_hand` says why the remedy's commands are not for
    them.
    """

    when: str
    advice: str
    page: str = ""
    needs: Needs | None = None
    by_hand: str = ""


class HereShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a title `says` on the subjects of which the expression `when` is true."""

    when: str
    says: str


class RemedyShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to do: shell commands for `now`, their `undo` and `verify`, what to `keep`, and `advice` in words.

    Each `way` adds what to do on one type of filesystem, layer or drive. `needs` is the disruption; `rewrites` says
    that it moves or rewrites data or metadata, or changes what protects them, so that it waits for the health gate
    (gate.py); `then` are the facts after it has been done.
    """

    needs: Needs
    rewrites: bool = False
    now: tuple[str, ...] = ()
    keep: tuple[Keep, ...] = ()
    undo: tuple[str, ...] = ()
    verify: tuple[str, ...] = ()
    advice: str = ""
    way: tuple[WayShape, ...] = ()
    then: dict[str, Any] = {}


class TrialShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the remedy is tried on a scratch filesystem, by `fsadvisor trial`.

    `job` is the probe's that it should make faster, `types` the filesystems that it can be tried on, the usual first;
    `before` and `after` are mount options without and with the remedy, `mkfs_before` and `mkfs_after` arguments of
    mkfs.
    """

    job: str
    types: tuple[str, ...]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    mkfs_before: tuple[str, ...] = ()
    mkfs_after: tuple[str, ...] = ()


class Reference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who says so."""

    url: str
    says: str


class ExampleShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A subject with these facts, all others unknown, must get this verdict.

    `safe` is the answer to all safety questions together, where the verdict does not tell it: of a risk, people are
    warned whatever it is.
    """

    name: str
    expect: Expect
    facts: dict[str, Any]
    safe: Literal["true", "false", "unknown"] = "true"


class StepsShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Single steps from the example `like`: facts that get another value, each list under the verdict that follows.

    `advise_unsafe` and `advise_unclear` are advised while the answer to the safety questions is no, or not known.
    """

    like: str
    advise: tuple[dict[str, Any], ...] = ()
    advise_unsafe: tuple[dict[str, Any], ...] = ()
    advise_unclear: tuple[dict[str, Any], ...] = ()
    withheld: tuple[dict[str, Any], ...] = ()
    blocked: tuple[dict[str, Any], ...] = ()
    undetermined: tuple[dict[str, Any], ...] = ()
    ok: tuple[dict[str, Any], ...] = ()
    not_applicable: tuple[dict[str, Any], ...] = ()


class Equivalent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A change of a question that no example can notice, as `fsadvisor rule try` words it, and why."""

    change: str
    reason: str


class JudgedShape(msgspec.Struct, frozen=True, kw_only=True):
    """What an audit reads of every rule file: all but its examples, which are most of it.

    `title` names the knob or object; `here` is the same with this machine's values, said after the
    subject's name; of several the first whose values are known, and rather one without a 0.
    `urgency` is the row of `fsadvisor explain order` that its findings stand in, "" for the last. `explained_by` names
    rules whose finding on the same storage is the cause of this one, which is then folded below it. `errata` are
    numbers of errata of published sources, such as E11.
    """

    id: str
    title: str
    here: str | tuple[str | HereShape, ...] = ()
    kind: RuleKind
    subject: SubjectKind
    severity: Severity
    urgency: Urgency = ""
    explained_by: tuple[str, ...] = ()
    status: Status
    errata: tuple[str, ...] = ()
    why: str
    applies: tuple[AskShape, ...] = ()
    checks: tuple[AskShape, ...]
    safety: tuple[AskShape, ...] = ()
    gain: Gain | None = None
    remedy: RemedyShape
    trial: TrialShape | None = None
    reference: tuple[Reference, ...]
    equivalent: tuple[Equivalent, ...] = ()


class RuleShape(JudgedShape, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A rule file as it is written."""

    example: tuple[ExampleShape, ...]
    steps: tuple[StepsShape, ...] = ()
