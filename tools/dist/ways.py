"""Each way onto a server in each kind of root, really gone, as the table of docs/install.md.

`python -m tools.dist.ways --dist DIR --on ROOTS` needs root, Debian's mirror and a package index. DIR is what `make
release` wrote, with the archives for musl and aarch64 beside; ROOTS has Debians by debootstrap, made where they are
missing. The aarch64 one is run by qemu-aarch64-static, which only the run's own namespace knows.
Each run has a layer of its own over its root, which is gone afterwards. A way works where the installed program's bytes
come out: the version, and the JSON of a recorded machine.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tools.bare_roots import MIRROR, bare
from tools.dist import packing
from tools.lab.tool import copy_programs, libraries
from tools.system_tools import say

PAGE = packing.ROOT / "docs" / "install.md"
BEGIN, END = "<!-- ways: python -m tools.dist.ways -->\n", "<!-- end of ways -->\n"
MACHINE = packing.ROOT / "fixtures" / "machines" / "ext4-nobarrier"
DEBIANS = {"Debian 11": "bullseye", "Debian 12": "bookworm", "Debian 13": "trixie", "sid": "sid"}
BUSYBOX = Path("/bin/busybox")
_C_LIBRARY = ("libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1")
_SECONDS = 1200
_QEMU = "/usr/bin/qemu-aarch64-static"
_BY_QEMU = (
    "mount -t binfmt_misc none /proc/sys/fs/binfmt_misc && printf %s "
    r'":arm:M::\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00'
    r":\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff"
    f':{_QEMU}:F" >/proc/sys/fs/binfmt_misc/register &&'
)
"""Programs for aarch64 are started by QEMU, in a user namespace of its own (since Linux 6.7)."""
_ENVIRONMENT = (
    "PATH=/usr/local/bin:/root/.local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "
    "PIP_CERT=/mnt/certs/ca-certificates.crt "
    "SSL_CERT_FILE=/mnt/certs/ca-certificates.crt PIP_ROOT_USER_ACTION=ignore DEBIAN_FRONTEND=noninteractive"
)
_ANSWER = "{command} --version && {command} --on /mnt/machine --json >/mnt/out/json"


@dataclass(frozen=True)
class Root:
    """A kind of root."""

    name: str
    place: Path
    hard: bool = False
    """Whether the root is read-only once the way is gone, and /tmp is noexec."""
    archive: str = "x86_64-glibc*"
    """Which archive is for it."""
    foreign: bool = False
    """Whether its programs are another processor's."""


@dataclass(frozen=True)
class Way:
    """How the program comes there, and is started."""

    name: str
    prepare: str
    """Shell commands in the root, where /mnt has what was made, and the checkout."""
    command: str


def ways() -> list[Way]:
    """All of them."""
    install = "apt-get -qq -o Acquire::Check-Valid-Until=false update && apt-get -qq -y install --no-install-recommends"
    clean = "rm -rf /root/fsadvisor && cp -r /mnt/checkout /root/fsadvisor && cd /root/fsadvisor"
    archive = "mnt/dist/fsadvisor-*-{archive}.tar.gz -C opt"
    return [
        Way("archive", f"tar xzf {archive} || busybox tar xzf {archive}", "/opt/fsadvisor/fsadvisor"),
        Way("pyz", "true", "python3 /mnt/dist/fsadvisor.pyz"),
        Way(".deb", "dpkg -i /mnt/dist/*_$(dpkg --print-architecture).deb", "fsadvisor"),
        Way(".rpm", "rpm -i --nodeps --force-debian /mnt/dist/*.$(rpm --eval %_arch).rpm", "fsadvisor"),
        Way("pipx", f"{install} pipx python3-venv >/dev/null && pipx install /mnt/dist/*.whl", "fsadvisor"),
        Way("make", f"{clean} && make run TOOLS=no ARGS=--version </dev/null", "/root/fsadvisor/.venv/bin/fsadvisor"),
    ]  # fmt: skip


def _laid(place: Path) -> Path:
    for name in ("tmp", "proc", "dev", "opt", "mnt", "root", "etc", "usr/bin", "bin"):
        (place / name).mkdir(parents=True, exist_ok=True)
    return place


def roots(folder: Path) -> list[Root]:
    """All of them; those of few files are made in the folder."""
    found = [Root(f"{name}: minbase, make, python3", bare(release, folder)) for name, release in DEBIANS.items()]
    small = _laid(folder / "small")
    copy_programs(["/bin/sh", "/usr/bin/readlink", "/usr/bin/tar", "/usr/bin/gzip", "/usr/bin/mkdir"], small)
    copy_programs([str(Path("/lib/x86_64-linux-gnu") / name) for name in _C_LIBRARY], small)
    busy = _laid(folder / "busybox")
    if libraries(str(BUSYBOX)):
        raise SystemExit(f"{BUSYBOX} needs libraries, which this root has none of: install busybox-static")
    shutil.copy(BUSYBOX, busy / "bin")
    for applet in ("sh", "tar", "gzip", "mkdir", "readlink", "cp", "rm", "env"):
        (busy / "bin" / applet).unlink(missing_ok=True)
        (busy / "bin" / applet).symlink_to("busybox")
    for loader in Path("/lib").glob("ld-musl-*"):
        (busy / "lib").mkdir(exist_ok=True)
        shutil.copy(loader.resolve(), busy / "lib" / loader.name)
    arm = folder / "aarch64"
    if not (arm / "bin" / "sh").exists():
        unpack = ["debootstrap", "--foreign", "--arch=arm64", "--variant=minbase", DEBIANS["Debian 11"], str(arm), MIRROR]
        subprocess.run(unpack, check=True, stdout=subprocess.DEVNULL)
    _laid(arm)
    red = _laid(folder / "rpm")
    shutil.copytree(small, red, dirs_exist_ok=True)
    copy_programs(["/usr/bin/rpm"] if Path("/usr/bin/rpm").exists() else [], red)
    for settings in ("usr/lib/rpm", "etc/rpm"):
        if (Path("/") / settings).is_dir():
            shutil.copytree(Path("/") / settings, red / settings, dirs_exist_ok=True, symlinks=True)
    return [
        *found,
        Root("Debian 13, read-only, /tmp noexec", found[2].place, hard=True),
        Root("`sh`, `tar` and glibc 2.36 alone", small),
        Root("the same, with rpm (as Red Hat)", red),
        Root("busybox and musl (as Alpine)", busy, archive="x86_64-musl"),
        Root("Debian 11 for aarch64, minbase, by QEMU", arm, archive="aarch64-glibc*", foreign=True),
    ]


def gone(root: Root, way: Way, given: Path, expected: tuple[str, bytes]) -> str:
    """Go that way in a layer over the root; 'yes', or 'no' with the last thing said."""
    with tempfile.TemporaryDirectory() as out:
        top = Path(out) / "layer"
        for name in ("layer", "answer"):
            (Path(out) / name).mkdir()
        hard = f"mount -o remount,ro {top}/all && mount -t tmpfs -o noexec tmpfs {top}/all/tmp &&" if root.hard else ""
        inside = f"chroot {top}/all /usr/bin/env -i {_ENVIRONMENT} sh -c"
        if not (root.place / "usr/bin/env").exists():
            inside = f"env -i {_ENVIRONMENT} HOME=/root chroot {top}/all /bin/sh -c"
        unpacks = root.foreign and way.name == "archive"  # QEMU 7.2 can't do what tar asks for
        outside = f"cd {top}/all && sh -c" if unpacks else inside
        steps = f"""
{_BY_QEMU if root.foreign else ""}
mount -t tmpfs tmpfs {top} && mkdir {top}/up {top}/work {top}/all &&
mount -t overlay -o lowerdir={root.place},upperdir={top}/up,workdir={top}/work overlay {top}/all &&
mount -t proc proc {top}/all/proc && mount --rbind /dev {top}/all/dev &&
mount --rbind {given} {top}/all/mnt && mkdir -p {top}/all/mnt/out && mount --bind {out}/answer {top}/all/mnt/out &&
{outside} '{way.prepare.replace("{archive}", root.archive)}' >&2 && {hard}
{inside} '{_ANSWER.format(command=way.command)}'
"""
        mapped = ["--user", "--map-root-user"] if root.foreign else []
        own = [
            "unshare",
            *mapped,
            "--mount",
            "--propagation",
            "private",
            "--pid",
            "--fork",
            "--kill-child",
            "sh",
            "-c",
            steps,
        ]
        done = subprocess.run(own, capture_output=True, text=True, errors="replace", check=False, timeout=_SECONDS)
        answer = Path(out) / "answer" / "json"
        told = answer.read_bytes() if answer.exists() else b""
    if (done.stdout, told) == expected and done.returncode in (0, 1):
        return "yes"
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    say(f"--- {root.name}, {way.name}: {done.returncode}\n" + "\n".join(lines[-8:]))
    return f"no: {_why(lines) or 'other bytes'}"


_REASONS = {
    r"GLIBC_[\d.]+' not found": "glibc is older than {0}",
    r"needs Python 3\.11": "Python is older than 3.11",
    r"requires? a different Python|Requires-Python|requires-python": "Python is older than 3.11",
    r"bin/python3[.\d]*: not found": "no glibc",
    r"Invalid cross-device link": "a layer of a user namespace has no rename",
    r"dpkg/status": "no dpkg",
    r"sh: fsadvisor: not found|List config files": "no rpm that installs it",
    r"Unable to locate package pipx": "no pipx there",
    r"python3: (command )?not found": "no Python",
    r"(make|rm|cp): (command )?not found": "no make, no Python",
    r"dpkg: (command )?not found": "no dpkg",
    r"rpm: (command )?not found": "no rpm",
    r"apt-get: (command )?not found": "no pipx, no Python",
    r"depends on libc6 \(>= ([\d.]+)\)": "it depends on libc6 {1}",
    r"(glibc >= [\d.]+) is needed": "it needs the package {1}",
}


def _why(lines: list[str]) -> str:
    """The reason in a few words: that of the last line which names a known one, else the last line."""
    for line in reversed(lines):
        for pattern, words in _REASONS.items():
            if match := re.search(pattern, line):
                version = match[0].removeprefix("GLIBC_").removesuffix("' not found")
                return words.format(version, *match.groups())
    return lines[-1][:60].replace("|", "/") if lines else ""


def table(folder: Path, given: Path, expected: tuple[str, bytes]) -> str:
    """A row for each root."""
    columns, rows = ways(), roots(folder)
    lines = [f"| root | {' | '.join(way.name for way in columns)} |", "|---" * (len(columns) + 1) + "|"]
    for root in rows:
        cells = [gone(root, way, given, expected) for way in columns]
        say(f"{root.name}: {', '.join(cells)}")
        lines.append(f"| {root.name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Go all ways, and write the table."""
    parser = argparse.ArgumentParser(prog="python -m tools.dist.ways", description=__doc__)
    parser.add_argument("--dist", type=Path, required=True)
    parser.add_argument("--on", type=Path, default=Path("/var/tmp/fsadvisor-bare"))
    chosen = parser.parse_args()
    ours = Path(sys.executable).parent / "fsadvisor"
    with tempfile.TemporaryDirectory(dir="/var/tmp") as work:
        given = Path(work)
        for name, place in {"dist": chosen.dist, "machine": MACHINE}.items():
            shutil.copytree(place, given / name)
        shutil.copytree("/etc/ssl/certs", given / "certs", symlinks=False, ignore_dangling_symlinks=True)
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=packing.ROOT, capture_output=True, text=True, check=True
        ).stdout
        for name in filter(None, listed.split("\0")):
            (given / "checkout" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(packing.ROOT / name, given / "checkout" / name)
        version = subprocess.run([ours, "--version"], capture_output=True, text=True, check=True).stdout
        json = subprocess.run([ours, "--on", MACHINE, "--json"], capture_output=True, check=False).stdout
        found = table(chosen.on, given, (version, json.replace(bytes(MACHINE), b"/mnt/machine")))
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{found}\n{END}{rest.partition(END)[2]}", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
