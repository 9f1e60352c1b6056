"""`make dist`: what is to be copied to a server, into dist/."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tools.dist import directory, one_file, packing, system_packages


def main() -> int:
    """Make what is asked for, all of it otherwise."""
    parser = argparse.ArgumentParser(prog="python -m tools.dist", description=__doc__)
    parser.add_argument("--into", type=Path, default=packing.ROOT / "dist")
    parser.add_argument("--only", choices=("pyz", "directory"), help="leave out the other one")
    parser.add_argument("--interpreter", default=sys.executable, help="the Python that the directory gets")
    chosen = parser.parse_args()
    chosen.into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        wheel = packing.wheel(Path(work, "wheel"))
        if chosen.only != "directory":
            one_file.one_file(wheel, chosen.into / "fsadvisor.pyz")
        if chosen.only != "pyz":
            whole, glibc = directory.archive(wheel, chosen.interpreter, Path(work, "tree"), chosen.into)
            if system_packages.NFPM.exists():
                system_packages.made(whole, glibc, Path(work), chosen.into)
    packing.sums(chosen.into)
    sys.stdout.write((chosen.into / "SHA256SUMS").read_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
