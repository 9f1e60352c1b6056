"""What trials of rules told, where nothing has changed since that it depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.storage import Tried
from fsadvisor.survey.measured import staleness
from fsadvisor.survey.ratios import Ratio, kind, rule_of, sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fsadvisor.readers.probe_results import Measured
    from fsadvisor.storage import Subject
    from fsadvisor.survey.measured import Results

_MATTERS: Final = 0.05
"""Differences up to this share do not matter, where a trial does not say otherwise."""


def tried(
    by_mount: Mapping[str, Results],
    mounts: Mapping[str, Subject],
    programs: Iterable[Subject],
    conditions: Callable[[Subject], Mapping[str, str]],
) -> Iterator[Tried]:
    """The newest result of each rule on each mount that holds today; `conditions` are those of today on a mount."""
    programs = tuple(programs)
    for place, results in by_mount.items():
        mount = mounts.get(place)
        found = {rule: every for job, every in results.items() if (rule := rule_of(job))}
        if mount is None or not found:
            continue
        now = conditions(mount)
        about = frozenset((mount.id, *mount.below, *(it.id for it in programs if mount.id in it.below)))
        for rule, every in found.items():
            holds = (one for one in every if one.believable and not staleness(one, now))
            newest = next((told for one in holds if (told := _told(rule, about, one))), None)
            if newest is not None:
                yield newest


def _told(rule: str, subjects: frozenset[str], one: Measured) -> Tried | None:
    """What a result says; None where it says nothing."""
    figure = one.figure
    if figure is None or not figure.low > 0:
        return None
    ratio = Ratio(middle=figure.median, low=figure.low, high=figure.high, blocks=figure.windows)
    if kind(ratio, _MATTERS) == "open":
        return None
    faster = kind(ratio, _MATTERS) == "faster"
    return Tried(
        rule=rule,
        subjects=subjects,
        percent=float(f"{100 * (ratio.middle - 1):.2g}") if faster else 0.0,
        says=f"{sentence(ratio, _MATTERS)}, tried",
        how=f"`fsadvisor trial {rule}` on {one.when[:10]}, {one.engine}, on the filesystem of {one.mount}",
    )
