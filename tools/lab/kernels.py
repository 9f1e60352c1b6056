"""The guests' kernels: Debian's own packages, unpacked into a cache folder and never installed."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tools.lab.error import LabError
from tools.lab.tool import output

_STOCK = "linux-image-amd64"
"""Depends on the kernel that the distribution runs."""
_IMAGE = re.compile(r"linux-image-(\d+)\.(\d+)\.(\d+)(?:-(\d+))?(?:\+\w+)?-amd64")
"""Full images only: the cloud ones lack the drivers that the lab is for."""


@dataclass(frozen=True)
class Kernel:
    """An unpacked kernel package."""

    release: str
    """As `uname -r` says it."""
    image: Path
    tree: Path
    """A folder with usr/lib/modules/RELEASE, laid over the guest's root."""
    is_stock: bool
    """Whether it is the one that the distribution runs."""

    @property
    def series(self) -> str:
        """`6.1` of 6.1.0-56-amd64."""
        return ".".join(self.release.split(".")[:2])


def cache() -> Path:
    """Where unpacked kernels stay: FSADVISOR_LAB_CACHE, or the user's cache folder."""
    own = os.environ.get("FSADVISOR_LAB_CACHE")
    return Path(own) if own else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fsadvisor-lab"


def version(package: str) -> tuple[int, ...]:
    """The version in an image package's name, to compare by; () where it has none."""
    match = _IMAGE.fullmatch(package)
    return tuple(int(part or 0) for part in match.groups()) if match else ()


def packages() -> list[str]:
    """The stock kernel's package, then the newest one of a later series, if the registry has one."""
    depends = output(["apt-cache", "depends", "--important", _STOCK])
    stock = next((word for word in depends.split() if version(word)), None)
    if stock is None:
        raise LabError(f"{_STOCK} depends on no kernel image that apt knows: run `apt-get update`")
    newest = max(output(["apt-cache", "pkgnames", "linux-image-"]).split(), key=version)
    return [stock, newest] if version(newest)[:2] > version(stock)[:2] else [stock]


def unpacked(package: str, *, is_stock: bool) -> Kernel:
    """The package's kernel, fetched and unpacked unless the cache holds it."""
    folder = cache() / package
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            whole = Path(scratch) / package
            whole.mkdir()
            _unpack(package, whole)
            whole.rename(folder)
    image = next(folder.glob("tree/boot/vmlinuz-*"), None)
    if image is None:
        raise LabError(f"{folder} holds no kernel: remove it and start again")
    return Kernel(image.name.removeprefix("vmlinuz-"), image, folder / "tree", is_stock)


def _unpack(package: str, folder: Path) -> None:
    _download(package, folder)
    tree = folder / "tree"
    deb = next(folder.glob("*.deb"))
    output(["dpkg-deb", "--extract", str(deb), str(tree)])
    deb.unlink()
    modules = next(tree.glob("lib/modules/*"))
    # Where /lib is a link to /usr/lib, a folder laid over it would hide all libraries.
    (tree / "usr" / "lib").mkdir(parents=True, exist_ok=True)
    shutil.move(modules.parent, tree / "usr" / "lib" / "modules")
    shutil.rmtree(tree / "lib")
    (tree / "lib").symlink_to("usr/lib")
    output(["depmod", "-b", str(tree), modules.name])
    (tree / "lib").unlink()


def _download(package: str, folder: Path) -> None:
    """Fetch a package; package lists that are out of date are brought up to date once."""
    try:
        output(["apt-get", "-q", "download", package], folder)
    except LabError:
        output(["apt-get", "-q", "update"])
        output(["apt-get", "-q", "download", package], folder)
