"""Fetches tools as the distribution's own packages, and unpacks them beside the environment: nothing is installed.

The package manager downloads them, with the libraries that are not here, from its own sources, and checks their
signatures. Its lists, locks and caches are directories of ours, and its hooks are cleared, so that it writes nothing
elsewhere and needs no root. No script of a package runs, and no service starts.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

SYSTEM_PATH: Final = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"
STAMP: Final = "fetched.json"
COMMANDS: Final = "bin"
"""Where a directory of fetched tools keeps its commands; fsadvisor.machine.fetched looks there."""
_TREE: Final = "tree"
_NOT_IN_A_LIBRARY_PATH: Final = set(":;$")
_LOADER_FAILED: Final = (126, 127)
_NO_HOOKS: Final = """\
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear AptCli::Hooks;
#clear DPkg::Pre-Install-Pkgs;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
"""
"""For apt.conf(5). Some images delete the system's own caches in such hooks."""
_SYSTEM_LISTS: Final = "/var/lib/apt/lists"


class FetchError(Exception):
    """Why nothing was fetched, as the end of a sentence."""


def fetch(wanted: Mapping[str, str], place: Path) -> dict[str, str]:
    """Replace `place` by a directory with the wanted commands (command: package); gives those that run here.

    Raises FetchError where the packages can't be had.
    """
    if unfit := _NOT_IN_A_LIBRARY_PATH.intersection(str(place)):
        raise FetchError(f"no library is found below a directory with {' '.join(sorted(unfit))!r} in its name")
    new = place.with_name(f"{place.name}.new")
    _remove(new)
    try:
        new.mkdir(mode=0o755)
        new.chmod(0o755)  # whatever the umask is
        packages = _download(sorted(set(wanted.values())), new / "download")
        commands = _unpack(packages, set(wanted.values()), new / _TREE)
        _write_commands(commands, new, place)
        _remove(new / "download")
        _remove(place)
        new.rename(place)
    except OSError as error:
        raise FetchError(f"{error.strerror or error}: {error.filename}") from error
    finally:
        _remove(new)
    return {command: package for command, package in wanted.items() if _runs(place / COMMANDS / command)}


def note(place: Path, fingerprint: str, wanted: Mapping[str, str], fetched: Mapping[str, str]) -> None:
    """Remember what was wanted and what came of it."""
    text = json.dumps({"fingerprint": fingerprint, "wanted": dict(wanted), "fetched": dict(fetched)})
    (place / STAMP).write_text(text)


def noted(place: Path, fingerprint: str) -> tuple[dict[str, str], dict[str, str]]:
    """What was wanted and what came of it; nothing where it was noted elsewhere, or the files are somebody else's."""
    try:
        content = json.loads((place / STAMP).read_text())
        if content["fingerprint"] == fingerprint and place.stat().st_uid in (0, os.geteuid()):
            return content["wanted"], content["fetched"]
    except (OSError, ValueError, KeyError):
        pass
    return {}, {}


# --- downloads


def _download(packages: Sequence[str], work: Path) -> list[Path]:
    """The packages and what they need beyond what is installed, with the lists that are here, else with new ones."""
    (work / "lists" / "partial").mkdir(parents=True)
    (work / "cache" / "archives" / "partial").mkdir(parents=True)
    (work / "apt.conf").write_text(_NO_HOOKS)
    # apt keeps its locks beside this file.
    (work / "status").symlink_to("/var/lib/dpkg/status")
    try:
        return _downloaded(packages, work, _SYSTEM_LISTS)
    except FetchError:
        return _downloaded_anew(packages, work, str(work / "lists"))


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
    done = _run((command[0], "-qq", "-c", str(work / "apt.conf"), *settings, *command[1:]))
    if done.returncode == 0:
        return done.stdout
    reasons = [line[3:] for sign in ("E: ", "W: ") for line in done.stderr.splitlines() if line.startswith(sign)]
    raise FetchError(f"{command[0]}: {reasons[0].rstrip('.') if reasons else f'it ended with {done.returncode}'}")


def _run(argv: Sequence[str]) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "DEBIAN_FRONTEND": "noninteractive",
        "LC_ALL": "C",
        "PATH": f"{os.environ.get('PATH', '')}:{SYSTEM_PATH}",
    }
    return subprocess.run(
        argv, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
    )


# --- unpacked


def _unpack(packages: Iterable[Path], wanted: set[str], tree: Path) -> list[Path]:
    """Unpack the wanted packages and libraries; gives the wanted packages' commands.

    Other programs that packages need for services are of no use. The C library fits only the loader of the system.
    """
    tree.mkdir(mode=0o700)  # nobody else may run what is set-user-ID until it isn't
    libraries = []
    for package in packages:
        name = package.name.split("_")[0]
        if name in wanted:
            _unpack_one(package, tree)
        elif name.startswith("lib") and name not in ("libc6", "libc-bin"):
            libraries.append(package)
    commands = list(_commands(tree))
    for package in libraries:
        _unpack_one(package, tree)
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            path.chmod(stat.S_IMODE(path.stat().st_mode) & 0o755 | stat.S_IWUSR)
    return commands


def _unpack_one(package: Path, tree: Path) -> None:
    done = _run(("dpkg-deb", "-x", str(package), str(tree)))
    if done.returncode != 0:
        raise FetchError(f"{package.name} could not be unpacked: {done.stderr.strip()}")


def _commands(tree: Path) -> Iterator[Path]:
    for folder in ("usr/sbin", "sbin", "usr/bin", "bin"):
        with contextlib.suppress(FileNotFoundError):
            yield from (path for path in sorted((tree / folder).iterdir()) if os.access(path, os.X_OK))


def _write_commands(commands: Iterable[Path], new: Path, place: Path) -> None:
    """For each command a script that starts it with the fetched libraries, where it will be."""
    folders = sorted({path.parent for path in (new / _TREE).rglob("*.so*") if path.is_file()})
    libraries = ":".join(str(place / folder.relative_to(new)) for folder in folders)
    (new / COMMANDS).mkdir(mode=0o755)
    (new / COMMANDS).chmod(0o755)
    for command in commands:
        path = new / COMMANDS / command.name
        start = shlex.quote(str(place / command.relative_to(new)))
        path.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH={shlex.quote(libraries)} exec {start} "$@"\n')
        path.chmod(0o755)


def _runs(command: Path) -> bool:
    """Whether it can be started: a library that is missing or of another version ends it before it says anything."""
    return os.access(command, os.X_OK) and _run((str(command), "--version")).returncode not in _LOADER_FAILED


def _remove(folder: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(folder)
