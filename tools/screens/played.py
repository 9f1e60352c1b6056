"""A minute of a mail server for the picture of Live: a queue that flushes all the time, and a backup that begins."""

from __future__ import annotations

from fsadvisor.machine.port import Reply
from fsadvisor.machine.pulse import Pulse
from fsadvisor.measure.waits.rates import Moment, RateHistory
from fsadvisor.tui.views.live_limit import Writer, WritingProcesses

_SECONDS = 61
_VMSTAT = "nr_dirty 21000\nnr_writeback 400\nnr_dirty_threshold 400000\nnr_dirty_background_threshold 200000\n"
_PRESSURE = "some avg10=31.20 avg60=24.00 avg300=9.00 total=1\nfull avg10=18.00 avg60=9.00 avg300=4.00 total=1\n"


def minute() -> tuple[Moment, ...]:
    """Its moments."""
    history = RateHistory()
    counted = {"sda": [0.0, 0.0, 0.0], "sdb": [0.0, 0.0, 0.0]}
    for at in range(_SECONDS):
        wave = (at * 7 % 11) / 11
        steps = {
            "sda": (40 + 30 * wave + (2400 if at > 40 else 0), 4 * wave, 0.04 + 0.1 * wave + (0.75 if at > 40 else 0))
        }
        steps["sdb"] = (260 + 120 * wave, 90 + 20 * wave, 0.55 + 0.4 * wave)
        for name, (writes, flushes, busy) in steps.items():
            for place, more in enumerate((writes, flushes, busy * 1000)):
                counted[name][place] += more
        history.add(_pulse(float(at), counted))
    return tuple(history.moments)


def writing() -> WritingProcesses:
    """Who wrote in it."""
    told = (
        ("rsync", 41217, 96 << 20, 1843 << 20, 0.02, "/var/mail", "backup.service"),
        ("postfix/qmgr", 1204, 1100 << 10, 70 << 20, 0.81, "/var/spool/postfix", "postfix.service"),
        ("dovecot/lmtp", 2290, 640 << 10, 33 << 20, 0.64, "/var/mail", "dovecot.service"),
        ("rsyslogd", 812, 12 << 10, 700 << 10, 0.03, "/", "rsyslog.service"),
    )
    writers = tuple(
        Writer(
            pid=pid,
            name=name,
            write_bytes=float(now),
            minute_bytes=all_of_it,
            cancelled_bytes=0,
            samples=600,
            waited=round(600 * share),
            mounts=(mount,),
            unit=unit,
        )
        for name, pid, now, all_of_it, share, mount, unit in told
    )
    return WritingProcesses(writers=writers, seen=212)


def _pulse(at_s: float, counted: dict[str, list[float]]) -> Pulse:
    lines = [_line(minor, name, *map(round, counts)) for minor, (name, counts) in enumerate(counted.items())]
    return Pulse(
        at_s=at_s,
        cpu_s=at_s * 0.008,
        page_bytes=4096,
        diskstats=Reply("\n".join(lines), "/proc/diskstats"),
        vmstat=Reply(_VMSTAT, "/proc/vmstat"),
        pressure=Reply(_PRESSURE, "/proc/pressure/io"),
        cpu_pressure=Reply(_PRESSURE.replace("31.20", "0.40"), "/proc/pressure/cpu"),
        memory_pressure=Reply(_PRESSURE.replace("31.20", "0.00"), "/proc/pressure/memory"),
        memory=Reply("", "/proc/meminfo"),
        nodes=(),
        stat=Reply(
            f"cpu  {round(at_s * 25)} 0 0 {round(at_s * 375)} 0 0 0 0 0 0\nprocs_running 1\nprocs_blocked 2\n",
            "/proc/stat",
        ),
        devices=tuple(counted),
    )


def _line(minor: int, name: str, writes: int, flushes: int, busy_ms: int) -> str:
    """Of /proc/diskstats; each write has 40 KiB."""
    written = f"{writes} 0 {writes * 80} {writes * 3}"
    return f" 8 {minor} {name} 0 0 0 0 {written} 0 {busy_ms} {writes * 3} 0 0 0 0 {flushes} {flushes * 8}"
