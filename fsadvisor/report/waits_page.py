"""Where the time went: the sentence with its evidence, then all that was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Cause, Unknown
from fsadvisor.measure.waits.journals import PHASES, BtrfsWork, Jbd2Work, XfsWork
from fsadvisor.measure.waits.rules import COUNTS
from fsadvisor.pages.document import Block, DrawnLines, Gap, Labelled, paragraph
from fsadvisor.pages.glyphs import clean, line, width
from fsadvisor.pages.values import cause, counted, duration, rate
from fsadvisor.report.probe_page import whole_cells

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.facts import Fact
    from fsadvisor.measure.waits.journals import Work
    from fsadvisor.measure.waits.rules import Name
    from fsadvisor.measure.waits.sentence import Account, Evidence, Sentence
    from fsadvisor.measure.waits.threads import Threads, Waiter
    from fsadvisor.measure.waits.window import Cpu, Disk, Disks, Locks, WaitsWindow

BAR: Final = 60
_SHORT_BAR: Final = 8
_SIGNS: Final = "█▓▒░·"
_MOST: Final = 8
_IN: Final = line("  ")
_FURTHER: Final = line("    ")
_NAME: Final = 10
IOWAIT: Final = (
    "I/O wait is idle time of a processor on which a thread went to sleep for a disk. It says little on several "
    "processors, since the thread may wake on another: no sentence here rests on it."
)
BUSY: Final = (
    "Busy is the time with a request under way, without flushes. If a device works on many at once (SSD, RAID, cloud "
    "volume), 100 % is not its limit. A write's ms include the flush that it asked for first."
)


def document(account: Account) -> Iterator[Block]:
    """The whole account."""
    window = account.window
    of = f" while the probe {clean(account.job)} ran" if account.job else ""
    where = f"the disks below {account.target}" if account.target else "this machine"
    yield paragraph(f"Where the time goes: {where}, {window.seconds:.1f} s{of}, {clean(account.when)}")
    for note in account.notes:
        yield paragraph(note, first=line("  note: "))
    for sentence in account.sentences:
        yield Gap()
        yield from _sentence(sentence)
    yield Gap()
    yield from _cpu(window)
    yield from _disks(window.disks)
    yield from _pressure(window)
    yield from _works(window.works)
    yield from _threads(window.threads)
    yield from _locks(window.locks)


def measure_text(name: Name, value: float) -> str:
    """'62 %', or '1.4' where it is a number of threads or requests."""
    return f"{value:.1f}" if name in COUNTS else percent(value)


def percent(share: float) -> str:
    """'62 %', '0.4 %'; what is less than a thousandth and not nothing says so."""
    if 0 < share < 0.0005:
        return "< 0.1 %"
    return f"{100 * share:.1f} %" if 0 < share < 0.0995 else f"{100 * share:.0f} %"


def _sentence(sentence: Sentence) -> Iterator[Block]:
    yield paragraph(f"{sentence.says}.", first=_IN)
    for evidence in sentence.evidence:
        yield paragraph(_evidence(evidence), first=_FURTHER, indent=6)
    yield paragraph(f"This leaves open: {sentence.leaves_open}", first=_FURTHER)


def _evidence(evidence: Evidence) -> str:
    name = evidence.condition.name
    of = f" ({clean(evidence.of)})" if evidence.of else ""
    if isinstance(evidence.measured, Unknown):
        return f"not known: {evidence.condition.means}{of}: {_why(evidence.measured)}"
    bound = f"{evidence.condition.relation} {measure_text(name, evidence.condition.threshold)}"
    against = "" if evidence.holds.value == "true" else "not "
    return f"{measure_text(name, evidence.measured.value)}, {against}{bound}: {evidence.condition.means}{of}"


def _why(unknown: Unknown) -> str:
    learn = f"; {unknown.learn}" if unknown.learn else ""
    source = f" ({clean(unknown.source)})" if unknown.source else ""
    return f"{cause(unknown)}{source}{learn}"


def _cpu(window: WaitsWindow) -> Iterator[Block]:
    if isinstance(window.cpu, Unknown):
        yield Labelled("Processors", line(f"not known: {_why(window.cpu)}"), 12)
        return
    cpu = window.cpu.value
    own = f"; fsadvisor itself took {percent(window.own)} of one"
    yield Labelled("Processors", line(f"{cpu.processors}, {percent(cpu.busy)} busy{own}"), 12)
    parts = _cpu_parts(cpu)
    if parts is not None:
        cells = whole_cells([share for _, share in parts], BAR)
        signs = "".join(sign * number for sign, number in zip(_SIGNS + " ", cells, strict=True))
        yield DrawnLines((line(f"  {signs.rstrip()}"),))
        words = (
            f"{sign} {name} {percent(share)}".strip() for sign, (name, share) in zip(_SIGNS + " ", parts, strict=True)
        )
        yield paragraph(", ".join(words), first=_IN)
    else:
        told = ("user", cpu.user), ("system", cpu.system), ("interrupts", cpu.interrupts), ("stolen", cpu.steal)
        yield paragraph(", ".join(f"{name} {percent(share)}" for name, share in told), first=_IN)
        if isinstance(cpu.iowait, Unknown):
            yield paragraph(f"I/O wait and idle are not known: {_why(cpu.iowait)}", first=_IN)
    yield paragraph(IOWAIT, first=_IN)


def _cpu_parts(cpu: Cpu) -> list[tuple[str, float]] | None:
    if isinstance(cpu.iowait, Unknown) or isinstance(cpu.idle, Unknown):
        return None
    return [
        ("user", cpu.user),
        ("system", cpu.system),
        ("interrupts", cpu.interrupts),
        ("stolen", cpu.steal),
        ("I/O wait", cpu.iowait.value),
        ("idle", cpu.idle.value),
    ]


def _disks(disks: Fact[Disks]) -> Iterator[Block]:
    yield Gap()
    if isinstance(disks, Unknown):
        yield Labelled("Disks", line(f"not known: {_why(disks)}"), 12)
        return
    sample = disks.value
    worked = sorted(
        (one for one in sample.each if one.rates.active), key=lambda disk: (-disk.rates.busy, -_flush(disk), disk.name)
    )
    calm = len(sample.each) - len(worked)
    words = f"{counted(len(worked), 'device')} worked" + (f", {calm:,} did nothing" if calm else "")
    gone = f"; not known, as they came or went: {', '.join(map(clean, sample.untold))}" if sample.untold else ""
    yield Labelled("Disks", line(words + gone), 12)
    if not worked:
        return
    rows = [words for one in worked[:_MOST] for words in _disk(one)]
    if len(worked) > _MOST:
        rows.append(f"  … {len(worked) - _MOST:,} more")
    yield DrawnLines(tuple(map(line, (_HEAD, *rows))))
    yield paragraph(BUSY, first=_IN)


def _flush(disk: Disk) -> float:
    return 0.0 if isinstance(disk.flush, Unknown) else disk.flush.value


_HEAD: Final = (
    f"  {'device':<{_NAME}}{'busy':>{_SHORT_BAR + 6}}{'queue':>6}{'read/s':>7}{'ms':>6}{'write/s':>8}{'ms':>6}"
    f"{'flush/s':>8}{'ms':>6}{'flush':>6}"
)


def _disk(disk: Disk) -> tuple[str, ...]:
    """A row; a long name has a line of its own above it."""
    rates = disk.rates
    name = clean(disk.name)
    above, shown = ((), name + " " * (_NAME - width(name))) if width(name) < _NAME else ((f"  {name}",), " " * _NAME)
    flushes = "none" if rates.flushes == 0 and not rates.flushed else rate(rates.flushes)
    share = "?" if isinstance(disk.flush, Unknown) else f"{100 * disk.flush.value:.0f} %"
    row = (
        f"  {shown}{_bar(rates.busy)}{100 * rates.busy:>4.0f} %{rates.queue:>6.1f}"
        f"{rate(rates.reads):>7}{duration(rates.read_ms):>6}{rate(rates.writes):>8}{duration(rates.write_ms):>6}"
        f"{flushes:>8}{duration(rates.flush_ms):>6}{share:>6}"
    )
    return (*above, row)


def _bar(share: float) -> str:
    cells = round(min(max(share, 0.0), 1.0) * _SHORT_BAR)
    return "█" * cells + "░" * (_SHORT_BAR - cells)


def _pressure(window: WaitsWindow) -> Iterator[Block]:
    yield Gap()
    words = []
    for name, stalls in window.pressure.items():
        if isinstance(stalls.some, Unknown):
            yield Labelled("Pressure", line(f"{name} not known: {_why(stalls.some)}"), 12)
            continue
        full = "" if isinstance(stalls.full, Unknown) else f" (all: {percent(stalls.full.value)})"
        words.append(f"{name} {percent(stalls.some.value)}{full}")
    if words:
        text = f"some thread waited for {', '.join(words)} of the time"
        yield Labelled("Pressure", line(text), 12)


def _works(works: Iterable[Fact[Work]]) -> Iterator[Block]:
    for fact in works:
        yield Gap()
        if isinstance(fact, Unknown):
            yield Labelled("Journal", line(f"not known: {_why(fact)}"), 12)
            continue
        match fact.value:
            case Jbd2Work() as work:
                yield from _jbd2(work)
            case XfsWork() as work:
                yield from _xfs(work)
            case BtrfsWork() as work:
                commits = f"{counted(work.commits, 'commit')}, {duration(work.commit_ms)} ms each"
                share = f"under way for {percent(work.busy)} of the time at most"
                yield Labelled("Journal", line(f"Btrfs {clean(work.uuid)}: {commits}; {share}"), 12)


def _jbd2(work: Jbd2Work) -> Iterator[Block]:
    text = f"ext4 on {clean(work.device)}: {counted(work.transactions, 'transaction')}, {work.requested:,} asked for"
    if not isinstance(work.commit_us, Unknown):
        text += f"; a commit took about {work.commit_us.value:,.0f} µs (the kernel's running mean)"
    yield Labelled("Journal", line(text), 12)
    phases = [
        f"{says} {low.value.low:.1f} to {low.value.high:.1f}"
        for phase, says in PHASES.items()
        if not isinstance(low := work.phases_ms[phase], Unknown) and low.value.high - low.value.low <= _WIDE_MS
    ]
    if phases:
        yield paragraph(f"ms a transaction: {'; '.join(phases)}", first=_IN)
    else:
        yield paragraph(
            "its averages since the mount are too coarse to tell what the transactions of this window took",
            first=line("  "),
        )


_WIDE_MS: Final = 20.0
"""Wider bounds tell nothing that anybody could use."""


def _xfs(work: XfsWork) -> Iterator[Block]:
    of = f"XFS on {clean(work.device)}" if work.device else "all XFS together"
    space = "not known" if isinstance(work.space_slept, Unknown) else f"{work.space_slept.value:,}"
    text = (
        f"{of}: {counted(work.log_writes, 'write')} of the log, {counted(work.forces, 'force')}, {work.forces_slept:,} "
        f"of them slept; waits for a log buffer {work.no_buffer:,}, for log space {space}"
    )
    yield Labelled("Journal", line(text), 12)


def _threads(threads: Fact[Threads]) -> Iterator[Block]:
    yield Gap()
    if isinstance(threads, Unknown):
        yield Labelled("Threads", line(f"not known: {_why(threads)}"), 12)
        return
    sample = threads.value
    text = (
        f"{sample.running:.1f} ran or could, {sample.waiting:.1f} waited in the kernel (state D), of "
        f"{sample.threads:,.0f}, on average of {sample.looks} looks"
    )
    yield Labelled("Threads", line(text), 12)
    kinds = [
        f"{kind} {_few(fact.value)}"
        for kind, fact in sample.kinds.items()
        if not isinstance(fact, Unknown) and fact.value
    ]
    if kinds:
        yield paragraph(f"for {', '.join(kinds)}", first=_IN)
    for waiter in sample.waiters:
        words = f"{_few(waiter.waiting)} {clean(waiter.name, 40)}: {_place(waiter)}"
        yield paragraph(words, first=_FURTHER, indent=6)
    for runner in sample.runners[:3]:
        yield paragraph(f"{percent(runner.share)} {clean(runner.name, 40)} ({runner.thread}) ran", first=_FURTHER)


def _few(threads: float) -> str:
    return "< 0.1" if 0 < threads < 0.05 else f"{threads:.1f}"


def _place(waiter: Waiter) -> str:
    of = f" ({waiter.threads:,} threads)" if waiter.threads > 1 else ""
    if waiter.kind == "not told":
        return f"waited; where, only root can see{of}"
    if waiter.kind == "gone on":
        return f"waited, but had gone on before it could be told where{of}"
    return f"waited in {clean(waiter.function)}: {waiter.kind}{of}"


def _locks(locks: Fact[Locks]) -> Iterator[Block]:
    yield Gap()
    if isinstance(locks, Unknown):
        words = _why(locks) if locks.cause is not Cause.NOT_MEASURED else locks.learn
        yield Labelled("Locks", line(f"not known: {words}"), 12)
        return
    sample = locks.value
    slept = f"{sample.waiting:.2f} threads slept for one on average"
    text = f"of the kernel, as perf traced: {slept}, {sample.spinning:.2f} spun"
    yield Labelled("Locks", line(text), 12)
    for lock in sample.locks[:_MOST]:
        words = (
            f"{duration(lock.total_us / 1000)} ms in all, {duration(lock.longest_us / 1000)} ms at most, "
            f"{counted(lock.contended, 'time')}: {clean(lock.type)} in {clean(lock.caller)}"
        )
        yield paragraph(words, first=_FURTHER, indent=6)
