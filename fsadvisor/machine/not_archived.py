"""What an archive does not hold: the command that tells it on the machine, and which archive would have kept it.

https://github.com/sosreport/sos/tree/main/sos/report/plugins, https://github.com/openSUSE/supportutils
"""

from __future__ import annotations

from typing import Final

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine import sources

_ALL: Final = "`fsadvisor capture` there asks for all"
_LONGEST: Final = 60
_COMMANDS: Final = {sources.PROCESSES: "ps auxww", sources.COUNTERS: "cat /proc/meminfo /proc/diskstats"}
_KEPT_BY: Final = (
    ("nvme id-", "sos and supportconfig keep it where nvme-cli is installed"),
    ("nvme smart-log", "sos and supportconfig keep it where nvme-cli is installed"),
    ("smartctl", "sos and supportconfig keep it where smartmontools is installed"),
    ("dumpe2fs", "sos keeps it"),
    ("xfs_info", "sos keeps it"),
    ("btrfs filesystem usage", "supportconfig keeps it"),
    ("dmsetup", "sos and supportconfig keep it"),
    ("lvs", "sos and supportconfig keep it"),
    ("zpool", "sos keeps it, but of healthy pools no device"),
    ("zfs", "sos keeps it"),
    ("dmesg", "sos and supportconfig keep it"),
    ("systemctl show", "sos and supportconfig keep the lists of units"),
    ("systemd-detect-virt", "sos 3.6 and later keep hostnamectl, which tells it"),
    (sources.UDEV, "sos 3.6 and later and supportconfig keep it"),
    (sources.PROCESSES, "sos and supportconfig keep it"),
    ("stat -f ", "sos keeps df, which tells it"),
    ("/proc/self/mountinfo", "sos keeps it"),
    ("/proc/mounts", "sos and supportconfig keep it"),
    ("/etc/fstab", "sos and supportconfig keep it"),
    ("/proc/sys/", "sos keeps sysctl, which tells it"),
    ("/proc/cpuinfo", "sos keeps it"),
    ("/sys/class/dmi/id/", "sos keeps dmidecode, which tells it"),
)
"""How a source begins, and who keeps it."""
_BEGINNINGS: Final = tuple(beginning for beginning, _ in _KEPT_BY)


def missing(source: str) -> Unknown:
    """No answer to a question, by the name of its source."""
    command = _COMMANDS.get(source) or (f"cat {source}" if source.startswith("/") else source)
    if len(command) > _LONGEST:
        command = command.partition(" -")[0]
    kept = "this archive does not hold it"
    if source.startswith(_BEGINNINGS):
        kept = next(words for beginning, words in _KEPT_BY if source.startswith(beginning))
    asked = f"run `{command}` on the machine; {_ALL}" if _is_command(command) else f"run it there: {_ALL}"
    return Unknown(Cause.NOT_EXPOSED, f"{asked} ({kept})", source)


def _is_command(text: str) -> bool:
    """Not what is said in words alone, and no search through files."""
    return bool(text) and not text.startswith(("FIEMAP", "grep"))
