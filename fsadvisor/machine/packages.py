"""Where external tools come from: the packages that bring them, by each distribution's names, and `make run`.

That fetches tools beside the environment, where the system has none of its own. `make` asks for them before anything is
installed: with the standard library alone.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shlex
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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


FOLDER = "tools"
_COMMANDS = "bin"


def fetched_folders(prefix: str = sys.prefix, uid: int | None = None) -> tuple[str, ...]:
    """The directory of the fetched commands, where nobody but root and the caller can have written there; else none."""
    return tuple(folder for folder, safe in _found(prefix, uid) if safe)


def refused_folders(prefix: str = sys.prefix, uid: int | None = None) -> tuple[str, ...]:
    """The directory of the fetched commands, where it is not used because somebody else can have written there."""
    return tuple(folder for folder, safe in _found(prefix, uid) if not safe)


def _found(prefix: str, uid: int | None) -> Iterator[tuple[str, bool]]:
    folder = Path(prefix) / FOLDER
    trusted = {0, os.geteuid() if uid is None else uid}
    with contextlib.suppress(OSError):
        states = [path.lstat() for path in (folder, folder / _COMMANDS)]
        safe = all(stat.S_ISDIR(one.st_mode) and one.st_uid in trusted and not one.st_mode & 0o022 for one in states)
        yield str(folder / _COMMANDS), safe
