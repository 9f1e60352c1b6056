"""What a trial should have said: from the planted costs and long runs of fio alone, without anything of fsadvisor."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean, median
from typing import TYPE_CHECKING

from tools.trials.rows import Bare, Trial

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.trials.plan import Costs, Group
    from tools.trials.rows import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """Of a group: what a call takes beside the planted costs, in µs, and the ratio with a neighbour at work."""

    over_default_us: float
    over_changed_us: float
    noisy: float
    noisy_runs: tuple[float, ...]
    """Of each pair of runs, for how sure it is."""


def of_group(group: Group, rows: Sequence[Row]) -> Truth | None:
    """The truth of a group's trials; None where it has not been measured."""
    if group.nothing:
        return Truth(over_default_us=0.0, over_changed_us=0.0, noisy=1.0, noisy_runs=(1.0,))
    own = [row for row in rows if isinstance(row, Bare) and row.group == group.id]
    quiet, noisy = ({side: _of(own, side, is_noisy=it) for side in ("default", "changed")} for it in (False, True))
    if not all((*quiet.values(), *noisy.values())):
        return None
    costs = group.costs
    return Truth(
        over_default_us=mean(row.mean_us for row in quiet["default"]) - costs.write_us - costs.flush_us,
        over_changed_us=mean(row.mean_us for row in quiet["changed"]) - costs.write_us,
        noisy=_middle(noisy["default"]) / _middle(noisy["changed"]),
        noisy_runs=tuple(
            _middle([one]) / _middle([other]) for one, other in zip(noisy["default"], noisy["changed"], strict=False)
        ),
    )


def _of(rows: Sequence[Bare], side: str, *, is_noisy: bool) -> list[Bare]:
    return [row for row in rows if row.side == side and row.noisy is is_noisy]


def _middle(runs: Sequence[Bare]) -> float:
    """The median of all calls of the runs, in ns, read off within its bin, as wide as fio's: 1/64."""
    together: dict[int, int] = {}
    for run in runs:
        for at, count in run.bins_ns.items():
            together[at] = together.get(at, 0) + count
    wanted, before = sum(together.values()) / 2, 0
    for at in sorted(together):
        if before + together[at] >= wanted:
            return at * (1 + ((wanted - before) / together[at] - 0.5) / 64)
        before += together[at]
    raise ValueError("no operations")


def of_costs(costs: Costs, truth: Truth) -> float:
    """The ratio on a quiet disk of these costs."""
    return (costs.write_us + costs.flush_us + truth.over_default_us) / (costs.write_us + truth.over_changed_us)


def of_trial(trial: Trial, group: Group, truth: Truth) -> float:
    """What the trial should have said."""
    if group.nothing:
        return 1.0
    if trial.noisy:
        return truth.noisy
    whole, write = trial.write_us + trial.flush_us, trial.write_us
    return (whole + truth.over_default_us) / (write + truth.over_changed_us)


def formula(trial: Trial, group: Group) -> float:
    """The ratio of the planted costs alone."""
    return 1.0 if group.nothing else (trial.write_us + trial.flush_us) / trial.write_us


def holds(trial: Trial, true: float) -> bool:
    """Whether its interval holds the truth."""
    return trial.gain is not None and trial.gain[0] <= true <= trial.gain[2]


def middle_of(values: Sequence[float]) -> float:
    """The median."""
    return median(values)
