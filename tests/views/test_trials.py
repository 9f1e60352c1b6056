"""Trials, comparisons and forecasts as views: pure functions of what was told."""

import itertools
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsadvisor.measure import messages
from fsadvisor.measure.probe.result import Figure, Result
from fsadvisor.measure.trial import TrialInterim
from fsadvisor.pages.glyphs import ASCII, UNICODE, columns, plain
from fsadvisor.pages.screen import laid
from fsadvisor.survey.tried import Ratio, job_of
from fsadvisor.tui.views import trials, trials_compare, trials_forecast, trials_try
from fsadvisor.tui.views.probes import NO_RESULTS, KeptResult, ResultsByMount
from fsadvisor.tui.views.progress import TrialProgress, note
from tests.cases import few
from tests.report import composed
from tests.tui.played import COMPARISON, COST
from tests.views.seen import many_disks, snapshot_from, snapshot_of, text

NOW = datetime(2026, 11, 21, 22, 8, tzinfo=UTC)
EVIL = "\x1b]0;owned\x07[bold]x[/]\u202e\udcff"
ASKED = messages.TrialAsked(rule="access-times-written", folder="/srv", seconds=180.0)
TOLD = messages.Estimate(title=f"noatime {EVIL}", says=(("job", EVIL),), cost=COST, findings=(), dangers=(EVIL,))


def shown(document, width=80):
    """A document as a person reads it."""
    lines = laid(document.blocks, width)
    assert all(columns(one) <= width for one in lines)
    return text(lines)


def heard(*events):
    """A trial that was asked about and begun, after these."""
    progress = TrialProgress(asked=ASKED).after(TOLD).going()
    for event in events:
        progress = progress.after(event)
    return progress


@given(
    st.floats(0.001, 1000), st.floats(1, 10), st.floats(1, 10), st.integers(10, 60), st.sampled_from([UNICODE, ASCII])
)
def test_a_range_around_one_takes_its_columns_and_lies_on_the_side_that_it_tells(middle, down, up, width, glyphs):
    one = Ratio(middle=middle, low=middle / down, high=middle * up, blocks=9)
    drawn = trials_try.around_one(one, trials_try.scale([one]), width, glyphs)
    assert len(drawn) == width
    assert drawn.count(glyphs.chosen) == 1
    if one.low > 1:
        assert drawn.index(glyphs.chosen) >= width // 2
    if one.high < 1:
        assert drawn.index(glyphs.chosen) <= width // 2


def test_before_six_blocks_there_is_no_ratio():
    went = TrialInterim(blocks=3, gain=None, seconds=9.0, seconds_left=171.0)
    progress = heard(messages.BlockProgress(progress=went))
    assert "3 blocks done; an interval needs 6 blocks" in shown(trials_compare.progress_page(progress, 80, UNICODE))
    assert note(progress) == "trying, ≤ 3 min"


def test_a_result_has_sentence_interval_flushes_amplification_and_danger():
    progress = heard(messages.TrialDone(comparison=COMPARISON), messages.Finished(state="done"))
    said = shown(trials_compare.progress_page(progress, 80, UNICODE))
    assert "faster by 8 to 15 %" in said
    assert "95 % interval of 12 blocks" in said
    assert "flushes/op" in said
    assert "2.1 x" in said
    assert "What it can cost" in said


def test_what_lies_inside_the_noise_is_not_called_a_gain():
    unsure = replace(COMPARISON, gain=Ratio(middle=1.02, low=0.9, high=1.2, blocks=12), end="budget")
    said = shown(
        trials_compare.progress_page(
            heard(messages.TrialDone(comparison=unsure), messages.Finished(state="done")), 80, UNICODE
        )
    )
    assert "not told: between 10 % slower and 20 % faster" in said
    assert "time or bytes were used up" in said


def test_counters_that_the_kernel_has_not_are_no_noughts():
    side = replace(COMPARISON.sides["changed"], flushes_per_operation=None, amplification=None)
    found = replace(COMPARISON, sides={"changed": side})
    said = shown(
        trials_compare.progress_page(
            heard(messages.TrialDone(comparison=found), messages.Finished(state="done")), 80, UNICODE
        )
    )
    assert "not counted" in said
    assert "not known" in said


def test_a_trial_stopped_before_its_first_block_has_no_figure():
    said = shown(trials_compare.progress_page(heard(messages.Finished(state="cancelled")), 80, UNICODE))
    assert "Stopped by you before anything was measured" in said


@pytest.mark.parametrize("width", few([40, 80, 160], 3))
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_what_strangers_call_things_breaks_no_page(width, glyphs):
    doing = messages.Note(text=EVIL, kind="step")
    pages = [
        trials_try.asking_page(TrialProgress(asked=ASKED).after(TOLD)),
        trials_compare.progress_page(heard(doing, messages.Note(text=EVIL)), width, glyphs),
        trials_compare.progress_page(heard(messages.Finished(state="failed", error=EVIL)), width, glyphs),
        trials_forecast.page(_forecast(EVIL), EVIL, width, glyphs),
    ]
    for page in pages:
        for line in shown(page, width).splitlines():
            assert line.isprintable()


@pytest.mark.parametrize("width", few([40, 80, 160], 3))
def test_rows_of_hostile_names_fit_and_stay_whole(width):
    snapshot = snapshot_of(composed.hostile(["escape", "markup", "long", "not UTF-8"]))
    for live in (True, False):
        for row in trials.rows(snapshot, NO_RESULTS, (), NOW, width, UNICODE, live=live):
            assert all(columns(one) <= width for one in row.lines)
            assert text(row.lines).isprintable()
            shown(trials.about(row.key, snapshot, NO_RESULTS, NOW, live=live), 56)


@given(st.sampled_from(["mount", "image", "forecast"]), st.text())
def test_a_row_stands_for_the_very_name_it_was_made_of(kind, name):
    assert trials.chosen(trials.key_of(kind, name)) == trials.Chosen(kind, name)


@given(st.sampled_from(["try", "kept"]), st.from_regex("[a-z0-9 :-]*", fullmatch=True), st.text())
def test_a_row_of_a_trial_stands_for_the_very_mount(kind, name, mount):
    assert trials.chosen(trials.key_of(kind, name, mount)) == trials.Chosen(kind, name, mount)


def test_of_thousands_of_mounts_only_the_rows_that_are_seen_are_made():
    rows = trials.rows(many_disks(), NO_RESULTS, (), NOW, 80, UNICODE, live=True)
    assert len(rows) > 120
    assert [row.key for row in rows[-1:]] == ["title\nno forecast\n"]
    assert len(rows._kept) == 1
    assert rows.places[trials.key_of("mount", "/srv/7")] > 0


def test_what_can_be_tried_is_found_without_going_through_all_there_is():
    (verdict, *_) = trials.can_be_tried(snapshot_from("pm9a3-postgresql-volatile"))
    mounted = verdict.subject.scope["mount"]

    def endless(_wanted):
        for at in itertools.count():
            point = replace(mounted.point, value=f"/srv/{at}")
            scope = {**verdict.subject.scope, "mount": replace(mounted, point=point)}
            yield replace(verdict, subject=replace(verdict.subject, scope=scope))

    found = trials.can_be_tried(SimpleNamespace(verdicts=SimpleNamespace(among=endless)))
    assert [trials.mount_of(one.subject) for one in found[:2]] == ["/srv/0", "/srv/1"]


def _result(job, median, low, high, **more):
    return Result(
        job=job,
        question="q",
        target="/",
        mount="/var/lib/postgresql",
        when="2026-11-21T20:08:34+00:00",
        engine="own",
        headline="IOPS",
        figure=Figure(median=median, low=low, high=high, windows=12),
        end="settled",
        windows=12,
        **more,
    )


def _kept(mount, *results):
    jobs = {}
    for one in results:
        jobs.setdefault(one.job, []).append(KeptResult(replace(one, mount=mount), "", ""))
    return ResultsByMount({mount: {job: tuple(found) for job, found in jobs.items()}})


def _forecast(mount):
    """Results of one job at two latencies, and of another at one."""
    return _kept(
        mount,
        *(
            _result("mail", rate, rate * 0.9, rate * 1.1, device_us=us)
            for us, rate in ((8000.0, 100.0), (1000.0, 500.0))
        ),
        _result("web", 900.0, 850.0, 950.0, device_us=150.0),
        _result("create-1", 900.0, 850.0, 950.0),
    )


FIGURES = ((1.1, 1.08, 1.15), (0.8, 0.79, 0.81))


def test_what_was_tried_before_stands_at_its_rule_and_below():
    kept = _kept("/var/lib/postgresql", _result(job_of("access-times-written"), 1.1, 1.08, 1.15))
    snapshot = snapshot_from("pm9a3-postgresql-volatile")
    said = "\n".join(text(it.lines) for it in trials.rows(snapshot, kept, (), NOW, 120, UNICODE, live=False))
    assert said.count("faster by 8 to 15 %") == 2
    assert "Tried before" in said
    again = _kept("/var/lib/postgresql", *[_result(job_of("access-times-written"), *it) for it in FIGURES])
    said = "\n".join(text(it.lines) for it in trials.rows(snapshot, again, (), NOW, 160, UNICODE, live=False))
    assert "faster by 8 to 15 %, " in said
    assert "(before: slower by" in said


def test_a_forecast_is_fitted_from_two_latencies_and_bounded_from_one():
    said = shown(trials_forecast.page(_forecast("/"), "/", 100, UNICODE), 100)
    assert "C = " in said
    assert "One latency alone cannot tell the software's share" in said
    assert "create-1: the results hold no latency" in said
    assert "< 1 ms" in said


def test_results_that_cannot_be_read_are_not_none():
    snapshot, dark = snapshot_from("pm9a3-postgresql-volatile"), ResultsByMount({}, unread=2)
    rows = trials.rows(snapshot, dark, (), NOW, 120, UNICODE, live=True)
    listed = text([line for row in rows for line in row.lines])
    assert "not tried" not in listed
    assert "not known: results are unreadable" in listed
    assert "no result that can be read to forecast from" in listed
    assert "2 results unreadable" in plain(trials.title((), dark, live=True))
    tried = next(row.key for row in rows if row.key.startswith("try"))
    assert "Not yet" not in shown(trials.about(tried, snapshot, dark, NOW, live=True), 56)
    assert "results that are kept 2 cannot be read" in shown(trials_forecast.page(dark, "/", 80, UNICODE), 80)


@pytest.mark.parametrize("width", [80, 140])
def test_what_was_compared_before_tells_sides_who_was_best_trend_and_age(width):
    best = {"mail": ("xfs",), "create-1": ("xfs", "ext4"), "random-read-1": ("xfs",)}
    once = replace(_result("compare:1", 1, 1, 1), figure=None, headline="", sides=("/srv", "ext4", "xfs"), best=best)
    again = replace(once, when="2026-11-21T21:08:34+00:00", best={**best, "mail": ("ext4",)})
    kept = ResultsByMount({}, 0, {"compare:1": (KeptResult(again, "", ""), KeptResult(once, "", ""))})
    snapshot = snapshot_from("pm9a3-postgresql-volatile")
    rows = trials.rows(snapshot, kept, (), NOW, width, UNICODE, live=False)
    assert "Compared before" in text(rows[-2].lines)
    said = text(rows[-1].lines)
    assert "/srv, ext4 and xfs" in said
    assert "best: ext4 1, xfs 1 of 3, 1 changed, 59 min ago" in said
    assert columns(rows[-1].lines[0]) <= width
    page = shown(trials.about(rows[-1].key, snapshot, kept, NOW, live=False), width)
    assert "mail  ext4 is best" in page
    assert "create-1  xfs and ext4 can't be told apart" in page


def test_a_latency_that_is_only_usual_says_so():
    said = shown(trials_forecast.page(_forecast("/"), "/", 120, UNICODE), 120)
    assert "~8 ms" in said
    assert "0.5 ms" in said
    assert "~0.5 ms" not in said
    assert "usual for such devices" in said
    assert "flushes left out" in said


def test_a_forecast_from_nothing_says_what_to_measure():
    assert "Measure web, mail or file-server" in shown(trials_forecast.page(NO_RESULTS, "/", 120, UNICODE), 120)


@given(st.floats(0.001, 1e6), st.floats(1, 1e6), st.integers(10, 60))
def test_a_range_on_a_logarithmic_scale_takes_its_columns(low, times, width):
    drawn = trials_forecast.between(low, low * times, 0.001, 1e13, width, UNICODE)
    assert len(drawn) == width
