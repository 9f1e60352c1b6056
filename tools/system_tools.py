"""The tools that fsadvisor asks: which are missing, and whether they are fetched, installed or left out."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools import fetch
from tools.fetch_apt import APT
from tools.fetch_dnf import DNF
from tools.package_managers import SYSTEM_PATH, FetchError, Manager

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

RUN_TOOLS = {
    "nvme": "nvme-cli",
    "smartctl": "smartmontools",
    "dumpe2fs": "e2fsprogs",
    "xfs_info": "xfsprogs",
    "btrfs": "btrfs-progs",
}
"""What brings facts on any machine. What only makes sense where it is installed (mdadm, LVM, ZFS, RAID) isn't here."""
TELLS = {
    "nvme-cli": "the caches and health of NVMe drives",
    "smartmontools": "those of SATA and SAS drives",
    "e2fsprogs": "the superblocks of ext4",
    "xfsprogs": "the layout of XFS",
    "btrfs-progs": "the profiles and errors of Btrfs",
    "fio": "what many requests at once take",
}
PROBE_TOOLS = RUN_TOOLS | {"fio": "fio"}
TEST_TOOLS = PROBE_TOOLS | {
    "losetup": "mount",
    "mkfs.ext4": "e2fsprogs",
    "mkfs.xfs": "xfsprogs",
    "mkfs.btrfs": "btrfs-progs",
    "shellcheck": "shellcheck",
}
LONG_TOOLS = TEST_TOOLS | {"sshd": "openssh-server", "ssh": "openssh-client"}
"""For `make long`: hosts of their own for Ansible, on loopback."""
LAB_TOOLS = TEST_TOOLS | {
    "mdadm": "mdadm",
    "lvs": "lvm2",
    "dmsetup": "dmsetup",
    "qemu-system-x86_64": "qemu-system-x86",
    "busybox": "busybox-static",
    "cpio": "cpio",
    "depmod": "kmod",
    "udevadm": "udev",
    "nbdkit": "nbdkit",
    "iscsistart": "open-iscsi",
    "mkfs.f2fs": "f2fs-tools",
    "mkfs.nilfs2": "nilfs-tools",
    "cryptsetup": "cryptsetup-bin",
    "thin_check": "thin-provisioning-tools",
    "multipath": "multipath-tools",
    "make-bcache": "bcache-tools",
    "sg_inq": "sg3-utils",
    "sdparm": "sdparm",
    "hdparm": "hdparm",
    "lsscsi": "lsscsi",
    "parted": "parted",
    "ip": "iproute2",
    "exportfs": "nfs-kernel-server",
}
TOOLS = {"run": RUN_TOOLS, "probe": PROBE_TOOLS, "test": TEST_TOOLS, "long": LONG_TOOLS, "lab": LAB_TOOLS}
NEVER_INSTALLED = frozenset({"exportfs"})
"""What is fetched whatever was asked for: its package would start servers on this machine, open to its network."""
FETCHED = frozenset(TEST_TOOLS) | NEVER_INSTALLED
"""What is fetched. Other servers, and what the lab's guests take from where packages put it, are installed or not."""


def say(line: str) -> None:
    """Tell the person, not the pipe."""
    print(line, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class System:
    """What the tool step asks of this machine and does to it."""

    which: Callable[[str], str | None]
    is_root: bool
    release: Mapping[str, str]
    """The fields of os-release(5)."""
    run: Callable[[Sequence[str]], int]
    """Runs a command and gives its exit status."""
    fetch: Callable[[Mapping[str, str], Path, Manager], dict[str, str]]
    """Fetches commands (command: package) into a directory; gives those that run. Raises FetchError."""

    @property
    def name(self) -> str:
        """As its maker calls it."""
        return self.release.get("PRETTY_NAME") or self.release.get("NAME") or "this system"

    @property
    def has_apt(self) -> bool:
        """Whether packages come by apt-get here."""
        return is_debian_like(self.release) and self.which("apt-get") is not None

    @property
    def manager(self) -> Manager | None:
        """What fetches packages here."""
        if self.has_apt:
            return APT
        return DNF if self.which("dnf") and self.which("rpm2archive") else None


def missing_tools(tools: Mapping[str, str], which: Callable[[str], str | None]) -> dict[str, str]:
    """Those commands, with their packages, that are not on PATH."""
    return {command: package for command, package in tools.items() if which(command) is None}


def packages_of(missing: Mapping[str, str]) -> list[str]:
    """The packages, each once, in the order of the tools."""
    return list(dict.fromkeys(missing.values()))


def described(missing: Mapping[str, str]) -> str:
    """`nvme-cli (NVMe drives), shellcheck`: each package with what it tells, where that is a fact."""
    packages = packages_of(missing)
    return ", ".join(f"{package} ({TELLS[package]})" if package in TELLS else package for package in packages)


def is_debian_like(release: Mapping[str, str]) -> bool:
    """Whether os-release names Debian or Ubuntu, or a child of them."""
    return not {"debian", "ubuntu"}.isdisjoint({release.get("ID", ""), *release.get("ID_LIKE", "").split()})


def install(packages: Iterable[str], run: Callable[[Sequence[str]], int]) -> None:
    """Install with apt-get what its package lists know."""
    if run(["apt-get", "-q", "update"]) != 0:
        say("apt-get update failed; trying with the package lists that are here.")
    known = [package for package in packages if run(["apt-cache", "-q", "show", package]) == 0]
    if known:
        options = ("--no-install-recommends", "--no-upgrade", "-o", "DPkg::Lock::Timeout=120")
        run(["apt-get", "-q", "-y", *options, "install", *known])


def see_to_tools(tools: Mapping[str, str], choice: str, system: System, place: Path, fingerprint: str) -> None:
    """Fetch (or install) the missing tools where that is possible and wanted; name those that stay missing."""
    missing = missing_tools(tools, system.which)
    wanted = {command: package for command, package in missing.items() if command not in NEVER_INSTALLED}
    if choice == "install" and wanted and system.is_root and system.has_apt:
        say(f"Installing with apt-get: {' '.join(packages_of(wanted))}")
        install(packages_of(wanted), system.run)
        missing = missing_tools(tools, system.which)
    reason = "TOOLS=no fetches nothing"
    if choice != "no":
        missing, reason = _fetched(missing, system, place, fingerprint)
    if missing:
        say(f"Going on without {described(missing)}: {reason}. What only they can tell stays unknown.")


def _fetched(missing: Mapping[str, str], system: System, place: Path, fingerprint: str) -> tuple[dict[str, str], str]:
    """Fetch what is missing and was not fetched before; what is missing still, and why."""
    wanted = {command: package for command, package in missing.items() if command in FETCHED}
    wanted_before, fetched = fetch.noted(place, fingerprint)
    reason = "no source has them, or they don't run here" if wanted else "TOOLS=install as root installs them"
    if not wanted.keys() <= wanted_before.keys():
        if system.manager is None:
            return dict(missing), f"on {system.name}, install them with its own package tool"
        wanted = wanted_before | wanted
        say(f"Fetching into {place}, without installing: {' '.join(packages_of(wanted))}")
        try:
            fetched = system.fetch(wanted, place, system.manager)
            fetch.note(place, fingerprint, wanted, fetched)
        except FetchError as error:
            reason = str(error)
    return {command: package for command, package in missing.items() if command not in fetched}, reason


def run_apt(argv: Sequence[str]) -> int:
    """Run an apt command without questions and without restarts; what it prints goes to stderr."""
    environment = os.environ | {
        "DEBIAN_FRONTEND": "noninteractive",
        "NEEDRESTART_SUSPEND": "1",
        "PATH": f"{os.environ.get('PATH', '')}:{SYSTEM_PATH}",
    }
    # apt-cache is asked for its exit status alone.
    output = subprocess.DEVNULL if argv[0] == "apt-cache" else sys.stderr
    return subprocess.run(
        argv, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False
    ).returncode


def this_system() -> System:
    """The machine this runs on."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        release = {}
    path = f"{os.environ.get('PATH', '')}:{SYSTEM_PATH}"
    return System(
        which=lambda command: shutil.which(command, path=path),
        is_root=os.geteuid() == 0,
        release=release,
        run=run_apt,
        fetch=fetch.fetch,
    )
