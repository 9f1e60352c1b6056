"""The place where one measures, with a probe that is played: what it is asked, and what a person sees of it."""

import pytest

from fsadvisor.measure import messages
from fsadvisor.measure.probe.cost import Cost
from fsadvisor.measure.probe.result import Figure, Result
from fsadvisor.measure.probe.target import Objection
from fsadvisor.tui.measuring import Measurer, probe_progress
from fsadvisor.tui.views.probes import job_groups
from tests.tui.driving import SIZES, explored, shown, typed, until

COST = Cost(written_bytes=600 << 20, room_bytes=64 << 20, files=1, least_seconds=3.0, most_seconds=22.0)
FIGURE = Figure(median=226.0, low=220.0, high=232.0, windows=7)
RESULT = Result(
    job="commit-fsync",
    question="sync",
    target="/",
    mount="/",
    when="2026-11-21T20:08:34+00:00",
    engine="fio 3.33",
    headline="SYNC_US",
    figure=FIGURE,
    end="settled",
    windows=7,
    percentiles_us={"p50": 206.0, "p99": 12900.0},
    histogram_us=((100.0, 36), (150.0, 843)),
)
DATABASE = Objection(level="refused", question="database", says="/ is in the data directory of PostgreSQL")
FULL = Objection(level="refused", question="space", says="/ is full: make room")
WARNING = Objection(level="warning", question="space", says="/ is nearly full")


class Played:
    """Probes that tell what a test has them tell; what they were told is kept."""

    def __init__(self, *findings):
        self.findings, self.asked, self.said = findings, [], []

    def __call__(self, asked, hear):
        self.asked.append(asked)
        self.hear = hear
        speaks = [one for one in self.findings if not (asked.in_data_directory and one.question == "database")]
        hear(messages.Estimate(target=asked.target, cost=COST, findings=tuple(speaks)))
        return self

    def go(self, *, gentle=False):
        self.said.append("gently" if gentle else "go")
        job = self.asked[-1].jobs[0]
        self.hear(messages.Started(at=1, job=job, seconds_left=22.0))
        self.hear(
            messages.Progress(
                at=1,
                job=job,
                seconds_left=20.0,
                headline="SYNC_US",
                value=226.0,
                void="another writer",
                figure=FIGURE,
                counted=1,
                used=0.05,
                operations_per_s=4000.0,
                bytes_per_s=16e6,
                p50_us=226.0,
                p99_us=900.0,
            )
        )

    def stop(self):
        self.said.append("stop")
        self.hear(messages.Finished(state="cancelled"))

    def finish(self):
        self.hear(messages.JobDone(at=1, result=RESULT))
        self.hear(messages.Finished(state="done"))


def probing(steps, played=None, live=True, **more):
    """Drive the place Probes over a played probe."""
    played = played or Played()

    async def drive(app, pilot):
        app.session.live = live
        app.prober = Measurer(app.post_message, probe_progress, played)
        await pilot.press("4")
        await until(pilot, lambda: "Suites" in shown(app))
        return await steps(app, pilot, played)

    return explored(drive, **more)


async def _asked(app, pilot):
    """The first job of all, asked about."""
    await pilot.press("tab")
    app.screen.query_one("#jobs").put_cursor_on("job:commit-fsync")
    await pilot.press("m")
    await until(pilot, lambda: "at most" in shown(app))


@pytest.mark.parametrize("size", SIZES)
def test_mounts_and_jobs_stand_side_by_side_and_what_it_takes_is_shown_and_enter_does_not_start_it(size):
    async def steps(app, pilot, played):
        listed = shown(app)
        await _asked(app, pilot)
        text = shown(app)
        await pilot.press("enter")
        await pilot.pause()
        return listed, text, played.said, app.screen.name

    listed, text, said, name = probing(steps, Played(WARNING), size=size)
    assert "/var/lib/postgresql" in listed
    assert "Commit latency" in listed
    assert "up to 600 MiB" in text
    assert "warning: / is nearly full" in text
    assert (said, name) == (["stop"], "probes")


@pytest.mark.parametrize("size", SIZES)
def test_a_probe_that_runs_is_drawn_and_told_of_in_every_place(size):
    async def steps(app, pilot, played):
        await _asked(app, pilot)
        await pilot.press("y")
        await until(pilot, lambda: "so far" in shown(app))
        here = shown(app)
        await pilot.press("1")
        await pilot.pause()
        elsewhere = shown(app)
        await pilot.press("4")
        played.finish()
        await until(pilot, lambda: "Done" in shown(app))
        return here, elsewhere, shown(app), played.said

    here, elsewhere, done, said = probing(steps, size=size)
    assert "226 µs per sync ± 2.65 %" in here
    assert "The last window does not count: another writer" in here
    assert "probing 1/1" in elsewhere
    assert "Latency" in done
    assert said == ["go"]


def test_cancelling_asks_and_then_tells_that_all_is_taken_away():
    async def steps(app, pilot, played):
        await _asked(app, pilot)
        await pilot.press("g")
        await until(pilot, lambda: "so far" in shown(app))
        await pilot.press("escape")
        await until(pilot, lambda: "Stop the probe?" in shown(app))
        await pilot.press("escape")
        await pilot.pause()
        before = list(played.said)
        await pilot.press("x")
        await until(pilot, lambda: "Stop the probe?" in shown(app))
        await pilot.press("y")
        await until(pilot, lambda: "taken away" in shown(app))
        await pilot.press("escape")
        await pilot.pause()
        return before, played.said, app.screen.name

    before, said, name = probing(steps)
    assert (before, said, name) == (["gently"], ["gently", "stop"], "probes")


def test_a_databases_own_directory_takes_two_yeses():
    async def steps(app, pilot, played):
        await _asked(app, pilot)
        first = shown(app)
        await pilot.press("y")
        await until(pilot, lambda: "own directory?" in shown(app))
        before = list(played.said)
        await pilot.press("y")
        await until(pilot, lambda: "so far" in shown(app))
        return first, before, [one.in_data_directory for one in played.asked], played.said

    first, before, asked, said = probing(steps, Played(DATABASE))
    assert "refused: / is in the data directory of PostgreSQL" in first
    assert "go" not in before
    assert (asked, said[-1]) == ([False, True], "go")


def test_what_is_refused_can_not_be_started():
    async def steps(app, pilot, played):
        await _asked(app, pilot)
        text = shown(app)
        await pilot.press("y", "g")
        await pilot.pause()
        return text, played.said

    text, said = probing(steps, Played(FULL, DATABASE))
    assert "refused: / is full: make room" in text
    assert said == []


def test_quitting_while_it_runs_asks_and_waits_for_the_clean_up():
    async def steps(app, pilot, played):
        await _asked(app, pilot)
        await pilot.press("y")
        await until(pilot, lambda: "so far" in shown(app))
        await pilot.press("1", "q")
        await until(pilot, lambda: "Something is being measured" in shown(app))
        await pilot.press("n", "q")
        await pilot.pause()
        still = app.is_running
        await pilot.press("y")
        await until(pilot, lambda: app.return_code is not None)
        return still, played.said, app.return_code

    assert probing(steps) == (True, ["go", "stop"], 0)


@pytest.mark.long
def test_several_jobs_are_picked_by_their_title_and_measured_together():
    async def steps(app, pilot, played):
        await pilot.press("tab")
        app.screen.query_one("#jobs").put_cursor_on("suite:quick")
        await pilot.press("space")
        picked = shown(app)
        await pilot.press("m")
        await until(pilot, lambda: "6 jobs in" in shown(app))
        return picked, played.asked[0]

    picked, asked = probing(steps)
    assert "6 jobs picked" in picked
    assert (len(asked.jobs), asked.seconds) == (6, 10.0)


@pytest.mark.long
def test_from_the_overview_the_ladder_on_a_mount_is_at_most_ten_keys_away():
    keys = ["4", "down", "right_curly_bracket", "right_curly_bracket", "enter", "y"]

    async def steps(app, pilot, played):
        await pilot.press("1")
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
        await until(pilot, lambda: played.said)
        return played.asked[-1], played.said, shown(app)

    asked, said, text = probing(steps)
    assert len(keys) <= 10
    assert (asked.jobs, asked.target) == (("fsync-ladder",), "/var/lib/postgresql")
    assert said == ["go"]
    assert "fsync-ladder" in text


@pytest.mark.long
def test_brackets_go_from_group_to_group_and_back():
    async def steps(app, pilot, played):
        seen = []
        for key in ("right_curly_bracket",) * 20 + ("left_curly_bracket",) * 20:
            await pilot.press(key)
            seen.append(app.screen.query_one("#jobs").row.key)
        return seen

    seen = probing(steps)
    titles = [f"group:{title}" for title, _ in job_groups()]
    assert seen[: len(titles)] == titles
    assert seen[19] == titles[-1]
    assert seen[-1] == titles[0]


def test_a_recording_shows_results_and_is_not_probed():
    async def steps(app, pilot, played):
        text = shown(app)
        await pilot.press("tab", "m")
        await pilot.pause()
        return text, played.asked

    text, asked = probing(steps, live=False)
    assert "a recording cannot be probed" in text
    assert asked == []


@pytest.mark.long
def test_what_another_place_wants_measured_is_picked():
    async def steps(app, pilot, played):
        app.wanted_probe = ("fsync-ladder", "/var/lib/postgresql")
        await pilot.press("1", "4")
        await until(pilot, lambda: "1 job picked" in shown(app))
        await pilot.press("m")
        await until(pilot, lambda: "at most" in shown(app))
        return played.asked[0], app.wanted_probe

    asked, left = probing(steps)
    assert (asked.jobs, asked.target, left) == (("fsync-ladder",), "/var/lib/postgresql", None)


@pytest.mark.long
def test_another_folder_of_the_mount_can_be_named():
    async def steps(app, pilot, played):
        await pilot.press("tab", "f")
        await pilot.press("ctrl+u")
        await typed(pilot, "/srv")
        await pilot.press("enter")
        await until(pilot, lambda: "in /srv" in shown(app))
        await _asked_here(app, pilot)
        return played.asked[0].target

    async def _asked_here(app, pilot):
        app.screen.query_one("#jobs").put_cursor_on("job:commit-fsync")
        await pilot.press("m")
        await until(pilot, lambda: "at most" in shown(app))

    assert probing(steps) == "/srv"


@pytest.mark.long
def test_everything_measured_on_a_mount_is_said_where_nothing_was():
    async def steps(app, pilot, played):
        await pilot.press("enter")
        await until(pilot, lambda: "What was measured on" in shown(app))
        return shown(app)

    assert "Nothing yet." in probing(steps)
