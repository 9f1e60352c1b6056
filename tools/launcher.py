#!python
"""The command `fsadvisor` of an installed wheel: pip writes its own Python into the first line."""

import sys

from fsadvisor.__main__ import main

sys.exit(main())
