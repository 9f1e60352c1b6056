"""Mounts as configured: fstab lines that would not boot, options that differ, mount units."""

import pytest

from tests.lab.marks import thorough
from tests.lab.scenario import ToolError, run

pytestmark = pytest.mark.lab

POINT = "/srv/lab/data"


@pytest.fixture
def disk(scenario):
    """The device of an NVMe drive."""
    return f"/dev/{scenario.attach('nvme')[0]}"


def refused(scenario, disk, options):
    """Whether a mount with the options fails; afterwards it is mounted as before."""
    run("umount", POINT)
    try:
        scenario.second("mount", "-o", options, disk, POINT)
    except ToolError:
        run("mount", disk, POINT)
        return True
    return False


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("kind", "words", "rules"),
    [
        (
            "ext4",
            ("-O", "^has_journal"),
            {
                "commit=60": "ext4-journal-option-refused",
                "commit=5": None,
                "data=ordered": "ext4-journal-option-refused",
                "noatime": None,
            },
        ),
        thorough(
            "ext4",
            (),
            {
                "journal_async_commit": "ext4-async-commit-refused",
                "noacl": "ext4-removed-option",
                "nouser_xattr": "ext4-removed-option",
                "data=writeback": None,
                "nobh,oldalloc": None,
            },
        ),
    ],
)
def test_a_line_that_ext4_refuses_is_told_before_the_boot(scenario, disk, kind, words, rules):
    """ext4 that runs, with options in fstab that a mount may refuse, one after another"""
    scenario.format(kind, disk, *words)
    scenario.mount(disk, "data")
    known = {rule for rule in rules.values() if rule}
    for options, rule in rules.items():
        scenario.write("/etc/fstab", f"{disk} {POINT} {kind} {options} 0 0\n")
        assert refused(scenario, disk, options) is (rule is not None), options
        advised = {name for name, at in scenario.audit().advice() if at == f"mount:{POINT}"}
        assert advised & known == ({rule} if rule else set()), options


def test_an_fstab_of_mounts_that_are_not_there(scenario, disk):
    """fstab with an XFS nobarrier, a missing UUID, and options that differ from the running mount's"""
    scenario.format("ext4", disk)
    scenario.mount(disk, "data", "noatime,commit=30")
    uuid = run("blkid", "-o", "value", "-s", "UUID", disk).strip()
    lines = [
        f"UUID={uuid} {POINT} ext4 defaults,relatime,commit=60,barrier=1,nofail,x-systemd.device-timeout=5 0 2",
        "UUID=11111111-2222-3333-4444-555555555555 /srv/gone xfs nobarrier,logbsize=256k 0 0",
        "/dev/vdz1 /srv/odd f2fs background_gc=sometimes,nofail 0 0",
        f"{disk} none swap sw 0 0",
        "tmpfs /srv/lab/memory tmpfs size=64m 0 0",
    ]
    scenario.write("/etc/fstab", "\n".join(lines) + "\n")

    report = scenario.audit()

    wanted = scenario.second("findmnt", "--fstab", "--raw", "-no", "TARGET,FSTYPE,OPTIONS").splitlines()
    for line in wanted:
        target, kind, options = line.split(" ")
        if kind != "swap":
            facts = report.facts(f"mount:{target}")
            assert facts["mount.configured"] is True
            assert facts["mount.fs_type"] == kind
            assert facts["mount.configured_options"] == options.split(",")
    assert report.fact(f"mount:{POINT}", "mount.options_not_in_force") == ["relatime", "commit=60"]
    assert report.fact(f"mount:{POINT}", "mount.configured_in") == "/etc/fstab:1"
    assert report.fact("mount:/srv/gone", "mount.mounted") is False
    assert ("xfs-barrier-option", "mount:/srv/gone") in report.advice()
    verified = scenario.second("findmnt", "--verify", check=False)
    assert "unreachable" in verified
    scenario.keep("lab-fstab-that-would-not-boot")


def test_a_mount_unit_counts_where_there_is_no_line_in_fstab(scenario, disk):
    """A systemd mount unit with XFS options that a mount refuses, while the same XFS is mounted without"""
    scenario.format("xfs", disk)
    scenario.mount(disk, "data")
    unit = f"[Unit]\nDescription=data\n[Mount]\nWhat={disk}\nWhere={POINT}\nType=xfs\nOptions=nobarrier,noatime\n"
    scenario.write("/etc/systemd/system/srv-lab-data.mount", unit)

    report = scenario.audit()

    facts = report.facts(f"mount:{POINT}")
    assert facts["mount.configured_in"] == "/etc/systemd/system/srv-lab-data.mount"
    assert facts["mount.configured_options"] == ["nobarrier", "noatime"]
    assert facts["mount.options_not_in_force"] == ["nobarrier", "noatime"]
    shown = scenario.second("findmnt", "-no", "VFS-OPTIONS,FS-OPTIONS", "--mountpoint", POINT)
    assert "noatime" not in shown
    assert ("xfs-barrier-option", f"mount:{POINT}") in report.advice()
    scenario.second("systemd-analyze", "verify", "/etc/systemd/system/srv-lab-data.mount", check=False)
