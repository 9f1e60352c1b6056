"""What all that is made for copying has in common: the program from its wheel, and the same bytes each time."""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def epoch() -> int:
    """The time that everything gets: SOURCE_DATE_EPOCH, else that of the last commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    asked = ["git", "log", "-1", "--format=%ct"]
    return int(given or subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def wheel(folder: Path) -> Path:
    """The program's wheel, made in an empty directory."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder],
        cwd=ROOT,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch())},
        capture_output=True,
        check=True,
    )
    [built] = folder.glob("*.whl")
    return built


def tree(folder: Path, archive: Path) -> None:
    """Pack a directory: names in order, of root, at one time."""

    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = "root"
        member.mtime = epoch()
        member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
        return member

    with (
        archive.open("wb") as opened,
        gzip.GzipFile("", "wb", 9, opened, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar,
    ):
        tar.add(folder, folder.name, recursive=False, filter=plain)
        for path in sorted(folder.rglob("*")):
            tar.add(path, f"{folder.name}/{path.relative_to(folder)}", recursive=False, filter=plain)


def member(name: str) -> zipfile.ZipInfo:
    """A file of a zip at a time that every zip can say."""
    made = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    made.compress_type = zipfile.ZIP_DEFLATED
    made.external_attr = 0o644 << 16
    return made


def sums(folder: Path) -> None:
    """Write SHA256SUMS of all that is in a directory."""
    files = sorted(file for file in folder.iterdir() if file.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (folder / "SHA256SUMS").write_text("".join(lines))
