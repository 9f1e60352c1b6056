"""What sos's outputs say to questions that sos does not ask."""

import json

import pytest

from fsadvisor.facts import Unknown
from fsadvisor.machine import sos_outputs
from fsadvisor.machine.opening import open_machine
from tests.cases import each
from tests.machine.test_sosreport import write_folder

UNITS = """\
  fstrim.timer    loaded active   waiting   Discard unused blocks
● b.service loaded failed failed B

2 loaded units listed.
"""
FILES = """\
UNIT FILE STATE PRESET
fstrim.timer enabled enabled
old.timer disabled enabled

2 unit files listed.
"""
SHOWN = "--property=Id,LoadState,ActiveState,UnitFileState"


def asked(outputs, *argv):
    return sos_outputs.command(argv, outputs.get)


@each(
    ("said", "word"),
    [
        (" Static hostname: a\n         Chassis: server\n      Machine ID: 7\n", "none"),
        ("         Chassis: server 🖳\n", "none"),
        ("         Chassis: vm\n  Virtualization: kvm\n", "kvm"),
        ("         Chassis: container\n  Virtualization: lxc\n", "lxc"),
        ("         Chassis: server\n  Virtualization: microsoft\n", "microsoft"),
    ],
)
def test_hostnamectl_tells_what_systemd_detect_virt_would(said, word):
    answer = asked({"hostnamectl status": said}, "systemd-detect-virt", "--vm")
    assert (answer.text, answer.source) == (f"{word}\n", "hostnamectl status")


@each("said", ["", "Failed to connect to bus\n", " Static hostname: a\n", "  Chassis: vm\n", "Chassis: container\n"])
def test_where_hostnamectl_does_not_know_the_chassis_nothing_is_told(said):
    assert asked({"hostnamectl status": said}, "systemd-detect-virt", "--vm") is None


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("Thu Jan 11 23:23:11 CET 2024\n", "2024-01-11"),
        ("Sun Mar  3 01:02:03 AM UTC 2024\n", "2024-03-03"),
        ("Thu Xxx 11 10:23:11 UTC 2024\n", "None"),
        ("/bin/date: not found\n", "None"),
    ],
)
def test_an_archive_says_the_day_that_date_printed_in_it_or_none(tmp_path, said, day):
    (tmp_path / "it/sos_commands/date").mkdir(parents=True)
    (tmp_path / "it/sos_commands/date/date").write_text(said)
    (tmp_path / "it/proc").mkdir()
    assert str(open_machine(tmp_path / "it").looked_on) == day


def test_a_unit_is_told_by_the_lists_and_what_is_not_loaded_is_inactive():
    lists = {"systemctl list-unit-files": FILES, "systemctl list-units": UNITS}
    states = {
        name: asked(lists, "systemctl", "show", name, SHOWN).text.split()
        for name in ("fstrim.timer", "old.timer", "no.timer", "b.service")
    }
    assert states["fstrim.timer"] == [
        "Id=fstrim.timer",
        "LoadState=loaded",
        "ActiveState=active",
        "UnitFileState=enabled",
    ]
    assert states["old.timer"][2:] == ["ActiveState=inactive", "UnitFileState=disabled"]
    assert states["no.timer"][1:] == ["LoadState=not-found", "ActiveState=inactive", "UnitFileState="]
    assert states["b.service"][2] == "ActiveState=failed"


@pytest.mark.parametrize("cut", ["systemctl list-unit-files", "systemctl list-units"])
def test_a_list_of_units_that_is_cut_tells_nothing(cut):
    lists = {"systemctl list-unit-files": FILES, "systemctl list-units": UNITS}
    assert asked(lists | {cut: lists[cut].rpartition("\n\n")[0]}, "systemctl", "show", "old.timer", SHOWN) is None
    assert (
        asked({key: text for key, text in lists.items() if key != cut}, "systemctl", "show", "x.timer", SHOWN) is None
    )


SIZES = """\
Filesystem     1K-blocks     Used Available Use% Mounted on
sysfs                  0        0         0    - /sys
/dev/sda2       10475520  4194304   5744640  43% /
/dev/sdb1           1000     1000       -50 100% /srv/my data
/dev/sdc1           1000        1       999   1% /twice
/dev/sdd1           2000        1      1999   1% /twice
"""
INODES = """\
Filesystem     Type   Inodes IUsed  IFree IUse% Mounted on
/dev/sda2      ext4   655360 65536 589824   10% /
/dev/sdb1      ext4      100   100      0  100% /srv/my data
/dev/sdc1      ext4      100   100      0  100% /twice
"""


def room(point, sizes=SIZES, inodes=INODES):
    answer = sos_outputs.space(point, {"df -al -x autofs": sizes, "df -aliT -x autofs": inodes}.get)
    return answer and json.loads(answer.text)


def test_df_tells_size_free_and_available_and_the_inodes():
    assert room("/") == {
        "size": 10475520 << 10,
        "free": 6281216 << 10,
        "available": 5744640 << 10,
        "inodes": 655360,
        "inodes_free": 589824,
    }
    assert room("/srv/my data")["available"] == room("/srv/my data")["free"] == 0


def test_what_df_does_not_tell_is_not_known():
    assert room("/sys") is room("/none") is None
    assert room("/twice") is None
    assert room("/", sizes=SIZES.replace("1K-blocks", "Size")) is None
    assert room("/", inodes="") is None


def test_sysctl_tells_what_stands_below_proc_sys():
    told = {"sysctl -a": "vm.dirty_ratio = 20\nvm.dirty_bytes = 1\nvm.dirty_bytes = 2\n"}.get
    assert sos_outputs.setting("/proc/sys/vm/dirty_ratio", told).text == "20\n"
    assert isinstance(sos_outputs.setting("/proc/sys/vm/dirty_bytes", told), Unknown)
    assert sos_outputs.setting("/proc/sys/vm/other", told) is None
    assert sos_outputs.setting("/proc/vm/dirty_ratio", told) is None


def test_an_archive_answers_with_them(tmp_path):
    top = write_folder(tmp_path)
    for name, text in {
        "host/hostnamectl_status": "  Chassis: server\n",
        "filesys/df_-al_-x_autofs": SIZES,
        "filesys/df_-aliT_-x_autofs": INODES,
        "kernel/sysctl_-a": "vm.dirty_ratio = 20\n",
    }.items():
        path = top / "sos_commands" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    sos = open_machine(top)
    assert sos.run([("systemd-detect-virt", "--vm")])[0].text == "none\n"
    assert json.loads(sos.space("/").text)["inodes"] == 655360
    assert sos.read("/proc/sys/vm/dirty_ratio").text == "20\n"
