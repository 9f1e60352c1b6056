"""`make lab`: boots the guests, runs the scenarios in them, brings back results; fails where any of it fails."""

from __future__ import annotations

import sys

from tools.lab.main import main

sys.exit(main())
