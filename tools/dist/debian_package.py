"""A .deb of the directory with its own Python: below /usr/lib/fsadvisor, with man page and completions in their places.

dpkg-deb alone makes it. It starts nothing and has no scripts, so that removing it takes away all that it brought.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from fsadvisor._version import __version__
from tools.dist import packing

if TYPE_CHECKING:
    from pathlib import Path

CONTROL = """\
Package: fsadvisor
Version: {version}
Architecture: {architecture}
Maintainer: fsadvisor <fsadvisor@localhost>
Installed-Size: {kilobytes}
Depends: libc6 (>= {glibc})
Recommends: nvme-cli, smartmontools
Section: admin
Priority: optional
Description: ranked advice on a Linux server's storage
 fsadvisor reads block devices, mounts, filesystems and drives, applies rules
 to them and shows ranked advice with its evidence. It changes nothing, and
 brings a Python interpreter of its own.
"""


def package(whole: Path, glibc: str, work: Path, into: Path) -> None:
    """Write it from the unpacked directory."""
    root = work / "deb"
    place = root / "usr/lib/fsadvisor"
    place.parent.mkdir(parents=True)
    shutil.copytree(whole, place, symlinks=True)
    shared = root / "usr/share"
    shutil.move(place / "share", shared)
    manual = shared / "man/man8/fsadvisor.8"
    manual.with_name("fsadvisor.8.gz").write_bytes(gzip.compress(manual.read_bytes(), 9, mtime=0))
    manual.unlink()
    (shared / "zsh/site-functions").rename(shared / "zsh/vendor-completions")
    documents = shared / "doc/fsadvisor"
    documents.mkdir(parents=True)
    shutil.move(place / "LICENSE", documents / "copyright")
    (root / "usr/bin").mkdir()
    (root / "usr/bin/fsadvisor").symlink_to("../lib/fsadvisor/fsadvisor")
    for path in [root, *root.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        os.utime(path, (packing.epoch(), packing.epoch()), follow_symlinks=False)
    asked = ["dpkg", "--print-architecture"]
    architecture = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    size = sum(path.lstat().st_size for path in root.rglob("*")) // 1024
    (root / "DEBIAN").mkdir(mode=0o755)
    (root / "DEBIAN/control").write_text(
        CONTROL.format(version=__version__, architecture=architecture, kilobytes=size, glibc=glibc)
    )
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, into / f"fsadvisor_{__version__}_{architecture}.deb"],
        env={**os.environ, "SOURCE_DATE_EPOCH": str(packing.epoch())},
        stdout=subprocess.DEVNULL,
        check=True,
    )
