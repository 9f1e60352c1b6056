"""docs/trials-proof.md from the rows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from tools.trials import truth
from tools.trials.boot import INSTRUCTIONS_PER_S
from tools.trials.plan import GROUPS, PLACES, noisy
from tools.trials.rows import Bare, Kill, Ran, Trial

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tools.trials.plan import Group
    from tools.trials.rows import Row
    from tools.trials.truth import Truth

COMMAND: Final = "python -m tools.trials measure && python -m tools.trials page"
_KINDS: Final = {"faster": "faster", "slower": "slower", "alike": "no difference", "open": "not told", "": "failed"}
_LEFT: Final = ("processes", "loops", "mounts", "dm", "files")


def write(rows: Sequence[Row], docs: Path) -> None:
    """The page."""
    (docs / "trials-proof.md").write_text(text(rows), encoding="utf-8")


def text(rows: Sequence[Row]) -> str:
    """The page."""
    return "".join(_pieces(rows)).rstrip() + "\n"


def _pieces(rows: Sequence[Row]) -> Iterator[str]:
    ran = next(row for row in rows if isinstance(row, Ran))
    yield (
        "# Trials, held against the truth\n\n"
        f"Written by `{COMMAND}` (`make trials`) from [the rows](../fixtures/trials/rows.jsonl): Linux {ran.kernel}, "
        f"last measured {ran.when}. The guest is one of the lab's; its clock counts instructions, "
        f"{INSTRUCTIONS_PER_S / 1e9:g} billion a second, and leaps while all wait, so that figures do not depend on "
        "what else this machine does.\n\n"
    )
    yield from _gains(rows)
    yield from _each(rows)
    yield from _over(rows)
    yield from _kills(rows)


def _gains(rows: Sequence[Row]) -> Iterator[str]:
    yield (
        "## Planted gains, and planted nothings\n\n"
        "The command is `fsadvisor trial OPTION --device DEVICE`; the job is commit-fdatasync, 4 KiB written over and "
        "made durable, on ext4. The disk takes one known time for a block and another for a flush: null_blk with "
        "timers, one for blocks, one as the cache that is flushed, joined by dm-linear.\n\n"
        "- The truth is not the trial's: (write + flush + over) / (write + over), where *over* is what long runs of "
        "fio alone took beyond the planted times, on the same disk, with loop devices, ext4 and fio's arguments set up "
        "by other code. *By the costs alone* leaves the *over* out.\n"
        "- Every second trial has a neighbour that reads the disk in bursts and takes the processor away, ever more or "
        "less, by lot. There the truth is the ratio of long runs of fio with such a neighbour.\n"
        "- In the others there is no noise but the kernel's own; there both costs are drawn by lot for each trial, up "
        "to a quarter from the group's.\n"
        "- fio is installed in every fifth trial; in the others fsadvisor's own engine measures. The command runs in a "
        "fork of a process that has its modules loaded; its measuring process is started as always.\n\n"
    )
    heads = ("planted", "neighbour", "trials", "truth", "by the costs alone", "middle told", "width", "hold the truth")
    lines = []
    for group in GROUPS.values():
        known = truth.of_group(group, rows)
        for is_noisy in (False, True):
            tried = [row for row in _trials(rows, group) if row.noisy is is_noisy]
            if tried and known:
                lines.append(_line(group, tried, known, is_noisy=is_noisy))
    yield _table((*heads, "said", "seconds each"), lines)
    for group in GROUPS.values():
        known, tried = truth.of_group(group, rows), _trials(rows, group)
        if tried and known:
            yield f"- {group.id}: {_verdict(group, tried, known)}\n"
    yield "\n"


def _verdict(group: Group, tried: Sequence[Trial], known: Truth) -> str:
    held = sum(truth.holds(it, truth.of_trial(it, group, known)) for it in tried)
    alike = sum(it.kind == "alike" for it in tried)
    more = f"; {alike} are called no difference" if group.nothing else ""
    return f"the interval holds the truth in {held} of {len(tried)} trials{more}."


def _line(group: Group, tried: Sequence[Trial], known: Truth, *, is_noisy: bool) -> tuple[str, ...]:
    true = [truth.of_trial(it, group, known) for it in tried]
    gains = [it.gain for it in tried if it.gain]
    said = Counter(_KINDS[it.kind] for it in tried)
    return (
        f"{group.id}: {group.title}",
        "yes" if is_noisy else "no",
        str(len(tried)),
        _range(true),
        _range([truth.formula(it, group) for it in tried]),
        _range([middle for _, middle, _ in gains]),
        f"{truth.middle_of([50 * (high / low - 1) for low, _, high in gains]):.2f} %" if gains else "",
        f"{sum(truth.holds(it, one) for it, one in zip(tried, true, strict=True))} of {len(tried)}",
        ", ".join(f"{what} {count}" for what, count in sorted(said.items())),
        f"{truth.middle_of([it.seconds for it in tried]):.0f}",
    )


def _each(rows: Sequence[Row]) -> Iterator[str]:
    heads = (
        "trial",
        "neighbour",
        "write, µs",
        "flush, µs",
        "truth",
        "told",
        "interval",
        "holds",
        "said",
        "blocks",
        "engine",
    )
    for group in GROUPS.values():
        known, tried = truth.of_group(group, rows), _trials(rows, group)
        if not tried or not known:
            continue
        yield f"### {group.id}: `fsadvisor trial {group.options} --device … --seconds {group.seconds:g}`\n\n"
        lines = []
        for it in tried:
            true, gain = truth.of_trial(it, group, known), it.gain
            lines.append(
                (
                    *(
                        str(it.number),
                        "yes" if it.noisy else "no",
                        f"{it.write_us:g}",
                        f"{it.flush_us:g}",
                        f"{true:.4f}",
                    ),
                    *((f"{gain[1]:.4f}", f"{gain[0]:.4f} to {gain[2]:.4f}") if gain else ("", it.error)),
                    *("yes" if truth.holds(it, true) else "**no**", it.says, f"{it.blocks}, {it.left_out} left out"),
                    "its own" if it.engine.startswith("fsadvisor") else it.engine,
                )
            )
        yield _table(heads, lines)


def _over(rows: Sequence[Row]) -> Iterator[str]:
    yield (
        "## Long runs of fio alone\n\n"
        "Ten seconds each, both sides in turn, A B B A, and once more with their places on the disk exchanged; means "
        "of fdatasync. With a neighbour the ratio is of medians, as in a trial, read off within fio's bins, of 0.8 to "
        "1.6 % each.\n\n"
    )
    heads = (
        "planted",
        "neighbour",
        "barrier, µs",
        "nobarrier, µs",
        "over, barrier",
        "over, nobarrier",
        "ratio",
        "pairs of runs",
    )
    lines = []
    for group in GROUPS.values():
        known = truth.of_group(group, rows)
        if group.nothing or known is None:
            continue
        own = [row for row in rows if isinstance(row, Bare) and row.group == group.id]
        for is_noisy in (False, True):
            means = {
                side: [row.mean_us for row in own if row.side == side and row.noisy is is_noisy]
                for side in ("default", "changed")
            }
            quiet = (
                f"{known.over_default_us:.1f} µs",
                f"{known.over_changed_us:.1f} µs",
                f"{truth.of_costs(group.costs, known):.4f}",
            )
            lines.append(
                (
                    f"{group.id}: {group.costs.write_us:g} and {group.costs.flush_us:g} µs",
                    "yes" if is_noisy else "no",
                    *(_range(means[side], ".1f") for side in ("default", "changed")),
                    *(("", "", f"{known.noisy:.4f}") if is_noisy else quiet),
                    _range(known.noisy_runs)
                    if is_noisy
                    else _range([one / other for one, other in zip(means["default"], means["changed"], strict=False)]),
                )
            )
    yield _table(heads, lines)


def _kills(rows: Sequence[Row]) -> Iterator[str]:
    kills = [row for row in rows if isinstance(row, Kill)]
    if not kills:
        return
    yield (
        "## Killed at random moments\n\n"
        "The command is killed with SIGKILL at moments drawn by lot over the time that it takes: every second time all "
        "of its processes at once, else only the first of them. Then processes, loop devices, mounts of every "
        "namespace, devices of device mapper and the folder's names are looked through, and once more after the next "
        "start. A folder of Btrfs keeps the images' names until that start. A device keeps a scratch filesystem, by "
        "design: what is on it is nobody's to erase but yours, and the next start refuses it until it is wiped.\n\n"
    )
    heads = (
        "where",
        "kills",
        "of the first process alone",
        "while at work",
        "at what",
        *(f"{kind} at once" for kind in _LEFT),
    )
    lines = []
    for place in PLACES:
        own = [row for row in kills if row.place == place]
        if own:
            at = Counter(_phase(row) for row in own)
            lines.append(
                (
                    *(place, str(len(own)), str(sum(row.leader for row in own))),
                    str(sum(row.at != "ended" for row in own)),
                    ", ".join(f"{what} {count}" for what, count in sorted(at.items())),
                    *(str(sum(len(row.at_once[kind]) for row in own)) for kind in _LEFT),
                    str(sum(len(one) for row in own for one in row.later.values())),
                    str(max(row.lost_bytes for row in own)) if place != "device" else "",
                    ", ".join(
                        f"{what}: {count}" for what, count in sorted(Counter(row.started for row in own).items())
                    ),
                )
            )
    yield _table((*heads, "anything after the next start", "bytes not given back", "the next start"), lines)


def _phase(row: Kill) -> str:
    """The youngest of its processes, in a word."""
    last = row.at.split()[-1]
    return row.at if row.at in ("ended", "looking around") else "filling or measuring" if last == "python" else last


def _trials(rows: Sequence[Row], group: Group) -> list[Trial]:
    return [row for row in rows if isinstance(row, Trial) and row.group == group.id and row.noisy is noisy(row.number)]


def _range(values: Sequence[float], form: str = ".4f") -> str:
    if not values:
        return ""
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low} to {high}"


def _table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rows = [heads, ["---"] * len(heads), *lines]
    return (
        "".join(
            f"| {' | '.join(' '.join(cell.replace('|', chr(92) + '|').split()) for cell in row)} |\n" for row in rows
        )
        + "\n"
    )
