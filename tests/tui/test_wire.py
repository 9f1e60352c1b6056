"""What is sent to the terminal, held against what a terminal makes of it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip

from fsadvisor.tui.terminal import Abilities
from fsadvisor.tui.wire import Wire
from tests.cases import few
from tools.screens.emulated import CellStyle, Emulated, seen

COLUMNS, LINES = 20, 3
SIZE = Size(COLUMNS, LINES)
LOOKS = [
    Style.parse(one)
    for one in (
        *("", "#d4d8dc on #14181c", "#d4d8dc on #242b32", "bold #ee7a70 on #14181c", "bold", "reverse", "underline"),
        *("bold reverse #101010 on #202020", "red on default", "#14181c on #e0b060"),
    )
]
TEXTS = st.text(st.sampled_from("ab  ─█漢é"), min_size=1, max_size=8) | st.sampled_from([" " * 14, "─" * 12, "漢" * 6])
ABILITIES = [Abilities(*some) for some in ((False,) * 3, (True, False, False), (True, True, False), (True,) * 3)]


def wanted(strip):
    """What is to be seen of a line."""
    cells = []
    for text, style, _ in strip:
        state = CellStyle().then(style._make_ansi_codes(ColorSystem.TRUECOLOR).split(";"))
        for sign in text:
            cells += [seen(sign, state), *[seen("", state)] * (cell_len(sign) - 1)]
    return cells


lines = st.lists(st.tuples(TEXTS, st.sampled_from(LOOKS)), min_size=1, max_size=6).map(
    lambda parts: Strip([Segment(text, style) for text, style in parts]).adjust_cell_length(COLUMNS, LOOKS[1])
)


@pytest.mark.parametrize("abilities", few([(it,) for it in ABILITIES], 3))
@given(st.lists(st.lists(lines, min_size=LINES, max_size=LINES), min_size=1, max_size=4))
def test_the_terminal_shows_what_was_drawn_whatever_stood_there(abilities, pictures):
    wire, terminal = Wire(abilities), Emulated(COLUMNS, LINES)
    for picture in pictures:
        terminal.feed(wire.changes([(0, y, one) for y, one in enumerate(picture)], SIZE, ColorSystem.TRUECOLOR))
        for y, one in enumerate(picture):
            assert terminal.cells[y] == wanted(one)


def drawn(*texts):
    return [(0, y, Strip([Segment(one.ljust(COLUMNS), LOOKS[1])])) for y, one in enumerate(texts)]


def test_only_what_changed_is_sent():
    wire = Wire()
    wire.changes(drawn("one line", "another line"), SIZE, ColorSystem.TRUECOLOR)
    assert wire.changes(drawn("one line", "another line"), SIZE, ColorSystem.TRUECOLOR) == ""
    sent = wire.changes(drawn("one line", "another time"), SIZE, ColorSystem.TRUECOLOR)
    assert sent.startswith("\x1b[2;9H")
    assert re.sub(r"\x1b\[[\d;]*[Hm]", "", sent) == "tim"


def test_a_colour_is_sent_once_for_words_with_blanks_between_them():
    sent = Wire().changes(drawn("so many words here"), SIZE, ColorSystem.TRUECOLOR)
    assert sent.count("\x1b[0;") == 1


def test_an_accent_takes_no_column_of_its_own():
    wire = Wire()
    wire.changes([(0, 0, Strip([Segment("e\u0301t".ljust(COLUMNS + 1), LOOKS[1])]))], SIZE, ColorSystem.TRUECOLOR)
    after = [(0, 0, Strip([Segment("e\u0301s".ljust(COLUMNS + 1), LOOKS[1])]))]
    assert wire.changes(after, SIZE, ColorSystem.TRUECOLOR).startswith("\x1b[1;2H")


def test_after_another_program_or_another_size_all_is_sent_anew():
    wire = Wire()
    everything = wire.changes(drawn("one line"), SIZE, ColorSystem.TRUECOLOR)
    wire.forget()
    assert wire.changes(drawn("one line"), SIZE, ColorSystem.TRUECOLOR) == everything
    assert wire.changes(drawn("one line"), Size(COLUMNS, LINES + 1), ColorSystem.TRUECOLOR) == everything


def test_without_colours_none_are_sent():
    assert "\x1b[0;" not in Wire().changes(drawn("one line"), SIZE, None)


def test_bold_is_switched_without_saying_the_colours_again():
    ground = Style.parse("#d4d8dc on #14181c")
    strip = Strip([Segment("ab", ground), Segment("cd", ground + Style(bold=True)), Segment("ef", ground)])
    sent = Wire().changes([(0, 0, strip)], Size(6, 1), ColorSystem.TRUECOLOR)
    assert sent.endswith("mab\x1b[1mcd\x1b[22mef\x1b[0m")
    assert sent.count("20;24;28") == 1


def test_a_colour_holds_from_one_place_of_a_screen_to_the_next():
    wire = Wire()
    wire.changes(drawn("one", "two"), SIZE, ColorSystem.TRUECOLOR)
    assert wire.changes(drawn("one 1", "two 2"), SIZE, ColorSystem.TRUECOLOR).count("m") == 2
