"""What stands where in the overview."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.pages.glyphs import ASCII, UNICODE, columns, padded, plain
from fsadvisor.tui.views.overview import Shape, screen
from tests.report import composed
from tests.views.seen import snapshot_from, snapshot_of

LOOKS = [None, snapshot_from("raid-lvm-crypt-server"), snapshot_of(composed.hostile())]


def drawn(snapshot, shape, name="db1", glyphs=UNICODE):
    """The screen as it stands on a terminal."""
    return [
        "".join(plain(padded(one.line, one.columns)) for one in pieces)
        for pieces in screen(snapshot, name, shape, glyphs)
    ]


@given(st.sampled_from(LOOKS), st.integers(1, 320), st.integers(0, 110), st.sampled_from([(1, UNICODE), (0, ASCII)]))
def test_every_line_is_as_wide_as_the_screen_and_none_is_below_it(snapshot, width, height, kind):
    gutter, glyphs = kind
    lines = screen(snapshot, "a name\x1b[2J\n" * 9, Shape(width, height, gutter), glyphs)
    assert len(lines) <= height
    assert len(lines) == height or height < 4
    for pieces in lines:
        assert sum(piece.columns for piece in pieces) == width
        for piece in pieces:
            shown = padded(piece.line, piece.columns)
            assert columns(shown) == piece.columns
            assert plain(shown).isprintable()


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_before_a_look_the_machine_is_named_and_what_is_asked_for(size):
    first, *others = drawn(None, Shape(*size, 1))
    assert first.strip() == "db1  asking for its disks, mounts and services …"
    assert "1 Overview" in others[0]


def test_nothing_is_drawn_for_a_terminal_that_does_not_tell_its_size():
    assert screen(LOOKS[1], "db1", Shape(0, 0, 1), UNICODE) == []


def test_a_machine_of_no_name_is_asked_all_the_same():
    assert drawn(None, Shape(80, 24, 1), name="")[0].strip() == "asking for its disks, mounts and services …"
