"""Where there is little room files are smaller, and that is said wherever the figure is."""

import collections

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsadvisor.facts import Known, Unknown
from fsadvisor.measure import probe_session
from fsadvisor.measure.probe import cost, guard
from fsadvisor.measure.probe.jobs import JOBS, SUITES, Allocation, Io, Ladder
from fsadvisor.measure.probe.measure import Budget, events
from fsadvisor.measure.probe.target import Quota
from tests.cases import each
from tests.probe.places import GIB, GOOD, NOT_TOLD, ROOM, known, with_room
from tests.probe.played import HERE, Clock, Played, around, counted, synced

MIB = 1 << 20
SIZED = [job for job in JOBS.values() if isinstance(job.work, Io | Ladder)]


def roomy(megabytes):
    return with_room(size_bytes=2 * megabytes * MIB, available_bytes=megabytes * MIB)


@given(st.sampled_from(SIZED), st.integers(0, 4000))
def test_a_smaller_file_has_room_three_times_and_the_next_larger_one_would_not(job, megabytes):
    fitted = probe_session.fitted(job, roomy(megabytes))
    if fitted.small_file_bytes is None:
        assert fitted == job
        return
    assert cost.of(fitted, 20).room_bytes * guard.SPARE <= megabytes * MIB
    assert cost.of(fitted, 20).room_bytes * 2 * guard.SPARE > megabytes * MIB
    assert fitted.work.file_bytes % (fitted.work.streams if isinstance(fitted.work, Io) else 1) == 0


@each("job", JOBS.values())
def test_with_room_to_spare_a_job_stays_as_it_is(job):
    assert probe_session.fitted(job, GOOD) is job
    assert list(probe_session.findings([job])) == []


def test_the_quick_suite_needs_two_hundred_megabytes():
    here = roomy(200)
    jobs = [probe_session.fitted(JOBS[name], here) for name in SUITES["quick"]]
    whole = cost.together(cost.of(job, 10) for job in jobs)
    assert [it for it in guard.findings(whole, here) if it.level == "refused"] == []


def test_where_even_the_smallest_has_no_room_the_job_is_refused_as_it_is():
    job = JOBS["read-direct"]
    assert probe_session.fitted(job, roomy(100)) is job


def test_what_is_allocated_never_shrinks_because_its_size_is_the_question():
    job = JOBS["allocate"]
    assert isinstance(job.work, Allocation)
    assert probe_session.fitted(job, roomy(500)) is job


@pytest.mark.parametrize(
    "tight",
    [
        {"behind": known((replace(ROOM, available_bytes=150 * MIB),))},
        {"quota": known(Quota(bytes_left=150 * MIB, inodes_left=None))},
        {"memory_bytes": known(150 * MIB)},
    ],
)
def test_quota_memory_and_what_an_image_lies_on_count_as_room_too(tight):
    assert probe_session.fitted(JOBS["random-read-1"], replace(GOOD, **tight)).small_file_bytes == 32 * MIB


def test_room_that_cannot_be_told_makes_no_file_smaller_and_is_the_guards_to_judge():
    job = JOBS["random-read-1"]
    assert probe_session.fitted(job, replace(GOOD, room=NOT_TOLD)) is job
    assert isinstance(GOOD.memory_bytes, Unknown)
    assert isinstance(GOOD.room, Known)


def test_a_small_file_is_told_before_it_starts_and_with_its_figure_and_answers_another_question():
    job = probe_session.fitted(JOBS["commit-fdatasync"], roomy(100))
    (before,) = probe_session.findings([job])
    clock = Clock()
    *_, found = events(job, Played(clock, [synced(1000)]), HERE, around(clock), Budget(seconds=20.0))

    assert "commit-fdatasync 32 MiB" in before.says
    assert found.small_file_bytes == 32 * MIB
    assert "instead of 64 MiB" in found.remarks[-1]
    assert found.question != JOBS["commit-fdatasync"].question


def test_a_smaller_file_may_be_written_as_often_as_the_usual_one():
    for name in ("commit-fsync", "fsync-ladder", "random-write-1"):
        job = JOBS[name]
        assert cost.measured_bytes(probe_session.fitted(job, roomy(100))) == cost.measured_bytes(job)


def test_the_ladders_second_file_needs_room_too():
    one = cost.of(JOBS["fsync-ladder"], 20)
    assert (one.room_bytes, one.files) == (2 * JOBS["fsync-ladder"].work.file_bytes, 2)
    assert one.room_bytes < GIB


def test_windows_are_as_long_as_the_cost_says():
    job = JOBS["random-read-32"]
    session = Played(Clock(), [counted(1000)])
    collections.deque(events(job, session, HERE, around(session.clock), Budget(seconds=20.0)), maxlen=0)
    assert cost.of(job, 20).least_seconds == len(session.asked) * session.asked[0]
