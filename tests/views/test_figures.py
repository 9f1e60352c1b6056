"""Figures as ranges."""

from fsadvisor.pages.glyphs import ASCII, UNICODE
from fsadvisor.pages.plots import Range, in_numbers, range_of
from fsadvisor.pages.screen import laid
from fsadvisor.report.rule_page import figures
from fsadvisor.rulebook.shape import Gain, GainFigure, measured_gain
from tests.cases import each
from tests.views.seen import session, text


@each(
    ("says", "expected"),
    [
        ("2 to 3 % of throughput", Range(2, 3, "%")),
        ("22 %", Range(22, 22, "%")),
        ("31 % at most: share of an fsync that flushes 2 caches", Range(0, 31, "%")),
        ("more read-ahead brings 75 %", Range(75, 75, "%")),
        ("10 times and more", Range(10, None, "times")),
        ("2 to 5 times", Range(2, 5, "times")),
        ("180 of 720 µs per fsync", Range(25, 25, "%")),
    ],
)
def test_a_plain_range_is_drawn(says, expected):
    assert range_of(says) == expected


@each(
    "says",
    [
        "no difference proven",
        "reads fall to 30 % with time",
        "16 % at random and 40 % in streams on ext4",
        "-3 and 10 %",
        "20 to 40 % on NVMe, closer to 60 % by default",
        "99 % of flushes under 10 ms",
        "2 to 10 times slower in 4 KiB extents",
        "75 %, most of it up to 1 MiB",
        "5 of 0 µs",
    ],
)
def test_what_words_belong_to_is_said_in_words_only(says):
    assert range_of(says) is None


def drawn(gain, glyphs=UNICODE, width=78):
    return text(laid([figures(gain)], width, unicode=glyphs is UNICODE))


def figure(says, source="seed 000"):
    return GainFigure(says=says, source=source, conditions="stated")


def test_figures_that_contradict_each_other_stand_on_one_scale():
    gain = Gain(metric="writes", basis="reported", figures=(figure("2 to 3 %"), figure("5 to 15 %", "seed 003")))
    lines = drawn(gain).split("\n")
    assert "0 %" in lines[0]
    assert "20 %" in lines[0]
    bars = [line for line in lines if "█" in line]
    assert len(bars) == 2
    assert bars[0].index("█") < bars[1].index("█")
    assert "2 to 3 %" in bars[0]


def test_what_was_measured_here_says_so():
    gain = measured_gain(
        Gain(metric="x", basis="reported", figures=(figure("22 %"),)), "31 % at most: a share", "probe"
    )
    page = drawn(gain)
    assert "measured here: probe" in page
    assert page.index("31 % at most") < page.index("22 %")


def test_a_range_without_end_is_drawn_with_an_arrow_and_in_words():
    page = drawn(Gain(metric="x", basis="reported", figures=(figure("10 times and more"),)))
    assert "▶" in page
    assert "10 times and more" in page


def test_without_figures_that_is_said():
    assert "No figure is known." in drawn(Gain(metric="x", basis="reported"))


def test_in_numbers_says_ranges_as_people_do():
    assert in_numbers(Range(2, 3, "%")) == "2 to 3 %"
    assert in_numbers(Range(25, 25, "%")) == "25 %"
    assert in_numbers(Range(10, None, "times")) == "10 times and more"


def test_every_figure_of_every_rule_is_told_within_the_width():
    for rule in session().rulebook.rules:
        if rule.gain:
            for glyphs in (UNICODE, ASCII):
                page = drawn(rule.gain, glyphs)
                assert all(len(line) <= 78 for line in page.split("\n"))
                flat = " ".join(page.split())
                assert all(one.source in flat for one in rule.gain.figures)
