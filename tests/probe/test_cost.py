"""What is said before a probe starts holds for every job."""

import pytest

from fsadvisor.measure.probe import cost
from fsadvisor.measure.probe.cost import NOTHING, seconds_text
from fsadvisor.measure.probe.jobs import JOBS, Existing, Io, Metadata, Mix
from tests.cases import each

GIB = 1 << 30


@each("job", JOBS.values())
def test_no_job_takes_more_than_people_lend(job):
    one = cost.of(job, 20)
    assert one.room_bytes <= GIB
    assert one.written_bytes <= 17 * GIB
    assert one.least_seconds < one.most_seconds < 60
    assert one.writes is not isinstance(job.work, Existing)


@each("job", [it for it in JOBS.values() if isinstance(it.work, Io) and it.work.operation == "read"])
def test_a_read_writes_its_file_once_and_only_where_it_reads_written_blocks(job):
    assert cost.of(job, 20).written_bytes == (job.work.file_bytes if job.work.state == "written" else 0)


@each("job", [it for it in JOBS.values() if isinstance(it.work, Io) and it.work.pattern == "append"])
def test_a_file_that_grows_is_not_laid_out_before(job):
    assert cost.laid_out_bytes(job) == 0
    assert cost.of(job, 20).written_bytes == cost.measured_bytes(job)


@each("job", [it for it in JOBS.values() if isinstance(it.work, Metadata)])
def test_what_names_may_write_is_bounded_and_looking_at_them_writes_no_more(job):
    changes = job.work.operation in ("create", "unlink")
    assert bool(cost.measured_bytes(job)) is changes
    one = cost.of(job, 20)
    assert one.written_bytes == cost.measured_bytes(job) + (0 if changes else one.room_bytes)
    assert one.files == job.work.files + 1 + (job.work.threads if job.work.folders == "each" else 0)


@pytest.mark.parametrize("job", [it for it in JOBS.values() if isinstance(it.work, Mix)])
def test_a_servers_log_has_room_and_its_reads_are_no_writes(job):
    one = cost.of(job, 20)
    assert one.room_bytes > job.work.files * job.work.mean_file_bytes
    assert one.written_bytes < cost.measured_bytes(job)


def test_jobs_after_each_other_need_the_room_of_the_largest_and_the_time_of_all():
    first, second = (cost.of(JOBS[name], 20) for name in ("commit-fdatasync", "create-1"))
    both = cost.together((first, second))
    assert both.room_bytes == max(first.room_bytes, second.room_bytes)
    assert both.written_bytes == first.written_bytes + second.written_bytes
    assert both.most_seconds == first.most_seconds + second.most_seconds
    assert cost.together(()) == NOTHING


@each(("seconds", "words"), [(0, "0 s"), (0.2, "1 s"), (119.5, "2 min"), (121, "3 min"), (3600, "1 h 0 min")])
def test_seconds_are_rounded_up(seconds, words):
    assert seconds_text(seconds) == words
