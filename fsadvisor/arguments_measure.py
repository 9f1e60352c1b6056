"""The command line of what measures for longer (compare, forecast, trial, watch), and of diff, unit and serve."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable


def between(least: float, most: float, what: str, unit: str = "") -> Callable[[str], float]:
    """Reads a number above 0 and within these bounds, with its unit or without; `what` says in words which it is."""

    def read(text: str) -> float:
        try:
            number = float(text.removesuffix(unit))
        except ValueError:
            number = 0.0
        if not (number > 0 and least <= number <= most):
            raise argparse.ArgumentTypeError(f"{text!r} is no {what}")
        return number

    return read


SUITES = ("quick", "full", "oltp", "metadata", "streaming")
"""The names of probe.jobs.SUITES, which is loaded only where it is needed."""

seconds = between(0, 3600, "number of seconds between 0 and 3600")
_percent = between(0.1, 50, "share of 0.1 to 50 percent", "%")


def _add_start(verb: argparse.ArgumentParser, kept: str, in_data_directory: str) -> None:
    """Whether and how it starts, of what says first what it takes; the help of what differs."""
    verb.add_argument("--dry-run", action="store_true", help="only say what it takes and what speaks against it")
    verb.add_argument("--no-keep", action="store_true", help=f"do not keep {kept}")
    verb.add_argument("--yes", action="store_true", help="start without asking")
    verb.add_argument("--yes-in-data-directory", action="store_true", help=in_data_directory)


PROBE_SAYS = (
    "Measure a directory's filesystem by short jobs that leave nothing behind: JOB… TARGET, or --suite NAME TARGET."
    " Says what it takes and asks before it starts."
)


def add_probe(probe: argparse.ArgumentParser) -> None:
    """Its arguments: the one verb that writes on the filesystem that it is told of, and leaves nothing there."""
    probe.add_argument(
        "words",
        metavar="JOB… TARGET",
        nargs="*",
        help="jobs such as commit-fdatasync, and last the directory to measure",
    )
    probe.add_argument("--suite", metavar="NAME", choices=SUITES, help=f"jobs for a purpose: {', '.join(SUITES)}")
    probe.add_argument("--list", action="store_true", help="list the jobs and suites, and what they take")
    probe.add_argument(
        "--width",
        metavar="PERCENT",
        type=_percent,
        default=5.0,
        help="stop a job when half of its 95%% interval is as narrow as this share of the median (default: 5)",
    )
    probe.add_argument(
        "--seconds",
        metavar="N",
        type=seconds,
        help="stop a job after so many seconds, settled or not (default: 20; of the suite quick 10)",
    )
    probe.add_argument("--gentle", action="store_true", help="lowest priority, and pauses while others use the disks")
    _add_start(probe, "the results for the audit", "measure inside a database's own directory, too")


COMPARE_SAYS = (
    "Compare mounted paths, the devices below them and filesystems in images, by the same jobs in turn. Tells what is "
    "best at what, and what can't be told apart. Says what it takes and asks before it starts."
)


def add_compare(compare: argparse.ArgumentParser) -> None:
    """The arguments of `compare`."""
    compare.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="directories of mounted filesystems; on the first one's the images are made",
    )
    compare.add_argument(
        "--images",
        metavar="NAME,…",
        help="the filesystems to make in images: all (as root the default), none, or some of those that --list names",
    )
    compare.add_argument("--jobs", metavar="JOB,…", help="the jobs to compare them by; fsadvisor probe --list has all")
    compare.add_argument("--suite", metavar="NAME", choices=SUITES, help=f"jobs for a purpose: {', '.join(SUITES)}")
    compare.add_argument("--no-devices", action="store_true", help="do not read the devices below")
    compare.add_argument("--list", action="store_true", help="list the filesystems that can be made, and the jobs")
    compare.add_argument(
        "--width",
        metavar="PERCENT",
        type=_percent,
        default=5.0,
        help="end a job when half of the 95%% interval is as narrow as this share of the median on all (default: 5)",
    )
    compare.add_argument(
        "--seconds", metavar="N", type=seconds, help="so long for each job on each side, settled or not (default: 6)"
    )
    compare.add_argument("--markdown", action="store_true", help="print the comparison as Markdown")
    compare.add_argument("--out", metavar="FILE.svg", type=Path, help="draw it into a new file, which loads nothing")
    _add_start(compare, "who was best for the explorer's list", "measure inside a database's own directory, too")


FORECAST_SAYS: Final = (
    "Say what a device of another latency would bring, and where that can't be trusted. It rests on kept "
    "results of probes on TARGET, on a file (--fit), or on curves measured here (--sweep)."
)


def add_forecast(forecast: argparse.ArgumentParser) -> None:
    """The arguments of `forecast`."""
    forecast.add_argument(
        "target", metavar="TARGET", nargs="?", help="a mount point or directory whose results are kept"
    )
    forecast.add_argument(
        "--fit", metavar="FILE", type=Path, help="fit a CSV: filesystem,workload,latency_ms,throughput"
    )
    forecast.add_argument("--sweep", action="store_true", help="measure the curves, by dm-delay and null_blk")
    forecast.add_argument(
        "--on-scratch", metavar="DIR", type=Path, help="where the sweep's image lies, on a filesystem with space for it"
    )
    forecast.add_argument(
        "--filesystems",
        metavar="NAME,…",
        type=_names,
        help="default: ext4,xfs,btrfs,f2fs,nilfs2, those that can be made",
    )
    forecast.add_argument("--jobs", metavar="NAME,…", type=_names, help="default: web,file-server,mail")
    forecast.add_argument(
        "--delays", metavar="MS,…", type=_delays, help="default: 0 to 10 in steps of 1, and 0.1, 0.2, 0.5 by null_blk"
    )
    forecast.add_argument(
        "--passes", metavar="N", type=_passes, default=2, help="how often each latency is measured (default: 2)"
    )
    forecast.add_argument(
        "--window",
        metavar="SECONDS",
        type=between(0.1, 600, "number of seconds from 0.1 to 600"),
        default=3.0,
        help="at the longest delay (default: 3)",
    )
    forecast.add_argument("--out", metavar="FILE.svg", type=Path, help="draw the curves into a file that is new")
    forecast.add_argument("--markdown", action="store_true", help="print tables in Markdown")
    forecast.add_argument("--yes", action="store_true", help="start the sweep without asking")


def _names(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(filter(None, text.split(","))))
    if not names:
        raise argparse.ArgumentTypeError(f"{text!r} names nothing")
    return names


def _delays(text: str) -> tuple[float, ...]:
    try:
        delays = tuple(sorted({float(word) for word in text.split(",")}))
    except ValueError:
        delays = ()
    if len(delays) < 2 or not all(0 <= ms <= 1000 for ms in delays):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no list of two delays or more, of 0 to 1000 ms: such as 0,1,5,10"
        )
    return delays


def _passes(text: str) -> int:
    if not (text.isdigit() and 1 <= int(text) <= 20):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to 20")
    return int(text)


TRIAL_SAYS = (
    "Try a change on two scratch filesystems side by side: as the machine's own is, and with the change. A job runs "
    "on both in turn, and tells how much faster it is. Says what it takes and asks before it starts."
)


def add_trial(trial: argparse.ArgumentParser) -> None:
    """The arguments of `trial`."""
    trial.add_argument(
        "words",
        metavar="RULE|OPTIONS",
        nargs="*",
        help="a rule's id, or mount options such as noatime, or 'mkfs:ARGUMENTS' such as 'mkfs:-O ^has_journal'",
    )
    trial.add_argument("-o", metavar="OPTIONS", dest="options", action="append", help="mount options, as of mount")
    where = trial.add_mutually_exclusive_group()
    where.add_argument(
        "--on-scratch", metavar="DIR", type=Path, help="make images on this directory's filesystem, without a name"
    )
    where.add_argument("--device", metavar="EMPTY", type=Path, help="use two halves of a device that is proven empty")
    trial.add_argument(
        "--yes-erase", metavar="NAME", help="with --device: its kernel name, such as sdb, instead of typing it"
    )
    trial.add_argument("--job", metavar="JOB", default="", help="what is measured (default: what the rule names)")
    trial.add_argument("--type", metavar="TYPE", default="", help="the filesystem (default: as that of DIR, or ext4)")
    trial.add_argument("--seconds", metavar="N", type=seconds, help="stop after so many seconds (default: 180)")
    trial.add_argument(
        "--matters",
        metavar="PERCENT",
        type=_percent,
        default=5.0,
        help="the smallest difference that matters: stop when it is told, or excluded (default: 5)",
    )
    _add_start(trial, "the result for the audit", "make the images inside a database's directory, too")


WAITS_SAYS = (
    "Watch the machine for some seconds, and say where the time goes: processors, disks, flushes, journals, or "
    "threads that wait for each other."
)


def add_waits(waits: argparse.ArgumentParser) -> None:
    """Its arguments: it reads counters, and writes only where a probe is asked for."""
    waits.add_argument(
        "target", metavar="TARGET", nargs="?", help="only the disks and the journal below this directory"
    )
    waits.add_argument(
        "--seconds", metavar="N", type=seconds, help="how long (default: 5; with --job, its seconds at most: 20)"
    )
    waits.add_argument("--job", metavar="JOB", help="run this job of probe in TARGET meanwhile; its result is not kept")
    waits.add_argument(
        "--locks", action="store_true", help="have perf trace the kernel's locks meanwhile (root, Linux 5.19, perf)"
    )
    waits.add_argument("--yes", action="store_true", help="start the job without asking")
    waits.set_defaults(dry_run=False)  # of the job
    add_at(waits)


DOCTOR_SAYS = (
    "Look at everything that can hurt now for some seconds, and say the cause, who does it, what to do, and what was "
    "excluded. With --on FILE, judge a window that was kept, or what sysstat, atop or PCP kept of a day."
)


def add_doctor(doctor: argparse.ArgumentParser) -> None:
    """The arguments of `doctor`."""
    doctor.add_argument(
        "words",
        metavar="ABOUT",
        nargs="*",
        help="a symptom in your words, or a path, PID, program, unit or disk; or full PATH, fsync PATH",
    )
    doctor.add_argument("--seconds", metavar="N", type=seconds, help="how long to look (default: 5)")
    add_at(doctor)
    doctor.add_argument(
        "--trace",
        action="store_true",
        help="root: also record the kernel's events of syncs, commits and flushes in a tracefs instance of its own",
    )


def add_at(verb: argparse.ArgumentParser) -> None:
    """Which of the windows that were kept."""
    verb.add_argument(
        "--at", metavar="TIME", help="with --on: the window that ends at this time (UTC, such as 02:10) or after it"
    )


WATCH_SAYS = (
    "Watch a pressure of the kernel for hours at little cost. What is seen while it is above a threshold, and a "
    "minute before and after, is kept. doctor --on DIR, waits --on DIR and the explorer (fsadvisor --on DIR) show it. "
    "As root the last incident is kept besides, for capture."
)


def add_watch(watch: argparse.ArgumentParser) -> None:
    """The arguments of `watch`."""
    watch.add_argument(
        "--for", metavar="TIME", dest="lasting", type=_time, default=43200.0, help="such as 12h or 30m (default: 12h)"
    )
    watch.add_argument(
        "--when",
        metavar="THRESHOLD",
        default="io pressure > 20 %",
        help="io, cpu or memory pressure over ten seconds (default: 'io pressure > 20 %%')",
    )
    watch.add_argument("--out", metavar="DIR", type=Path, help="keep windows there, 16 MiB at most; has to be there")
    watch.add_argument("--unit", action="store_true", help="only print a service unit that does this")


def _time(text: str) -> float:
    seconds = {"s": 1, "m": 60, "h": 3600, "d": 86400}.get(text[-1:], 0)
    try:
        lasting = float(text[:-1]) * seconds
    except ValueError:
        lasting = 0.0
    if not 0 < lasting <= 31 * 86400:
        raise argparse.ArgumentTypeError(f"{text!r} is no time such as 12h, 30m or 2d, up to 31d")
    return lasting


DIFF_SAYS = (
    "Compare two reports of a machine: findings that are new, gone or changed, each with the facts that decide it, and "
    "other facts that changed. Exits with 1 where advice at or above --fail-on is new."
)


def add_diff(diff: argparse.ArgumentParser) -> None:
    """The arguments of `diff`."""
    diff.add_argument(
        "old",
        metavar="OLD",
        help="a file written by --json, a directory of capture, a sos archive, or 'last': the explorer's last look",
    )
    diff.add_argument(
        "new", metavar="NEW", nargs="?", default="now", help="the same, or 'now': this machine now (the default)"
    )


UNIT_SAYS = (
    "Print a systemd service and timer, and a line for cron, that run the report with the options given here. Installs "
    "nothing."
)


def add_unit(unit: argparse.ArgumentParser) -> None:
    """The arguments of `unit`."""
    unit.add_argument(
        "--every", choices=("hourly", "daily", "weekly"), default="daily", help="how often (default: daily)"
    )


SERVE_SAYS = (
    "Serve the explorer to a browser of this machine, on loopback only, to who has the address that it prints. "
    "Read-only unless --may-write is given."
)


def add_serve(serve: argparse.ArgumentParser) -> None:
    """The arguments of `serve`."""
    serve.add_argument(
        "--port", metavar="N", type=_port, default=8421, help="the port of 127.0.0.1 (default: 8421; 0: any free one)"
    )
    serve.add_argument(
        "--may-write", action="store_true", help="let the page attest, waive, save files, and measure, as here"
    )
    serve.add_argument("--page", action="store_true", help=argparse.SUPPRESS)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) < 1 << 16):
        raise argparse.ArgumentTypeError(f"{text!r} is no port between 0 and 65535")
    return int(text)
