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
_PART = re.compile(r"linux-(?:binary|modules|base)-\d.*")
"""What newer image packages are split into: the kernel, its modules, the list of what is built in."""
ELSEWHERE = ("bullseye", "sid")
"""Releases whose kernels `--kernels all` takes, too: the oldest and the newest that Debian's mirror has."""
_MIRROR = "http://deb.debian.org/debian"


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
    stock = _stock(())
    newest = max(output(["apt-cache", "pkgnames", "linux-image-"]).split(), key=version)
    return [stock, newest] if version(newest)[:2] > version(stock)[:2] else [stock]


def _stock(options: tuple[str, ...]) -> str:
    depends = output(["apt-cache", *options, "depends", "--important", _STOCK])
    stock = next((word for word in depends.split() if version(word)), None)
    if stock is None:
        raise LabError(f"{_STOCK} depends on no kernel image that apt knows: run `apt-get update`")
    return stock


def elsewhere(release: str) -> tuple[str, tuple[str, ...]]:
    """Another release's stock kernel: its package, and options of apt by which it is found; they change nothing."""
    folder = cache() / f"apt-{release}"
    (folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    (folder / "sources.list").write_text(f"deb {_MIRROR} {release} main\n")
    settings = {
        "Dir::Etc::SourceList": f"{folder}/sources.list",
        "Dir::Etc::SourceParts": "-",
        "Dir::State::Lists": f"{folder}/lists",
        "Dir::Cache::pkgcache": "",
        "Dir::Cache::srcpkgcache": "",
        "Acquire::Check-Valid-Until": "false",
    }
    options = tuple(word for name, value in settings.items() for word in ("-o", f"{name}={value}"))
    output(["apt-get", *options, "-q", "update"])
    return _stock(options), options


def unpacked(package: str, *, is_stock: bool, options: tuple[str, ...] = ()) -> Kernel:
    """The package's kernel, fetched and unpacked unless the cache holds it; `options` are apt's."""
    folder = cache() / package
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            whole = Path(scratch) / package
            whole.mkdir()
            _unpack(package, whole, options)
            whole.rename(folder)
    tree = folder / "tree"
    images = [*tree.glob("boot/vmlinuz-*"), *tree.glob("usr/lib/modules/*/vmlinuz")]
    if not images:
        raise LabError(f"{folder} holds no kernel: remove it and start again")
    return Kernel(next(tree.glob("usr/lib/modules/*")).name, images[0], tree, is_stock)


def _unpack(package: str, folder: Path, options: tuple[str, ...]) -> None:
    depends = output(["apt-cache", *options, "depends", "--important", package]).split()
    parts = [word for word in depends if _PART.fullmatch(word)]
    _download([package, *parts], folder, options)
    lay_out(folder)


def lay_out(folder: Path) -> None:
    """Unpack the packages of a directory into its `tree`, with the modules in usr/lib, where newer ones have them."""
    tree = folder / "tree"
    for deb in folder.glob("*.deb"):
        output(["dpkg-deb", "--extract", str(deb), str(tree)])
        deb.unlink()
    # Where /lib is a link to /usr/lib, a folder laid over it would hide all libraries.
    (tree / "usr" / "lib").mkdir(parents=True, exist_ok=True)
    if (tree / "lib").exists():
        shutil.move(tree / "lib" / "modules", tree / "usr" / "lib" / "modules")
        shutil.rmtree(tree / "lib")
    modules = next(tree.glob("usr/lib/modules/*"), None)
    if modules is None:
        raise LabError(f"the packages of {folder.name} hold no modules: they are made otherwise")
    (tree / "lib").symlink_to("usr/lib")
    output(["depmod", "-b", str(tree), modules.name])
    (tree / "lib").unlink()


def _download(names: list[str], folder: Path, options: tuple[str, ...]) -> None:
    """Fetch packages; package lists that are out of date are brought up to date once."""
    try:
        output(["apt-get", *options, "-q", "download", *names], folder)
    except LabError:
        output(["apt-get", *options, "-q", "update"])
        output(["apt-get", *options, "-q", "download", *names], folder)
