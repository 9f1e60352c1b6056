"""External tools: how they are called so that no disk wakes or flushes, and which package brings one.

libext2fs calls fsync on each device that it opens, for reading too, to be rid of old errors (e2fsprogs 1.46 and later):
of a disk under a database that is a flush, and dumpe2fs asks for nothing of it. A seccomp filter of the thread, which
the tools that it starts inherit, answers fsync and fdatasync with 0 and does nothing.

https://docs.kernel.org/userspace-api/seccomp_filter.html
"""

from __future__ import annotations

import functools
import os
import shlex
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import WAKE, Cause, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fsadvisor.machine.port import Argv


def left_asleep(argv: Argv) -> Argv:
    """The command that asks a disk nothing while it is in standby: smartctl then asks for the power mode first.

    ATA has CHECK POWER MODE for that, SCSI REQUEST SENSE; NVMe drives have no platters, and the option is ignored.
    """
    return (argv[0], "-n", "standby", *argv[1:]) if argv[0] == "smartctl" else argv


def suspended(argv: Argv) -> Unknown | None:
    """Why not to ask smartctl at all: to open a device that the kernel has suspended resumes it (sd_open)."""
    if argv[:1] != ("smartctl",):
        return None
    status = f"/sys/block/{argv[-1].rpartition('/')[2]}/device/power/runtime_status"
    try:
        asleep = Path(status).read_text(encoding="ascii").startswith("suspend")
    except (OSError, ValueError):
        return None
    return Unknown(Cause.ASLEEP, WAKE, status) if asleep else None


_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_CALL_AT, _MACHINE_AT = 0, 4
_DO_NOTHING, _ALLOW = 0x00050000, 0x7FFF0000
_NUMBERS: Final = {
    "x86_64": (0xC000003E, 74, 75),
    "aarch64": (0xC00000B7, 82, 83),
    "riscv64": (0xC00000F3, 82, 83),
    "ppc64le": (0xC0000015, 118, 148),
    "s390x": (0x80000016, 118, 148),
}
"""The kernel's name of the machine -> its AUDIT_ARCH, and its numbers of fsync and fdatasync."""


def forbid_syncs() -> bool:
    """What this thread starts from now on syncs nothing; False where the kernel has no such filter, or we no rights.

    Only root is let: without rights a tool opens no disk, unless its user is in the group disk.
    """
    import ctypes

    if os.uname().machine not in _NUMBERS:
        return False
    filter_ = _seccomp_filter(*_NUMBERS[os.uname().machine])
    program = ctypes.create_string_buffer(filter_)
    told = struct.pack("@HP", len(filter_) // 8, ctypes.addressof(program))
    words = (ctypes.c_ulong(_SECCOMP_MODE_FILTER), ctypes.c_char_p(told))
    return int(ctypes.CDLL(None).prctl(_PR_SET_SECCOMP, *words)) == 0


def _seccomp_filter(machine: int, fsync: int, fdatasync: int) -> bytes:
    """Instructions of the kernel's classic BPF: what it does, how far to jump if so, if not, and with what."""
    steps = (
        (_LOAD, 0, 0, _MACHINE_AT),
        (_EQUAL, 0, 4, machine),
        (_LOAD, 0, 0, _CALL_AT),
        (_EQUAL, 1, 0, fsync),
        (_EQUAL, 0, 1, fdatasync),
        (_RETURN, 0, 0, _DO_NOTHING),
        (_RETURN, 0, 0, _ALLOW),
    )
    return b"".join(struct.pack("@HBBI", *step) for step in steps)


VENDOR: Final = "from the controller's vendor"
PACKAGES: Final = {
    "atop": "atop",
    "pmdumplog": "pcp",
    "sadf": "sysstat",
    "arcconf": f"arcconf {VENDOR}",
    "mvcli": f"mvcli {VENDOR}",
    "blkid": "util-linux",
    "btrfs": "btrfs-progs",
    "cryptsetup": "cryptsetup-bin",
    "dmsetup": "dmsetup",
    "drbdsetup": "drbd-utils",
    "dumpe2fs": "e2fsprogs",
    "findmnt": "util-linux",
    "fio": "fio",
    "journalctl": "systemd",
    "lsblk": "util-linux",
    "lvmconfig": "lvm2",
    "lvs": "lvm2",
    "MegaCli64": f"MegaCLI {VENDOR}",
    "mdadm": "mdadm",
    "megacli": f"MegaCLI {VENDOR}",
    "mount": "util-linux",
    "mkfs.btrfs": "btrfs-progs",
    "mkfs.ext2": "e2fsprogs",
    "mkfs.ext3": "e2fsprogs",
    "mkfs.ext4": "e2fsprogs",
    "mkfs.f2fs": "f2fs-tools",
    "mkfs.nilfs2": "nilfs-tools",
    "mkfs.xfs": "xfsprogs",
    "multipathd": "multipath-tools",
    "nvme": "nvme-cli",
    "mysql": "default-mysql-client",
    "perccli2": f"perccli2 {VENDOR}",
    "perccli64": f"perccli64 {VENDOR}",
    "perf": "linux-perf",
    "psql": "postgresql-client",
    "pvs": "lvm2",
    "redis-cli": "redis-tools",
    "runuser": "util-linux",
    "smartctl": "smartmontools",
    "ssacli": f"ssacli {VENDOR}",
    "storcli2": f"storcli2 {VENDOR}",
    "storcli64": f"storcli64 {VENDOR}",
    "systemctl": "systemd",
    "systemd-detect-virt": "systemd",
    "tune2fs": "e2fsprogs",
    "vgs": "lvm2",
    "xfs_info": "xfsprogs",
    "xfs_spaceman": "xfsprogs",
    "zfs": "zfsutils-linux",
    "zpool": "zfsutils-linux",
}
"""Which package of Debian brings a tool."""

_INSTALLERS: Final = (
    (("ubuntu",), "ubuntu", "apt-get install {}"),
    (("debian",), "debian", "apt-get install {}"),
    (("fedora", "rhel", "centos", "amzn"), "dnf", "dnf install {}"),
    (("suse", "opensuse", "sles"), "zypper", "zypper install {}"),
    (("arch",), "pacman", "pacman -S {}"),
    (("alpine",), "apk", "apk add {}"),
    (("nixos",), "nix", "environment.systemPackages = with pkgs; [ {} ];"),
)
"""Names in /etc/os-release (ID, ID_LIKE), the column of NAMES, and how packages are installed there."""

_ALIKE: Final = {
    "cryptsetup-bin": "cryptsetup",
    "dmsetup": "device-mapper",
    "linux-perf": "perf",
    "nilfs-tools": "nilfs-utils",
    "zfsutils-linux": "zfs",
}
NAMES: Final[dict[str, dict[str, str]]] = {
    "debian": {},
    "ubuntu": {"linux-perf": "linux-tools-generic"},
    "dnf": {**_ALIKE, "multipath-tools": "device-mapper-multipath"},
    "zypper": {**_ALIKE, "btrfs-progs": "btrfsprogs"},
    "pacman": {**_ALIKE, "zfsutils-linux": "zfs-utils"},
    # dumpe2fs, tune2fs and xfs_info are in packages of their own, which bring those with mkfs; there is no systemd.
    "apk": {**_ALIKE, "e2fsprogs": "e2fsprogs-extra", "xfsprogs": "xfsprogs-extra", "systemd": ""},
    "nix": {**_ALIKE, "dmsetup": "lvm2", "linux-perf": "linuxPackages.perf"},
}
"""What a package is called where that isn't its name in Debian; '' where there is none."""


def _distribution(os_release: str) -> tuple[str, str]:
    """The column of NAMES and how packages are installed; two '' for a distribution that we don't know."""
    words = {
        word.casefold()
        for name, _, value in (one.partition("=") for one in os_release.splitlines())
        if name in ("ID", "ID_LIKE")
        for word in value.strip().strip("\"'").replace("-", " ").split()
    }
    return next(((column, how) for names, column, how in _INSTALLERS if words & set(names)), ("", ""))


def named(package: str, os_release: str) -> str:
    """What the distribution calls a package of Debian; '' where it has none."""
    return NAMES.get(_distribution(os_release)[0], {}).get(package, package)


def install_command(packages: Iterable[str], os_release: str) -> str:
    """How the distribution that /etc/os-release names installs them; '' where it names none that we know."""
    names = dict.fromkeys(filter(None, (named(one, os_release) for one in packages)))
    how = _distribution(os_release)[1]
    return how.format(shlex.join(names)) if how and names else ""


@functools.cache
def here() -> str:
    """The os-release of this machine."""
    for path in ("/etc/os-release", "/usr/lib/os-release"):
        try:
            return Path(path).read_text("utf-8", "replace")
        except OSError:
            continue
    return ""


def package_bringing(tool: str) -> str:
    """What this machine's distribution calls the package with a tool; '' where it has none, or the tool would be mute.

    systemctl tells nothing where systemd is not at work, and to install it would replace what is.
    """
    if tool == "systemctl" and not Path("/run/systemd/system").is_dir():
        return ""
    return named(PACKAGES.get(tool, tool), here())
