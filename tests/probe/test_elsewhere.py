"""Rows of published tables that speak of the like: with their conditions, and nothing said of which is better."""

from msgspec import structs

from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.report.yardsticks import elsewhere
from fsadvisor.rulebook.tables import errata
from tests.cases import each
from tests.probe.test_store import ONE


def rows(job, filesystem="ext4"):
    result = structs.replace(ONE, job=job, depends={"mount.fs_type": filesystem})
    return elsewhere(JOBS[job], result)


def of(table_name, found):
    return [row.says for row in found if row.table == table_name]


def test_a_commit_is_held_against_writes_with_fsync_on_the_same_filesystem():
    found = of("000-device-paths", rows("commit-fsync"))

    assert [says.partition(":")[0] for says in found] == [
        "raw device, scenario write and fsync",
        "ext4, mount defaults, scenario write and fsync",
        "ext4, mount data=writeback,noatime,nobarrier,commit=60, scenario write and fsync",
    ]
    assert found[1].endswith("queue depth 1, rate 5,200 operations/s, throughput 20.3 MB/s, 99th percentile 9,100 µs")


def test_a_row_comes_with_its_conditions_and_with_what_is_wrong_with_it():
    found = next(row for row in rows("create-1") if row.table == "000-device-paths")

    assert found.conditions.startswith("a chapter on filesystem overhead (2026); kernel 6.5; Samsung PM9A3")
    assert "E26" in found.errata
    assert found.basis == "measured"


def test_files_made_are_held_against_files_made():
    assert all("create files" in says for says in of("000-device-paths", rows("create-1", "xfs")))
    assert len(of("000-device-paths", rows("create-1", "xfs"))) == 1


def test_of_a_table_of_reads_and_writes_a_reader_sees_the_reads():
    assert of("002-dd", rows("read-direct", "xfs")) == ["XFS: read 1.5 GB/s, CPU reading 8 %"]
    assert of("002-dd", rows("write-direct", "btrfs")) == ["Btrfs: write 2.2 GB/s, CPU writing 29 %"]


def test_a_table_of_servers_is_told_in_the_column_of_the_job_s_own():
    assert of("001-inversions", rows("mail")) == ["Ext4, mail server XFS, Btrfs"]
    assert of("001-inversions", rows("web", "f2fs")) == ["F2FS, web server Btrfs, Nilfs2"]


def test_the_ladder_is_held_against_the_chart_of_the_same_filesystem():
    found = of("000-fsync", rows("fsync-ladder"))

    assert len(found) == 4
    assert all(says.startswith("ext4") for says in found)


@each("filesystem", ["ext4", "xfs", "btrfs", "tmpfs", ""])
def test_whatever_the_job_rows_are_of_its_tables_and_errata_are_there(filesystem):
    for job in JOBS:
        for row in rows(job, filesystem):
            assert row.table in JOBS[job].tables, job
            assert set(row.errata) <= set(errata()), job
            assert row.says, job
