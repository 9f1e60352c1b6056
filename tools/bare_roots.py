"""Shows that `make run` changes nothing outside its directory: `make bare` (needs root, debootstrap and the network).

In a bare Debian of each release, as root and as an ordinary user, every file is looked at before and after: its bytes,
owner, mode and times. Packages and services are files too; they are counted apart for the table.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tools.system_tools import say

ROOT = Path(__file__).resolve().parent.parent
RELEASES = ("bookworm", "trixie", "sid")
MIRROR = "http://deb.debian.org/debian"
PEOPLE = {"root": "/root/fsadvisor", "eve": "/tmp/a place/fsadvisor"}
"""Who runs it, and where the checkout is: once below /tmp, with a blank in its path."""
CASES = (("root", ""), ("eve", ""), ("root", "apt-get -qq update"), ("eve", "apt-get -qq update"))
"""Who runs it, and what root did before: with package lists of the system apt goes another way."""
_KERNELS = ("proc", "sys", "dev")
_UNITS = ("etc/systemd", "usr/lib/systemd", "etc/init.d", "etc/cron", "etc/udev", "usr/lib/udev")
_ANSWERS = """
import json
from fsadvisor.machine.runner import Runner
for answer in Runner().run([("smartctl", "--version"), ("nvme", "version")]):
    said = getattr(answer, "text", "").strip().partition("\\n")[0]
    print(json.dumps([answer.source, said, getattr(answer, "status", 1)]))
"""


@dataclass(frozen=True)
class Seen:
    """A root's files, by path: whatever a change would change."""

    files: dict[str, tuple[object, ...]]
    packages: int

    @property
    def units(self) -> int:
        """Files by which something is started."""
        return sum(path.startswith(_UNITS) for path in self.files)


@dataclass(frozen=True)
class Row:
    """What one run showed."""

    release: str
    who: str
    seconds: float
    before: Seen
    after: Seen
    status: int
    sources: int
    """How often its JSON names a fetched tool."""
    answers: list[tuple[str, str, int]]

    @property
    def changed(self) -> list[str]:
        """Paths that came, went or are different."""
        before, after = self.before.files, self.after.files
        return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))

    @property
    def holds(self) -> bool:
        """Whether nothing changed and both tools answered as fetched ones."""
        answered = all(status == 0 and "(fetched)" in source for source, _, status in self.answers)
        return not self.changed and self.status == 0 and len(self.answers) == 2 and answered

    def __str__(self) -> str:
        said = " | ".join(f"`{source}`: {text}" for source, text, _ in self.answers)
        counts = f"{self.before.packages} → {self.after.packages} | {self.before.units} → {self.after.units}"
        files = f"{len(self.before.files)} | {len(self.changed)}"
        return f"| {self.release} | {self.who} | {self.seconds:.0f} s | {counts} | {files} | {said} | {self.sources} |"


HEAD = """\
| Debian | who | took | packages | unit, cron, udev files | files | changed | smartctl | nvme | in --json |
|---|---|---|---|---|---|---|---|---|---|"""


def seen(root: Path, but: str) -> Seen:
    """Every file of a root but the kernel's and those below a directory. Where that stands may get another time."""
    files: dict[str, tuple[object, ...]] = {}
    apart = {str(root / name) for name in (*_KERNELS, but)}
    for folder, names, others in os.walk(root):
        names[:] = [name for name in names if f"{folder}/{name}" not in apart]
        for name in (*names, *others):
            path = Path(folder, name)
            files[str(path.relative_to(root))] = _state(path)
    status = (root / "var/lib/dpkg/status").read_text(errors="replace")
    return Seen(files, status.count("\nStatus: install ok installed"))


def _state(path: Path) -> tuple[object, ...]:
    state = path.lstat()
    content = str(path.readlink()) if path.is_symlink() else ""
    if path.is_file() and not path.is_symlink():
        content = hashlib.sha256(path.read_bytes()).hexdigest()
    times = () if path.name in ("tmp", "a place") else (state.st_mtime_ns, state.st_ctime_ns)
    return (state.st_mode, state.st_uid, state.st_gid, content, *times)


def inside(root: Path, who: str, command: str) -> subprocess.CompletedProcess[str]:
    """Run a shell command in a root as somebody, with the kernel's files and the devices of this machine."""
    itself = f"mount --bind {root} {root}"  # a mount of its own, so that there is a filesystem to look at
    mounts = [
        itself,
        f"mount -t proc proc {root}/proc",
        f"mount --rbind /sys {root}/sys",
        f"mount --rbind /dev {root}/dev",
    ]
    passed = {name: value for name, value in os.environ.items() if name.startswith(("PIP_INDEX", "http", "https"))}
    plain = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root" if who == "root" else f"/home/{who}"}
    variables = " ".join(f"{name}={shlex.quote(value)}" for name, value in (passed | plain).items())
    as_who = f"setpriv --reuid={who} --regid={who} --clear-groups env -i {variables}"
    script = " && ".join((*mounts, f"exec chroot {root} {as_who} sh -c {shlex.quote(command)}"))
    return subprocess.run(
        ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


def bare(release: str, folder: Path) -> Path:
    """A root with make and python3 and nothing else, made once."""
    root = folder / release
    if not (root / "made").exists():
        say(f"Making {root} …")
        subprocess.run(
            ["debootstrap", "--variant=minbase", "--include=make,python3", release, str(root), MIRROR],
            stdout=subprocess.DEVNULL,
            check=True,
        )
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        authorities = Path("/etc/ssl/certs/ca-certificates.crt")
        if authorities.exists():  # where a proxy has its own, pip in the root has to know it
            (root / "etc/ssl/certs").mkdir(parents=True, exist_ok=True)
            shutil.copy(authorities, root / "etc/ssl/certs")
            (root / "etc/pip.conf").write_text(f"[global]\ncert = {authorities}\n")
        subprocess.run(["chroot", str(root), "useradd", "--create-home", "eve"], check=True)
        (root / "made").touch()
    return root


def row(release: str, root: Path, who: str, at_first: str) -> Row:
    """Copy the checkout, run `make run` in it, and hold what is there afterwards against what was before."""
    place = PEOPLE[who].lstrip("/")
    checkout = root / place
    shutil.rmtree(checkout, ignore_errors=True)
    checkout.parent.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, checkout / name)
    go = f"cd {shlex.quote(PEOPLE[who])} &&"
    subprocess.run(["chroot", str(root), "chown", "-R", f"{who}:", PEOPLE[who]], check=True)
    for path in (root / "var/lib/apt/lists").glob("*_*"):
        path.unlink()
    if at_first:
        inside(root, "root", at_first)
    before, start = seen(root, place), time.monotonic()
    done = inside(root, who, f"{go} make run")
    seconds = time.monotonic() - start
    say(f"--- {release}, {who}:\n{done.stderr}")
    told = inside(root, who, f"{go} make run ARGS=--json").stdout
    answers = inside(root, who, f"{go} .venv/bin/python -c {shlex.quote(_ANSWERS)}").stdout
    result = Row(
        release,
        f"{who}{', apt has lists' if at_first else ''}",
        seconds,
        before,
        seen(root, place),
        done.returncode,
        told.count("(fetched)"),
        [tuple(json.loads(line)) for line in answers.splitlines()],
    )
    shutil.rmtree(checkout)
    return result


def main() -> int:
    """Print the table; 1 where a row does not hold."""
    parser = argparse.ArgumentParser(prog="python -m tools.bare_roots", description=__doc__)
    parser.add_argument("--on", type=Path, default=Path("/var/tmp/fsadvisor-bare"), help="where the roots are kept")
    parser.add_argument("--expired", action="store_true", help="have apt take the lists of a mirror that stands still")
    parser.add_argument("--releases", nargs="+", default=RELEASES, choices=RELEASES)
    arguments = parser.parse_args()
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        say("make bare needs root and debootstrap.")
        return 2
    arguments.on.mkdir(parents=True, exist_ok=True)
    for release in arguments.releases:
        setting = f'Acquire::Check-Valid-Until "{str(not arguments.expired).lower()}";\n'
        (bare(release, arguments.on) / "etc/apt/apt.conf.d/99-expired").write_text(setting)
    rows = [row(release, arguments.on / release, *case) for release in arguments.releases for case in CASES]
    print(HEAD, *rows, sep="\n")
    for one in rows:
        for path in one.changed:
            print(f"{one.release}, {one.who}: changed: {path}")
    return int(not all(one.holds for one in rows))


if __name__ == "__main__":
    sys.exit(main())
