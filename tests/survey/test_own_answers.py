"""A drive's logs name no drive: what contradicts the drive, or is another's word for word, is not believed."""

import json

import pytest

from fsadvisor.facts import Known, Unknown
from fsadvisor.readers import nvme_identify, nvme_logs, smartctl
from fsadvisor.survey.whole import survey
from tests.told import BARE_METAL, disk, machine

GUID = "0xafd514c97c6f4f9ca4f2bfea2810afc5"
GB = 1000**3
UNIT = 512_000


def answers(name, media=1000 * GB, written=900 * GB, health=100, blocks=None):
    """What an NVMe drive says; `media` bytes written by its OCP log, `written` by the host, `blocks` of 512 bytes."""
    path = f"/dev/{name}"
    page = {"Capacitor health": health, "PLP start count": 3, "Log page version": 2, "Log page GUID": GUID}
    log = {"critical_warning": 0, "avail_spare": 100, "spare_thresh": 10, "unsafe_shutdowns": 2}
    log["data_units_written"] = written // UNIT
    return {
        " ".join(nvme_identify.id_ctrl_argv(path)): json.dumps({"vid": 1, "mn": "X", "vwc": 7}),
        " ".join(nvme_logs.smart_log_argv(path)): json.dumps(log),
        " ".join(smartctl.argv(path)): json.dumps(
            {"smartctl": {"version": [7, 3], "exit_status": 0}, "model_name": "X"}
        ),
        " ".join(nvme_logs.ocp_smart_log_argv(path)): json.dumps(page | {"Physical media units written": media}),
        " ".join(nvme_identify.id_ns_argv(path)): json.dumps(
            {
                "nsze": blocks or 1 << 21,
                "flbas": 0,
                "lbafs": [{"ms": 0, "ds": 9, "rp": 1}, {"ms": 0, "ds": 12, "rp": 0}],
            }
        ),
    }


def seen(*said, serials=(), controllers=(0, 1), commands=()):
    names = [f"nvme{at}n1" for at in range(len(said))]
    parts = [
        disk(it, where=f"pci0000:00/nvme{controllers[at]}", number=f"259:{at}", device__model="X")
        for at, it in enumerate(names)
    ]
    told = BARE_METAL | {key: value for one in said for key, value in one.items()} | dict(commands)
    udev = "".join(
        f"P: /devices/{name}\nN: {name}\nE: DEVNAME=/dev/{name}\nE: SUBSYSTEM=block\nE: ID_SERIAL_SHORT={serial}\n\n"
        for name, serial in zip(names, serials, strict=False)
    )
    found = survey(machine(*parts, commands=told, udev=udev), {}).subjects
    return [it.scope["disk"] for it in found if it.kind == "disk"]


def test_two_drives_with_logs_of_their_own_are_both_believed():
    one, two = seen(answers("nvme0n1"), answers("nvme1n1", media=1001 * GB))
    assert one.capacitor_health.value == two.capacitor_health.value == 100
    assert one.plp.value == "proven"


def test_two_drives_that_give_one_log_word_for_word_are_both_not_believed():
    for known in seen(answers("nvme0n1"), answers("nvme1n1")):
        assert isinstance(known.plp, Unknown)
        assert isinstance(known.capacitor_health, Unknown)
        assert "byte for byte" in known.capacitor_health.learn
        assert "nvme ocp smart-add-log" in known.capacitor_health.source


def test_drives_that_never_wrote_may_say_the_same():
    one, two = seen(answers("nvme0n1", media=0, written=0), answers("nvme1n1", media=0, written=0))
    assert one.capacitor_health.value == two.capacitor_health.value == 100


def test_two_namespaces_of_a_controller_share_its_log():
    for known in seen(answers("nvme0n1"), answers("nvme1n1"), controllers=(0, 0)):
        assert known.capacitor_health.value == 100


def test_one_drive_by_two_controllers_has_one_log():
    for known in seen(answers("nvme0n1"), answers("nvme1n1"), serials=("S1", "S1")):
        assert known.capacitor_health.value == 100
    for known in seen(answers("nvme0n1"), answers("nvme1n1"), serials=("S1", "S2")):
        assert isinstance(known.capacitor_health, Unknown)


@pytest.mark.parametrize(("media", "believed"), [(100 * GB, True), (99 * GB, False), (0, False)])
def test_a_log_that_counts_far_fewer_bytes_than_the_drive_was_sent_is_not_its_own(media, believed):
    (known,) = seen(answers("nvme0n1", media=media, written=800 * GB))
    assert isinstance(known.capacitor_health, Known) is believed
    assert isinstance(known.plp, Known) is believed


def test_where_nvme_cli_tells_no_health_smartctl_tells_what_was_written():
    own = answers("nvme0n1", media=99 * GB)
    own.pop(" ".join(nvme_logs.smart_log_argv("/dev/nvme0n1")))
    smart = {
        "smartctl": {"version": [7, 3], "exit_status": 0},
        "device": {"name": "/dev/nvme0n1", "protocol": "NVMe"},
        "nvme_smart_health_information_log": {"data_units_written": 800 * GB // UNIT},
    }
    (known,) = seen(own, commands={" ".join(smartctl.argv("/dev/nvme0n1")): json.dumps(smart)})
    assert isinstance(known.capacitor_health, Unknown)
    (known,) = seen(own)
    assert known.capacitor_health.value == 100


def test_a_namespace_of_another_size_is_not_this_one():
    (known,) = seen(answers("nvme0n1"))
    assert known.better_block_bytes.value == 4096
    (known,) = seen(answers("nvme0n1", blocks=1 << 22))
    assert "2147483648 bytes where /dev/nvme0n1 has 1073741824" in known.better_block_bytes.learn
