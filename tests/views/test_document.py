"""Blocks laid out in columns."""

import pytest

from fsadvisor.pages.document import paragraph
from fsadvisor.pages.glyphs import Span, Tone, columns
from fsadvisor.pages.screen import laid
from tests.views.seen import text


@pytest.mark.parametrize("width", range(20, 60))
def test_no_line_ends_within_an_amount(width):
    amounts = ["± 5 %", "12.5 MiB/s", "(203 µs)", "≤ 1,000 h,", "95 %"]
    lines = laid([paragraph(Span("Between ", Tone.DIM), f"{' and '.join(amounts)} of p50 or 5 disks.")], width)
    assert all(any(amount in text([line]) for line in lines) for amount in amounts)
    assert all(columns(line) <= width for line in lines)
    assert text(lines).replace("\n", " ") == f"Between {' and '.join(amounts)} of p50 or 5 disks."
