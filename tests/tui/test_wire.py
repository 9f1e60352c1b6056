"""What is sent to the terminal, held against what a terminal makes of it."""

import re

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip

from fsadvisor.tui.wire import Wire

COLUMNS, LINES = 20, 3
SIZE = Size(COLUMNS, LINES)
LOOKS = [
    Style.parse(one)
    for one in (
        *("", "#d4d8dc on #14181c", "#d4d8dc on #242b32", "bold #ee7a70 on #14181c", "bold", "reverse", "underline"),
        *("bold reverse #101010 on #202020", "red on default", "#14181c on #e0b060"),
    )
]
SENT = re.compile(r"\x1b\[(\d+);(\d+)H|\x1b\[([\d;]*)m|(.)", re.DOTALL)
TEXTS = st.text(st.sampled_from("ab  ─█漢é"), min_size=1, max_size=8)


def seen(sign, how, ink, ground):
    """What an eye sees of a cell: of a blank, the colour of its sign only where that is drawn."""
    lined = how & {"4", "7"}
    return (sign, ground, frozenset(lined), (ink, how) if sign.strip() or "7" in lined else None)


class Screen:
    """The little of a terminal that is sent to."""

    def __init__(self):
        self.cells = {}

    def feed(self, sent):
        y = x = 0
        how, ink, ground = frozenset(), "39", "49"
        for found in SENT.finditer(sent):
            line, column, numbers, sign = found.groups()
            if line:
                y, x = int(line) - 1, int(column) - 1
            elif sign is None:
                how, ink, ground = coloured(numbers.split(";"), how, ink, ground)
            else:
                self.cells[y, x] = seen(sign, how, ink, ground)
                for more in range(1, cell_len(sign)):
                    self.cells[y, x + more] = None
                x += cell_len(sign)


def coloured(numbers, how, ink, ground):
    """The state after an escape sequence of colours."""
    rest = list(numbers)
    while rest:
        one = rest.pop(0)
        if one in ("0", ""):
            how, ink, ground = frozenset(), "39", "49"
        elif one == "22":
            how -= {"1", "2"}
        elif one in ("38", "48"):
            told, rest = ";".join([one, *rest[:4]]), rest[4:]
            ink, ground = (told, ground) if one == "38" else (ink, told)
        elif one == "49" or (len(one) == 2 and one[0] == "4"):
            ground = one
        elif one[0] == "3" and len(one) == 2:
            ink = one
        else:
            how |= {one}
    return how, ink, ground


def wanted(strip):
    """What is to be seen of a line."""
    cells = []
    for text, look, _ in strip:
        state = coloured(look._make_ansi_codes(ColorSystem.TRUECOLOR).split(";"), frozenset(), "39", "49")
        for sign in text:
            cells += [seen(sign, *state), *[None] * (cell_len(sign) - 1)]
    return cells


lines = st.lists(st.tuples(TEXTS, st.sampled_from(LOOKS)), min_size=1, max_size=6).map(
    lambda parts: Strip([Segment(text, look) for text, look in parts]).adjust_cell_length(COLUMNS, LOOKS[1])
)


@given(st.lists(st.lists(lines, min_size=LINES, max_size=LINES), min_size=1, max_size=4))
def test_the_terminal_shows_what_was_drawn_whatever_stood_there(pictures):
    wire, terminal = Wire(), Screen()
    for picture in pictures:
        terminal.feed(wire.changes([(0, y, one) for y, one in enumerate(picture)], SIZE, ColorSystem.TRUECOLOR))
        for y, one in enumerate(picture):
            assert [terminal.cells[y, x] for x in range(COLUMNS)] == wanted(one)


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
