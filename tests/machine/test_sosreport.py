import io
import os
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.facts import Cause
from fsadvisor.machine.archived_devices import derived_devices
from fsadvisor.machine.opening import open_machine
from fsadvisor.machine.port import MachineError, Reply
from fsadvisor.machine.recorded import RecordedMachine
from fsadvisor.machine.recording import RecordingMachine
from fsadvisor.machine.sos_outputs import missing
from fsadvisor.machine.sosreport import SosMachine
from tests.cases import tries
from tests.machine.scripted import ScriptedMachine

TOP = "sosreport-host-2026"
FILES = {
    "version.txt": "sosreport: 4.8\n",
    "proc/self/mountinfo": "22 1 254:0 / / rw - ext4 /dev/sda rw\n",
    "sys/devices/pci0/sda/queue/write_cache": "write back\n",
    "etc/systemd/system/a.mount": "[Mount]\n",
    "sos_commands/nvme/nvme_id-ctrl_-H_.dev.nvme0n1": "vwc : 0x1\n",
    "sos_commands/nvme/nvme_smart-log_.dev.nvme0n1": "temperature : 40\n",
    "sos_commands/nvme/smartctl_--all_.dev.nvme0n1_-j": "{}\n",
    "sos_commands/xfs/xfs_info_.srv.data": "meta-data=\n",
    "sos_commands/filesys/dumpe2fs_-h_.dev.mapper.vg-root": "Filesystem\n",
    "sos_commands/devices/udevadm_info_--export-db": (
        "P: /devices/a\nE: SUBSYSTEM=net\n\nP: /devices/pci0/sda\nN: sda\nE: SUBSYSTEM=block\n\n"
    ),
    "var/log/messages": "not of interest\n",
}
LINKS = {"sys/block/sda": "../devices/pci0/sda", "etc/mtab": "../proc/self/mounts", "proc/mounts": "self/mountinfo"}


def write_folder(folder):
    for name, text in FILES.items():
        path = folder / TOP / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name, target in LINKS.items():
        path = folder / TOP / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)
    return folder / TOP


def member(name, text="", **fields):
    info = tarfile.TarInfo(name)
    info.size = len(text)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, io.BytesIO(text.encode())


def write_archive(path, mode, more=()):
    with tarfile.open(path, mode) as archive:
        for name, text in FILES.items():
            archive.addfile(*member(f"{TOP}/{name}", text))
        for name, target in LINKS.items():
            archive.addfile(*member(f"{TOP}/{name}", type=tarfile.SYMTYPE, linkname=target))
        for info, content in more:
            archive.addfile(info, content)
    return path


@pytest.fixture(params=["folder", "parent", "tar", "xz", "gz", "bz2"])
def sos(request, tmp_path):
    if request.param in ("folder", "parent"):
        top = write_folder(tmp_path)
        return open_machine(top if request.param == "folder" else top.parent)
    mode = "w" if request.param == "tar" else f"w:{request.param}"
    return open_machine(write_archive(tmp_path / "report", mode))


def test_files_are_read_through_links_inside_the_report(sos):
    assert isinstance(sos, SosMachine)
    assert sos.read("/sys/block/sda/queue/write_cache") == Reply("write back\n", "/sys/block/sda/queue/write_cache")
    assert sos.read("/proc/mounts").text == sos.read("/proc/self/mountinfo").text == FILES["proc/self/mountinfo"]
    assert sos.link("/sys/block/sda").text == "../devices/pci0/sda"
    assert sos.root is True


def test_what_the_report_lacks_is_not_exposed_and_says_what_would_help(sos):
    assert sos.read("/etc/fstab") == sos.link("/etc/fstab") == sos.entries("/etc/fstab") == missing("/etc/fstab")
    answers = [sos.counters(), sos.processes(["mysqld"]), sos.space("/"), sos.flags("/"), *sos.run([("lvs",), ()])]
    assert all("`fsadvisor capture` there asks for all" in answer.learn for answer in answers)
    assert sos.processes([]).learn.startswith("run `ps auxww` on the machine; ")
    assert sos.space("/").learn.startswith("run `stat -f /` on the machine; ")
    assert sos.run([("nvme", "id-ctrl", "/dev/nvme9")])[0].learn == (
        "run `nvme id-ctrl /dev/nvme9` on the machine; `fsadvisor capture` there asks for all"
        " (sos and supportconfig keep it where nvme-cli is installed)"
    )


def test_folders_of_which_sos_copies_a_part_are_not_listed(sos):
    assert sos.entries("/sys/block") == ("sda",)
    assert sos.entries("/sys/block/sda/queue") == ("write_cache",)
    assert sos.entries("/etc/systemd/system") == ("a.mount",)
    assert sos.entries("/sys/block/sda") == ("device", "queue", "slaves")
    assert sos.entries("/sys/block/sda/device").cause is Cause.NOT_EXPOSED
    assert sos.entries("/proc/self").cause is Cause.NOT_EXPOSED


def test_commands_are_found_under_the_spelling_that_sos_uses(sos):
    id_ctrl, smart, smartctl, xfs, dumpe2fs = sos.run(
        [
            ("nvme", "id-ctrl", "/dev/nvme0", "--output-format=json"),
            ("nvme", "smart-log", "/dev/nvme0n1"),
            ("smartctl", "--json=o", "-x", "/dev/nvme0n1"),
            ("xfs_info", "/srv/data"),
            ("dumpe2fs", "-h", "/dev/mapper/vg-root"),
        ]
    )
    assert id_ctrl == Reply("vwc : 0x1\n", "nvme id-ctrl -H /dev/nvme0n1", 0)
    assert smart == Reply("temperature : 40\n", "nvme smart-log /dev/nvme0n1", 0)
    assert smartctl.source == "smartctl --all /dev/nvme0n1 -j"
    assert (xfs.text, dumpe2fs.text) == ("meta-data=\n", "Filesystem\n")


def test_udev_s_database_is_narrowed_to_block_devices(sos):
    assert sos.udev().text == "P: /devices/pci0/sda\nN: sda\nE: SUBSYSTEM=block\n\n"


STACK = {
    "sos_commands/devices/udevadm_info_--export-db": (
        "P: /devices/pci0/block/sda\nE: DEVTYPE=disk\nE: MAJOR=8\nE: MINOR=0\nE: SUBSYSTEM=block\n\n"
        "P: /devices/pci0/block/sda/sda1\nE: DEVTYPE=partition\nE: MAJOR=8\nE: MINOR=1\nE: PARTN=1\n"
        "E: SUBSYSTEM=block\n\n"
        "P: /devices/virtual/block/dm-0\nE: DEVTYPE=disk\nE: DM_NAME=vg-root\nE: MAJOR=254\nE: MINOR=0\n"
        "E: SUBSYSTEM=block\n\n"
    ),
    "proc/partitions": "major minor  #blocks  name\n\n   8        0     500000 sda\n   8        1     400000 sda1\n",
    "sos_commands/block/lsblk_-O_-P": (
        'NAME="sda" KNAME="sda" PKNAME=""\nNAME="sda1" KNAME="sda1" PKNAME="sda"\n'
        'NAME="vg-root" KNAME="dm-0" PKNAME="sda1"\n'
    ),
}


def stack(tmp_path, *left_out):
    for name, text in STACK.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name not in left_out:
            path.write_text(text)
    return open_machine(tmp_path)


def test_block_devices_are_derived_where_sos_did_not_copy_them(tmp_path):
    machine = stack(tmp_path)
    assert machine.entries("/sys/block") == ("dm-0", "sda")
    assert machine.entries("/sys/block/sda") == ("dev", "device", "sda1", "size", "slaves")
    assert machine.entries("/sys/block/dm-0") == ("dev", "dm", "slaves")
    assert machine.entries("/sys/block/dm-0/slaves") == ("sda1",)
    assert machine.entries("/sys/block/sda/slaves") == ()
    assert machine.read("/sys/block/sda/sda1/dev") == Reply("8:1\n", "udevadm info --export-db")
    assert machine.read("/sys/block/sda/size") == Reply("1000000\n", "/proc/partitions")
    assert machine.read("/sys/block/dm-0/dm/name").text == "vg-root\n"
    assert machine.link("/sys/block/dm-0").text == "../devices/virtual/block/dm-0"


def test_without_lsblk_nobody_may_think_that_nothing_lies_below_a_mapped_device(tmp_path):
    machine = stack(tmp_path, "sos_commands/block/lsblk_-O_-P")
    assert machine.entries("/sys/block") == ("dm-0", "sda")
    assert machine.entries("/sys/block/sda/slaves") == ()
    assert machine.entries("/sys/block/dm-0").cause is Cause.NOT_EXPOSED
    assert machine.entries("/sys/block/dm-0/slaves").cause is Cause.NOT_EXPOSED


ROWS = (
    *('P:E= /\n0"', "\n\n", "P: /devices/", "MAJOR", "KNAME=", "9" * 5000, "NAME MAJ:MIN TYPE\n", "|-a 8:1 part\n"),
    *("  | `-b 9:1 raid1\n", "a: 0 8 linear 8:1 0\n", "md1 : active raid1 a[0]\n"),
)


@tries(100)
@given(st.lists(st.sampled_from([*ROWS, *ROWS[0]])).map("".join))
def test_devices_are_derived_from_any_text(text):
    assert derived_devices(lambda _: text, lambda _: text, {}).links is not None


def test_a_sos_machine_can_be_recorded(sos, tmp_path):
    recording = RecordingMachine(sos)
    argv = ("nvme", "id-ctrl", "/dev/nvme0")
    answers = [recording.read("/proc/mounts"), recording.entries("/sys/block"), recording.run([argv])]
    recording.write(tmp_path / "recorded")
    again = RecordedMachine(tmp_path / "recorded")
    assert [again.read("/proc/mounts"), again.entries("/sys/block"), again.run([argv])] == answers


HOSTILE_LINKS = {
    "proc/absolute": "/etc/passwd",
    "proc/upward": "../../../../../../../../etc/passwd",
    "proc/circle": "circle",
    "proc/a": "b",
    "proc/b": "a",
    "sys/outside": "/",
}


def assert_nothing_escapes(machine):
    for name in HOSTILE_LINKS:
        assert machine.read(f"/{name}").cause is Cause.NOT_EXPOSED
    for path in ("/../../../../etc/passwd", "/sys/outside/etc/passwd", "/proc/../../etc/passwd", "relative/../..", ""):
        assert machine.read(path).cause is Cause.NOT_EXPOSED
    assert machine.read("/sys/outside/version.txt").text == FILES["version.txt"]


def test_links_of_an_archive_do_not_lead_outside(tmp_path):
    more = [member(f"{TOP}/{name}", type=tarfile.SYMTYPE, linkname=to) for name, to in HOSTILE_LINKS.items()]
    assert_nothing_escapes(open_machine(write_archive(tmp_path / "report", "w:xz", more)))


def test_links_of_a_folder_do_not_lead_outside(tmp_path):
    top = write_folder(tmp_path)
    for name, target in HOSTILE_LINKS.items():
        (top / name).symlink_to(target)
    (top / "sos_commands/linked").symlink_to("/etc")
    os.mkfifo(top / "proc/fifo")
    machine = open_machine(top)
    assert_nothing_escapes(machine)
    assert machine.read("/proc/fifo").cause is Cause.NOT_EXPOSED


def test_hostile_members_are_passed_over(tmp_path):
    more = [
        member("/proc/absolute", "x"),
        member(f"{TOP}/proc/../../../escape", "x"),
        member(f"{TOP}/dev/sda", type=tarfile.BLKTYPE),
        member(f"{TOP}/dev/fifo", type=tarfile.FIFOTYPE),
        member(f"{TOP}/proc/hard", type=tarfile.LNKTYPE, linkname="/etc/passwd"),
        member(f"{TOP}/proc/big", "x" * (5 << 20)),
        member(f"{TOP}/sos_commands/nvme/nvme_list", "fine"),
    ]
    machine = open_machine(write_archive(tmp_path / "report", "w:gz", more))
    for path in ("/proc/absolute", "/escape", "/dev/sda", "/dev/fifo", "/proc/hard"):
        assert machine.read(path).cause is Cause.NOT_EXPOSED
    assert machine.read("/proc/big").learn.startswith("more than 4 MiB")
    assert machine.run([("nvme", "list")])[0].text == "fine"


def test_a_sparse_member_of_10_gib_is_passed_over_at_once(tmp_path):
    sparse, report = tmp_path / TOP / "proc" / "sparse", tmp_path / "report.tar"
    sparse.parent.mkdir(parents=True)
    sparse.touch()
    os.truncate(sparse, 10 << 30)
    (tmp_path / TOP / "sos_commands").mkdir()
    assert os.system(f"cd {tmp_path} && tar --sparse -cf {report} {TOP}") == 0
    assert open_machine(report).read("/proc/sparse").cause is Cause.NOT_EXPOSED


def test_a_member_that_claims_10_gib_is_refused(tmp_path):
    claim, _ = member(f"{TOP}/proc/claim", size=10 << 30)
    report = tmp_path / "report.tar"
    report.write_bytes(claim.tobuf(tarfile.GNU_FORMAT) + b"\0" * 2048)
    with pytest.raises(MachineError, match="unpacks to more than 64 MiB"):
        open_machine(report)


def test_a_header_that_claims_to_be_huge_is_refused(tmp_path):
    long_name, _ = member("././@LongLink", type=tarfile.GNUTYPE_LONGNAME, size=1 << 30)
    report = tmp_path / "report.tar"
    report.write_bytes(long_name.tobuf(tarfile.GNU_FORMAT) + b"x" * 2048)
    with pytest.raises(MachineError, match="a header of more than 64 KiB"):
        open_machine(report)


@pytest.mark.parametrize("mode", ["w", "w:xz", "w:gz", "w:bz2"])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_truncated_archive_is_refused(tmp_path, mode, part):
    whole = write_archive(tmp_path / "report", mode).read_bytes().rstrip(b"\0" if mode == "w" else b"")
    (tmp_path / "cut").write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(MachineError, match="damaged or cut short"):
        open_machine(tmp_path / "cut")


@tries(100)
@given(st.binary(max_size=200), st.sampled_from([b"", b"\xfd7zXZ\0", b"\x1f\x8b", b"BZh9"]))
def test_rubbish_is_no_archive(tmp_path_factory, rubbish, magic):
    path = tmp_path_factory.getbasetemp() / "rubbish"
    path.write_bytes(magic + rubbish)
    with pytest.raises(MachineError):
        open_machine(path)


def test_zstandard_is_named_as_such(tmp_path):
    (tmp_path / "report.tar.zst").write_bytes(b"\x28\xb5\x2f\xfd....")
    with pytest.raises(MachineError, match="zstd -d"):
        open_machine(tmp_path / "report.tar.zst")


def test_what_is_no_machine_at_all_is_refused_with_the_nearest_choice(tmp_path):
    with pytest.raises(MachineError, match="No such file or directory; name a directory"):
        open_machine(tmp_path / "nowhere")
    with pytest.raises(MachineError, match=r"neither machine\.toml nor sos_commands, proc or sys in it"):
        open_machine(tmp_path)
    with pytest.raises(MachineError, match="neither a directory nor an archive"):
        open_machine("/dev/null")
    with pytest.raises(MachineError, match="no path can be this"):
        open_machine("nul\0byte")
    recording = RecordingMachine(ScriptedMachine())
    recording.write(tmp_path / "m")
    with pytest.raises(MachineError, match=f"did you mean {tmp_path}/m"):
        open_machine(tmp_path)
    assert isinstance(open_machine(tmp_path / "m"), RecordedMachine)
