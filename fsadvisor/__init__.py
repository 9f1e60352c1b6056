"""fsadvisor: reads a Linux server's storage and gives ranked advice that it can prove."""

import sys

__version__ = "0.1.0"

if sys.argv[0].rpartition("/")[2] in ("fsadvisor", "-m"):
    # As a program, and not where tests or tools import it: where a disk is full, Python writes half of a module's
    # bytecode, takes it for whole, and never starts again.
    sys.dont_write_bytecode = True
