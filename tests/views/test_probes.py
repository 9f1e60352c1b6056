"""Probes as rows and documents: mounts, jobs, results that hold or do not, plots, and progress as it is told."""

import datetime as dt

import pytest
from msgspec import structs

from fsadvisor.machine.kept_files import without_places
from fsadvisor.machine.opening import open_machine
from fsadvisor.measure import messages
from fsadvisor.measure.probe import store
from fsadvisor.measure.probe.cost import NOTHING as NO_COST
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.probe.result import Figure, Result
from fsadvisor.measure.probe.target import Objection
from fsadvisor.pages import glyphs
from fsadvisor.pages.glyphs import columns, plain
from fsadvisor.pages.screen import laid
from fsadvisor.pages.text import render
from fsadvisor.report import probe_page as report_page
from fsadvisor.survey import measured
from fsadvisor.survey.tried import job_of
from fsadvisor.survey.whole import survey
from fsadvisor.tui.views import probe_page, probe_progress, probes, trials
from fsadvisor.tui.views.progress import ProbeProgress, note
from tests.cases import each
from tests.paths import FIXTURES

NOW = dt.datetime(2026, 11, 21, 21, 0, tzinfo=dt.UTC)
HOSTILE = "[bold]x[/]\x1b]0;pwned\x07\u202e" + "n" * 4096
SIGNS = (glyphs.UNICODE, glyphs.ASCII)


@pytest.fixture(scope="module")
def storage():
    return survey(open_machine(FIXTURES / "machines" / "pm9a3-postgresql-volatile"), {})


@pytest.fixture(scope="module")
def mount(storage):
    return probes.mounts(storage, probes.NO_RESULTS)[-1][0]


def figure(median, low=None, high=None, windows=9):
    return Figure(median=median, low=median * 0.97 if low is None else low, high=high or median * 1.03, windows=windows)


def result(storage, mount, job="commit-fdatasync", median=226.0, **more):
    found = Result(
        job=job,
        question=JOBS[job].question,
        target=mount,
        mount=mount,
        when="2026-11-21T20:00:00+00:00",
        engine="fio 3.33",
        headline=JOBS[job].headline.name,
        figure=figure(median),
        end="settled",
        windows=9,
        percentiles_us={"p50": 206.0, "p99": 12900.0},
        histogram_us=((100.0, 36), (150.0, 843)),
        depends=measured.conditions_of(storage, mount),
    )
    return structs.replace(found, **more)


def kept(storage, *found):
    return probes.results_of("".join(f"{store.line(one).decode()}\n" for one in found), storage)


def words(document, width=80, unicode=True):
    """The text of a document, which fits its width."""
    lines = laid(document.blocks, width, unicode=unicode)
    assert all(columns(one) <= width for one in lines)
    return "\n".join(map(plain, lines))


def job_page(storage, mount, held, job="commit-fdatasync", width=80, signs=glyphs.UNICODE):
    return words(probe_page.job_page(job, mount, held.on(mount), NOW, width, signs), width)


def test_every_job_is_in_one_group():
    ids = [one for _, members in probes.job_groups() for one in members]
    assert sorted(ids) == sorted(JOBS)


def test_read_only_network_and_memory_mounts_are_not_offered(storage):
    points = [point for point, *_ in probes.mounts(storage, probes.NO_RESULTS)]
    assert "/var/lib/postgresql" in points
    assert not {"/proc", "/run", "/dev/shm"} & set(points)


def test_a_mount_says_what_was_measured_and_what_is_stale(storage, mount):
    old = result(storage, mount, depends={"host.kernel_release": "2.6.32"})
    rows = probes.mount_rows(storage, kept(storage, old), NOW, 60, glyphs.UNICODE)
    text = "\n".join(plain(one) for row in rows for one in row.lines)
    assert "1 job, 1 h ago, 1 stale" in text


def test_a_job_row_tells_figure_interval_and_age_in_any_width(storage, mount):
    held = kept(storage, result(storage, mount))
    for width in (20, 54, 100):
        rows = probes.job_rows(held.on(mount), ["commit-fdatasync"], NOW, width, glyphs.ASCII)
        assert all(columns(one) <= width for row in rows for one in row.lines)
    row = next(row for row in rows if row.key == "job:commit-fdatasync")
    assert "226 µs ± 3 %" in plain(row.lines[0])
    assert plain(row.lines[0]).startswith(" * commit-fdatasync")
    assert "1 h ago" in plain(row.lines[0])
    twice = kept(storage, result(storage, mount, median=400), result(storage, mount, median=200)).on(mount)
    for width, words in ((100, "+- 3 %     +100 %, slower"), (53, "400 us +100 %")):
        rows = probes.job_rows(twice, [], NOW, width, glyphs.ASCII)
        assert any(words in plain(row.lines[0]).replace("µ", "u").replace("±", "+-") for row in rows)


def test_a_result_holds_until_what_it_depends_on_has_changed(storage, mount):
    held = kept(storage, result(storage, mount)).on(mount)["commit-fdatasync"][0]
    assert (held.word, held.weak, held.stale) == ("", "", "")
    old = result(storage, mount, depends={"mount.options": "ro"})
    assert kept(storage, old).on(mount)["commit-fdatasync"][0].word == "stale"
    wide = result(storage, mount, figure=figure(100, 10, 400))
    assert kept(storage, wide).on(mount)["commit-fdatasync"][0].word == "unsure"


def test_results_of_a_recording_hold_less_and_are_shown_all_the_same(storage, mount):
    whole = store.line(result(storage, mount)).decode()
    held = probes.results_of(without_places(whole), storage)
    assert "226 µs per sync" in job_page(storage, mount, held)
    trial = result(storage, mount, figure=figure(1.1), question="a ratio", headline="RATIO")
    trial = structs.replace(trial, job=job_of("noatime"))
    told = probes.results_of(without_places(store.line(trial).decode()), storage)
    assert (told.unread, [trials.says(one) for one in trials.results_of(told, mount, "noatime")]) == (
        0,
        ["faster by 6 to 14 %"],
    )


def test_lines_that_are_no_results_are_counted_and_hide_no_other(storage, mount):
    good = store.line(result(storage, mount)).decode()
    held = probes.results_of(f"nonsense\n{{}}\n{good}\n[1e999]\n", storage)
    assert (held.unread, len(held.on(mount))) == (3, 1)
    assert text_of_line(probes.mounts_title(held)) == "Mounts  3 results unreadable"
    assert text_of_line(probes.mounts_title(probes.NO_RESULTS)) == "Mounts"
    torn = probes.results_of(f"{good.strip()}{good}", storage)  # a write that another cut in two
    assert (torn.unread, len(torn.on(mount))) == (0, 1), "the first of them, as whoever reads results as facts"


def text_of_line(line):
    return "".join(one.text for one in line)


@pytest.mark.parametrize(
    ("newer", "older", "said", "short"),
    [
        (figure(100), figure(102), "the same within the noise", "as before"),
        (figure(100), figure(200), "since then -50 %: faster", "-50 %, faster"),
        (figure(200), figure(100), "since then +100 %: slower", "+100 %, slower"),
        (figure(900), figure(100), "since then 9 times: slower", "9 times, slower"),
        (None, figure(100), "no figure to compare", ""),
    ],
)
def test_a_change_is_one_only_beyond_the_noise(storage, mount, newer, older, said, short):
    ours, theirs = (result(storage, mount, figure=one) for one in (newer, older))
    assert probes.change_words(ours, theirs) == said
    assert probes.trend([ours, theirs]) == short
    assert probes.trend([ours]) == ""


def test_more_files_a_second_is_faster_and_other_questions_are_not_compared(storage, mount):
    ours, theirs = (result(storage, mount, job="create-1", median=one) for one in (900, 600))
    assert probes.change_words(ours, theirs) == "since then +50 %: faster"
    assert probes.change_words(ours, structs.replace(theirs, question="x")) == "answers another question"
    assert probes.change_words(ours, structs.replace(theirs, engine="fsadvisor 1")) == "measured by another engine"


@each(
    ("seconds", "said"),
    [(5, "just now"), (300, "5 min ago"), (7300, "2 h ago"), (90000, "1 day ago"), (9e6, "2026-08-09"), (-9e3, "2026")],
)
def test_ages_are_told_in_words(seconds, said):
    when = (NOW - dt.timedelta(seconds=seconds)).isoformat()
    assert probes.age_words(when, NOW).startswith(said)


def test_a_page_has_the_figure_plots_earlier_runs_and_the_seeds(storage, mount):
    earlier = result(storage, mount, median=400.0, when="2026-11-20T20:00:00+00:00")
    text = job_page(storage, mount, kept(storage, earlier, result(storage, mount)))
    assert "226 µs per sync ± 3 %" in text
    assert "p99      12.9 ms" in text
    assert "< 150 µs" in text
    assert "1 day ago" in text
    assert "since then -44 %: faster" in " ".join(text.split())
    assert "a place to look, not a verdict" in text


def test_what_was_not_measured_is_said_with_what_it_would_take(storage, mount):
    assert "Not measured here yet." in job_page(storage, mount, probes.NO_RESULTS)


def test_metadata_is_shown_by_threads(storage, mount):
    found = [result(storage, mount, job=f"create-{n}", median=1000.0 * n) for n in (1, 2, 4, 8)]
    text = job_page(storage, mount, kept(storage, *found), "create-1")
    assert "By how many threads" in text
    assert "8 threads, one directory" in text


def test_everything_on_a_mount_stands_in_its_group_and_is_not_ranked(storage, mount):
    found = [result(storage, mount, job=one) for one in ("create-1", "commit-fsync", "fsync-ladder")]
    text = words(probe_page.mount_page(mount, kept(storage, *found).on(mount), NOW, 80, glyphs.UNICODE))
    assert text.index("Commit latency") < text.index("Metadata")
    assert "none is better than another" in text


@pytest.mark.parametrize("signs", SIGNS)
def test_the_ladder_is_a_bar_whose_unsettled_parts_are_hatched_and_called_so(storage, mount, signs):
    parts = {"data": figure(100), "journal": figure(300, 0, 900), "flush": figure(600), "dsync": figure(500)}
    found = result(storage, mount, "fsync-ladder", parts_us=parts)
    bar, data, journal, flush, beside = (plain(one) for one in probe_page.ladder(found, 80, signs))
    assert len(bar.strip()) == 60
    assert [bar.count(sign) for sign in (signs.solids[0], signs.hatches[1], signs.solids[2])] == [6, 18, 36]
    assert ("10 %" in data, "30 %" in journal, "60 %" in flush) == (True, True, True)
    assert "not settled" in journal
    assert "not settled" not in data + flush
    assert beside.startswith("  beside it")


def test_the_ladder_is_drawn_with_the_same_signs_as_in_the_text_report(storage, mount):
    parts = {"data": figure(100), "journal": figure(300), "flush": figure(600)}
    found = result(storage, mount, "fsync-ladder", parts_us=parts)
    drawn = [plain(one).split()[0][0] for one in probe_page.ladder(found, 80, glyphs.UNICODE)]
    text = "".join(render(report_page.one_result(found, None), margin=2)).splitlines()
    told = [line.split()[0] for line in text if line[4:].startswith(("data", "journal", "flush"))]
    assert drawn[1:] == told == ["░", "▓", "█"]


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_ladder_names_the_devices_that_counted_its_flushes(storage, mount, width):
    parts = {"data": figure(28), "flush": figure(629), "flush_counted": figure(620), "flush_disks": figure(25)}
    found = result(storage, mount, "fsync-ladder", parts_us=parts, flushes_at=("loop8",), disks=("vda",))
    text = "\n".join(plain(one) for one in probe_page.ladder(found, width, glyphs.UNICODE))
    assert "its flushes, counted at loop8: 620 µs" in text
    assert "of these, counted at vda: 25 µs" in text


def test_what_limits_a_result_stands_between_its_figure_and_its_plots(storage, mount):
    found = result(storage, mount, remarks=("It did not settle.",), voids=("window 2: another writer", "window 3: x"))
    text = job_page(storage, mount, kept(storage, found))
    order = ["226 µs per sync", "It did not settle.", "Left out: window 2", "Latency of all", "Left out: window 3"]
    assert sorted(order, key=text.index) == order


def test_the_figure_and_the_percentiles_say_of_what_they_are(storage, mount):
    text = " ".join(job_page(storage, mount, kept(storage, result(storage, mount))).split())
    assert "median of the windows' medians, 95 % interval" in text
    assert "Latency of all 879 syncs together" in text


def test_a_ladder_without_the_disks_counters_is_told_in_words_alone(storage, mount):
    found = result(storage, mount, "fsync-ladder", parts_us={"data": figure(100), "dsync": figure(500)})
    lines = [plain(one) for one in probe_page.ladder(found, 80, glyphs.ASCII)]
    assert lines[0] == "  data       100 µs (95 %: 97 µs to 103 µs)"


@pytest.mark.parametrize("signs", SIGNS)
@pytest.mark.parametrize("width", [20, 80, 200])
def test_what_strangers_wrote_into_a_result_harms_no_screen(storage, signs, width):
    hostile = result(
        storage,
        HOSTILE,
        engine=HOSTILE,
        target=HOSTILE,
        error=HOSTILE,
        end="failed",
        remarks=(HOSTILE,),
        voids=(HOSTILE,) * 5,
        percentiles_us={HOSTILE: 1.0},
        parts_us={HOSTILE: figure(1), "data": figure(1), "journal": figure(2)},
    )
    held = kept(storage, hostile).on(HOSTILE)
    pages = [
        probe_page.job_page("commit-fdatasync", HOSTILE, held, NOW, width, signs),
        probe_page.mount_page(HOSTILE, held, NOW, width, signs),
        probe_progress.progress_page(progress(messages.JobDone(at=1, result=hostile)), width, signs),
        probe_progress.progress_page(progress(messages.Finished(state="failed", error=HOSTILE)), width, signs),
        probe_progress.progress_page(progress(messages.Note(text=HOSTILE, kind="pause")), width, signs),
        probe_progress.asking_page(progress(target=HOSTILE)),
    ]
    for page in pages:
        assert words(page, width, unicode=signs is glyphs.UNICODE).replace("\n", "").isprintable()


def progress(*events, target="/srv", findings=(), jobs=("commit-fdatasync", "create-1")):
    asked = messages.ProbeAsked(jobs=jobs, target=target, seconds=20.0)
    found = ProbeProgress(asked=asked).after(messages.Estimate(target=target, cost=NO_COST, findings=findings))
    found = found.going().after(messages.Started(at=1, job=jobs[0], seconds_left=44.0))
    for event in events:
        found = found.after(event)
    return found


def went(median, **more):
    fields = {
        "at": 1,
        "job": "commit-fdatasync",
        "seconds_left": 40.0,
        "headline": "SYNC_US",
        "value": median,
        "void": "",
        "figure": figure(median),
        "counted": 1,
        "used": 0.25,
        "operations_per_s": 4000.0,
        "bytes_per_s": 16e6,
        "p50_us": median,
        "p99_us": median * 9,
    }
    return messages.Progress(**{**fields, **more})


@pytest.mark.parametrize("signs", SIGNS)
def test_progress_is_drawn_from_window_to_window(signs):
    found = progress(went(300.0), went(226.0, void="another writer", counted=1))
    text = words(probe_progress.progress_page(found, 78, signs), 78)
    assert "1/2  commit-fdatasync" in text or "1/2 commit-fdatasync" in text
    assert "226 µs per sync ± 3 % so far; 1 window of 2 count" in text
    assert "at most 40 s left" in text
    assert "4,000 operations/s, 16 MB/s" in text
    assert "1 left out" in text
    assert note(found) == "probing 1/2, ≤ 40 s"


def test_each_window_has_a_line_of_its_own_number_though_the_number_that_counts_stays(storage, mount):
    """Windows are judged by all so far: one may stop counting as another comes."""
    twelve = figure(226.0, windows=12)
    text = words(
        probe_progress.progress_page(progress(*[went(226.0, figure=twelve, counted=12)] * 14), 78, glyphs.UNICODE), 78
    )
    lines = [line.split() for line in text.splitlines() if line.endswith("of 12")]
    assert [line[0] for line in lines] == ["9", "10", "11", "12", "13", "14"]
    assert "of how many windows that count" in " ".join(text.split())


def test_a_gentle_probe_that_waits_says_why_until_it_goes_on():
    waits = progress(went(300.0), messages.Note(text="paused: programs wait", kind="pause"))
    assert "programs wait" in words(probe_progress.progress_page(waits, 78, glyphs.UNICODE))
    assert "programs wait" not in words(probe_progress.progress_page(waits.after(went(226.0)), 78, glyphs.UNICODE))


def test_after_its_end_results_stand_in_the_order_they_ran(storage, mount):
    ended = [
        messages.JobDone(at=at, result=result(storage, mount, job=job))
        for at, job in enumerate(("create-1", "commit-fdatasync"), 1)
    ]
    found = progress(*ended, messages.Finished(state="done"))
    text = words(probe_progress.progress_page(found, 78, glyphs.UNICODE))
    assert note(found) == ""
    assert text.index("create-1") < text.index("commit-fdatasync")
    assert "a question of its own" in text


def test_the_question_says_what_speaks_against_it_and_what_may_run_instead():
    full = Objection(level="refused", question="space", says="/srv is full: make room")
    asked = progress(findings=(full,)).estimate
    assert not probe_progress.only_a_database_is_in_the_way(asked)
    text = words(probe_progress.asking_page(progress(findings=(full,))))
    assert "refused: /srv is full: make room" in text
    assert "It may not start." in text
