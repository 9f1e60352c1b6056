"""Numbers and sizes in text: what is one, how large it may be, and how much of what is not understood is kept."""

from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.readers import counts, real, size_bytes, unread_pieces, whole
from tests.cases import each

MOST = 2**128 - 1


@each(
    ("text", "number"),
    [
        (str(MOST), MOST),
        (str(-MOST), -MOST),
        (str(MOST + 1), None),
        (str(-MOST - 1), None),
        ("0" * 79 + "7", 7),
        ("0" * 80 + "7", None),
        ("1_000", None),
        ("٣", None),
        (" 7\n", 7),
        (None, None),
    ],
)
def test_a_whole_number_has_128_bits_and_80_characters_at_most(text, number):
    assert whole(text) == number


@each(
    ("text", "number"),
    [
        ("0" * 79 + "7", 7.0),
        ("0" * 80 + "7", None),
        ("1_0.5", None),
        ("٣.٥", None),
        ("nan", None),
        ("1e999", None),
        (" 2.5\n", 2.5),
        (None, None),
    ],
)
def test_a_decimal_number_is_finite_and_has_80_characters_at_most(text, number):
    assert real(text) == number


@each(
    ("text", "size"),
    [
        ("512", 512),
        ("512B", 512),
        ("4k", 4 << 10),
        ("4 KiB", 4 << 10),
        ("3M", 3 << 20),
        ("10.00GiB", 10 << 30),
        ("2.5T", 5 << 39),
        ("3PiB", 3 << 50),
        ("7EiB", 7 << 60),
        ("", None),
        (None, None),
        ("k", None),
        ("4 kM", None),
        ("4x", None),
        (f"{MOST}k", None),
        ("1e39", None),
    ],
)
def test_a_size_is_a_number_and_a_binary_unit(text, size):
    assert size_bytes(text) == size


@given(st.integers(0, 999), st.sampled_from("kmgtpe"))
def test_each_unit_is_1024_of_the_one_before(number, unit):
    smaller = {"k": "", "m": "k", "g": "m", "t": "g", "p": "t", "e": "p"}[unit]
    assert size_bytes(f"{number}{unit}") == 1024 * size_bytes(f"{number}{smaller}")


def test_counted_lines_are_cut_at_their_first_mark_and_only_numbers_count():
    assert counts("a:1\nb:-1\nc:x\nd:2:3\n/e:f:4\n", ":") == {"a": 1}
    assert counts("a b 1\nc 0", " ") == {"c": 0}


def test_of_what_is_not_understood_eight_pieces_of_120_characters_are_kept():
    assert unread_pieces(["x" * 130] * 9) == ("x" * 120,) * 8
    assert unread_pieces(["x" * 120]) == ("x" * 120,)
