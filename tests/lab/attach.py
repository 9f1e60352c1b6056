"""Attaches disks in `make lab-shell`: `python -m tests.lab.attach nvme shelf`; without names, lists them."""

import contextlib
import sys

from tests.lab.scenario import Scenario
from tools.lab.devices import DEVICES

if __name__ == "__main__":
    if unknown := [name for name in sys.argv[1:] if name not in DEVICES]:
        sys.exit(f"no device {' '.join(unknown)}; there are {' '.join(DEVICES)}")
    print(" ".join(Scenario("shell", contextlib.ExitStack()).attach(*sys.argv[1:]) if sys.argv[1:] else DEVICES))
