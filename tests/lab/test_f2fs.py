"""F2FS: against findmnt, dump.f2fs and sysfs."""

import re

import pytest

from tests.lab.marks import thorough
from tests.lab.report import Unknown
from tests.lab.scenario import ToolError, run

pytestmark = pytest.mark.lab

POINT = "/srv/lab/data"


@pytest.fixture
def disk(scenario):
    """The device of an NVMe drive with a volatile cache."""
    return f"/dev/{scenario.attach('nvme')[0]}"


@pytest.fixture
def made(scenario, disk):
    """Format, mount, audit; the report, and the facts of the filesystem."""

    def make(options="defaults", *words):
        scenario.format("f2fs", disk, *words)
        scenario.mount(disk, "data", options)
        report = scenario.audit()
        return report, report.facts(f"filesystem:{disk}")

    return make


def run_works(*argv):
    """Whether a command succeeds."""
    try:
        run(*argv)
    except ToolError:
        return False
    return True


def shown(scenario):
    """The options of the superblock."""
    return scenario.second("findmnt", "-no", "FS-OPTIONS", "--mountpoint", POINT).strip().split(",")


@pytest.mark.thorough
def test_an_f2fs_as_it_comes(scenario, made, disk):
    """F2FS as mkfs and mount make it, on NVMe"""
    report, facts = made("defaults", "-l", "songs")

    assert list(facts["filesystem.options"]) == shown(scenario)
    assert facts["filesystem.barriers"] is True
    assert facts["filesystem.checkpoints"] is True
    assert facts["filesystem.online_discard"] == "async"
    assert "discard" in shown(scenario)
    dumped = scenario.second("dump.f2fs", "-d", "1", disk)
    assert facts["filesystem.label"] == re.search(r"volum_name\s+\[(.*)\]", dumped).group(1) == "songs"
    blocks = int(re.search(r"\nblock_count\s+\[.*: (\d+)\]", dumped).group(1))
    first = int(re.search(r"\nsegment0_blkaddr\s+\[.*: (\d+)\]", dumped).group(1))
    assert facts["filesystem.size_bytes"] == (blocks - first) * 4096
    assert facts["filesystem.devices"] == [disk.removeprefix("/dev/")]
    assert not {rule for rule, at in report.advice() if at == f"filesystem:{disk}"}


@pytest.mark.kernels
@pytest.mark.parametrize("option", ["nobarrier", thorough("fsync_mode=nobarrier")])
def test_an_f2fs_that_does_not_flush(scenario, made, disk, option):
    """F2FS with nobarrier, and with fsync_mode=nobarrier"""
    report, facts = made(option)
    at = f"filesystem:{disk}"

    assert option in shown(scenario)
    assert facts["filesystem.barriers"] is False
    verdict = report.verdict("nobarrier-unproven", at)
    assert verdict["verdict"] == "advise"
    assert verdict["remedy"]["now"] == []
    assert "fsync_mode=posix" in verdict["remedy"]["advice"]
    if option == "nobarrier":
        scenario.keep("lab-f2fs-nobarrier")
        newer = tuple(map(int, scenario.second("uname", "-r").split(".")[:2])) >= (6, 12)
        assert run_works("mount", "-o", "remount,barrier", POINT) is newer
        assert scenario.audit().fact(at, "filesystem.barriers") is newer
    else:
        run("mount", "-o", "remount,fsync_mode=posix", POINT)
        assert scenario.audit().outcome("nobarrier-unproven", at) != "advise"


def test_an_f2fs_without_checkpoints(scenario, made, disk):
    """F2FS with checkpoint=disable"""
    report, facts = made("checkpoint=disable:10%,nodiscard")
    at = f"filesystem:{disk}"

    assert facts["filesystem.checkpoints"] is False
    assert facts["filesystem.online_discard"] == "none"
    assert any(option.startswith("checkpoint=disable:") for option in shown(scenario))
    assert ("f2fs-without-checkpoints", at) in report.advice()
    run("mount", "-o", "remount,checkpoint=enable", POINT)
    assert scenario.audit().outcome("f2fs-without-checkpoints", at) != "advise"


@pytest.mark.thorough
def test_an_f2fs_on_two_devices_does_not_pass_for_one(scenario, made, disk):
    """F2FS on NVMe and a hard disk, of which the kernel names the first only"""
    second = f"/dev/{scenario.attach('shelf')[0]}"
    report, facts = made("nobarrier", "-c", second)

    dumped = scenario.second("dump.f2fs", "-d", "1", disk)
    assert second in dumped
    assert isinstance(facts["filesystem.devices"], Unknown)
    assert isinstance(facts["filesystem.device_count"], Unknown)
    assert report.outcome("nobarrier-unproven", f"filesystem:{disk}") == "advise"
    assert isinstance(report.fact(f"filesystem:{disk}", "below.disks"), Unknown)
