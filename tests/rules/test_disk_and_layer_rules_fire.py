"""Rules on disks and layers advise where a composed machine says so through the real readers, and are else silent."""

import json

import pytest

from fsadvisor.readers import dmsetup, nvme_identify, nvme_logs, nvme_output, smartctl, storcli, volume_tools
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.paths import FIXTURES
from tests.told import BARE_METAL, disk, machine, stacked

RULES = own_rulebook().rules
PORT = "pci0000:00/0000:00:01.0"
NVME = f"{PORT}/0000:01:00.0/nvme/nvme0"
SATA = "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0"
NODE = "/dev/nvme0n1"
GUID = "0xafd514c97c6f4f9ca4f2bfea2810afc5"
BUSY_STAT = "100 0 800 10 2000 0 16000 900 0 500 910 0 0 0 0 9000 36000000"
TABLE, LVS = " ".join(dmsetup.DMSETUP_TABLE_ARGV), " ".join(volume_tools.LVS_ARGV)


def advised(made, declared=None):
    """rule id -> names of the subjects that it speaks of, advice and withheld advice alike."""
    found = {}
    for verdict in advise(survey(made, declared or {}), RULES):
        if verdict.outcome in (Outcome.ADVISE, Outcome.WITHHELD):
            found.setdefault(verdict.rule.id, []).append(verdict.subject.name)
    return found


def nvme(warning=0, health=100, incomplete=0, used=1, errors=0, vwc=7):
    log = {
        "critical_warning": warning,
        "temperature": 310,
        "avail_spare": 100,
        "spare_thresh": 10,
        "unsafe_shutdowns": 2,
    }
    log |= {"percent_used": used, "media_errors": errors}
    ocp = {"Capacitor health": health, "Incomplete shutdowns": incomplete, "Log page version": 2, "Log page GUID": GUID}
    formats = [{"ms": 0, "ds": 9, "rp": 2}, {"ms": 0, "ds": 12, "rp": 0}]
    return BARE_METAL | {
        " ".join(nvme_identify.id_ctrl_argv(NODE)): json.dumps({"vid": 1, "mn": "", "vwc": vwc}),
        " ".join(nvme_identify.id_ns_argv(NODE)): json.dumps(
            {"nsze": 1 << 21, "flbas": 0, "nlbaf": 1, "lbafs": formats}
        ),
        " ".join(
            nvme_output.get_feature_argv(NODE)
        ): "get-feature:0x06 (Volatile Write Cache), Current value:0x00000001\n",
        " ".join(nvme_logs.smart_log_argv(NODE)): json.dumps(log),
        " ".join(nvme_logs.ocp_smart_log_argv(NODE)): json.dumps(ocp),
        " ".join(smartctl.argv(NODE)): json.dumps(
            {"smartctl": {"version": [7, 3], "exit_status": 0}, "model_name": "X"}
        ),
    }


def with_nvme(commands=None, files=(), cache="write back", **more):
    return machine(
        disk("nvme0n1", where=NVME, number="259:0", cache=cache, **more),
        files={"/proc/uptime": "100000.00 1.00\n"} | dict(files),
        commands=commands or nvme(),
    )


def link(folder, which, speed):
    return {
        f"/sys/devices/{folder}/{which}_link_speed": f"{speed} GT/s PCIe",
        f"/sys/devices/{folder}/{which}_link_width": "4",
    }


NVME_CASES = [
    ("power-loss-protection-failed", {"commands": nvme(warning=16)}),
    ("power-loss-save-unfinished", {"commands": nvme(incomplete=1)}),
    ("drive-failing", {"commands": nvme(warning=8)}),
    ("drive-too-hot", {"commands": nvme(warning=2)}),
    ("drive-worn-out", {"commands": nvme(used=104)}),
    ("unreadable-data", {"commands": nvme(errors=3)}),
    ("nvme-small-blocks", {}),
    ("flushes-on-protected-nvme", {"stat": BUSY_STAT}),
    ("flushes-without-protection", {"stat": BUSY_STAT, "commands": nvme(health=0xFFFF)}),
    ("flushed-data-lost-by-family", {"device__model": "SHGP31-1000GM"}),
    (
        "pcie-link-reduced",
        {
            "files": link(NVME.removesuffix("/nvme/nvme0"), "current", "2.5")
            | link(NVME.removesuffix("/nvme/nvme0"), "max", "16.0")
            | link(PORT, "max", "16.0")
        },
    ),
]


@each(("rule", "told"), NVME_CASES)
def test_a_rule_on_an_nvme_drive_speaks_up(rule, told):
    assert advised(with_nvme(**told))[rule] == ["nvme0n1"]


def test_a_healthy_drive_without_volatile_cache_hears_of_its_block_format_only():
    found = advised(with_nvme(commands=nvme(vwc=6), cache="write through", stat=BUSY_STAT))
    assert set(found) == {"nvme-small-blocks"}


def with_sata(**more):
    return machine(disk("sda", where=SATA, number="8:0", **more), commands=BARE_METAL)


def test_rules_on_sata_drives_speak_up():
    made = with_sata(queue__rotational="1", queue__scheduler="[none] mq-deadline", queue__zoned="none")
    assert advised(made)["hard-disk-without-scheduler"] == ["sda"]
    made = with_sata(queue__rotational="1", queue__scheduler="none [mq-deadline]", queue__wbt_lat_usec="0")
    assert advised(made)["writeback-not-throttled"] == ["sda"]
    made = with_sata(queue__zoned="host-managed", queue__scheduler="[none] mq-deadline")
    made.files["/proc/sys/kernel/osrelease"] = "6.1.0"
    assert advised(made)["zoned-without-write-order"] == ["sda"]
    made = with_sata(device__model="Samsung SSD 860 EVO 1TB")
    made.files["/sys/class/ata_device/dev1.0/trim"] = "queued\n"
    assert advised(made)["queued-trim-trouble"] == ["sda"]


@pytest.mark.parametrize(
    ("rule", "letters", "state", "drives"),
    [
        ("controller-cache-unprotected", "RAWBD", "Failed", "Disabled"),
        ("controller-always-write-back", "RAWBD", "Optimal", "Disabled"),
        ("controller-drive-caches-on", "RWBD", "Optimal", "Enabled"),
    ],
)
def test_rules_on_controllers_speak_up(rule, letters, state, drives):
    outputs = FIXTURES / "outputs" / "storcli"
    report = (outputs / "megaraid.out").read_text().replace('"State": "Optimal"', f'"State": "{state}"')
    volumes = (outputs / "volumes.out").read_text().replace("RWBD", letters).replace("Disk's Default", drives)
    commands = {" ".join(storcli.argv()): report, " ".join(storcli.argv("storcli64", storcli.VOLUMES)): volumes}
    slot = "pci0000:00/0000:00:01.0/0000:03:00.0/host0/target0:2:0/0:2:0:0"
    volume = disk("sda", where=slot, device__vendor="AVAGO", device__model="MR9361-8i")
    assert advised(machine(volume, commands=BARE_METAL | commands))[rule] == ["sda"]


ARRAY = {
    "md__level": "raid6",
    "md__degraded": "1",
    "md__mismatch_cnt": "8",
    "md__last_sync_action": "check",
    "md__consistency_policy": "bitmap",
    "md__stripe_cache_size": "256",
}


def test_rules_on_an_array_speak_up():
    parts = disk("sda", number="8:0"), disk("sdb", number="8:16"), stacked("md0", "9:0", ["sda", "sdb"], **ARRAY)
    mounts = ["1 0 9:0 / /srv rw - ext4 /dev/md0 rw"]
    made = machine(*parts, mounts=mounts, commands=BARE_METAL, files={"/proc/meminfo": "MemAvailable: 32000000 kB\n"})
    found = advised(made, {"/srv": "oltp"})
    layers = {"md-degraded", "md-mismatches", "md-write-hole", "md-small-stripe-cache"}
    assert {rule: found.get(rule) for rule in layers} == {key: ["md0"] for key in layers}
    assert found["parity-raid-under-database"] == ["/srv"]


def mapped(line, *, title="vg-x", uuid="LVM-x", volume=(), sectors=str(1 << 22)):
    parts = (
        disk("nvme0n1", where=NVME, number="259:0"),
        disk("sda", number="8:0"),
        stacked(
            "dm-0",
            "253:0",
            ["nvme0n1"],
            dm__name=title,
            dm__uuid=uuid,
            size=sectors,
            queue__physical_block_size="4096",
        ),
    )
    report = {
        "report": [{"lv": [{"vg_name": "vg", "lv_name": "x", "lv_dm_path": f"/dev/mapper/{title}", **dict(volume)}]}]
    }
    return machine(*parts, commands=BARE_METAL | {TABLE: f"{title}: 0 4096 {line}\n", LVS: json.dumps(report)})


CRYPT = "crypt aes-xts-plain64 :64:logon:x 0 259:0 {at} 0"
LAYER_CASES = [
    ("crypt-through-workqueues", mapped(CRYPT.format(at=32768), uuid="CRYPT-x")),
    ("crypt-small-sectors", mapped(CRYPT.format(at=32768), uuid="CRYPT-x")),
    ("misaligned-volume", mapped(CRYPT.format(at=129), uuid="CRYPT-x")),
    ("thin-pool-nearly-full", mapped("thin-pool 259:0 8:0 128 0 0", volume={"data_percent": "91.0"}.items())),
    ("snapshot-nearly-full", mapped("snapshot 8:0 259:0 P 8", volume={"data_percent": "91.0"}.items())),
    ("old-style-snapshot", mapped("snapshot 8:0 259:0 P 8", volume={"data_percent": "10.0"}.items())),
    ("writeback-cache-on-one-drive", mapped("cache 259:0 259:0 8:0 128 1 writeback smq 0")),
    (
        "multipath-one-path",
        mapped("multipath 1 queue_if_no_path 0 1 1 service-time 0 1 1 259:0 1", uuid="mpath-x"),
    ),
]


@each(("rule", "made"), LAYER_CASES)
def test_a_rule_on_a_layer_speaks_up(rule, made):
    assert advised(made)[rule] == ["dm-0"]


def test_rules_on_read_ahead_go_by_workload_and_drive():
    mounts = ["1 0 8:0 / /srv rw - ext4 /dev/sda rw"]
    slow = disk("sda", where=SATA, queue__rotational="1", queue__read_ahead_kb="128")
    made = machine(slow, mounts=mounts, commands=BARE_METAL)
    assert advised(made, {"/srv": "streaming"})["hard-disk-small-read-ahead"] == ["/srv"]
    assert "hard-disk-small-read-ahead" not in advised(made, {"/srv": "oltp"})
    fast = disk("sda", where=SATA, queue__read_ahead_kb="8192")
    made = machine(fast, mounts=mounts, commands=BARE_METAL)
    assert advised(made, {"/srv": "oltp"})["flash-large-read-ahead"] == ["/srv"]
    assert "flash-large-read-ahead" not in advised(made, {"/srv": "streaming"})


def test_a_database_on_instance_store_is_told_of():
    drive = disk("nvme1n1", where=NVME, number="259:1", device__model="Amazon EC2 NVMe Instance Storage")
    postgres = {"pid": 1, "name": "postgres", "user": "postgres", "cwd": "/srv/pg", "paths": ["/srv/pg"]}
    mounts = ["1 0 259:1 / /srv rw - ext4 /dev/nvme1n1 rw"]
    made = machine(drive, mounts=mounts, commands=BARE_METAL, processes=[postgres])
    assert "data-on-instance-store" in advised(made)


def test_nobarrier_is_judged_by_the_drives_below():
    mounts = ["1 0 259:0 / /srv rw - ext4 /dev/nvme0n1 rw,nobarrier"]
    seen = {"/proc/fs/ext4/nvme0n1/options": "rw\nnobarrier\n"}

    def rules_on(commands, cache):
        drive = disk("nvme0n1", where=NVME, number="259:0", cache=cache)
        made = machine(drive, mounts=mounts, files=seen, commands=commands)
        return {rule for rule in advised(made) if rule.startswith("nobarrier")}

    assert rules_on(nvme(), "write back") == {"nobarrier-on-protected-drives"}
    assert rules_on(nvme(health=0xFFFF), "write back") == {"nobarrier-unproven"}
    assert rules_on(nvme(vwc=6), "write through") == {"nobarrier-without-gain"}


def test_a_virtual_machine_hears_nothing_about_drives_that_it_can_not_see():
    made = machine(
        disk("vda", where="pci0000:00/0000:00:04.0/virtio1", number="254:0", queue__rotational="1", stat=BUSY_STAT),
        files={"/proc/uptime": "100000.00 1.00\n"},
        commands=BARE_METAL | {"systemd-detect-virt --vm": "kvm\n"},
    )
    assert advised(made) == {}
