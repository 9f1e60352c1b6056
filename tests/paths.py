"""Where things lie, and what may be absent."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FIXTURES = ROOT / "fixtures"
SHARED = ROOT.parent / "shared"
CAPTURES = SHARED / "data"

needs_captures = pytest.mark.skipif(
    not CAPTURES.is_dir(), reason="the captures of other people's machines are not beside the project"
)
