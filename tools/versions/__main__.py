"""`make matrix`: each tool of several Debians over the same storage, and what the readers make of its output.

Needs root, debootstrap, Debian's mirror and QEMU. The roots stay below --on for the next time. In one guest each
root's tools are asked. With --accept their outputs become fixtures of the default suite, and the page is written.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.bare_roots import bare, inside
from tools.lab import guest, kernels
from tools.lab.error import LabError
from tools.system_tools import say
from tools.versions import kept

RELEASES = {"debian-11": "bullseye", "debian-12": "bookworm", "debian-13": "trixie", "sid": "sid"}
PACKAGES = (
    "nvme-cli smartmontools util-linux xfsprogs btrfs-progs e2fsprogs lvm2 mdadm multipath-tools cryptsetup-bin "
    "zfsutils-linux"
)
OTHERS = {
    "nvme-cli-3.0": ("sid", "nvme", "opt/nvme/sbin/nvme"),
    "smartctl-7.0": ("debian-11", "smartctl", "opt/RELEASE_7_0/sbin/smartctl"),
    "smartctl-7.1": ("debian-11", "smartctl", "opt/RELEASE_7_1/sbin/smartctl"),
}
"""What nvme_cli.sh and smartctl.sh compiled, where they were called: the root, the tool, and where it is in there."""
PACKAGE_OF = {"nvme": ("nvme-cli", 2, "version"), "smartctl": ("smartmontools", 1, "--version")}
"""The package, and which word of what it answers to that argument is its version."""
GUEST_SECONDS = 1800


def root(release: str, folder: Path) -> Path:
    """A root of that Debian with the tools in it, made once; zfsutils-linux is in contrib."""
    place = bare(release, folder)
    if not (place / "tools").exists():
        say(f"Installing the tools of {release} …")
        sources = f"deb http://deb.debian.org/debian {release} main contrib\n"
        (place / "etc/apt/sources.list").write_text(sources)
        (place / "etc/apt/apt.conf.d/99-expired").write_text('Acquire::Check-Valid-Until "false";\n')
        (place / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")  # no service is started there
        (place / "usr/sbin/policy-rc.d").chmod(0o755)
        install = "apt-get -y -qq install --no-install-recommends"
        command = f"apt-get -qq update && DEBIAN_FRONTEND=noninteractive {install} {PACKAGES} && touch /tools"
        done = inside(place, "root", command)
        if done.returncode:
            raise LabError(f"{release}: its tools could not be installed: {done.stderr[-500:]}")
    return place


def packages(place: str) -> dict[str, str]:
    """The versions of the tools' packages in a root; of another program there its own word."""
    root, _, other = place.partition(":")
    listed = ["chroot", root, "dpkg-query", "-W", "-f", "${Package} ${Version}\n", *PACKAGES.split()]
    said = subprocess.run(listed, capture_output=True, text=True, check=True).stdout
    versions = dict(line.split() for line in said.splitlines())
    if other:
        tool, _, program = other.partition("=")
        package, word, argument = PACKAGE_OF[tool]
        said = subprocess.run(["chroot", root, program, argument], capture_output=True, text=True, check=True).stdout
        return {package: said.split()[word]}
    return versions


def asked(roots: dict[str, str], results: Path) -> None:
    """Boot a guest on the stock kernel in which each root's tools are asked."""
    kernel = kernels.unpacked(kernels.packages()[0], is_stock=True)
    words = " ".join(f"{name}={place}" for name, place in roots.items())
    log = "/run/lab/results/log.txt"
    script = f"mkdir -p /run/lab/results; .venv/bin/python -m tests.lab.tool_versions {words} >{log} 2>&1"
    guest.run(kernel, guest.Work("versions", script), results, GUEST_SECONDS)
    missing = [name for name in roots if not (results / f"{name}.json").exists()]
    if missing:
        raise LabError(f"no answers by {', '.join(missing)}: {(results / 'log.txt').read_text()[-2000:]}")


def looked(folder: Path, results: Path) -> Path:
    """Ask all roots anew; where the answers are."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(results, ignore_errors=True)
    roots = {name: str(root(release, folder)) for name, release in RELEASES.items()}
    for name, (release, tool, program) in OTHERS.items():
        if (Path(roots[release]) / program).exists():
            roots[name] = f"{roots[release]}:{tool}=/{program}"
    asked(roots, results)
    versions = {name: packages(place) for name, place in roots.items()}
    (results / kept.VERSIONS).write_text(json.dumps(versions, indent=1))
    return results


def main() -> int:
    """Make roots, ask, and hold the answers against what is kept; 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m tools.versions", description=__doc__)
    parser.add_argument("--on", type=Path, default=Path("/var/tmp/fsadvisor-versions"), help="where the roots are kept")
    parser.add_argument("--again", action="store_true", help="take what the last guest answered: ask nothing anew")
    parser.add_argument("--accept", action="store_true", help="keep the outputs as fixtures, and write the page")
    arguments = parser.parse_args()
    if not arguments.again and (os.geteuid() != 0 or shutil.which("debootstrap") is None):
        say("make matrix needs root and debootstrap.")
        return 2
    results = arguments.on / "results"
    try:
        answers = kept.answers(results if arguments.again else looked(arguments.on, results))
    except LabError as error:
        say(f"matrix: {error}")
        return 1
    if arguments.accept:
        kept.accept(answers)
        return 0
    wrong = kept.differing(answers)
    for line in wrong:
        say(f"matrix: {line}")
    print(kept.page(answers))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
