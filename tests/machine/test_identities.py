import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fsadvisor.machine.identities import Identities
from fsadvisor.machine.recording import RecordingMachine
from tests.cases import each, tries
from tests.counted import calls
from tests.machine.scripted import ScriptedMachine

SERIAL, WWN = "S64GNE0R123456", "5000c500a1b2c3d4"
NGUID = "36344730523004170025384e00000001"


def learnt(*texts):
    identities = Identities()
    for where, text in texts:
        identities.learn(where, text)
    return identities


def serial_learnt(serial=SERIAL):
    return learnt(("/sys/block/sda/device/serial", f"{serial}   \n"))


def servers(count):
    """Learn and replace what so many servers tell, each with a name and a serial of its own."""
    told = [
        text
        for it in range(count)
        for text in (
            (f"/sys/block/nvme{it}n1/serial", f"S64GNE0R{it:06}"),
            (
                "/proc/self/mountinfo",
                f"1 2 0:3 / /mnt rw - nfs4 filer-{it}.corp.example:/x rw,addr=10.0.{it >> 8}.{it & 255}",
            ),
        )
    ]
    identities = learnt(*told)
    return [identities.replace(text, where) for where, text in told]


@pytest.mark.long
def test_what_many_servers_tell_costs_in_proportion_to_their_number():
    servers(2)
    assert calls(lambda: servers(160)) < 7 * calls(lambda: servers(40))


def test_of_names_that_begin_alike_the_longest_is_replaced():
    names = ["filer-1", "filer-12", "filer-12.corp.example", "filer-2", *("a-" * it + "b" for it in range(1, 60))]
    identities = learnt(*(("hostname", name) for name in names))
    replaced = [identities.replace(f"x {name}:/srv", "") for name in names]
    assert len(set(replaced)) == len(names)
    assert not [name for name, text in zip(names, replaced, strict=True) if name in text]


@each(
    "text",
    [
        f"sn        : {SERIAL}      ",
        f"ata-SAMSUNG_MZ7L3_{SERIAL}-part1",
        f"nqn.2014.08.org.nvmexpress:144d144d{SERIAL}      SAMSUNG",
        f"nqn.2014.08.org.nvmexpress:144d144d{SERIAL}SAMSUNG",
        f"nvme.144d-{SERIAL.encode().hex()}-53414d53554e47-00000001",
        f"disk-by\\x2did-ata\\x2d{SERIAL}.device",
        SERIAL.lower(),
        f"/srv/a\\040{SERIAL}",
    ],
)
def test_a_serial_is_replaced_wherever_it_stands(text):
    new = serial_learnt().replace(text)
    assert SERIAL.lower() not in new.lower()
    assert SERIAL.encode().hex() not in new
    assert len(new) == len(text)


def test_the_hexadecimal_spelling_of_a_serial_is_that_of_its_stand_in():
    identities = serial_learnt()
    stand_in = identities.replace(SERIAL)
    assert bytes.fromhex(identities.replace(SERIAL.encode().hex())).decode() == stand_in


@each(
    ("where", "text", "secret"),
    [
        ("", f"E: ID_SERIAL_SHORT={SERIAL}", SERIAL),
        ("", f"E: ID_SERIAL={SERIAL}\n\nE: ID_SERIAL=x_1234567\nE: ID_SERIAL_SHORT=1234567", SERIAL),
        ("", f'{{"serial_number": "{SERIAL}"}}', SERIAL),
        ("", f"Serial Number:    {SERIAL}\n", SERIAL),
        ("", f"SN = {SERIAL}\n", SERIAL),
        ("", f'NAME="sda" SERIAL="{SERIAL}"', SERIAL),
        ("", "E: ID_SERIAL_SHORT=123456\nE: DEVLINKS=/dev/disk/by-id/x_123456-part1", "123456"),
        ("/sys/block/vda/serial", "123456\n", "123456"),
        ("", "E: ID_WWN=0x5000c500a1b2c3d4", WWN),
        ("", "S: disk/by-id/wwn-0x5000c500a1b2c3d4-part2", WWN),
        ("", "naa.5000c500a1b2c3d4", WWN),
        ("", f"E: ID_MODEL=DT1000\nE: ID_SERIAL=Dell_DT1000_{SERIAL}", SERIAL),
        ("", "35000c500a1b2c3d4 dm-3", WWN),
        ("/sys/class/fc_host/host3/port_name", "0x10000090fa1b2c3d", "10000090fa1b2c3d"),
        ("", "50:00:c5:00:a1:b2:c3:d4", "50:00:c5:00:a1:b2:c3:d4"),
        ("", "LU WWN Device Id: 5 000c50 0a1b2c3d4", "0a1b2c3d4"),
        ("", '"wwn": {"naa": 5, "oui": 3152, "id": 2712847316}', "2712847316"),
        ("", '"eui64": {"oui": 9528, "ext_id": 554056146945}', "554056146945"),
        ("", "eui.0025388b71b0a1b2", "0025388b71b0a1b2"),
        ("/sys/block/nvme0n1/nguid", "36344730-5230-0417-0025-384e00000001", "0417"),
        ("", "0A1B2C3D-1111-4222-8333-0123456789AB", "0123456789AB"),
        ("", "disk-by\\x2duuid-0a1b2c3d\\x2d1111\\x2d4222\\x2d8333\\x2d0123456789ab", "0123456789ab"),
        ("", "/srv/x\\0400a1b2c3d-1111-4222-8333-0123456789ab", "0123456789ab"),
        ("", '"output": "\\n0a1b2c3d-1111-4222-8333-0123456789ab"', "0123456789ab"),
        ("", "CRYPT-LUKS2-0a1b2c3d1111422283330123456789ab-root", "0123456789ab"),
        ("", "UUID : 0a1b2c3d:11114222:83330123:456789ab", "456789ab"),
        ("", "abcdef-Gh12-Ij34-Kl56-Mn78-Op90-qrstuv", "qrstuv"),
        ("", "LVM-abcdefGh12Ij34Kl56Mn78Op90qrstuvZbcdefGh12Ij34Kl56Mn78Op90qrstuw", "qrstu"),
        ("", "E: ID_FS_UUID=1A2B-3C4D\nE: ID_PART_ENTRY_UUID=9f8e7d6c-01", "1A2B-3C4D"),
        ("", "E: ID_PART_TABLE_UUID=9f8e7d6c", "9f8e7d6c"),
        ("", "link/ether 52:54:00:ab:cd:ef", "52:54:00:ab:cd:ef"),
        ("/etc/machine-id", "0a1b2c3d1111422283330123456789ab\n", "0a1b2c3d"),
        ("/sys/class/dmi/id/board_asset_tag", "i-0abcdef1234567890\n", "0abcdef1234567890"),
        ("/sys/block/nvme1n1/serial", "vol0abcdef1234567890\n", "0abcdef1234567890"),
        ("", "36 35 0:49 / /srv rw - nfs4 10.1.2.3:/x rw,addr=10.1.2.3,clientaddr=10.1.2.4", "10.1.2"),
        ("", "1 2 0:49 / /srv rw - nfs4 filer01.corp.net:/x rw,addr=fe80::1:2", "fe80"),
        ("", "1 2 0:49 / /srv rw - nfs4 filer01.corp.net:/x rw", "corp.net"),
        ("", "disk/by-path/ip-10.1.2.3:3260-iscsi-iqn.2010-01.net.corp:t1-lun-1", "10.1.2.3"),
        ("", "disk/by-path/ip-10.1.2.3:3260-iscsi-iqn.2010-01.net.corp:t1-lun-1", "corp:t1"),
        ("", "disk/by-path/ip-[fe80::1:2]:3260-iscsi-x", "fe80"),
        ("", "traddr=10.1.2.3,trsvcid=4420,src_addr=10.1.2.4", "10.1.2"),
        ("", "nqn.2019-10.net.corp:store.7", "corp"),
        ("", "see jo.doe+x@mail.corp.net", "corp"),
        ("", "see jo.doe+x@mail.corp.net", "doe"),
        ("", "/mnt/52-54-00-ab-cd-ef", "52-54-00-ab-cd-ef"),
        ("", "/dev/disk/by-id/nvme-SAMSUNG_MZ1L2_S666NE0R777777_1-part2 x", "S666NE0R777777"),
        ("", "/home/joanna/x", "joanna"),
        ("/etc/fstab", "//filer01/payroll$ /mnt/payroll cifs credentials=/root/c 0 0", "payroll"),
        ("/etc/fstab", "LABEL=corpdata /srv/corpdata xfs noatime 0 0", "corpdata"),
        ("/etc/fstab", "PARTLABEL=payroll /srv/b xfs nofail 0 0", "payroll"),
        ("/etc/fstab", "/dev/disk/by-label/payroll /srv/b xfs nofail 0 0", "payroll"),
        ("/etc/fstab", "/dev/disk/by-partlabel/payroll /srv/b xfs nofail 0 0", "payroll"),
        ("/etc/fstab", "/dev/mapper/payroll-books /srv/b xfs nofail 0 0", "payroll"),
        ("/etc/fstab", "/dev/payroll/books /srv/b xfs nofail 0 0", "payroll"),
        ("/proc/mounts", "/dev/a /pods/0a1b2c3d-1111-4222-8333-0123456789ab/x xfs rw 0 0", "4222-8333"),
        ("/proc/mounts", "/dev/a /srv/x\\040payroll xfs rw 0 0", "payroll"),
        ("systemctl show x", "Id=srv-x\\x2dpayroll.mount\nWhere=/srv/x-payroll", "payroll"),
        ("/sys/block/dm-0/dm/name", "corpvg-root\n", "corpvg"),
    ],
)
def test_an_identity_does_not_survive(where, text, secret):
    identities = learnt((where, text))
    new = identities.replace(text, where)
    assert secret.lower() not in new.lower()
    assert identities.replace(new, where) == new


@each(
    "text",
    [
        "E: ID_SERIAL_SHORT=drive-scsi0\nE: ID_MODEL=QEMU_HARDDISK",
        "E: ID_SERIAL_SHORT=disk1",
        "Serial Number: Not Specified\nSystem Serial Number",
        '"serial": null, "wwn": "", "uuid": "0000"',
        "E: ID_PART_ENTRY_TYPE=0fc63daf-8483-4772-8e79-3d69d8477de4",
        '"ID_PART_ENTRY_TYPE": "0fc63daf-8483-4772-8e79-3d69d8477de4"',
        '"type": "0FC63DAF-8483-4772-8E79-3D69D8477DE4"',
        "E: ID_VENDOR=Dell\nE: ID_MODEL=DT1000_Stick\nE: ID_SERIAL=Dell_DT1000_Stick",
        "00000000-0000-0000-0000-000000000000",
        "kernel 5.15.0.1 at 10.1.2.3 with 0000:03:00.0 and 1234567890123456 bytes",
        "eui.0000000000000000",
        "127.0.0.1",
        "ISO 2023-01-01",
        "/sys/fs/cgroup/user.slice/user@1000.service/io.max",
        "postgresql@16-main.service pool@daily",
        "nqn.2014-08.org.nvmexpress.discovery",
        "/dev/disk/by-id/ata-VBOX_HARDDISK",
    ],
)
def test_what_is_no_identity_stays(text):
    assert learnt(("", text)).replace(text) == text


def test_words_in_a_device_mapper_uuid_stay():
    text = "CRYPT-LUKS2-0a1b2c3d1111422283330123456789ab-vol_crypt1x"
    identities = learnt(("/sys/block/dm-0/dm/uuid", f"{text}\n"), ("", f'"uuid": "{text}"'))
    assert identities.replace(text) == "CRYPT-LUKS2-00000000f5ad40008000000000000001-vol_crypt1x"


def test_a_short_number_is_replaced_as_a_serial_only():
    identities = serial_learnt("123456")
    assert "123456" not in identities.replace("scsi-VENDOR_123456")
    assert identities.replace("size 123456\n") == "size 123456\n"
    assert "123456" not in identities.replace("E: ID_SERIAL_SHORT=123456")


def test_stand_ins_have_the_shape_of_what_they_stand_for():
    identities = learnt(
        ("", f"E: ID_SERIAL_SHORT={SERIAL}\nE: ID_WWN=0x{WWN}\nE: ID_FS_UUID=1A2B-3C4D\n"),
        ("", f"eui.0025388b71b0a1b2 {NGUID}"),
    )
    assert identities.replace(SERIAL) == "FSADVISOR00001"
    assert re.fullmatch("0x5000c50f5ad[0-9]{5}", identities.replace(f"0x{WWN}"))
    assert identities.replace("1A2B-3C4D") == "F5AD-0001"
    assert re.fullmatch("[0-9a-f]{32}", identities.replace(NGUID))
    assert identities.replace("i-0abcdef1234567890").startswith("i-f5ad0000")
    assert re.fullmatch("vol0?f5ad[0-9a-f]+", identities.replace("vol0abcdef1234567890"))
    assert identities.replace("52:54:00:ab:cd:ef") == "02:f5:ad:00:00:01"


def test_the_same_uuid_has_the_same_stand_in_with_and_without_dashes():
    identities = Identities()
    dashed = identities.replace("0a1b2c3d-1111-4222-8333-0123456789ab")
    assert identities.replace("0a1b2c3d1111422283330123456789ab") == dashed.replace("-", "")
    assert identities.replace("0A1B2C3D:11114222:83330123:456789AB").replace(":", "") == dashed.replace("-", "").upper()


def test_smartctl_s_numbers_are_those_of_the_wwn_s_stand_in():
    identities = learnt(("", f"naa.{WWN}"), ("", '"wwn": {"naa": 5, "oui": 3152, "id": 2712847316}'))
    new = identities.replace('"wwn": {"naa": 5, "oui": 3152, "id": 2712847316}')
    naa, oui, number = map(int, re.findall(r"\d+", new))
    assert f"{naa:x}{oui:06x}{number:09x}" == identities.replace(WWN)


def test_bytes_of_a_namespace_s_identifiers_are_replaced_in_raw_structures():
    identities = learnt(("/sys/block/nvme0n1/eui", "00 25 38 8b 71 b0 a1 b2"), ("", "eui.0025388b71b0a1b2"))
    raw = bytes.fromhex("0000" + "0025388b71b0a1b2" + "00").decode("utf-8", "surrogateescape")
    new = identities.replace(raw).encode("utf-8", "surrogateescape")
    assert b"\x38\x8b\x71" not in new
    assert len(new) == 11


HOST = "/proc/sys/kernel/hostname"


@each(
    ("name", "text"),
    [
        ("zeus", "/dev/mapper/zeus--vg-root zeus-vg ZEUS"),
        ("zeus.corp.net", "Linux zeus.corp.net zeus corp.net"),
        ("zeus", "/srv/a\\040zeus \\tzeus"),
        ("db-1", "db-1 db--1-vg db_1 var-db\\x2d1.mount"),
    ],
)
def test_a_host_name_is_replaced_as_a_whole_word(name, text):
    identities = learnt((HOST, f"{name}\n"))
    new = identities.replace(text).lower()
    assert not re.search(r"zeus|corp|db.?.?.?.?1", new)
    assert "fsadvisorhost1" in new
    assert identities.replace("zeuss adb-12") == "zeuss adb-12"


@each("name", ["vm", "localhost", "storage", "x", "sda"])
def test_a_host_name_that_is_an_ordinary_word_is_replaced_only_where_hosts_are_named(name):
    identities = learnt((HOST, f"{name}\n"))
    assert identities.replace(f"{name}\n", HOST) == "fsadvisorhost1\n"
    if name != "sda":
        assert identities.replace(f"a {name} runs") == f"a {name} runs"


ALNUM = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SERIALS = st.text(ALNUM, min_size=8, max_size=20).filter(
    lambda text: sum(map(str.isdigit, text)) in range(1, len(text)) and len(set(text)) > 4
)
HEX = st.text("0123456789abcdef", min_size=15, max_size=15).filter(lambda text: len(set(text)) > 4)
HOSTS = st.from_regex(r"[b-z]{3}[0-9]{2}", fullmatch=True)


ORDINARY = ("sys", "block", "device", "serial", "wwid", "btrfs", "label", "by-id", "ata-model", "smartctl", "udev")


@st.composite
def machines(draw):
    """A machine with identities in every sort of place, and the list of them."""
    serials = draw(st.lists(SERIALS, min_size=1, max_size=4, unique_by=str.lower))
    wwns = ["5" + draw(HEX) for _ in serials]
    uuids = [str(draw(st.uuids(version=4))) for _ in serials]
    host = draw(HOSTS)
    files, links, commands, records = {HOST: host + "\n"}, {}, {}, []
    for index, (serial, wwn, uuid) in enumerate(zip(serials, wwns, uuids, strict=True)):
        files[f"/sys/block/sd{index}/device/serial"] = f"{serial:<20}\n"
        files[f"/sys/block/sd{index}/wwid"] = f"naa.{wwn}\n"
        files[f"/sys/fs/btrfs/{uuid}/label"] = f"{host}-label\n"
        links[f"/dev/disk/by-id/ata-MODEL_{serial}"] = f"../../sd{index}"
        commands["smartctl", "-j", f"/dev/disk/by-id/wwn-0x{wwn}"] = f'{{"serial_number": "{serial}"}}'
        records.append(f"P: /sd{index}\nE: ID_SERIAL_SHORT={serial}\nE: ID_WWN=0x{wwn}\nE: ID_FS_UUID={uuid}\n")
    machine = ScriptedMachine(files, links, {"/sys/fs/btrfs": tuple(sorted(uuids))}, commands, "\n".join(records))
    return machine, [*serials, *wwns, *uuids, host]


@tries(40)
@given(machines())
def test_no_identity_of_a_machine_survives_in_its_recording(drawn):
    machine, identities = drawn
    assume(not any(identity.lower() in word for identity in identities for word in ORDINARY))
    recording = RecordingMachine(machine)
    for path in machine.files:
        recording.read(path)
    for path in machine.links:
        recording.link(path), recording.read(path)
    recording.entries("/sys/fs/btrfs")
    recording.run(list(machine.commands))
    recording.udev()
    with tempfile.TemporaryDirectory() as folder:
        recording.write(Path(folder) / "m")
        written = "\n".join(
            f"{path.relative_to(folder)}\n{path.read_text() if path.is_file() else ''}"
            for path in Path(folder).rglob("*")
        ).lower()
    replace = recording.identities().replace
    for identity in identities:
        assert identity.lower() not in written
        assert replace(identity).lower() in written
        assert replace(replace(identity)) == replace(identity)
    assert len({replace(identity) for identity in identities}) == len(set(identities))


@tries(200)
@given(st.text(max_size=200), st.sampled_from(["", HOST, "/sys/x/serial", "/sys/x/wwid"]))
def test_any_text_can_be_learnt_and_replaced_twice(text, where):
    identities = learnt((where, text))
    new = identities.replace(text, where)
    assert identities.replace(new) == identities.replace(identities.replace(new))
