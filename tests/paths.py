"""Where things lie, and what may be absent."""

import os
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FIXTURES = ROOT / "fixtures"
SHARED = ROOT.parent / "shared"
CAPTURES = SHARED / "data"
ANSIBLE = shutil.which("ansible-playbook", path=f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}")
"""That of the environment, else the system's; None where there is none for this processor."""

needs_captures = pytest.mark.captures
"""Left out where there are none: tests/conftest.py says so in a line."""
