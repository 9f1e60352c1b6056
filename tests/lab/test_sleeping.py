"""What a look does to disks: one that sleeps stays asleep, and no command but reading ones is sent to any.

QEMU answers CHECK POWER MODE with "active or idle" whatever it was told (hdparm -y, then -C), so the disk is put to
sleep by the kernel: whoever then opens it or sends it a command resumes it, and the kernel keeps account of that time.
"""

import re
from pathlib import Path

import pytest

from tests.lab.scenario import run, wait_for

pytestmark = pytest.mark.lab

TRACING = Path("/sys/kernel/tracing")
EVENTS = ("block/block_rq_issue", "scsi/scsi_dispatch_cmd_start", "nvme/nvme_setup_cmd")
SCSI = re.compile(r"cmnd=\((?P<name>\w+).* raw=(?P<raw>[0-9a-f ]+)\)")
REQUEST = re.compile(r"block_rq_issue: \d+,\d+ (?P<what>\w+) \d+ \(.*?\) \d+ \+ (?P<sectors>\d+)")
READING_SCSI = {
    *("TEST_UNIT_READY", "REQUEST_SENSE", "INQUIRY", "MODE_SENSE", "MODE_SENSE_10", "LOG_SENSE", "READ_CAPACITY"),
    *("READ_6", "READ_10", "READ_12", "READ_16", "REPORT_LUNS", "RECEIVE_DIAGNOSTIC", "READ_DEFECT_DATA"),
    *("SERVICE_ACTION_IN_16", "MAINTENANCE_IN", "0xb7"),  # 0xb7: READ DEFECT DATA (12)
}
ATA_16 = 0x85
READING_ATA = {0x2F: "READ LOG EXT", 0x47: "READ LOG DMA EXT", 0xE5: "CHECK POWER MODE", 0xEC: "IDENTIFY DEVICE"}
SMART, READING_SMART = 0xB0, {0xD0: "READ DATA", 0xD1: "READ THRESHOLDS", 0xD5: "READ LOG", 0xDA: "RETURN STATUS"}
READING_NVME = ("nvme_admin_identify", "nvme_admin_get_log_page", "nvme_admin_get_features", "nvme_cmd_read")


def power(name, what):
    """The kernel's account of a disk's power."""
    return Path(f"/sys/block/{name}/device/power/{what}").read_text().strip()


def awake_ms(scenario, name):
    """How long it was awake since it was attached."""
    return int(scenario.second_file(f"/sys/block/{name}/device/power/runtime_active_time"))


def asleep_for_good(name):
    """Wait until it sleeps, and nothing that the kernel had to write wakes it any more."""
    before = None
    while before != (before := power(name, "runtime_active_time")) or power(name, "runtime_status") != "suspended":
        run("sleep", "12")


@pytest.mark.kernels
def test_a_disk_that_sleeps_stays_asleep_over_a_whole_audit(scenario):
    """SATA hard disk with a mounted ext4, suspended by the kernel: an audit leaves it so, and --wake wakes it"""
    name = scenario.attach("sata-hdd")[0]
    scenario.format("ext4", f"/dev/{name}", "-E", "lazy_itable_init=0,lazy_journal_init=0")
    scenario.mount(f"/dev/{name}", "asleep", "noatime")
    scenario.write(f"/sys/block/{name}/device/power/autosuspend_delay_ms", "100")
    scenario.write(f"/sys/block/{name}/device/power/control", "auto")
    run("sync")
    wait_for("it to sleep", lambda: power(name, "runtime_status") == "suspended")
    asleep_for_good(name)
    before = awake_ms(scenario, name)

    report = scenario.audit()

    assert (power(name, "runtime_status"), awake_ms(scenario, name)) == ("suspended", before)
    assert report.fact(f"disk:{name}", "disk.power_state") == "standby"
    woken = scenario.audit("--wake")
    assert awake_ms(scenario, name) > before
    assert woken.fact(f"disk:{name}", "disk.power_state") != "standby"
    scenario.tell(claim="an audit wakes no disk that sleeps", seen=f"awake for {before} ms before and after it")


@pytest.mark.kernels
def test_an_audit_sends_disks_no_command_but_reading_ones(scenario):
    """SATA, SAS and NVMe disks, an XFS and an ext4: every command of an audit, as the kernel's drivers send it"""
    names = scenario.attach("sata-hdd", "sas-hdd", "nvme")
    disks = [name for name in names if name.startswith(("sd", "nvme"))]
    for kind, name in zip(("ext4", "xfs", "ext4"), (disks[0], disks[2], disks[-1]), strict=True):
        scenario.format(kind, f"/dev/{name}")
        scenario.mount(f"/dev/{name}", f"{kind}-{name}", "ro")
    run("sync")
    if not (TRACING / "events").exists():
        run("mount", "-t", "tracefs", "nodev", str(TRACING))
    for event in EVENTS:
        scenario.write(str(TRACING / "events" / event / "enable"), "1")
    (TRACING / "trace").write_text("")

    scenario.audit()

    lines = scenario.second_file(TRACING / "trace").splitlines()
    scsi = [found for line in lines if (found := SCSI.search(line))]
    nvme = [line.partition("cmd=(")[2] for line in lines if "nvme_setup_cmd:" in line]
    requests = [found for line in lines if (found := REQUEST.search(line))]
    assert not [found[0] for found in requests if set(found["what"]) & set("WDFE")]
    assert not [found[0] for found in scsi if not reads(found)]
    assert not [command for command in nvme if not command.startswith(READING_NVME)]
    assert scsi, "not one SCSI command was seen"
    assert nvme, "not one NVMe command was seen"
    scenario.tell(claim="an audit sends disks reading commands only", seen=f"{len(scsi)} SCSI, {len(nvme)} NVMe")


def reads(found):
    """Whether a SCSI command changes nothing; of an ATA one in it, its command tells, of SMART its feature."""
    raw = [int(byte, 16) for byte in found["raw"].split()]
    if raw[0] != ATA_16:
        return found["name"] in READING_SCSI
    return raw[14] in READING_ATA or (raw[14] == SMART and raw[4] in READING_SMART)
