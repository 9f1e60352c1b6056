"""Probes whose disk begins to fail, or is pulled, while they measure: what they say, and what they leave behind."""

import re
from pathlib import Path

import pytest

from fsadvisor.machine.kept_files import PROBES
from fsadvisor.measure.probe import store
from tests.lab.probing import Probe, counted, running, settings
from tests.lab.scenario import PCI, disks, run, settle, wait_for
from tools.lab.devices import DEVICES

pytestmark = [pytest.mark.lab, pytest.mark.thorough]

POINT = "/srv/lab/data"
COMMIT_FILE = 64 << 20
NOT_MEASURED, REFUSED = 3, 2
MKFS = {"ext4": ["-E", "lazy_itable_init=0,lazy_journal_init=0"], "xfs": [], "btrfs": []}
IN_WORDS = re.compile(
    rf"while [a-z ]+ {POINT}[^:]*: (the disk reported an error; look into the kernel's log \(EIO\)"
    r"|the filesystem is read-only, or has become so \(EROFS\)|the device is gone \((ENXIO|ENODEV)\))"
)


class Flaky:
    """A mapped device over a disk, that can be told to fail and to be well again."""

    name = "lab-flaky"
    path = f"/dev/mapper/{name}"

    def __init__(self, scenario, disk):
        self._disk = f"/dev/{disk}"
        self._sectors = int(run("blockdev", "--getsz", self._disk))
        run("modprobe", "dm-flakey")
        run("dmsetup", "create", self.name, "--table", self._table("linear", "0"))
        scenario.undo(run, "dmsetup", "remove", "--retry", self.name)

    def _table(self, kind, rest):
        return f"0 {self._sectors} {kind} {self._disk} {rest}"

    def _become(self, kind, rest):
        run("dmsetup", "suspend", "--noflush", "--nolockfs", self.name)
        run("dmsetup", "load", self.name, "--table", self._table(kind, rest))
        run("dmsetup", "resume", self.name)

    def fail(self, features):
        """From now on the up interval is over: every write fails, or without a feature reads, too."""
        self._become("flakey", f"0 0 3600 {features}")

    def heal(self):
        """Be a disk again."""
        self._become("linear", "0")


@pytest.fixture
def large(scenario):
    """The kernel name of a disk of 3 GB, on a SAS adapter."""
    return scenario.attach("sas-ssd")[0]


def assert_told(said, job):
    """The first job: one line that says what happened and where; an exit status that says that it was not measured."""
    assert said.status == NOT_MEASURED, said.out + said.err
    assert "Traceback" not in said.out + said.err
    lines = [line for line in said.err.splitlines() if f" {job}: " in line]
    assert len(lines) == 1, said.err
    result = said.results[job]
    assert result["end"] == "failed"
    assert IN_WORDS.fullmatch(result["error"]), result["error"]
    assert lines[0].endswith(result["error"])


def assert_nothing_kept():
    """No result of the mount that a later audit could take for a whole one."""
    assert [one for one in store.read(Path(PROBES)).results if one.mount == POINT] == []


def assert_nothing_left_on(device):
    """Nothing but what the filesystem itself and the scenario made, once it is mounted anew.

    Where syncs took a named file to be timed, Btrfs's log brings it back: that it was taken away could not be written
    any more. The next probe takes the tree away.
    """
    run("mount", device, POINT)
    if any(name.startswith(".fsadvisor-scratch-") for name in run("ls", "-A", POINT).split()):
        Probe("--no-keep", "--seconds", "1", "commit-fsync", POINT).ended()
    assert set(run("ls", "-A", POINT).split()) <= {"lost+found", "given"}
    blocks = int(run("du", "-sk", POINT).split()[0])
    used = int(run("df", "-k", "--output=used", POINT).split()[1])
    return blocks, used


def again(job, *words):
    """Another probe, on a machine whose disk has failed."""
    said = Probe(*words, job, POINT).ended()
    assert said.status in (REFUSED, NOT_MEASURED), said.out + said.err
    assert "Traceback" not in said.out + said.err
    assert "fsadvisor: " in said.err
    return said


def story(scenario, claim, said, refused):
    """For the lab's tables, and for whoever reads the results."""
    scenario.tell(
        claim=claim,
        said={job: (one["end"], one["error"]) for job, one in said.results.items()},
        stderr=said.err,
        seconds=round(said.seconds, 1),
        then=refused and (refused.status, refused.err),
    )


@pytest.mark.parametrize(
    ("kind", "job"),
    [
        ("ext4", "fsync-ladder"),
        ("xfs", "commit-fdatasync"),
        ("btrfs", "fsync-ladder"),
        ("btrfs", "commit-fsync-append"),
    ],
)
def test_writes_that_begin_to_fail_in_the_middle(scenario, large, kind, job):
    """a disk that fails every write from some moment on, while a probe measures commits"""
    flaky = Flaky(scenario, large)
    scenario.format(kind, flaky.path, *MKFS[kind])
    scenario.mount(flaky.path, "data")
    before, others = settings(large, "dm-0"), running()
    written = counted("dm-0")[1]
    probe = Probe("--seconds", "100", "--width", "0.1", job, "create-1", POINT)
    laid_out = 0 if job.endswith("append") else COMMIT_FILE
    probe.wait_for_work("dm-0", writes=written + laid_out + (2 << 20))

    flaky.fail("1 error_writes")
    said = probe.ended()

    assert_told(said, job)
    assert said.results["create-1"]["end"] == "failed"
    assert_nothing_kept()
    assert running() == others
    assert settings(large, "dm-0") == before
    scenario.audit()
    refused = again(job)
    story(scenario, f"{kind}, {job}", said, refused)
    flaky.heal()
    run("umount", POINT)
    assert_nothing_left_on(flaky.path)


@pytest.mark.parametrize("job", ["random-read-1", "read-files"])
def test_reads_that_begin_to_fail_in_the_middle(scenario, large, job):
    """a disk that fails every request from some moment on, while a probe reads"""
    flaky = Flaky(scenario, large)
    scenario.format("xfs", flaky.path)
    scenario.mount(flaky.path, "data")
    given = Path(POINT) / "given"
    run("dd", "if=/dev/urandom", f"of={given}", "bs=1M", "count=16", "conv=fsync")
    before, others = settings(large, "dm-0"), running()
    read = counted("dm-0")[0]
    target = str(given) if job == "read-files" else POINT
    probe = Probe("--seconds", "100", "--width", "0.1", job, target)
    probe.wait_for_work("dm-0", reads=read + (4 << 20))

    flaky.fail("0")
    said = probe.ended()

    assert_told(said, job)
    assert_nothing_kept()
    assert running() == others
    assert settings(large, "dm-0") == before
    scenario.audit()
    story(scenario, f"xfs, {job}", said, again("random-read-1"))
    flaky.heal()
    run("umount", POINT)
    assert_nothing_left_on(flaky.path)


def test_a_metadata_probe_whose_disk_fails_leaves_a_tree_that_the_next_one_takes_away(scenario, large):
    """a disk that fails every write from some moment on, while a probe makes files with names"""
    flaky = Flaky(scenario, large)
    scenario.format("ext4", flaky.path, *MKFS["ext4"])
    scenario.mount(flaky.path, "data", "commit=1")
    others = running()
    probe = Probe("--seconds", "100", "--width", "0.1", "create-1", POINT)
    wait_for("files with names", lambda: probe.still_runs() and list(Path(POINT).glob(".fsadvisor-scratch-*/w*")))
    written = counted("dm-0")[1]
    probe.wait_for_work("dm-0", writes=written)

    flaky.fail("1 error_writes")
    said = probe.ended()

    assert_told(said, "create-1")
    remarks = " ".join(said.results["create-1"]["remarks"])
    assert "could not be taken away: Read-only file system; the next probe there tries again" in remarks
    assert_nothing_kept()
    assert running() == others
    scenario.audit()
    flaky.heal()
    run("umount", POINT)
    run("e2fsck", "-fy", flaky.path, check=False)
    run("mount", flaky.path, POINT)
    left = sorted(run("ls", "-A", POINT).split())
    next_one = Probe("--no-keep", "--seconds", "1", "create-1", POINT).ended()
    scenario.tell(claim=f"left: {left}", stderr=said.err, next=next_one.err, status=next_one.status)
    assert run("ls", "-A", POINT).split() == ["lost+found"]


def pull_scsi(disk, _name):
    """Take a disk out of its shelf; returns how it comes back."""
    host = Path(f"/sys/block/{disk}/device").resolve()
    (adapter,) = [part for part in host.parts if re.fullmatch(r"host\d+", part)]
    Path(f"/sys/block/{disk}/device/delete").write_text("1")
    return lambda: Path(f"/sys/class/scsi_host/{adapter}/scan").write_text("- - -")


def pull_nvme(_disk, name):
    """Take a drive off the bus; returns how it comes back."""
    address, driver = DEVICES[name].address, DEVICES[name].driver
    (PCI / "devices" / address / "remove").write_text("1")

    def back():
        (PCI / "rescan").write_text("1")
        wait_for("the drive at its driver", (PCI / "drivers" / driver / address).exists)

    return back


@pytest.mark.parametrize(
    ("name", "pull", "kind", "job"),
    [
        ("sas-hdd", pull_scsi, "ext4", "fsync-ladder"),
        ("sas-hdd", pull_scsi, "xfs", "commit-fdatasync"),
        ("nvme", pull_nvme, "xfs", "fsync-ladder"),
        ("nvme", pull_nvme, "btrfs", "commit-fdatasync"),
    ],
)
def test_a_disk_that_is_pulled_in_the_middle(scenario, name, pull, kind, job):
    """a SAS disk and an NVMe drive that are taken out while a probe measures commits"""
    nothing = disks()
    disk = scenario.attach(name)[0]
    scenario.format(kind, f"/dev/{disk}", *MKFS[kind])
    scenario.mount(f"/dev/{disk}", "data")
    before, others = settings(), running()
    written = counted(disk)[1]
    probe = Probe("--seconds", "100", "--width", "0.1", job, "create-1", POINT)
    probe.wait_for_work(disk, writes=written + COMMIT_FILE + (2 << 20))
    there = disks()

    back = pull(disk, name)
    said = probe.ended()

    assert_told(said, job)
    assert said.results["create-1"]["end"] == "failed"
    assert_nothing_kept()
    assert running() == others
    assert settings() == before
    scenario.audit()
    refused = again(job)
    story(scenario, f"{name}, {kind}, {job}", said, refused)
    run("umount", POINT)
    wait_for("the disk gone", lambda: len(disks()) < len(there))
    left = disks()
    back()
    wait_for("the disk back", lambda: disks() - left)
    settle()
    (found,) = disks() - left
    assert found not in nothing
    assert_nothing_left_on(f"/dev/{found}")
