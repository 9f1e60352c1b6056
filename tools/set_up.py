"""Sets up what `make run` and `make test` need: the tools that fsadvisor asks, and the environment .venv.

Needs Python 3.11 and its standard library, nothing else: no pip, no ensurepip, no git. pip is the wheel beside
this file (its licence, MIT, is inside it); what it installs is locked by version and hash in requirements/.
Narration goes to stderr, because what `make run` prints may be somebody's JSON.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tools.compile_rules import compile_checkout
from tools.system_tools import TOOLS, say, see_to_tools, this_system

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
FETCHED = VENV / "tools"
"""Where fetched tools are; fsadvisor.machine.packages looks there."""
STAMP = "set-up.sha256"
PIP_WHEEL = ROOT / "tools" / "pip-26.3-py3-none-any.whl"
PIP_SHA256 = "f3b60b20ffaadd4415ed7957212a38ac63fa4c5fa375bd0f4a797777940fad13"
LOCKS = {
    "run": ROOT / "requirements" / "run.txt",
    "test": ROOT / "requirements" / "dev.txt",
}


class SetUpError(Exception):
    """Why the set-up cannot go on, as a sentence for the person who typed the command."""


# --- the environment


def fingerprint(purpose: str, root: Path = ROOT) -> str:
    """Changes when the environment has to be made anew: other locks, another Python, another place."""
    place = (purpose, str(root), sys.base_prefix, sys.implementation.cache_tag, platform.machine())
    digest = hashlib.sha256("\n".join(place).encode())
    for path in (*LOCKS.values(), Path(__file__)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def tools_fingerprint(release: Mapping[str, str], root: Path = ROOT) -> str:
    """Changes when tools have to be fetched anew: another system, or another place."""
    place = (str(root), platform.machine(), *(f"{name}={value}" for name, value in sorted(release.items())))
    digest = hashlib.sha256("\n".join(place).encode())
    for path in sorted(Path(__file__).parent.glob("fetch*.py")):
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
    """The command `fsadvisor`: nothing of the caller's PYTHONPATH or home, and few imports: start-up time matters."""
    # The kernel splits a #! line at blanks and cuts it at 127 bytes before Linux 5.1.
    plain = " " not in str(python) and len(str(python)) < 120
    shebang = f"#!{python} -I" if plain else f"#!/bin/sh\n'''exec' \"{python}\" -I \"$0\" \"$@\"\n' '''"
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
        [*pip, "install", "--no-input", "--no-cache-dir", "--require-hashes", "--compile", "-r", str(LOCKS[purpose])],
        f"pip could not install {LOCKS[purpose].relative_to(ROOT)}; its own words are above. "
        "It needs a package index: the network, or what PIP_INDEX_URL or PIP_FIND_LINKS names.",
    )
    link_project(venv, ROOT)
    (venv / STAMP).write_text(fingerprint(purpose))


def see_to_environment(purpose: str) -> None:
    """Make the environment unless it is ready; keep the program's bytecode and its compiled rules fresh."""
    if not is_ready(purpose, VENV):
        make_environment(purpose, VENV)
    compile_checkout(ROOT)


def main(argv: Sequence[str] | None = None) -> int:
    """Set up for a purpose."""
    parser = argparse.ArgumentParser(description="Set up what `make run` and `make test` need.")
    parser.add_argument("purpose", choices=sorted(TOOLS))
    parser.add_argument(
        "--tools",
        choices=("fetch", "install", "no"),
        default="fetch",
        help="fetch what is missing beside the environment, or (root only) install it by apt-get, or go without",
    )
    arguments = parser.parse_args(argv)
    try:
        see_to_environment("run" if arguments.purpose in ("run", "probe") else "test")
        system = this_system()
        wanted = TOOLS[arguments.purpose]
        see_to_tools(wanted, arguments.tools, system, FETCHED, tools_fingerprint(system.release))
    except SetUpError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("Stopped.")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
