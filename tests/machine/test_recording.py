import json
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine import port, redaction
from fsadvisor.machine.live import LiveMachine
from fsadvisor.machine.port import MachineError, Reply
from fsadvisor.machine.recorded import AGAIN, RecordedMachine
from fsadvisor.machine.recording import RecordingMachine
from tests.cases import tries
from tests.machine.accounted import AccountedMachine
from tests.machine.scripted import ScriptedMachine

UUID = "0a1b2c3d-1111-4222-8333-0123456789ab"
FLAG_PATH, MOUNT = "/srv/pg", "/mnt/a b\n[red]"


def sample():
    return ScriptedMachine(
        files={
            "/sys/block/sda/queue/write_cache": "write back\n",
            "/sys/block/sda/device/serial": "S64GNE0R123456  \n",
            f"/sys/fs/btrfs/{UUID}/label": "label\n",
            "/etc/hostname": "zeus\n",
            "/etc/my.cnf": "[mysqld]\npassword = hunter2\ndatadir = /srv/zeus\n",
            "/a": "both a file",
            "/a/b": "and a folder",
        },
        links={"/sys/block/sda": "../devices/pci0000:00/sda", f"/dev/disk/by-uuid/{UUID}": "../../sda1"},
        folders={"/sys/block": ("sda", "sdb"), "/sys/fs/btrfs": (UUID, "features"), "/empty": ()},
        commands={("nvme", "id-ctrl", "/dev/nvme0"): "sn : S64GNE0R123456\n", ("smartctl", "-j", "/dev/sda"): ""},
        udev=f"P: /devices/sda\nE: ID_SERIAL_SHORT=S64GNE0R123456\nE: ID_FS_UUID={UUID}\n\n",
        processes='[{"pid": 9, "name": "etcd"}, {"pid": 7, "name": "mysqld"}]',
    )


def ask_everything(machine, replace=str):
    """All questions that the sample can answer, and some that it can't; asked with stand-ins where told to."""
    source = sample()
    paths = [*source.files, *source.links, *source.folders, "/nowhere", "/a/b/c", "/", MOUNT, "relative", "//x/../y/"]
    paths = [replace(path) for path in paths]
    return {
        "read": [machine.read(path) for path in paths],
        "link": [machine.link(path) for path in paths],
        "entries": [machine.entries(path) for path in paths],
        "space": [machine.space(path) for path in paths],
        "flags": [machine.flags(path) for path in paths],
        "settings": [machine.settings(path) for path in paths],
        "extents": [machine.extents(path) for path in paths],
        "run": machine.run([*source.commands, ("absent", "--all")]),
        "asked": [machine.udev(), machine.counters(), machine.processes(["mysqld", "etcd"])],
    }


def replaced(answers, replace):
    def one(kind, answer):
        if isinstance(answer, Unknown):
            return Unknown(answer.cause, replace(answer.learn), replace(answer.source))
        if isinstance(answer, tuple):
            return tuple(sorted(map(replace, answer)))
        where = answer.source if kind == "read" else ""
        text = redaction.of_udev(answer.text) if answer.source == port.UDEV_SOURCE else answer.text
        text = redaction.of_processes(text) if answer.source == port.PROCESSES_SOURCE else text
        text = redaction.of_file(where, text) if where else text
        return Reply(replace(text, where), replace(answer.source), answer.status)

    return {kind: [one(kind, answer) for answer in group] for kind, group in answers.items()}


@pytest.fixture
def folder(tmp_path):
    recording = RecordingMachine(sample())
    ask_everything(recording)
    recording.write(tmp_path / "machine")
    return tmp_path / "machine"


def test_a_recorded_machine_answers_all_questions_as_the_live_one_did(tmp_path):
    recording = RecordingMachine(sample())
    answers = ask_everything(recording)
    recording.write(tmp_path / "machine")
    replace = recording.identities().replace
    recorded = AccountedMachine(tmp_path / "machine")
    assert ask_everything(recorded, replace) == replaced(answers, replace)
    assert recorded.root is True
    assert recorded.unused() == []


def test_this_host_is_recorded_and_answers_the_same(tmp_path):
    def ask(machine, replace=str):
        blocks = machine.entries(replace("/sys/block"))
        queues = [f"/sys/block/{name}/queue/{leaf}" for name in blocks for leaf in ("write_cache", "fua", "nothing")]
        return {
            "read": [machine.read(path) for path in [*queues, "/proc/self/mountinfo", "/proc/sys/kernel/hostname"]],
            "link": [machine.link(f"/sys/block/{name}") for name in blocks],
            "entries": [blocks],
            "run": machine.run([("lsblk", "-J"), ("no-such-tool",)]),
            "asked": [machine.udev(), machine.space("/"), machine.flags("/"), machine.counters()],
        }

    recording = RecordingMachine(LiveMachine())
    answers = ask(recording)
    recording.write(tmp_path / "machine")
    replace = recording.identities().replace
    assert ask(RecordedMachine(tmp_path / "machine"), replace) == replaced(answers, replace)


def test_a_host_name_that_nobody_asked_for_is_replaced_all_the_same(tmp_path):
    files = {"/proc/sys/kernel/hostname": "zeus\n", "/proc/mounts": "/dev/mapper/zeus--vg-root / ext4 rw 0 0\n"}
    recording = RecordingMachine(ScriptedMachine(files))
    recording.read("/proc/mounts")
    recording.write(tmp_path / "machine")
    assert "zeus" not in "".join(map(str, contents(tmp_path / "machine").items()))
    assert not (tmp_path / "machine/files/proc/sys").exists()


def test_the_folder_can_be_reviewed(folder):
    assert (folder / "files/sys/block/sda/queue/write_cache").read_text() == "write back\n"
    assert (folder / "files/sys/block/sda%link").read_text() == "../devices/pci0000:00/sda"
    assert json.loads((folder / "files/sys/block%entries").read_text()) == ["sda", "sdb"]
    assert '["read", "nowhere", "not_exposed", ""]' in (folder / "files/%unknown").read_text()
    assert (folder / "files/etc/hostname").read_text() == "fsadvisorhost1\n"
    assert (folder / "files/etc/hostname%flags").read_text() == "0x80000"
    assert (folder / "files/a%file").read_text() == "both a file"
    (meta,) = (folder / "commands").glob("nvme_id-ctrl_.dev.nvme0-*.json")
    assert json.loads(meta.read_text()) == {"argv": ["nvme", "id-ctrl", "/dev/nvme0"], "status": 3}
    assert 'schema = "fsadvisor/machine/1"' in (folder / "machine.toml").read_text()


def test_two_captures_of_the_same_machine_are_the_same(folder, tmp_path):
    again = RecordingMachine(sample())
    ask_everything(again)
    again.write(tmp_path / "again")
    assert contents(tmp_path / "again") == contents(folder)


def test_a_recorded_machine_recorded_again_is_the_same(folder, tmp_path):
    again = RecordingMachine(RecordedMachine(folder))
    recording = RecordingMachine(sample())
    ask_everything(recording)
    ask_everything(again, recording.identities().replace)
    again.write(tmp_path / "again")
    assert contents(tmp_path / "again") == contents(folder)


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_files_and_folders_are_for_their_owner_alone(folder):
    for path in (folder, *folder.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


def test_only_a_new_or_empty_folder_is_written(folder, tmp_path):
    recording = RecordingMachine(sample())
    with pytest.raises(MachineError, match="the directory is not empty; name a new or an empty one"):
        recording.write(folder)
    (tmp_path / "file").touch()
    with pytest.raises(MachineError, match="Not a directory"):
        recording.write(tmp_path / "file")
    with pytest.raises(MachineError, match="Not a directory"):
        recording.write(tmp_path / "file" / "below")
    recording.write(tmp_path / "new" / "folder")
    assert (tmp_path / "new" / "folder" / "machine.toml").exists()


def test_what_was_not_recorded_says_so(folder):
    machine = RecordedMachine(folder)
    again = Unknown(Cause.NOT_EXPOSED, AGAIN, "/sys/block/sdc/size")
    assert machine.read("/sys/block/sdc/size") == machine.entries("/sys/block/sdc/size") == again
    assert machine.run([("nvme", "list")]) == [Unknown(Cause.NOT_EXPOSED, AGAIN, "nvme list")]
    assert machine.processes(["mysqld", "postgres"]).learn == AGAIN


def test_fewer_processes_than_recorded_may_be_asked_for(folder):
    assert json.loads(RecordedMachine(folder).processes(["etcd"]).text) == [{"pid": 9, "name": "etcd"}]


def test_several_questions_for_processes_are_recorded_as_one(tmp_path):
    machine = sample()
    recording = RecordingMachine(machine)
    recording.processes(["mysqld"])
    machine.processes_text = '[{"pid": 8, "name": "postgres"}]'
    recording.processes(["postgres"])
    recording.write(tmp_path / "machine")
    told = json.loads(RecordedMachine(tmp_path / "machine").processes(["mysqld", "postgres"]).text)
    assert [process["pid"] for process in told] == [7, 8]


def test_of_a_configuration_file_only_settings_about_storage_are_written(tmp_path):
    text = "[mysqld]\npassword = hunter2\ninnodb_doublewrite = 1\n"
    recording = RecordingMachine(ScriptedMachine({"/etc/my.cnf": text}))
    recording.settings("/etc/my.cnf")
    recording.write(tmp_path / "machine")
    assert "hunter2" not in "".join(map(str, contents(tmp_path / "machine").items()))
    told = RecordedMachine(tmp_path / "machine").settings("/etc/my.cnf").text
    assert told.endswith("\n[mysqld]\ninnodb_doublewrite = 1\n")


def test_a_recording_that_kept_fewer_settings_does_not_pass_for_one_that_has_none(folder):
    (path,) = folder.rglob("my.cnf%settings")
    path.write_text("# settings kept: datadir\n[mysqld]\n")
    assert RecordedMachine(folder).settings("/etc/my.cnf") == Unknown(Cause.NOT_EXPOSED, AGAIN, "/etc/my.cnf")


def test_recordings_that_nobody_asked_for_are_listed(folder):
    machine = AccountedMachine(folder)
    machine.read("/sys/block/sda/queue/write_cache")
    machine.read("/nowhere")
    unused = machine.unused()
    assert "files/sys/block/sda/queue/write_cache" not in unused
    assert "files/%unknown: read nowhere" not in unused
    assert {"files/sys/block%entries", "files/%unknown: link nowhere", "asked/udev.out"} <= set(unused)


@pytest.mark.parametrize(
    ("title", "complaint"),
    [
        (None, "no machine.toml in it; name a directory that `fsadvisor capture` wrote wholly"),
        ('schema = "fsadvisor/mach', "not TOML"),
        ('schema = "another/thing"', "the schema is 'another/thing', not 'fsadvisor/machine/1'; capture"),
        ('schema = "fsadvisor/machine/2"', "install a newer fsadvisor"),
        ('schema = "fsadvisor/machine/1"', "does not say whether root asked"),
        ("", "the schema is None"),
        ("a = [" * 100000, "more than 4 MiB|not TOML"),
    ],
)
def test_a_folder_that_is_no_recorded_machine_is_refused(folder, title, complaint):
    (folder / "machine.toml").unlink()
    if title is not None:
        (folder / "machine.toml").write_text(title)
    with pytest.raises(MachineError, match=complaint):
        RecordedMachine(folder)


def test_no_link_in_a_recording_is_followed(folder, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text("secret")
    (folder / "files/sys/linked").symlink_to(tmp_path / "outside")
    (folder / "files/sys/secret").symlink_to(tmp_path / "outside/secret")
    machine = RecordedMachine(folder)
    assert machine.read("/sys/linked/secret").learn == machine.read("/sys/secret").learn == AGAIN
    assert machine.read("/../../outside/secret").learn == AGAIN
    (folder / "machine.toml").rename(tmp_path / "title")
    (folder / "machine.toml").symlink_to(tmp_path / "title")
    with pytest.raises(MachineError):
        RecordedMachine(folder)


def test_hostile_files_in_a_recording_are_refused_without_reading(folder):
    sparse = folder / "files/sys/sparse"
    sparse.touch()
    os.truncate(sparse, 10 << 30)
    os.mkfifo(folder / "files/sys/fifo")
    machine = RecordedMachine(folder)
    assert machine.read("/sys/sparse").cause is Cause.UNREADABLE
    assert machine.read("/sys/fifo").learn == AGAIN


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts are for root alone")
@pytest.mark.namespaces
def test_a_file_of_a_recording_or_a_copied_tree_that_its_disk_does_not_give_is_unreadable(folder, tmp_path):
    file, tree = folder / "files/etc/hostname", tmp_path / "tree/etc/hostname"
    tree.parent.mkdir(parents=True)
    tree.write_text("zeus\n")
    ask = (
        "import sys; from fsadvisor.machine.recorded import RecordedMachine as R; from fsadvisor.machine.trees import "
    )
    ask += "FolderTree as F; print(R(sys.argv[1]).read('/etc/hostname')); print(F(sys.argv[2]).content('etc/hostname'))"
    binds = "".join(f"mount --bind /sys/class/net/lo/speed {one}; " for one in (file, tree))  # reading it gives EINVAL
    words = ("unshare", "--mount", "sh", "-ec", binds + 'exec "$@"', "sh", sys.executable, "-c", ask)
    done = subprocess.run([*words, folder, tmp_path / "tree"], capture_output=True, text=True, check=True)
    assert done.stdout.count("copy it again: reading it gave 'Invalid argument'") == 2


@pytest.mark.parametrize("content", ["", "[", '{"a": 1}', "[1]", "[" * 100000, "\udcff", '[["read"]]', "null"])
def test_damaged_recordings_are_unreadable_and_never_raise(folder, content):
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != "machine.toml":
            path.write_bytes(content.encode("utf-8", "surrogateescape"))
    machine = AccountedMachine(folder)
    answers = ask_everything(machine)
    assert machine.unused() is not None
    assert answers["run"][0].cause is Cause.UNREADABLE
    assert all(answer.cause for answer in answers["entries"])


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=30) | st.sampled_from(
    [".", "..", "%unknown", "%25", "a%entries", "x" * 255, "é" * 120, "\udcff\udc80", "a\nb", "$(x)", "\ud800"]
)
PATHS = st.lists(NAMES, max_size=20).map(lambda names: "/" + "/".join(names))


@tries(60)
@given(st.dictionaries(PATHS, st.text(st.characters(codec="utf-8")), max_size=6))
def test_any_path_can_be_recorded(files):
    machine = ScriptedMachine(files=files, folders=dict.fromkeys(files, ("a\nb", "c")))
    recording = RecordingMachine(machine)
    for path in files:
        recording.read(path), recording.entries(path), recording.read(path + "/x"), recording.link(path)
    with tempfile.TemporaryDirectory() as folder:
        recording.write(Path(folder))
        recorded = AccountedMachine(folder)
        replace = recording.identities().replace
        for path, text in files.items():
            new = replace(path)
            assert recorded.read(new) == Reply(replace(text, path), new)
            assert recorded.entries(new) == ("a\nb", "c")
            if path + "/x" not in files:
                assert recorded.read(new + "/x") == Unknown(Cause.NOT_EXPOSED, "", new + "/x")
        assert recorded.unused() == [line for line in recorded.unused() if ": link " in line]
