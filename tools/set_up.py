"""Sets up what `make run` and `make test` need: the tools that fsadvisor asks, and the environment .venv.

Needs Python 3.11 and its standard library, nothing else: no pip, no ensurepip, no git. pip is the wheel beside
this file (its licence, MIT, is inside it); what it installs is locked by version and hash in requirements/.
Narration goes to stderr, because what `make run` prints may be somebody's JSON.
"""

from __future__ import annotations

import argparse
import compileall
import hashlib
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = "set-up.sha256"
PIP_WHEEL = ROOT / "tools" / "pip-26.3-py3-none-any.whl"
PIP_SHA256 = "f3b60b20ffaadd4415ed7957212a38ac63fa4c5fa375bd0f4a797777940fad13"
LOCKS = {
    "run": ROOT / "requirements" / "run.txt",
    "test": ROOT / "requirements" / "dev.txt",
}
SYSTEM_PATH = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"

RUN_TOOLS = {
    "nvme": "nvme-cli",
    "smartctl": "smartmontools",
    "fio": "fio",
    "dumpe2fs": "e2fsprogs",
    "xfs_info": "xfsprogs",
    "btrfs": "btrfs-progs",
    "lsblk": "util-linux",
    "findmnt": "util-linux",
    "mdadm": "mdadm",
    "lvs": "lvm2",
    "dmsetup": "dmsetup",
}
TOOLS = {
    "run": RUN_TOOLS,
    "test": RUN_TOOLS
    | {
        "losetup": "mount",
        "mkfs.ext4": "e2fsprogs",
        "mkfs.xfs": "xfsprogs",
        "mkfs.btrfs": "btrfs-progs",
        "shellcheck": "shellcheck",
    },
}
TOOLS["lab"] = TOOLS["test"] | {
    "qemu-system-x86_64": "qemu-system-x86",
    "busybox": "busybox-static",
    "cpio": "cpio",
    "depmod": "kmod",
    "udevadm": "udev",
    "nbdkit": "nbdkit",
    "mkfs.f2fs": "f2fs-tools",
    "mkfs.nilfs2": "nilfs-tools",
    "cryptsetup": "cryptsetup-bin",
    "thin_check": "thin-provisioning-tools",
    "multipath": "multipath-tools",
    "make-bcache": "bcache-tools",
    "sg_inq": "sg3-utils",
    "sdparm": "sdparm",
    "hdparm": "hdparm",
    "lsscsi": "lsscsi",
    "parted": "parted",
    "ip": "iproute2",
}


class SetUpError(Exception):
    """Why the set-up cannot go on, as a sentence for the person who typed the command."""


def say(line: str) -> None:
    """Tell the person, not the pipe."""
    print(line, file=sys.stderr, flush=True)


# --- the tools of the system


@dataclass(frozen=True)
class System:
    """What the tool step asks of this machine and does to it."""

    which: Callable[[str], str | None]
    is_root: bool
    release: Mapping[str, str]
    """The fields of os-release(5)."""
    run: Callable[[Sequence[str]], int]
    """Runs a command and gives its exit status."""
    ask: Callable[[str], str] | None
    """Asks the person; None where nobody sits at a terminal."""


def missing_tools(tools: Mapping[str, str], which: Callable[[str], str | None]) -> dict[str, str]:
    """Those commands, with their packages, that are not on PATH."""
    return {command: package for command, package in tools.items() if which(command) is None}


def names(missing: Mapping[str, str]) -> str:
    """`nvme (nvme-cli), fio`: each command, with its package where that has another name."""
    return ", ".join(
        command if command == package else f"{command} ({package})" for command, package in missing.items()
    )


def is_debian_like(release: Mapping[str, str]) -> bool:
    """Whether os-release names Debian or Ubuntu, or a child of them."""
    return not {"debian", "ubuntu"}.isdisjoint({release.get("ID", ""), *release.get("ID_LIKE", "").split()})


def reason_not_to_install(system: System, choice: str) -> str | None:
    """Why the system is left alone, or None where apt-get may install."""
    if choice == "no":
        return "TOOLS=no leaves the system alone"
    if not is_debian_like(system.release) or system.which("apt-get") is None:
        system_name = system.release.get("PRETTY_NAME") or system.release.get("NAME") or "this system"
        return f"on {system_name}, install them with its own package tool"
    if not system.is_root:
        return "only root can install them: `sudo make run` would"
    return None


def prompt(missing: Mapping[str, str]) -> str:
    """What the person reads before anything is installed."""
    return (
        f"Not installed here: {names(missing)}.\n"
        "fsadvisor only reads with these tools; what only they can tell would stay unknown.\n"
        f"apt-get would install: {' '.join(packages_of(missing))}\n"
        "(smartmontools, mdadm and lvm2 bring monitoring services, which the system may start.)\n"
        "Install them? TOOLS=no skips this question. [Y/n] "
    )


def packages_of(missing: Mapping[str, str]) -> list[str]:
    """The packages to install, each once, in the order of the tools."""
    return list(dict.fromkeys(missing.values()))


def agreed(answer: str) -> bool:
    """Whether an answer to [Y/n] is a yes: Enter alone is."""
    return answer.strip().lower() in {"", "y", "yes"}


def install(packages: Iterable[str], run: Callable[[Sequence[str]], int]) -> None:
    """Install with apt-get what its package lists know."""
    if run(["apt-get", "-q", "update"]) != 0:
        say("apt-get update failed; trying with the package lists that are here.")
    known = [package for package in packages if run(["apt-cache", "-q", "show", package]) == 0]
    if known:
        run(["apt-get", "-q", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120", "install", *known])


def see_to_tools(tools: Mapping[str, str], choice: str, system: System) -> None:
    """Install the missing tools where that is possible and wanted; name those that stay missing."""
    missing = missing_tools(tools, system.which)
    if not missing:
        return
    reason = reason_not_to_install(system, choice)
    if reason is None and choice == "ask" and system.ask is not None and not agreed(system.ask(prompt(missing))):
        reason = "as you wish"
    if reason is None:
        say(f"Installing with apt-get: {' '.join(packages_of(missing))}")
        install(packages_of(missing), system.run)
        missing = missing_tools(tools, system.which)
        reason = "apt-get could not install them"
    if missing:
        say(f"Going on without {names(missing)}: {reason}. What only they can tell stays unknown.")


def ask_on_terminal(question: str) -> str:
    """Ask on stderr and read the answer; the end of input is a no."""
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline() or "no"


def run_apt(argv: Sequence[str]) -> int:
    """Run an apt command without questions and without restarts; what it prints goes to stderr."""
    environment = os.environ | {
        "DEBIAN_FRONTEND": "noninteractive",
        "NEEDRESTART_SUSPEND": "1",
        "PATH": f"{os.environ.get('PATH', '')}:{SYSTEM_PATH}",
    }
    # apt-cache is asked for its exit status alone.
    output = subprocess.DEVNULL if argv[0] == "apt-cache" else sys.stderr
    return subprocess.run(
        argv, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False
    ).returncode


def this_system() -> System:
    """The machine this runs on."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        release = {}
    path = f"{os.environ.get('PATH', '')}:{SYSTEM_PATH}"
    return System(
        which=lambda command: shutil.which(command, path=path),
        is_root=os.geteuid() == 0,
        release=release,
        run=run_apt,
        ask=ask_on_terminal if sys.stdin.isatty() and sys.stderr.isatty() else None,
    )


# --- the environment


def fingerprint(purpose: str, root: Path = ROOT) -> str:
    """Changes when the environment has to be made anew: other locks, another Python, another place."""
    place = (purpose, str(root), sys.base_prefix, sys.implementation.cache_tag, platform.machine())
    digest = hashlib.sha256("\n".join(place).encode())
    for path in (*LOCKS.values(), Path(__file__)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def is_ready(purpose: str, venv: Path) -> bool:
    """Whether the environment holds what the purpose needs; what tests need includes what a run needs."""
    try:
        stamp = (venv / STAMP).read_text()
    except OSError:
        return False
    fitting = {fingerprint(purpose), fingerprint("test")}
    return stamp in fitting and os.access(venv / "bin" / "python", os.X_OK)


def check_pip_wheel(wheel: Path = PIP_WHEEL, sha256: str = PIP_SHA256) -> None:
    """Refuse a pip that is not the one this file was written with."""
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != sha256:
        raise SetUpError(f"{wheel} is damaged: its SHA-256 is not {sha256}. Get the checkout anew.")


def plain_environment() -> dict[str, str]:
    """The environment for Python children: nothing that leads them out of .venv or keeps bytecode from it."""
    unwanted = {"PYTHONDONTWRITEBYTECODE", "PYTHONHOME", "PYTHONPATH", "PYTHONUSERBASE"}
    return {name: value for name, value in os.environ.items() if name not in unwanted}


def run_python(argv: Sequence[str], failure: str) -> None:
    """Run a Python command; where it fails, stop with a sentence."""
    if subprocess.run(argv, env=plain_environment(), stdout=sys.stderr, check=False).returncode != 0:
        raise SetUpError(failure)


def launcher(python: Path) -> str:
    """The command `fsadvisor`: imports nothing but sys and the program, because start-up time matters."""
    # The kernel splits a #! line at blanks and cuts it at 127 bytes before Linux 5.1.
    plain = " " not in str(python) and len(str(python)) < 120
    shebang = f"#!{python}" if plain else f"#!/bin/sh\n'''exec' \"{python}\" \"$0\" \"$@\"\n' '''"
    return f"{shebang}\nimport sys\n\nfrom fsadvisor.__main__ import main\n\nsys.exit(main())\n"


def link_project(venv: Path, root: Path) -> None:
    """Make the checkout importable in the environment, and runnable as bin/fsadvisor."""
    site_packages = venv / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    (site_packages / "fsadvisor.pth").write_text(f"{root}\n")
    command = venv / "bin" / "fsadvisor"
    command.write_text(launcher(venv / "bin" / "python"))
    command.chmod(0o755)


def make_environment(purpose: str, venv: Path) -> None:
    """Make the environment from nothing."""
    check_pip_wheel()
    say(f"Setting up {venv} with Python {platform.python_version()} …")
    run_python(
        [sys.executable, "-m", "venv", "--clear", "--without-pip", str(venv)],
        f"{sys.executable} cannot make an environment in {venv}; its own words are above. "
        "Did another user make that folder? Is Python's whole standard library installed?",
    )
    pip = [str(venv / "bin" / "python"), str(PIP_WHEEL / "pip"), "--disable-pip-version-check", "--quiet"]
    run_python(
        [*pip, "install", "--no-input", "--require-hashes", "--compile", "-r", str(LOCKS[purpose])],
        f"pip could not install {LOCKS[purpose].relative_to(ROOT)}; its own words are above. "
        "It needs a package index: the network, or what PIP_INDEX_URL or PIP_FIND_LINKS names.",
    )
    link_project(venv, ROOT)
    (venv / STAMP).write_text(fingerprint(purpose))


def see_to_environment(purpose: str) -> None:
    """Make the environment unless it is ready; keep the program's bytecode fresh."""
    if not is_ready(purpose, VENV):
        make_environment(purpose, VENV)
    compileall.compile_dir(ROOT / "fsadvisor", quiet=2)


def main(argv: Sequence[str] | None = None) -> int:
    """Set up for a purpose."""
    parser = argparse.ArgumentParser(description="Set up what `make run` and `make test` need.")
    parser.add_argument("purpose", choices=sorted(TOOLS))
    parser.add_argument("--tools", choices=("ask", "yes", "no"), default="ask", help="whether to run apt-get")
    arguments = parser.parse_args(argv)
    try:
        see_to_tools(TOOLS[arguments.purpose], arguments.tools, this_system())
        see_to_environment("run" if arguments.purpose == "run" else "test")
    except SetUpError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("Stopped.")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
