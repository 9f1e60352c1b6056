"""Strangers' text on a terminal."""

from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.pages.glyphs import LONGEST, clean, width
from tests.cases import each

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@each(
    ("text", "shown"),
    [
        ("a\nb\tc", "a\\x0ab\\x09c"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\x7f\x9b", "\\x7f\\x9b"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("a\u200bb\ufeff", "a\\u200bb\\ufeff"),
        ("a\u2028b\u00a0", "a\\u2028b\\xa0"),
        ("caf\udce9", "caf\\xe9"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("[red] $(x) é漢", "[red] $(x) é漢"),
    ],
)
def test_what_could_harm_a_terminal_is_shown_as_an_escape(text, shown):
    assert clean(text) == shown


@given(ANY_TEXT)
def test_a_clean_text_is_printable_and_stays_as_it_is(text):
    once = clean(text, None)
    assert once.isprintable()
    assert clean(once, None) == once


def test_a_text_is_cut_with_an_ellipsis_unless_it_must_be_whole():
    assert clean("x" * (LONGEST + 1)) == "x" * LONGEST + "…"
    assert clean("x" * LONGEST) == "x" * LONGEST
    assert clean("x" * 5000, None) == "x" * 5000


@each(("text", "columns"), [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("…µ", 2), ("Ａ", 2)])
def test_width_counts_columns_not_characters(text, columns):
    assert width(text) == columns
