"""The loop: when it stops, what does not count, and what is in the result."""

import collections

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from fsadvisor.measure.probe.disks import Way
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.probe.measure import Budget, WindowProgress, events
from fsadvisor.measure.probe.result import Result
from tests.probe.played import (
    COMMIT,
    HERE,
    LADDER,
    READ,
    WRITE,
    Clock,
    Played,
    around,
    counted,
    disks,
    synced,
    with_disks,
)

LEVEL = [100, 102, 98, 101, 99, 100, 103, 97, 100, 101]


def measured(job, windows, *, at_end=None, where=HERE, budget=None, **surroundings):
    clock = Clock()
    budget = budget or Budget(seconds=20)
    *_, result = events(job, Played(clock, windows, at_end), where, around(clock, **surroundings), budget)
    return result


def test_windows_that_agree_settle_after_six():
    found = measured(COMMIT, [synced(1000)])

    assert found.end == "settled"
    assert found.windows == found.figure.windows == 6
    assert found.figure.median == pytest.approx(1000, rel=0.01)
    assert found.figure.half_width == pytest.approx(0.03)
    assert found.error == ""
    assert found.remarks == ()


def test_on_a_disk_that_may_be_shared_the_interval_is_no_narrower_than_runs_there_are_apart():
    shared = structs.replace(HERE, shared=True)
    found = measured(COMMIT, [synced(us) for us in (990, 1000, 1010)] * 9, where=shared)

    assert (found.end, found.windows) == ("settled", 6)
    assert found.figure.half_width == pytest.approx(0.15)
    (remark,) = found.remarks
    assert remark.startswith("Runs minutes apart on a disk that may be shared were seen to differ by 15 %: ")


def test_after_each_window_the_interval_is_the_one_that_would_be_told_then():
    clock, shared = Clock(), structs.replace(HERE, shared=True)
    *seen, result = events(COMMIT, Played(clock, [synced(1000)]), shared, around(clock), Budget(seconds=10))

    assert [event.figure.half_width for event in seen[-2:]] == [pytest.approx(1.0), pytest.approx(0.15)]
    assert seen[-1].figure == result.figure


def test_windows_that_do_not_agree_are_told_beside_a_wider_interval():
    append = structs.replace(COMMIT, work=structs.replace(COMMIT.work, pattern="append"))
    found = measured(append, [synced(us) for us in (900, 1100)] * 40, where=structs.replace(HERE, shared=True))

    assert found.end == "budget"
    assert found.figure.half_width == pytest.approx(0.33)
    assert any(it.startswith("It did not settle: by its windows alone the interval is ± ") for it in found.remarks)
    assert any("differ by 33 %" in it for it in found.remarks)


def test_the_result_says_what_where_when_and_by_whom():
    found = measured(COMMIT, [synced(1000)])

    assert (found.job, found.target, found.mount, found.engine) == ("commit", "/srv/data", "/srv", "a script")
    assert found.when == "2026-11-21T12:00:00+00:00"
    assert found.headline == "SYNC_US"
    assert found.question == COMMIT.question
    assert found.depends == {"kernel": "6.12"}
    assert found.seconds == pytest.approx(6 * 0.5)


def test_windows_far_apart_take_the_whole_budget_and_it_is_said_how_sure_that_is():
    found = measured(READ, [counted(rate) for rate in (1000, 2000, 1500, 900, 2200, 1300, 1900, 1100)] * 10)

    assert found.end == "budget"
    assert 19 < found.seconds <= 20
    assert found.figure.half_width > 0.05
    assert any("It did not settle: the interval is" in it for it in found.remarks)


def test_no_window_is_begun_that_would_probably_end_after_the_last_second():
    rates = [1000, 2000, 1500, 900, 2200, 1300, 1900, 1100]
    assert measured(READ, [counted(rate) for rate in rates], budget=Budget(seconds=4.7)).windows == 7
    assert measured(READ, [counted(rate) for rate in rates], budget=Budget(seconds=4.9)).windows == 8


def test_where_an_interval_wants_another_window_it_is_begun_while_there_is_a_second_left():
    found = measured(READ, [counted(rate) for rate in (1000, 2000, 1500, 900, 2200, 1300)], budget=Budget(seconds=3.1))

    assert (found.windows, found.seconds) == (6, pytest.approx(3.6))
    assert found.figure.low > 0


def test_a_budget_of_bytes_ends_it_too():
    windows = [counted(rate) for rate in (1000, 2000, 1500)] * 10
    found = measured(WRITE, windows, budget=Budget(written_bytes=4 * 1000 * 4096))

    assert found.end == "budget"
    assert found.windows == 5  # a sixth could be as large as the second, and go beyond it
    assert found.asked_bytes == sum(window.asked_bytes for window in windows[:5]) <= 4 * 1000 * 4096
    assert measured(READ, windows, budget=Budget(seconds=10, written_bytes=1)).windows > 6


def test_what_names_write_ends_it_too():
    window = structs.replace(counted(1000), asked_bytes=0, beside_bytes=1 << 20)
    found = measured(JOBS["create-1"], [window] * 30, budget=Budget(width=0.0001, written_bytes=10 << 20))
    assert (found.end, found.windows) == ("budget", 10)


def test_too_few_windows_are_said_to_be_too_few():
    found = measured(READ, [counted(1000, disks=disks())], budget=Budget(seconds=1))

    assert found.end == "budget"
    assert found.windows == 2
    assert found.remarks == ("Only 2 windows count, and 6 are the fewest that a 95 % interval can be told from.",)


def test_an_engine_that_fails_leaves_what_was_measured_before():
    found = measured(COMMIT, [synced(1000), synced(1100)], at_end="no space left on device")

    assert (found.end, found.error) == ("failed", "no space left on device")
    assert found.figure.windows == 2


def test_an_engine_that_fails_at_once_leaves_no_figure():
    found = measured(COMMIT, [], at_end="the disk reports an error")

    assert (found.end, found.error, found.figure) == ("failed", "the disk reports an error", None)
    assert found.percentiles_us == found.parts_us == {}
    assert found.histogram_us == ()


def test_who_cancels_gets_what_there_is():
    answers = iter([False, False, True])
    found = measured(COMMIT, [synced(1000)], cancelled=lambda: next(answers))

    assert found.end == "cancelled"
    assert found.windows == 2


def test_each_window_is_told_as_it_ends_and_the_result_comes_last():
    clock = Clock()
    seen = list(events(COMMIT, Played(clock, [synced(1000)]), HERE, around(clock), Budget(seconds=10)))

    assert [type(event) for event in seen] == [WindowProgress] * 6 + [Result]
    assert [event.counted for event in seen[:-1]] == [1, 2, 3, 4, 5, 6]
    assert seen[1].seconds == pytest.approx(1.0)
    assert seen[1].seconds_left == pytest.approx(9.0)
    assert seen[1].figure.median == pytest.approx(1000, rel=0.01)


def test_windows_are_asked_for_as_long_as_the_budget_says():
    clock = Clock()
    session = Played(clock, [synced(1000)])
    collections.deque(events(COMMIT, session, HERE, around(clock), Budget(window_seconds=0.25)), maxlen=0)

    assert set(session.asked) == {0.25}


def test_a_slow_first_window_is_left_out_of_the_figure_and_named():
    found = measured(READ, [counted(rate * 10, disks=disks()) for rate in (10, *LEVEL)])

    assert found.end == "settled"
    assert found.figure.low > 900
    assert found.figure.windows == found.windows - 1
    assert found.remarks == ("The first window is left out: 10.0 times slower than the rest.",)


def test_another_writer_on_the_disk_voids_the_window():
    foreign = with_disks(synced(3000), written_bytes=400 * 4096 * 2 + (40 << 20))
    found = measured(COMMIT, [synced(1000), synced(1000), synced(1000), foreign, *[synced(1000)] * 5])

    assert found.end == "settled"
    assert found.windows == 7
    assert found.voids == ("window 4: another writer: the disks wrote 43.1 MiB where 1.6 MiB were asked",)
    assert found.figure.high < 1100
    assert found.amplification == pytest.approx(1.3, rel=0.01)


def test_the_first_windows_are_judged_by_those_that_follow():
    foreign = with_disks(synced(1000), written_bytes=400 * 4096 * 10)
    found = measured(COMMIT, [foreign, *[synced(1000)] * 9])

    assert len(found.voids) == 1
    assert found.voids[0].startswith("window 1: another writer")


def test_a_filesystem_that_writes_forty_times_as_much_is_no_other_writer():
    found = measured(COMMIT, [synced(1000, wrote=40)])

    assert found.voids == ()
    assert found.amplification == pytest.approx(40, rel=0.01)


def test_a_writer_beside_a_job_that_reads_voids_its_window():
    busy = counted(1000, disks=disks(written_bytes=30 << 20, read_bytes=500 * 4096))
    quiet = counted(1000, disks=disks(read_bytes=500 * 4096))
    found = measured(READ, [quiet, busy, *[quiet] * 9])

    assert found.voids == ("window 2: another writer: the disks wrote 30.0 MiB while the job only read",)


def test_a_reader_beside_a_job_that_writes_voids_its_window():
    found = measured(COMMIT, [with_disks(synced(1000), read_bytes=64 << 20), *[synced(1000)] * 9])

    assert found.voids == ("window 1: another reader: the disks read 64.0 MiB while the job wrote",)


def test_an_engine_that_stalled_or_did_nothing_voids_the_window():
    stalled, nothing = synced(1000, seconds=9.0), synced(1000, sync_ns={}, operations=0, asked_bytes=0)
    found = measured(COMMIT, [*[synced(1000)] * 3, stalled, nothing, *[synced(1000)] * 9])

    assert found.voids == (
        "window 4: it took 9.0 s where others took 0.4 s",
        "window 5: no operation ended in it",
    )


def test_what_the_engine_itself_calls_void_is_void():
    found = measured(COMMIT, [synced(1, void="it was paused"), *[synced(1000)] * 9])

    assert found.voids == ("window 1: it was paused",)
    assert found.figure.low > 900


def test_where_most_windows_do_not_count_there_is_no_use_in_going_on():
    found = measured(COMMIT, [synced(1000, void="another writer")])

    assert found.end == "failed"
    assert found.error == "8 of 8 windows do not count, such as: another writer"
    assert found.figure is None


def test_a_budget_that_ends_with_void_windows_alone_is_a_failure():
    found = measured(COMMIT, [synced(1000, void="another writer")], budget=Budget(seconds=1))

    assert (found.end, found.error) == ("failed", "2 of 2 windows do not count, such as: another writer")


def test_the_ladder_s_steps_become_figures():
    windows = [
        synced(1000 + off, parts_us={"data": 300 + off, "journal": 340, "flush": 360}) for off in (-2, -1, 0, 1, 2, 3)
    ]
    found = measured(LADDER, windows)

    assert found.end == "settled"
    assert {name: round(part.median) for name, part in found.parts_us.items()} == {
        "data": 300,
        "journal": 340,
        "flush": 360,
    }
    assert found.parts_us["flush"].half_width == pytest.approx(0.03)


def test_steps_that_are_not_settled_keep_the_ladder_going():
    windows = [synced(1000, parts_us={"flush": flush}) for flush in (100, 900, 400, 700, 200, 600)] * 10

    assert measured(LADDER, windows).end == "budget"


def test_processor_time_flushes_and_percentiles_are_those_of_the_windows_that_count():
    window = synced(1000, user_cpu_seconds=0.04, system_cpu_seconds=0.1)
    found = measured(COMMIT, [structs.replace(window, void="x"), *[window] * 9])

    assert found.user_cpu_percent == pytest.approx(10)
    assert found.system_cpu_percent == pytest.approx(25)
    assert found.flushes_per_operation == 2
    assert found.percentiles_us["p99"] == pytest.approx(1000, rel=0.02)
    assert found.histogram_us == ((1000.0, 6 * 400),)


def test_without_the_disks_there_is_neither_amplification_nor_flushes():
    found = measured(COMMIT, [synced(1000, disks=None)])

    assert found.amplification is None
    assert found.flushes_per_operation is None
    assert found.voids == ()


def test_flushes_are_told_with_the_devices_that_counted_them():
    way = Way(leaves=("vda",), flushed=("loop8",), top=("loop8",))
    window = with_disks(synced(1000), flushes=1200, sent_flushes=400)
    found = measured(COMMIT, [window] * 9, where=structs.replace(HERE, way=way))
    assert (found.flushes_per_operation, found.flushes_at) == (1, ("loop8",))
    assert (found.disk_flushes_per_operation, found.disks) == (3, ("vda",))


def test_where_the_disks_are_the_nearest_their_flushes_are_told_once():
    found = measured(COMMIT, [synced(1000)] * 9, where=structs.replace(HERE, way=Way.straight_to("vda")))
    assert (found.flushes_at, found.disks, found.disk_flushes_per_operation) == (("vda",), ("vda",), None)


def test_a_disk_that_counts_no_flushes_is_not_said_to_have_had_none():
    silent = with_disks(synced(1000), flushes=None, flush_us=None, sent_flushes=None)
    way = Way(leaves=("pmem0",), flushed=None, top=("pmem0",), silent=("pmem0",))
    found = measured(COMMIT, [silent] * 9, where=structs.replace(HERE, way=way))
    assert (found.flushes_per_operation, found.flushes_at, found.believable) == (None, (), True)


def test_an_old_kernel_that_counts_no_flushes_leaves_them_open():
    found = measured(COMMIT, [with_disks(synced(1000), flushes=None, flush_us=None, sent_flushes=None)])

    assert found.flushes_per_operation is None
    assert found.remarks == ()


def test_a_figure_that_cannot_be_is_kept_and_not_believed():
    found = measured(COMMIT, [synced(1000, flushes=0)])

    assert found.figure is not None
    assert not found.believable
    assert found.remarks[0].startswith("Not durable")
    assert measured(COMMIT, [synced(1000)]).believable


def test_pressure_beside_it_is_told_and_a_crowded_processor_remarked():
    counters = iter([{"cpu": 0, "io": 10}, {"cpu": 1_500_000, "io": 2_700_010}])
    found = measured(COMMIT, [synced(1000)], waited_us=lambda: next(counters))

    assert found.pressure_percent == pytest.approx({"cpu": 50, "io": 90})
    assert found.remarks == (
        "Programs waited for the processor in 50 % of the time: a quieter hour may tell otherwise.",
    )


def test_what_the_hypervisor_took_away_is_told_and_much_of_it_remarked():
    some, much = (iter([{"stolen": 7}, {"stolen": 7 + us}]) for us in (90_000, 660_000))

    assert measured(COMMIT, [synced(1000)], waited_us=lambda: next(some)).remarks == ()
    assert measured(COMMIT, [synced(1000)], waited_us=lambda: next(much)).remarks == (
        "The hypervisor ran others in 22 % of the processors' time: a quieter hour may tell otherwise.",
    )


@given(
    st.lists(st.floats(min_value=10, max_value=1e5), min_size=1, max_size=30), st.floats(min_value=0.5, max_value=20)
)
def test_whatever_the_windows_it_ends_and_says_how(rates, seconds):
    found = measured(READ, [counted(rate) for rate in rates], budget=Budget(seconds=seconds))

    assert found.end in ("settled", "budget", "failed")
    assert found.seconds <= seconds + 0.6
    if found.end == "settled":
        assert found.figure.half_width <= 0.05
        assert found.figure.windows >= 6


def test_where_the_disks_are_not_seen_it_is_said_that_others_would_not_be_seen_either():
    assert "Whether others used the disks meanwhile" in measured(COMMIT, [synced(1000, disks=None)]).remarks[0]
    assert measured(COMMIT, [synced(1000)]).remarks == ()


def test_an_interval_wider_than_the_figure_is_told_by_no_number():
    found = measured(
        READ, [counted(rate) for rate in (10, 10, 10, 90_000, 10, 10, 90_000, 10)], budget=Budget(seconds=4.5)
    )

    assert found.figure.half_width > 1
    assert [it for it in found.remarks if "did not settle" in it] == [
        "It did not settle: the interval is ± > 100 %, where ± 5 % was wanted."
    ]


def test_processor_time_that_the_engine_does_not_tell_is_not_none_at_all():
    found = measured(COMMIT, [synced(1000, user_cpu_seconds=None, system_cpu_seconds=0.1)])

    assert found.user_cpu_percent is None
    assert found.system_cpu_percent > 0


def test_a_writer_beside_files_that_are_read_voids_the_window():
    job = JOBS["read-files"]
    wrote = [counted(1000, disks=disks(written_bytes=64 << 20)), *[counted(1000, disks=disks())] * 7]
    assert "another writer" in measured(job, wrote).voids[0]
