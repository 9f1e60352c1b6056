"""Command lines in environments that are hostile or poor: as root nothing that was planted runs, and all end in words.

Planted are modules that Python has not imported before our first line, programs, and libraries. Where a limit lets not
even Python begin, nothing is asked of us.
"""

from __future__ import annotations

import os
import resource
import shlex
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from tools.fuzz.mutations import MACHINES
from tools.fuzz.part import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from random import Random

_ROOT: Final = Path(__file__).parents[2]
_SYSTEM_PYTHON: Final = "/usr/bin/python3"
"""For another user, who may not reach ours."""
_NOBODY: Final = 65534
_SECONDS: Final = 300.0
_ENDS: Final = (0, 1, 2, 3, 5)
_BY_LIMIT: Final = (-9, -24, -25)
"""SIGKILL and SIGXCPU for RLIMIT_CPU, SIGXFSZ for RLIMIT_FSIZE."""
_PROGRAMS: Final = (
    *("sh", "bash", "gcc", "cc", "ld", "objdump", "ldconfig", "lsblk", "smartctl", "nvme", "dumpe2fs", "xfs_info"),
    *("fio", "mkfs.ext4", "mount", "findmnt", "systemctl", "lvs", "mdadm", "id", "python3", "uname", "getent"),
)
_LIBRARIES: Final = ("libudev.so.1", "libudev.so", "libpanel.so", "libnothing.so")
_LEADING: Final = (
    *("PATH", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX", "PYTHONBREAKPOINT"),
    *("LD_LIBRARY_PATH", "TMPDIR", "TEMP", "HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"),
    *(
        "XDG_DATA_HOME",
        "TERMINFO",
        "TERMINFO_DIRS",
        "LOCPATH",
        "NLSPATH",
        "GCONV_PATH",
        "OPENSSL_CONF",
        "BASH_ENV",
        "ENV",
        "CDPATH",
    ),
    *("FIO_HOME", "FIO_PATH", "SYSTEMD_UNIT_PATH", "UDEV_CONFIG_FILE", "GIT_DIR", "TEXTUAL_DRIVER", "PAGER", "IFS"),
)
_OTHERS: Final = (
    *("PYTHONINSPECT", "PYTHONWARNINGS", "PYTHONDEVMODE", "PYTHONUTF8", "PYTHONIOENCODING", "PYTHONOPTIMIZE"),
    *("PYTHONTRACEMALLOC", "PYTHONFAULTHANDLER", "PYTHONDONTWRITEBYTECODE", "PYTHONSAFEPATH", "PYTHONASYNCIODEBUG"),
    *("LANG", "LC_ALL", "LANGUAGE", "TZ", "TERM", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "COLORTERM", "CI"),
    *("TEXTUAL", "TEXTUAL_DEBUG", "TEXTUAL_LOG", "MALLOC_ARENA_MAX", "MALLOC_CHECK_", "GLIBC_TUNABLES", "LD_DEBUG"),
    *("LD_BIND_NOW", "SUDO_USER", "SUDO_UID", "USER", "LOGNAME", "NVME_HOST", "LVM_SYSTEM_DIR", "MDADM_CONF_DIR"),
)
_VALUES: Final = (
    *("", " ", "0", "1", "-1", "999999999999", "a" * 4000, "\udcff\udcfe", "/nonexistent", "/dev/null", ":", "%s%n"),
    *("C", "tr_TR.UTF-8", "xterm-256color", "dumb", "..", "$(id)", "ignore", "error", "ascii", "utf-16", "all"),
)
_LIMITS: Final = {
    resource.RLIMIT_AS: (30 << 20, 60 << 20, 90 << 20, 150 << 20, 300 << 20, 1 << 30),
    resource.RLIMIT_DATA: (10 << 20, 40 << 20, 100 << 20),
    resource.RLIMIT_STACK: (64 << 10, 1 << 20),
    resource.RLIMIT_NOFILE: (3, 4, 6, 10, 30, 64, 100),
    resource.RLIMIT_NPROC: (0, 1, 5),
    resource.RLIMIT_FSIZE: (0, 1, 4096),
    resource.RLIMIT_CPU: (1, 2),
    resource.RLIMIT_CORE: (0,),
}
_ON: Final = "{machine}"
_COMMANDS: Final = (
    *(("--on", _ON, form) for form in ("--text", "--json", "--html", "--full", "--all", "--strict")),
    *(("--on", _ON, verb) for verb in ("plan", "attest")),
    *(("--on", _ON, "facts", "--values"), ("--on", "{machine}/nothing"), ("--on", "/dev/null"), ()),
    *(
        ("--text",),
        ("--json",),
        ("facts",),
        ("facts", "disk.*", "--values"),
        ("plan",),
        ("plan", "--out", "{place}/plan"),
    ),
    *(
        ("--version",),
        ("--help",),
        ("schema",),
        ("explain", "order"),
        ("explain", "nobarrier-unproven"),
        ("explain", "x"),
    ),
    *(("attest",), ("attest", "--attestations", "{place}/a.toml", "disk.datasheet_plp", "sda", "yes")),
    *(("capture", "{place}/captured"), ("drive", "{drive}"), ("rule", "try", "{rule}"), ("waits", "--seconds", "1")),
    *(("probe", "--list"), ("probe", "--dry-run", "commit-fdatasync", "{place}"), ("forecast", "{place}")),
    *(("probe", "--yes", "--no-keep", "commit-fdatasync", "--seconds", "0.5", "{place}"), ("--nonsense",)),
    *(
        ("trial", "noatime", "--on-scratch", "{place}", "--dry-run"),
        ("compare", "--images", "none", "--dry-run", "{place}"),
    ),
)
_EVIL: Final = "import os\nopen({mark!r}, 'w')\nraise ImportError('planted')\n"


@dataclass(frozen=True, slots=True)
class Case:
    """How a command line is started; its words are those of the command, with places still to be filled in."""

    words: tuple[str, ...]
    user: int
    variables: Mapping[str, str]
    closed: tuple[int, ...]
    limits: Mapping[int, int]
    planted_here: bool


def case(random: Random) -> Case:
    """A random one. An ordinary user may lead Python wherever he likes: it runs with his own rights."""
    few = random.choice((0, 1, 3, 12))
    user = random.choice((0, 0, _NOBODY))
    values = (*_VALUES, *("{evil}",) * 12, "{evil}:/usr/bin:/bin", "{evil}/json.py", "{evil}/sh", "{place}")
    names = random.sample((*_LEADING, *_LEADING, *_OTHERS), few)
    return Case(
        words=random.choice(_COMMANDS),
        user=user,
        variables={name: random.choice(values) for name in names if user == 0 or not name.startswith("PYTHON")},
        closed=tuple(it for it in (0, 1, 2) if random.random() < 0.15),
        limits={it: random.choice(_LIMITS[it]) for it in random.sample([*_LIMITS], random.choice((0, 0, 1, 1, 2)))},
        planted_here=user == 0 and random.random() < 0.5,
    )


def environment(random: Random) -> Iterator[list[Failure]]:
    """Cases, for ever; as another user only where we are root."""
    while True:
        one = case(random)
        machine = random.choice(MACHINES)
        if os.geteuid() == 0 or one.user == 0:
            yield broken(one, machine)


def broken(one: Case, machine: Path) -> list[Failure]:
    """What does not hold of it."""
    with TemporaryDirectory(prefix="fsadvisor-fuzz-") as top:
        folder = Path(top)
        folder.chmod(0o755)
        evil, place = folder / "evil", folder / "place"
        place.mkdir()
        _plant(evil, folder / "mark")
        os.chown(place, one.user if os.geteuid() == 0 else -1, -1)
        places = {"evil": evil, "place": place, "machine": machine, "rule": _rule(), "drive": _drive()}
        words = [word.format(**places) for word in one.words]
        variables = {name: value.format(**places) if "{" in value else value for name, value in one.variables.items()}
        shown = f"{shlex.join(words)}\n{one}"
        try:
            end = _run(one, words, variables, evil if one.planted_here else place)
        except BlockingIOError:  # RLIMIT_NPROC: the kernel begins nothing
            return []
        except subprocess.TimeoutExpired:
            return [Failure(f"{one.words}: no end within {_SECONDS:g} s", shown)]
        said = (end.stderr or b"").decode("utf-8", "backslashreplace")
        told = end.stdout.decode("utf-8", "backslashreplace")
        ran = sorted(it.name for it in folder.glob("mark-*")) if one.user == 0 else []
        wrong = [f"{', '.join(ran)} ran"] if ran else []
        wrong += _wrong(end.returncode, told, said, one)
        if wrong and not ran and one.limits and _no_start(one, variables, evil if one.planted_here else place):
            return []
    return [Failure(f"{' '.join(one.words)}: {what}", f"{shown}\n{told[-2000:]}\n{said}") for what in wrong]


def _wrong(status: int, told: str, said: str, one: Case) -> Iterator[str]:
    if "a bug of ours" in said:
        yield said.split("\n")[0]
    elif "Traceback (most recent" in said + told:
        yield f"a traceback: {said.strip().rpartition(chr(10))[2]}"
    elif status not in _ENDS and not (one.limits and status in _BY_LIMIT):
        yield f"exit status {status}: {said.strip().rpartition(chr(10))[2][:200]}"


def _run(one: Case, words: list[str], variables: Mapping[str, str], at: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*_start(one.user), *words],
        cwd=at,
        env={"PATH": "/usr/bin:/bin", **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_SECONDS,
        check=False,
        preexec_fn=lambda: _become(one),
    )


def _start(user: int) -> list[str]:
    if user == os.geteuid() or os.geteuid() != 0:
        return [sys.executable, "-m", "fsadvisor"]
    paths = f"sys.path[:0] = [{str(_ROOT)!r}]; sys.path.append({sysconfig.get_path('purelib')!r})"
    return [_SYSTEM_PYTHON, "-c", f"import sys; {paths}; from fsadvisor.__main__ import main; sys.exit(main())"]


def _no_start(one: Case, variables: Mapping[str, str], at: Path) -> bool:
    """Whether Python with our first module does not even begin there."""
    done = _run(
        Case(("--version",), one.user, {}, one.closed, one.limits, one.planted_here), ["--version"], variables, at
    )
    return done.returncode not in (0, 2)  # 2 with a closed standard output


def _become(one: Case) -> None:
    for limit, most in one.limits.items():
        _, hard = resource.getrlimit(limit)
        resource.setrlimit(limit, (most, most if hard in (-1, resource.RLIM_INFINITY) or hard > most else hard))
    if one.user != os.geteuid() and os.geteuid() == 0:
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(one.user)
    for descriptor in one.closed:
        os.close(descriptor)


def _plant(evil: Path, mark: Path) -> None:
    evil.mkdir()
    for name in _modules():
        (evil / f"{name}.py").write_text(_EVIL.format(mark=f"{mark}-{name}.py"))
    for name in _PROGRAMS:
        (evil / name).write_text(f"#!/bin/sh\n: >{mark}-{name}\n")
        (evil / name).chmod(0o755)
    for name in _LIBRARIES:
        (evil / name).write_bytes(b"\x7fELF no library")


@cache
def _modules() -> tuple[str, ...]:
    """Of the standard library and of our dependencies; what Python imports before us is not ours to guard."""
    begun = subprocess.run(
        [sys.executable, "-c", "import __future__, runpy, pkgutil, sys, errno; print(*sys.modules)"],
        cwd="/",
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    early = {it.partition(".")[0] for it in begun} | {
        "sitecustomize",
        "usercustomize",
        "fsadvisor",
        "this",
        "antigravity",
    }
    ours = {"msgspec", "pyudev", "psutil", "textual", "rich"}
    return tuple(sorted((set(sys.stdlib_module_names) | ours) - early))


@cache
def _rule() -> Path:
    return next(iter(sorted((_ROOT / "rules/disk").glob("*.toml"))))


@cache
def _drive() -> Path:
    return next(it for it in sorted((_ROOT / "fixtures").rglob("*")) if it.is_file() and "id-ctrl" in it.name)
