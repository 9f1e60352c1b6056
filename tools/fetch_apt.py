"""Packages by apt-get, from the system's own sources and with its keys, but in directories of ours.

apt needs no root then, locks nothing of the system, and leaves its lists alone. Its hooks are cleared: some images
delete the system's caches in them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from tools.package_managers import FetchError, Manager, run

if TYPE_CHECKING:
    from collections.abc import Sequence

_NO_HOOKS: Final = """\
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear AptCli::Hooks;
#clear DPkg::Pre-Install-Pkgs;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
"""
"""For apt.conf(5)."""
_SYSTEM_LISTS: Final = Path("/var/lib/apt/lists")


def _download(packages: Sequence[str], work: Path) -> list[Path]:
    """The packages and what they need beyond what is installed, with the lists that are here, else with new ones."""
    (work / "lists" / "partial").mkdir(parents=True)
    (work / "cache" / "archives" / "partial").mkdir(parents=True)
    (work / "apt.conf").write_text(_NO_HOOKS)
    # apt keeps its locks beside this file.
    (work / "status").symlink_to("/var/lib/dpkg/status")
    try:
        return _downloaded(packages, work, _lists_that_are_here(work / "lists-here"))
    except FetchError:
        return _downloaded_anew(packages, work, str(work / "lists"))


def _lists_that_are_here(folder: Path) -> str:
    """The system's lists in a directory of ours: as root, apt sees to the owners of those beside its lists."""
    folder.mkdir()
    for path in _SYSTEM_LISTS.glob("*_*"):
        (folder / path.name).symlink_to(path)
    return str(folder)


def _downloaded_anew(packages: Sequence[str], work: Path, lists: str) -> list[Path]:
    """With new lists. A source that does not answer is no reason to stop, if the others have the packages."""
    offline = ""
    try:
        _apt(("apt-get", "update"), work, lists)
    except FetchError as error:
        offline = str(error)
    known = [package for package in packages if _is_known(package, work, lists)]
    if not known:
        raise FetchError(offline or "no source has them")
    return _downloaded(known, work, lists)


def _is_known(package: str, work: Path, lists: str) -> bool:
    try:
        _apt(("apt-cache", "show", package), work, lists)
    except FetchError:
        return False
    return True


def _downloaded(packages: Sequence[str], work: Path, lists: str) -> list[Path]:
    """What installing them would need. Raises FetchError."""
    install = ("apt-get", "--yes", "--no-install-recommends", "--no-remove", "install", *packages)
    _apt((*install, "--download-only"), work, lists)
    # apt leaves the packages of a local mirror where they are.
    local = re.findall(r"^'file:([^']+)'", _apt((*install, "--print-uris"), work, lists), re.MULTILINE)
    return sorted((work / "cache" / "archives").glob("*.deb")) + [Path(unquote(path)) for path in local]


def _apt(command: Sequence[str], work: Path, lists: str) -> str:
    """What apt-get or apt-cache prints, on directories of ours. Raises FetchError with the first reason it gives."""
    options = {
        "Dir::State": str(work),
        "Dir::State::status": str(work / "status"),
        "Dir::State::lists": lists,
        "Dir::Cache": str(work / "cache"),
        "Dir::Log": str(work),
        "Acquire::Languages": "none",
        "Acquire::Retries": "1",
        "Acquire::http::Timeout": "15",
        "Acquire::https::Timeout": "15",
        "Acquire::AllowInsecureRepositories": "false",
        "APT::Get::AllowUnauthenticated": "false",
        "APT::Update::Error-Mode": "any",
    }
    settings = [part for name, value in options.items() for part in ("-o", f"{name}={value}")]
    done = run((command[0], "-qq", "-c", str(work / "apt.conf"), *settings, *command[1:]))
    if done.returncode == 0:
        return done.stdout
    reasons = [line[3:] for sign in ("E: ", "W: ") for line in done.stderr.splitlines() if line.startswith(sign)]
    raise FetchError(f"{command[0]}: {reasons[0].rstrip('.') if reasons else f'it ended with {done.returncode}'}")


def _name(package: Path) -> str:
    return package.name.split("_")[0]


def _helps(name: str) -> bool:
    """Other programs that packages need are for services. The C library fits only the loader of the system."""
    return name.startswith("lib") and name not in ("libc6", "libc-bin")


def _unpack(package: Path, tree: Path) -> None:
    done = run(("dpkg-deb", "-x", str(package), str(tree)))
    if done.returncode != 0:
        raise FetchError(f"{package.name} could not be unpacked: {done.stderr.strip()}")


APT: Final = Manager(_download, _name, _helps, _unpack)
