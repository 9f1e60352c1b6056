"""The kernel's log as an archive has it, in the form of `dmesg`: seconds since boot, then what was said.

| source | times |
|---|---|
| dmesg, vmcore-dmesg.txt of kdump | seconds since boot |
| dmesg -T, journalctl, /var/log/messages, syslog, kern.log | the clock's; counted from the kernel's first line |

Where the first line of this boot is gone, times are counted back from the log's end, which is `uptime` after boot.
Lines of earlier boots are left out. /var/log/dmesg is not read: it ends when the machine has booted.

https://man7.org/linux/man-pages/man1/dmesg.1.html, https://man7.org/linux/man-pages/man1/journalctl.1.html
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Final

from fsadvisor.machine.port import Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Text = Callable[[str], str | None]
    """The text of a file, or of the output of a command as sos spells it; None where the archive has none."""

DMESG: Final = "dmesg"
_CLOCKED: Final = (
    "dmesg -T",
    "journalctl --no-pager --boot",
    "journalctl --no-pager --boot=0 --output=short-iso",
    "journalctl --all --this-boot --no-pager",
    "journalctl --no-pager --catalog --boot",
    "journalctl --no-pager",
)
_FILES: Final = ("/var/log/messages", "/var/log/kern.log", "/var/log/syslog")
_CRASHES: Final = "/var/crash"
CRASHED: Final = "vmcore-dmesg.txt"

_SINCE_BOOT: Final = re.compile(r"(?:<\d{1,3}>)?\[ *(\d{1,12}\.\d{1,9})\] ", re.ASCII)
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH: Final = f"(?P<month>{'|'.join(_MONTHS)})"
_TIME: Final = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
_DAY: Final = r"(?P<day>[ 0-3]?\d)"
_FORMS: Final = tuple(
    re.compile(form, re.ASCII)
    for form in (
        rf"\[\w{{3}} {_MONTH} {_DAY} {_TIME} (?P<year>\d{{4}})\] (?P<said>.*)",
        rf"{_MONTH} {_DAY} {_TIME} \S+ (?P<by>[^ :\[]+)(?:\[\d+\])?: (?P<said>.*)",
        rf"(?P<year>\d{{4}})-(?P<number>\d\d)-(?P<day>\d\d)T{_TIME}\S* \S+ (?P<by>[^ :\[]+)(?:\[\d+\])?: (?P<said>.*)",
    )
)
_LONGEST: Final = 500
_ANY_YEAR: Final = 2000
"""A leap year, for logs that name none."""
_HALF_A_YEAR: Final = 180 * 86_400
_FIRST: Final = "Linux version "
_UPTIME: Final = re.compile(r"\bup +(?:(\d{1,6}) days?, +)?(?:(\d{1,2}):(\d\d)|(\d{1,2}) min)\b", re.ASCII)
_BLOCKS: Final = re.compile(r"\[([a-z]+\d*)\] (\d{1,18}) (\d{3,5})-byte logical blocks")
_PARTS: Final = re.compile(r"^ ((?:sd|vd|xvd|nvme\d+n|mmcblk)[a-z0-9]+): ((?:[a-z0-9]+|<|>)(?: (?:[a-z0-9]+|<|>))*)$")
_VERSION: Final = re.compile(rf"{_FIRST}(\d\S+)")
_COMMAND_LINE: Final = re.compile(r"(?:Kernel command line|Command line): (.+)")
_FIRMWARE: Final = re.compile(r"DMI: (.{1,300}?), BIOS ")
_HYPERVISOR: Final = re.compile(r"Hypervisor detected: (\S+)")
_HYPERVISORS: Final = {"KVM": "kvm", "VMware": "vmware", "Microsoft": "microsoft", "Xen": "xen"}


def kernel_log(output: Text, file: Text, crashes: Iterable[str] = ()) -> Reply | None:
    """The log in dmesg's form; `crashes` are the directories below /var/crash."""
    if text := output(CRASHED):
        return Reply(text, CRASHED)
    if text := output(DMESG):
        return Reply(text, DMESG)
    up = _seconds_up(output, file)
    for source, text in _clocked(output, file):
        if told := _since_boot(text, up):
            return Reply(told, source)
    for crash in sorted(crashes, reverse=True):
        path = f"{_CRASHES}/{crash}/{CRASHED}"
        if (text := file(path)) and _SINCE_BOOT.search(text):
            return Reply(text, path)
    return None


def uptime(output: Text, log: Reply | None) -> Reply | None:
    """/proc/uptime, by `uptime`; else the time of the log's last line: so long the machine was up, at least."""
    if (seconds := _of_uptime(output("uptime") or "")) is not None:
        return Reply(f"{seconds}\n", "uptime")
    last = (
        next((it for line in reversed(log.text.split("\n")) if (it := _SINCE_BOOT.match(line))), None) if log else None
    )
    return Reply(f"{last[1]}\n", f"the last line of {log.source}") if log and last else None


def boot_messages(log: str) -> dict[str, str]:
    """Files of /proc and /sys, by the kernel's first lines."""
    beginning = log[: 1 << 16]
    forms = {
        "/proc/sys/kernel/osrelease": _VERSION,
        "/proc/cmdline": _COMMAND_LINE,
        "/sys/class/dmi/id/product_name": _FIRMWARE,
    }
    return {path: f"{found[1]}\n" for path, form in forms.items() if (found := form.search(beginning))}


def hypervisor(log: str) -> str | None:
    """The word of systemd-detect-virt for what the kernel found at boot; None where it found none that we know."""
    found = _HYPERVISOR.search(log[: 1 << 16])
    return _HYPERVISORS.get(found[1]) if found else None


def disks(log: str) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """The disks that the log names with sectors of 512 bytes, and their partitions."""
    sectors: dict[str, int] = {}
    parts: dict[str, tuple[str, ...]] = {}
    for line in log.split("\n"):
        message = line[it.end() :] if (it := _SINCE_BOOT.match(line)) else ""
        if size := _BLOCKS.search(message):
            sectors[size[1]] = int(size[2]) * int(size[3]) // 512
        elif table := _PARTS.match(message):
            joint = "p" if table[1][-1].isdigit() else ""
            numbers = [name.removeprefix(table[1]).removeprefix(joint) for name in table[2].split()]
            parts[table[1]] = tuple(f"{table[1]}{joint}{number}" for number in numbers if number.isdigit())
    for name in {**sectors, **parts}:
        yield name, sectors.get(name, 0), parts.get(name, ())


def _clocked(output: Text, file: Text) -> Iterator[tuple[str, str]]:
    for source in _CLOCKED:
        if text := output(source):
            yield source, text
    for path in _FILES:
        if text := file(path):
            yield path, text


def _seconds_up(output: Text, file: Text) -> float | None:
    told = (file("/proc/uptime") or "").partition(" ")[0]
    return float(told) if re.fullmatch(r"\d{1,12}(?:\.\d{1,9})?", told) else _of_uptime(output("uptime") or "")


def _of_uptime(text: str) -> int | None:
    found = _UPTIME.search(text[:_LONGEST])
    if found is None:
        return None
    days, hours, minutes, only = (int(it or 0) for it in found.groups())
    return days * 86_400 + hours * 3600 + minutes * 60 + only * 60


def _since_boot(text: str, up: float | None) -> str:
    """Lines of the kernel with seconds since boot; '' where nothing tells when that was."""
    lines = list(_messages(text))
    first = max((at for at, (_, said) in enumerate(lines) if said and said.startswith(_FIRST)), default=None)
    if first is None and up is None:
        return ""
    begins = lines[first][0] if first is not None else lines[-1][0] - (up or 0) if lines else 0
    own = lines[first or 0 :]
    return "".join(f"[{at - begins:.6f}] {said}\n" for at, said in own if said is not None and at >= begins)


def _messages(text: str) -> Iterator[tuple[float, str | None]]:
    """When something was said, and by the kernel what; a year that no line names changes where time goes back far."""
    year, before = _ANY_YEAR, 0.0
    for line in text.split("\n"):
        stamp = next((match for form in _FORMS if (match := form.match(line[:_LONGEST]))), None)
        moment = _clock(stamp, year) if stamp else None
        if stamp is None or moment is None:
            continue
        if moment < before - _HALF_A_YEAR and "year" not in stamp.groupdict():
            year += 1
            moment = _clock(stamp, year) or moment
        before = moment
        by_kernel = stamp.groupdict().get("by", "kernel") == "kernel"
        yield moment, _SINCE_BOOT.sub("", stamp["said"], count=1) if by_kernel else None


def _clock(stamp: re.Match[str], year: int) -> float | None:
    parts = stamp.groupdict()
    month = int(parts["number"]) if parts.get("number") else _MONTHS.index(parts["month"]) + 1
    day, hour, minute, second = (int(parts[part]) for part in ("day", "hour", "minute", "second"))
    try:
        when = dt.datetime(int(parts.get("year") or year), month, day, hour, minute, second, tzinfo=dt.UTC)
    except ValueError:
        return None
    return when.timestamp()
