"""What a stranger hands over: archives, unpacked reports, recordings and captured outputs that no tool ever wrote.

Each ends in an answer or in one sentence, within seconds and 200 MiB, and changes nothing; a link out leads nowhere.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import shutil
import tarfile
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from tools.fuzz import tars
from tools.fuzz.child import done, wrong
from tools.fuzz.mutations import MACHINES
from tools.fuzz.part import Failure
from tools.fuzz.texts import damaged, samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

_MOST_MIB: Final = 200
_SECONDS: Final = 10.0
_SECONDS_A_MIB: Final = 2.0
"""For each MiB of the input itself: what is honest may be large."""
_MOST_KEPT_BYTES: Final = 16 << 20
_OUTSIDE: Final = "led-outside"
_PLACES: Final = (
    *("proc/mounts", "proc/self/mountinfo", "proc/swaps", "proc/cmdline", "proc/mdstat", "etc/fstab", "etc/hostname"),
    *("sys/block/sda", "sys/block/sda/queue/rotational", "sys/block", "sys/class/block", "sys/devices/a/sda/size"),
    *("sos_commands/block/lsblk_-O_-P", "sos_commands/devices/udevadm_info_--export-db", "sos_commands/lvm2/lvs"),
    *("etc/systemd/system/a.mount", "var/lib", "a", ""),
)
_PACKERS: Final[tuple[Callable[[bytes], bytes], ...]] = (
    lambda raw: raw,
    lambda raw: gzip.compress(raw, 1),
    lambda raw: bz2.compress(raw, 1),
    lambda raw: lzma.compress(raw, preset=0),
)
_KINDS: Final = (
    *(tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE),
    *(tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.CONTTYPE, tarfile.GNUTYPE_SPARSE, tarfile.XGLTYPE, tarfile.XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.SOLARIS_XHDTYPE, b"V", b"M", b"\xff"),
)
_SIZES: Final = (0, 0, 0, 1, 511, 512, 1 << 20, 5 << 20, 1 << 33, (1 << 63) - 1, -1, -512)
_ODD_NAMES: Final = ("\n", "\x1b[31m", "\u202e", "\udcff", "..", ".", "/", "//", "a" * 99, "%", "\0", "$(id)", "[red]")
_KEYS: Final = (
    "path",
    "linkpath",
    "size",
    "uid",
    "mtime",
    "GNU.sparse.major",
    "GNU.sparse.realsize",
    "GNU.sparse.name",
)
_VALUES: Final = ("", "0", "-1", "9" * 30, "9" * 400, "1e400", "nan", "../" * 30, "sos/proc/mounts", "a/" * 200)


def archives(random: Random) -> Iterator[list[Failure]]:
    """One of each kind in turn, for ever."""
    while True:
        for kind in (_tar, _honest, _bomb, _tree, _tar, _recording, _output):
            with TemporaryDirectory(prefix="fsadvisor-fuzz-") as folder:
                place = Path(folder)
                outside = place / "outside"
                outside.write_text(f"/dev/sdz /{_OUTSIDE} ext4 rw 0 0\n")
                argv = kind(place / "given", outside, random)
                yield _judged(place / "given", argv)


def _judged(given: Path, argv: list[str]) -> list[Failure]:
    size = sum(it.lstat().st_blocks for it in (given, *given.rglob("*"))) / 2048
    end = done(*argv)
    said = [*wrong(end, _SECONDS + _SECONDS_A_MIB * size, _MOST_MIB)]
    if _OUTSIDE in end.out:
        said.append("a link led outside")
    return [Failure(f"{' '.join(argv[:-1])}: {what}", _kept(given)) for what in said]


def _kept(given: Path) -> bytes | str:
    """The file, or the directory as a tar; the seed alone makes again what is larger than one would keep."""
    if sum(it.lstat().st_size for it in (given, *given.rglob("*"))) > _MOST_KEPT_BYTES:
        return "too large to be kept: the seed makes it again"
    if given.is_file():
        return given.read_bytes()
    with tarfile.open(fileobj=(file := io.BytesIO()), mode="w") as archive, suppress(OSError):
        archive.add(given, "given")
    return file.getvalue()


def _audit(given: Path, random: Random) -> list[str]:
    return [random.choice(("--json", "--text", "--html", "--strict")), "--on", str(given)]


def _tar(given: Path, outside: Path, random: Random) -> list[str]:
    """Members that no packer writes, packed once or twice, and perhaps damaged."""
    raw = tars.report(*(_member(random, outside) for _ in range(random.choice((1, 2, 5, 30, 300)))))
    for _ in range(random.choice((1, 1, 1, 2))):
        raw = random.choice(_PACKERS)(raw)
    given.write_bytes(_broken(raw, random) if random.random() < 0.4 else raw)
    return _audit(given, random)


def _member(random: Random, outside: Path) -> bytes:
    name = _name(random)
    kind = random.choice(_KINDS)
    size = random.choice(_SIZES)
    before = b""
    for _ in range(random.choice((0, 0, 0, 1, 2, 20))):
        before += random.choice(
            (
                lambda: tars.pax(**{random.choice(_KEYS): random.choice(_VALUES)}),
                lambda: tars.long_name(_name(random).encode("utf-8", "surrogateescape") * random.choice((1, 30, 3000))),
                lambda: tars.long_name(b"../" * random.choice((1, 300)), tarfile.GNUTYPE_LONGLINK),
                lambda: tars.header("x", 6, tarfile.XHDTYPE) + tars.content(random.randbytes(6)),
            )
        )()
    link = random.choice((str(outside), "../" * 20 + str(outside), name, "..", "/", "../sys/block", "a/b/c"))
    try:
        head = tars.header(
            name[:100], size, kind, linkname=link[:100], devmajor=1, devminor=5, mtime=random.choice((0, -1, 1 << 70))
        )
    except (ValueError, OverflowError):
        head = tars.header("sos/etc/fstab", 0, kind)
    body = random.choice(samples()).encode("utf-8", "surrogateescape")[: max(0, min(size, 1 << 16))]
    honest = kind == tarfile.REGTYPE and 0 <= size <= 1 << 20
    return before + head + (tars.content(body.ljust(size, b"\n")) if honest else tars.content(body))


def _name(random: Random) -> str:
    name = f"sos/{random.choice(_PLACES)}"
    for _ in range(random.choice((0, 0, 1, 3))):
        name = random.choice(
            (f"{name}/{random.choice(_ODD_NAMES)}", f"{random.choice(_ODD_NAMES)}/{name}", name + "/a" * 60)
        )
    return name


def _broken(raw: bytes, random: Random) -> bytes:
    """Cut, bits turned, or a part of it twice."""
    changed = bytearray(raw)
    match random.randrange(3):
        case 0:
            del changed[random.randint(0, len(changed)) :]
        case 1:
            for _ in range(random.choice((1, 8, 100))):
                changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
        case _:
            at, to = sorted(random.randint(0, len(changed)) for _ in range(2))
            changed[at:at] = changed[at:to]
    return bytes(changed)


def _honest(given: Path, _outside: Path, random: Random) -> list[str]:
    """A report as sos writes it, with damaged files."""
    with tarfile.open(given, random.choice(("w", "w:gz", "w:xz"))) as archive:
        for place in (*tars.SMALL_REPORT, *(it for it in _PLACES if "/" in it)):
            text = damaged(random.choice(samples()), random).encode("utf-8", "surrogateescape")
            info = tarfile.TarInfo(f"sos/{place}")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))
    if random.random() < 0.3:
        given.write_bytes(_broken(given.read_bytes(), random))
    return _audit(given, random)


def _bomb(given: Path, _outside: Path, random: Random) -> list[str]:
    """Little that says that it is much: zeros, members, names, depth, headers, archives in archives."""
    much = random.choice((10, 1000, 30_000))
    pack = random.choice(_PACKERS[1:])
    name = random.choice(("sos/proc/mounts", "sos/sos_commands/a", "sos/var/log/a"))
    match random.randrange(7):
        case 0:
            zeros = pack(bytes(8 << 20))
            raw = pack(tars.report(tars.header(name, 1 << 40))) + zeros * random.choice((1, 20, 100))
        case 1:
            raw = pack(tars.members(1000, f"{name}{{}}")) * random.choice((1, 100, 1000))
        case 2:
            raw = pack(tars.pax(path="sos/etc/" + "a/" * much + "b") + tars.header("b"))
        case 3:
            raw = pack(random.choice((tars.pax(path="a"), tars.long_name(b"a" * 511))) * much)
        case 4:
            names = (tars.pax(path=f"sos/etc/{it}" + "a" * 4000) + tars.header("b") for it in range(min(much, 5000)))
            raw = pack(tars.report(*names))
        case 5:
            links = (
                tars.header(f"sos/sys/block/{it}", 0, tarfile.SYMTYPE, linkname=f"{it + 1}")
                for it in range(min(much, 9999))
            )
            raw = pack(tars.report(*links))
        case _:
            raw = tars.report()
            for _ in range(random.choice((2, 5, 30))):
                raw = pack(tars.report(tars.member("sos/etc/fstab", raw)))
    given.write_bytes(raw)
    return _audit(given, random)


def _tree(given: Path, outside: Path, random: Random) -> list[str]:
    """An unpacked report with pipes, devices, links and long files in it."""
    (given / "sos_commands/xfs").mkdir(parents=True)
    for place in (*tars.SMALL_REPORT, *random.sample(_PLACES[:-1], 8)):
        put(given / place, outside, random)
    return _audit(given, random)


def _recording(given: Path, outside: Path, random: Random) -> list[str]:
    """A recording in which some files are something else."""
    source = random.choice(MACHINES)
    shutil.copytree(source, given)
    files = [it for it in sorted(given.rglob("*")) if it.is_file()]
    for file in random.sample(files, min(len(files), random.choice((1, 3, 20)))):
        file.unlink(missing_ok=True)
        put(file, outside, random)
    verb = random.choice(([], ["facts", "--values"], ["plan"], ["attest"]))
    return [*verb, "--on", str(given)] if verb else _audit(given, random)


def put(path: Path, outside: Path, random: Random) -> None:
    """Something in its place, if it can be there; nothing through a link or a pipe that stands there already."""
    with suppress(OSError, ValueError, RuntimeError):
        above = path.parent.resolve()
        if os.path.lexists(path) or not above.is_relative_to(outside.parent.resolve()):
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        match random.randrange(9):
            case 0:
                os.mkfifo(path)
            case 1:
                path.symlink_to(
                    random.choice((outside, Path("/dev/zero"), path, Path(".."), Path("a" * 200), Path("/")))
                )
            case 2:
                path.touch()
                os.truncate(path, random.choice((0, 5 << 20, 1 << 40)))
            case 3:
                path.mkdir()
                for it in range(random.choice((1, 3000))):
                    (path / f"sd{it}").touch()
            case 4:
                os.mknod(path, 0o020600, os.makedev(1, 5))
            case 5:
                path.write_text(json.dumps([f"d{it}" for it in range(random.choice((10, 30_000)))]))
            case 6:
                path.write_text("[" * 100_000)
            case _:
                path.write_bytes(damaged(random.choice(samples()), random).encode("utf-8", "replace"))


def _output(given: Path, outside: Path, random: Random) -> list[str]:
    """What `drive` is given: an output damaged, with keys twice, or something else than a file."""
    said = [it for it in samples() if '"smartctl"' in it or '"vwc"' in it or it.startswith("smartctl")]
    text = random.choice(said)
    match random.randrange(4):
        case 0:
            put(given, outside, random)
        case 1:
            keys = [it.strip() for it in text.split("\n") if '":' in it] or ['"vwc": 0,']
            given.write_text(text.replace("{", "{" + random.choice(keys).rstrip(",{[") + ",", random.choice((1, 2))))
        case 2:
            given.write_bytes(random.choice(_PACKERS)(text.encode("utf-8", "surrogateescape")))
        case _:
            given.write_bytes(damaged(text, random).encode("utf-8", "surrogateescape"))
    return [*random.choice(([], ["--json"])), "drive", str(given)]
