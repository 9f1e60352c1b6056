"""Where things lie, and what may be absent."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FIXTURES = ROOT / "fixtures"
SHARED = ROOT.parent / "shared"
CAPTURES = SHARED / "data"

needs_captures = pytest.mark.captures
"""Left out where there are none: tests/conftest.py says so in a line."""
