"""The bar on a terminal, the lines elsewhere."""

from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.measure.probe.result import Figure
from fsadvisor.pages.glyphs import width
from fsadvisor.report.probe_page import Narrator, RunStep, bar
from tests.report import probed

STEP = RunStep(
    at=3,
    jobs=6,
    job="random-write-32-preallocated",
    used=0.5,
    seconds_left=47.2,
    headline="IOPS",
    figure=Figure(median=73_100, low=70_000, high=76_000, windows=7),
)


class Screen:
    """What a terminal line shows after \\r and text; it wraps where the last column is passed."""

    def __init__(self, columns):
        self.columns, self.at, self.cells, self.wrapped = columns, 0, {}, False

    def write(self, text):
        for sign in text:
            if sign == "\r":
                self.at = 0
                continue
            self.wrapped |= self.at >= self.columns
            self.cells[self.at] = sign
            self.at += 1

    @property
    def line(self):
        return "".join(self.cells[at] for at in sorted(self.cells)).rstrip()


def test_a_bar_tells_the_job_the_time_left_and_the_figure_as_far_as_they_fit():
    assert bar(STEP, 80) == "█████░░░░░░░  3/6 random-write-32-preallocated  ≤ 48 s left  73,100 ± 4.1 %"
    assert bar(STEP, 70) == "█████░░░░░░░  3/6 random-write-32-preallocated  ≤ 48 s left"
    assert bar(STEP, 40) == "3/6 random-write-32-preallocated  ≤ 48 "


@given(st.integers(2, 200), st.floats(-1, 3), st.text(), st.text())
def test_a_bar_never_reaches_the_last_column(columns, used, job, says):
    line = bar(RunStep(at=1, jobs=2, job=job, used=used, seconds_left=5, says=says), columns)
    assert width(line) < columns
    assert line.isprintable()


def test_each_bar_covers_the_one_before_and_the_last_is_taken_away():
    screen = Screen(80)
    told = Narrator(screen.write, lambda: 80)
    told.step(STEP)
    told.step(RunStep(at=4, jobs=6, job="x", seconds_left=1))
    assert screen.line.endswith("4/6 x  ≤ 1 s left")
    told.clear()
    assert (screen.line, screen.wrapped) == ("", False)


def test_without_a_terminal_there_is_a_line_for_each_job_and_nothing_else():
    said = []
    told = Narrator(said.append, None)
    told.step(STEP)
    told.ended(probed.COMMIT, 1, 2)
    told.ended(probed.FAILED, 2, 2)
    told.clear()
    first, second = said
    assert first == "fsadvisor: 1/2 commit-fdatasync: 289 µs per sync ± 2.73 %, settled after 7 s\n"
    assert second == f"fsadvisor: 2/2 random-write-32: no figure, failed after 7 s: {probed.FAILED.error}\n"
