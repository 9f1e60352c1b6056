"""Packages by dnf, from the system's own repositories, but in directories of ours.

`dnf download` checks no signatures: rpmkeys does, against the keys that the system keeps in /etc/pki/rpm-gpg, and a
package without a signature is refused.
"""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tools.package_managers import FetchError, Manager, run

if TYPE_CHECKING:
    from collections.abc import Sequence

_KEYS: Final = Path("/etc/pki/rpm-gpg")
_NAMES: Final = {"shellcheck": "ShellCheck", "mount": "util-linux"}
_NO_LIBRARIES: Final = ("glibc", "filesystem", "setup", "basesystem", "systemd", "fedora-", "redhat-")


def _download(packages: Sequence[str], work: Path) -> list[Path]:
    work.mkdir()
    directories = {name: str(work / name) for name in ("cachedir", "system_cachedir", "logdir", "persistdir")}
    settings = [f"--setopt={name}={path}" for name, path in directories.items()]
    settings += ["--setopt=strict=0", "--setopt=skip_unavailable=1", "--disableplugin=generate_completion_cache"]
    wanted = [_NAMES.get(package, package) for package in packages]
    into = work / "packages"
    _told("dnf", "-q", "-y", *settings, "download", "--resolve", "--destdir", str(into), *wanted)
    found = sorted(str(path) for path in into.glob("*.rpm"))
    if not found:
        raise FetchError("no repository has them")
    for key in sorted(_KEYS.glob("*")):
        run(("rpmkeys", "--dbpath", str(work / "keys"), "--import", str(key)))  # what it signs decides
    _told("rpmkeys", "--dbpath", str(work / "keys"), "--define", "_pkgverify_level all", "--checksig", *found)
    return [Path(path) for path in found]


def _told(*command: str) -> None:
    """Run a command. Raises FetchError with the last of what it says where it fails."""
    done = run(command)
    if done.returncode != 0:
        lines = (done.stderr.strip() or done.stdout.strip()).splitlines() or [f"it ended with {done.returncode}"]
        raise FetchError(f"{command[0]}: {lines[-1].strip().rstrip('.')}")


def _name(package: Path) -> str:
    name = package.name.rsplit("-", 2)[0]
    return next((ours for ours, theirs in _NAMES.items() if theirs == name), name)


def _helps(name: str) -> bool:
    return not name.startswith(_NO_LIBRARIES)


def _unpack(package: Path, tree: Path) -> None:
    _told("rpm2archive", str(package))
    with tarfile.open(f"{package}.tgz") as archive:
        archive.extraction_filter = getattr(tarfile, "tar_filter", None)  # Python has it since 3.11.4
        archive.extractall(tree)


DNF: Final = Manager(_download, _name, _helps, _unpack)
