"""docs/latency.md from the points: tables, what still holds of the paper's, and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from fsadvisor.measure import forecast
from fsadvisor.measure.forecast import of_one_device
from fsadvisor.measure.forecast.analysis import study
from fsadvisor.measure.forecast.classes import CLASSES, INVERSIONS, Class
from fsadvisor.pages.markdown import render
from fsadvisor.report import forecast_page, svg
from fsadvisor.report.forecast_page import changed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fsadvisor.measure.forecast.analysis import CurveAnalysis, Study

COMMAND = "python -m tools.paper measure && python -m tools.paper page"


@dataclass(frozen=True, kw_only=True)
class Run:
    """How it was measured."""

    kernel: str
    instructions_per_s: float
    stretch: int
    threads: int
    files: int
    passes: int
    window_s: float
    wrong: tuple[str, ...]
    """What failed."""


def keep(run: Run, file: Path) -> None:
    """Write it."""
    file.write_bytes(msgspec.json.format(msgspec.json.encode(run)) + b"\n")


def read(data: Path) -> tuple[Run, Study]:
    """What was measured, and how."""
    run = msgspec.json.decode((data / "run.json").read_bytes(), type=Run)
    return run, study(of_one_device(forecast.points((data / "sweep.csv").read_text())))


def only(found: Study, workload: str) -> Study:
    """The part about a workload."""
    return replace(found, curves=found.of(workload))


def write(data: Path, docs: Path) -> None:
    """The page and its pictures."""
    run, found = read(data)
    (docs / "latency").mkdir(exist_ok=True)
    for workload in found.workloads:
        (docs / "latency" / f"{workload}.svg").write_text(svg.forecast_svg(only(found, workload)))
    (docs / "latency.md").write_text("".join(text(run, found)))


def text(run: Run, found: Study) -> Iterator[str]:
    """The page."""
    yield "# Device latency and throughput: a paper of 2015 again, on a kernel of today\n\n"
    yield (
        f"Written by `{COMMAND}` from [the points](../fixtures/latency/sweep.csv). Each filesystem, with the defaults "
        "of mkfs and mount, serves a web, a mail and a file server while dm-delay lets each request to a device of "
        "memory wait; the model is throughput = C / (l_dev + l_sw). `fsadvisor forecast --sweep` measures the same on "
        "a machine of one's own.\n\n"
    )
    yield from _summary(found)
    for workload in found.workloads:
        yield f"\n## {workload}\n\n![Throughput by device latency](latency/{workload}.svg)\n\n"
        yield from render((forecast_page.fits(found.of(workload)), forecast_page.places(found, workload)))
    yield "\n## How it was measured\n\n"
    yield from (f"- {line}\n" for line in _how(run))
    if run.wrong:
        yield "\n## What failed\n\n"
        yield from (f"- {line}\n" for line in run.wrong)


def _summary(found: Study) -> Iterator[str]:
    """What still holds of the paper's, in numbers."""
    known = [
        (it, CLASSES[it.curve.filesystem, it.curve.workload][0])
        for it in found.curves
        if (it.curve.filesystem, it.curve.workload) in CLASSES
    ]
    decided = [(it, then) for it, then in known if it.verdict.is_class is not Class.UNDECIDED]
    same = [_named(it) for it, then in decided if it.verdict.is_class is then]
    leaning = [(it, then) for it, then in known if it.verdict.leans is not None]
    alike = [_named(it) for it, then in leaning if it.verdict.leans is then]
    yield "## What still holds\n\n"
    yield (
        f"- The paper gives a class to {len(known)} of these pairs of filesystem and workload. Today {len(decided)} of "
        f"them are decided beyond the noise, {len(same)} as in the paper: {', '.join(same) or 'none'}.\n"
    )
    yield (
        f"- Of the others {len(leaning)} have one by their middle values alone, which proves nothing: {len(alike)} as "
        f"in the paper, {', '.join(alike) or 'none'}. The paper's two calibrating latencies lie far from 1 ms, so that "
        "a noise of a few percent there is more than a tenth at 1 ms: it takes its runs of 20 minutes to decide.\n"
    )
    now = {(workload, pair) for workload in found.workloads for pair in changed(found.pairs, workload)}
    then = {(workload, pair) for workload in found.workloads for pair in INVERSIONS.get(workload, ())}
    seen = {(it.workload, frozenset({it.first, it.second})) for it in found.pairs}
    yield (
        f"- Of its {len(then & seen)} changes of place {len(now & then)} are seen today; {len(now - then)} are new. "
        "They are called only where the 95 % intervals are apart at both ends.\n"
    )
    yield (
        "- Class I keeps to the model down to 1 ms and falls behind it below; II is better than the model; III falls "
        "behind it from some higher latency on. The page says close where it is within a tenth; the paper gives no "
        "figure.\n"
    )


def _named(one: CurveAnalysis) -> str:
    return f"{one.curve.filesystem} ({one.curve.workload})"


def _how(run: Run) -> Iterator[str]:
    giga = run.instructions_per_s / 1e9
    yield f"Linux {run.kernel} in a guest of QEMU without KVM, one processor. Compare within this page only."
    yield (
        "The guest's clock counts instructions, so that figures do not depend on how busy the host is: they stand for "
        f"a processor of {giga:g} thousand million instructions a second, each taking as long as any other, with "
        "caches that never miss. l_sw is that processor's: a server has many, and faster ones on some work. Without "
        "this an emulated processor is about twenty times slower than a real one, and l_sw would be inflated by that."
    )
    yield (
        f"All of the guest's times are {run.stretch} times as long and were divided by that afterwards: delays, "
        "windows, and how often the kernel's writers run. That makes its tick of 4 ms, to which dm-delay rounds, short."
    )
    yield (
        "The latency is what the device's counters say that requests took, the median of all curves: more than was "
        "asked for, because timers of the kernel are kept in ticks, and in eights of them from 64 ticks on."
    )
    yield (
        f"{run.threads} processes on {run.files} files, where the paper had 16 cores, up to 100 threads and far more "
        "files: less contention, which is what slowed its Nilfs2. Every other read finds its file dropped from the "
        "page cache, for the paper's cache of half the files."
    )
    yield (
        "Dirty pages may be 16 MiB; ext4, XFS and Btrfs commit as often as they do by default, after the stretch. "
        "NILFS2 has no cleaner running (nogc): it would outlive the measurement."
    )
    yield (
        f"{run.passes} windows at each latency, going down and then up, of up to {run.window_s:g} s or about a hundred "
        "operations: short beside the paper's 20 minutes. Intervals are of these windows, not of another guest or day."
    )
    yield (
        "A file server's writes wait for nobody unless too much is dirty, so its curve is that of its cold reads and "
        "of the writers together."
    )
