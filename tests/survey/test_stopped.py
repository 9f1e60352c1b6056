"""What the kernel has stopped; what could not be read is neither stopped nor known to work."""

from fsadvisor.facts import Known, Unknown
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.told import disk, machine, partition, stacked


def scopes(*parts):
    return {it.id: it.scope for it in survey(machine(*parts), {}).subjects}


@each(
    ("state", "signs"),
    [
        ({"device__state": "running"}, ()),
        ({"device__state": "offline"}, ("state 'offline'",)),
        ({"device__state": "transport-offline"}, ("state 'transport-offline'",)),
        ({}, None),
    ],
)
def test_a_disk_takes_requests_only_where_the_kernel_says_so(state, signs):
    found = scopes(disk("sda", **state))["disk:sda"]["disk"].offline
    assert isinstance(found, Unknown) if signs is None else found == Known(signs, found.source)


@each(
    ("paths", "signs"),
    [
        (("live", "dead"), ()),
        (("dead", "dead"), ("state 'dead'", "state 'dead'")),
        (("dead", None), None),
        (("live", None), ()),
        ((), None),
    ],
)
def test_an_nvme_disk_of_several_paths_works_while_one_of_them_does(paths, signs):
    head = disk("nvme0n1", where="virtual/nvme-subsystem/nvme-subsys0", number="259:0")
    folders = [f"/sys/block/nvme0c{number}n1" for number in range(len(paths))]
    files = {f"{folder}/hidden": "1" for folder in folders}
    files |= {f"{folder}/device/state": state for folder, state in zip(folders, paths, strict=True) if state}
    found = scopes(head, files)["disk:nvme0n1"]["disk"].offline
    assert isinstance(found, Unknown) if signs is None else found == Known(signs, found.source)


def array(**more):
    return stacked("md127", "9:127", (), **({"md__metadata_version": "1.2", "md__dev-sda1__state": "spare"} | more))


@each(
    ("told", "expected"),
    [
        ({"size": "0", "md__array_state": "inactive", "md__raid_disks": "4"}, ("md127 with 1 of 4 members",)),
        ({"size": "0", "md__array_state": "clear"}, ()),
        ({"size": "0", "md__array_state": "inactive", "md__metadata_version": "external:imsm"}, ()),
        ({"size": "0"}, None),
    ],
)
def test_an_array_whose_state_can_not_be_read_is_not_taken_for_a_started_one(told, expected):
    found = scopes(disk("sda"), array(**told))["host"]["host"].md_inactive
    assert isinstance(found, Unknown) if expected is None else found == Known(expected, found.source)


LOST = (
    "[    0.000000] Linux version 6.12",
    "[ 100.000000] Buffer I/O error on dev dm-0, logical block 9, async page read",
)
ON_DM = ("1 0 253:0 / /srv rw - ext4 /dev/mapper/vg0-data rw",)


@each(
    ("below", "log", "gone"),
    [
        (["sda1"], LOST, False),
        (["sdb1"], LOST, True),
        (["sdb1"], LOST[:1], None),
        (["dm-1"], LOST, True),
        (["sda1", "sdb1"], LOST, None),
        (["sda1", "sda2"], LOST, False),
        (["sda1", "dm-1"], LOST, None),
        ([], LOST, None),
        (["dm-0"], LOST[:1], None),
    ],
)
def test_a_volume_outlives_the_only_disk_below_it_and_its_filesystem_does_not(below, log, gone):
    parts = [partition("sda", "sda1", "8:1"), partition("sda", "sda2", "8:2"), stacked("dm-0", "253:0", below)]
    made = machine(
        disk("sda"),
        *parts,
        stacked("dm-1", "253:1", ["sdb1"]),
        mounts=ON_DM,
        files={"/proc/uptime": "200.00 300.00"},
        commands={"dmesg": "\n".join((*log, ""))},
    )
    found = {it.id: it.scope for it in survey(made, {}).subjects}["filesystem:/dev/dm-0"]["filesystem"].device_gone
    assert gone == (None if isinstance(found, Unknown) else found.value)


def test_an_array_that_lost_a_member_is_not_gone():
    made = machine(
        disk("sda"),
        stacked("md0", "9:0", ["sda", "sdb"]),
        mounts=("1 0 9:0 / /srv rw - ext4 /dev/md0 rw",),
        files={"/proc/uptime": "200.00 300.00"},
        commands={
            "dmesg": "\n".join((*LOST, "[ 101.0] Buffer I/O error on dev md0, logical block 9, async page read", ""))
        },
    )
    found = {it.id: it.scope for it in survey(made, {}).subjects}["filesystem:/dev/md0"]["filesystem"].device_gone
    assert found.value is False


def test_of_a_btrfs_on_two_devices_that_lost_one_it_is_not_known_that_it_is_gone():
    made = machine(
        disk("sda"),
        stacked("dm-0", "253:0", ["sdb1"]),
        mounts=("1 0 0:40 / /srv rw - btrfs /dev/dm-0 rw",),
        files={
            "/proc/uptime": "200.00 300.00",
            "/sys/fs/btrfs/0a1b/devices/dm-0": "",
            "/sys/fs/btrfs/0a1b/devices/sda": "",
        },
        commands={"dmesg": "\n".join((*LOST, ""))},
    )
    found = [it.scope["filesystem"] for it in survey(made, {}).subjects if it.kind == "filesystem"]
    assert all(isinstance(it.device_gone, Unknown) for it in found)


@each(("moment", "errors", "least"), [(900_000, 1, True), (100, 1, False), (900_000, 0, False)])
def test_what_a_flood_left_out_of_the_log_this_week_makes_a_count_of_errors_a_least_one(moment, errors, least):
    left_out = f"[{moment}.000000] blk_print_req_error: 2802 callbacks suppressed"
    said = ["[899999.000000] critical medium error, dev sda, sector 2048 op 0x0:(READ) flags 0x0"] * errors
    told = {"dmesg": "\n".join(("[    0.000000] Linux version 6.12", *sorted([left_out, *said]), ""))}
    made = machine(disk("sda"), commands=told, files={"/proc/uptime": "900100.00 9.00"})
    (found,) = (it.scope["disk"].log_errors for it in survey(made, {}).subjects if it.id == "disk:sda")
    assert found.value == errors
    assert least == ("at least: the log left out 2,802 more, of this or of other devices" in found.source)
