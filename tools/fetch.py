"""Fetches tools as the distribution's own packages, and unpacks them beside the environment: nothing is installed.

The package manager downloads them, with the libraries that are not here, and its signatures are checked. No root is
needed; no script of a package runs, and no service starts.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import stat
from typing import TYPE_CHECKING, Final

from fsadvisor.machine.packages import refused_folders
from tools.fetch_apt import APT
from tools.package_managers import FetchError, run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from tools.package_managers import Manager

STAMP: Final = "fetched.json"
COMMANDS: Final = "bin"
"""Where a directory of fetched tools keeps its commands; fsadvisor.machine.packages looks there."""
_TREE: Final = "tree"
_NOT_IN_A_LIBRARY_PATH: Final = set(":;$")
_LOADER_FAILED: Final = (126, 127)


def fetch(wanted: Mapping[str, str], place: Path, manager: Manager = APT) -> dict[str, str]:
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
        packages = manager.download(sorted(set(wanted.values())), new / "download")
        commands = _unpack(packages, set(wanted.values()), new / _TREE, manager)
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
    """What was wanted and what came of it; nothing where it was noted elsewhere, or others can change the tools."""
    try:
        content = json.loads((place / STAMP).read_text())
    except (OSError, ValueError):
        return {}, {}
    if content.get("fingerprint") == fingerprint and not refused_folders(str(place.parent)):
        return content["wanted"], content["fetched"]
    return {}, {}


def _unpack(packages: Iterable[Path], wanted: set[str], tree: Path, manager: Manager) -> list[Path]:
    """Unpack the wanted packages and libraries; gives the wanted packages' commands."""
    tree.mkdir(mode=0o700)  # nobody else may run what is set-user-ID until it isn't
    libraries = []
    for package in packages:
        if manager.name(package) in wanted:
            manager.unpack(package, tree)
        elif manager.helps(manager.name(package)):
            libraries.append(package)
    commands = list(_commands(tree))
    for package in libraries:
        manager.unpack(package, tree)
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            path.chmod(stat.S_IMODE(path.stat().st_mode) & 0o755 | stat.S_IWUSR)
    return commands


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
        others = shlex.quote(str(place / COMMANDS))  # xfs_info is a script that calls xfs_db
        settings = f'PATH="$PATH":{others} LD_LIBRARY_PATH={shlex.quote(libraries)}'
        path.write_text(f'#!/bin/sh\n{settings} exec {start} "$@"\n')
        path.chmod(0o755)


def _runs(command: Path) -> bool:
    """Whether it can be started: a library that is missing or of another version ends it before it says anything."""
    return os.access(command, os.X_OK) and run((str(command), "--version")).returncode not in _LOADER_FAILED


def _remove(folder: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(folder)
