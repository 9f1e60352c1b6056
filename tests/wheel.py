"""The program's wheel, built once for all workers of a run."""

import fcntl
import os
from pathlib import Path

from tools.dist import packing


def built(factory) -> Path:
    """The wheel, in a folder of the run; `factory` is pytest's `tmp_path_factory`."""
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with (folder / "wheel.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return next((folder / "wheel").glob("*.whl"), None) or packing.wheel(folder / "wheel")
