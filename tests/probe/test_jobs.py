"""The table of jobs."""

import re
import tomllib

import pytest

from fsadvisor.measure.probe.jobs import JOBS, SUITES, Headline, Io, Metadata, Mix
from tests.cases import each
from tests.paths import FIXTURES

MIX_STEPS = {"delete", "create", "append", "fsync", "open", "read", "close", "log"}


every_job = each("job", JOBS.values())


class TestEveryJob:
    @every_job
    def test_is_typed_without_shift_and_fits_a_column(self, job):
        assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", job.id)
        assert len(job.id) <= 28

    @every_job
    def test_says_in_a_line_what_it_tells(self, job):
        assert 20 <= len(job.title) <= 90
        assert not job.title.endswith(".")

    @every_job
    def test_names_tables_that_exist(self, job):
        for table in job.tables:
            written = tomllib.loads((FIXTURES / "tables" / f"{table}.toml").read_text())
            assert written["id"] == table

    @every_job
    def test_syncs_where_its_figure_is_a_sync(self, job):
        if isinstance(job.work, Io):
            assert (job.headline is Headline.SYNC_US) == (job.work.sync != "none")

    @every_job
    def test_shares_its_file_out_in_whole_blocks(self, job):
        if isinstance(job.work, Io):
            assert job.work.file_bytes % (job.work.block_bytes * job.work.streams) == 0


def test_the_key_is_the_id():
    assert all(key == job.id for key, job in JOBS.items())


def test_no_two_jobs_answer_the_same_question():
    questions = [job.question for job in JOBS.values()]
    assert len(questions) == len(set(questions))


def test_no_two_jobs_do_the_same_io_for_different_figures():
    works = [job.work for job in JOBS.values() if isinstance(job.work, Io | Metadata)]
    assert len(works) == len(set(works))


@each("name", SUITES)
def test_a_suite_names_jobs_that_exist_once_each(name):
    assert set(SUITES[name]) <= set(JOBS)
    assert len(SUITES[name]) == len(set(SUITES[name]))


def test_every_suite_is_in_the_full_one():
    assert all(set(jobs) <= set(SUITES["full"]) for jobs in SUITES.values())


def test_mixes_take_known_steps_and_close_what_they_open():
    for job in JOBS.values():
        if isinstance(job.work, Mix):
            assert set(job.work.steps) <= MIX_STEPS
            opened = sum(step in ("create", "open") for step in job.work.steps)
            assert job.work.steps.count("close") == opened


@pytest.mark.parametrize("sync", ["fsync", "fdatasync", "dsync"])
@pytest.mark.parametrize("how", ["", "-append"])
def test_commits_are_timed_with_every_sync_over_and_at_the_end(sync, how):
    work = JOBS[f"commit-{sync}{how}"].work
    assert (work.sync, work.block_bytes, work.depth) == (sync, 4096, 1)
    assert (work.pattern == "append") == bool(how)
