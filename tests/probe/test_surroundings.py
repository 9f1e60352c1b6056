"""What a folder tells of itself and of what is around it."""

import os
import struct

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.machine.live import LiveMachine
from fsadvisor.measure.probe.surroundings import (
    _a_day,
    data_folder,
    kind_of,
    mount_of,
    on_battery,
    place,
    real,
    room_of,
)
from fsadvisor.measure.probe.target import Quota, group_of, parsed_quota, probe_lock
from fsadvisor.storage import Service, Storage
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.probe.filesystems import mounted, needs_root
from tests.report import composed
from tests.told import ToldMachine

SUPPLY = "/sys/class/power_supply"


def supplies(**kinds):
    files = {}
    for name, (kind, status, *scope) in kinds.items():
        files |= {f"{SUPPLY}/{name}/type": kind, f"{SUPPLY}/{name}/status": status}
        files |= {f"{SUPPLY}/{name}/scope": one for one in scope}
    return ToldMachine(files)


@each(
    ("machine", "answer"),
    [
        (supplies(), False),
        (supplies(AC=("Mains", "")), False),
        (supplies(AC=("Mains", ""), BAT0=("Battery", "Charging")), False),
        (supplies(BAT0=("Battery", "Full")), False),
        (supplies(AC=("Mains", ""), BAT0=("Battery", "Discharging")), True),
        (supplies(mouse=("Battery", "Discharging", "Device")), False),
    ],
)
def test_a_machine_runs_on_battery_where_one_of_its_own_is_being_used_up(machine, answer):
    assert on_battery(machine).value is answer


def test_a_battery_that_tells_nothing_leaves_it_open():
    machine = ToldMachine({f"{SUPPLY}/BAT0/type": "Battery", f"{SUPPLY}/BAT0/status": Unknown(Cause.DENIED, "")})
    assert isinstance(on_battery(machine), Unknown)


def dqblk(hard=0, soft=0, used=0, files_hard=0, files_soft=0, files=0):
    return struct.pack("=8QI4x", hard, soft, used, files_hard, files_soft, files, 0, 0, 63)


def test_a_quota_leaves_what_is_below_the_lower_limit():
    assert parsed_quota(dqblk()) is None
    assert parsed_quota(dqblk(hard=100, used=40 * 1024)) == Quota(bytes_left=60 * 1024, inodes_left=None)
    assert parsed_quota(dqblk(hard=100, soft=50, used=60 * 1024)) == Quota(bytes_left=0, inodes_left=None)
    assert parsed_quota(dqblk(files_soft=10, files=3)) == Quota(bytes_left=None, inodes_left=7)


def storage(*services, host=None):
    on = composed.host(**(host or {}))
    found = [
        composed.subject("service", str(at), service=composed.known(Service, "processes", **values), host=on)
        for at, values in enumerate(services)
    ]
    return composed.machine("a machine", on, *found)


def test_a_target_in_the_folder_of_a_program_that_runs_is_its_data(tmp_path):
    here = storage({"program": "postgresql", "directory": str(tmp_path)})
    inside = tmp_path / "base"
    inside.mkdir()
    assert data_folder(str(inside), here).value.program == "postgresql"
    assert data_folder(str(tmp_path.parent), here).value is None
    assert data_folder(f"{tmp_path}-beside", here).value is None


def test_a_database_that_does_not_run_is_known_by_its_files(tmp_path):
    (tmp_path / "PG_VERSION").write_text("16\n")
    (tmp_path / "base").mkdir()
    assert data_folder(str(tmp_path / "base"), storage()).value.folder == str(tmp_path)


def test_a_program_whose_folder_is_not_known_leaves_it_open(tmp_path):
    assert isinstance(data_folder(str(tmp_path), storage({"program": "mysql"})), Unknown)
    blind = {"services": Unknown(Cause.DENIED, "run as root")}
    assert isinstance(data_folder(str(tmp_path), storage(host=blind)), Unknown)


def test_kinds_of_targets_are_told_apart(tmp_path):
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "loop").symlink_to("loop")
    kinds = {name: kind_of(str(tmp_path / name)) for name in ("", "file", "fifo", "absent", "file/inside")}
    assert [it.value for it in kinds.values()] == ["folder", "file", "FIFO", "absent", "absent"]
    assert kind_of("/dev/null").value == "character device"
    assert isinstance(kind_of(str(tmp_path / "loop")), Unknown)
    assert kind_of("a\0b").value == "absent"


def test_a_link_leads_to_the_folder_that_is_meant(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert real(str(tmp_path / "link" / ".." / "link")) == os.path.realpath(tmp_path / "real")


def test_the_mount_of_a_folder_is_found_by_its_number():
    assert mount_of("/proc/self", LiveMachine()).mount_point == "/proc"
    assert mount_of("/proc/no such", LiveMachine()) is None


def test_this_machine_gives_a_place(tmp_path):
    machine = LiveMachine()
    found = place(str(tmp_path), machine, survey(machine, {}), busy=Known("nobody", ""))
    assert found.kind.value == "folder"
    assert found.may_write.value
    assert found.room.value.available_bytes > 0
    assert isinstance(room_of(str(tmp_path / "absent")), Unknown)


def test_a_place_that_is_no_folder_is_still_described(tmp_path):
    found = place(str(tmp_path / "absent"), LiveMachine(), Storage(machine="", subjects=()), busy=Known("nobody", ""))
    assert found.kind.value == "absent"


@needs_root
def test_one_probe_at_a_time_holds_the_lock_and_leaves_nothing(tmp_path):
    with mounted("tmpfs", tmp_path) as one:
        mount = mount_of(str(one.folder), LiveMachine())
        with probe_lock(mount) as first:
            assert first.value == "nobody"
            with probe_lock(mount) as second:
                assert second.value == "you"
        with probe_lock(mount) as again:
            assert again.value == "nobody"
        assert list(one.folder.iterdir()) == []


def test_where_no_mount_is_known_nor_is_its_lock():
    with probe_lock(None) as answer:
        assert isinstance(answer, Unknown)


def test_a_battery_whose_driver_does_not_know_leaves_it_open():
    assert isinstance(on_battery(supplies(BAT0=("Battery", "Unknown"))), Unknown)


def test_one_battery_that_is_used_up_is_enough_whatever_others_do_not_tell():
    machine = supplies(BAT0=("Battery", "Unknown"), BAT1=("Battery", "Discharging"), UPS=("UPS", "Full"))
    assert on_battery(machine).value is True


def test_a_mount_that_the_survey_does_not_have_is_not_taken_for_one_without_errors_and_pools(tmp_path):
    found = place(
        str(tmp_path), LiveMachine(), composed.machine("another machine", composed.host()), busy=Known("nobody", "")
    )
    for fact in (found.errors, found.shut_down, found.behind, found.raids, found.pools, found.drives):
        assert isinstance(fact, Unknown)
        assert fact.cause is not Cause.NOT_APPLICABLE


def test_what_is_written_on_a_day_is_not_known_where_the_time_since_boot_is_not():
    assert isinstance(_a_day(Known(10, ""), Unknown(Cause.DENIED, "")), Unknown)
    assert _a_day(Known(1000, ""), Known(10 * 86400, "")) == Known(100, "")


def test_the_group_whose_quota_counts_is_the_folders_where_files_inherit_it(tmp_path):
    plain = tmp_path.stat()
    tmp_path.chmod(0o2755)
    assert group_of(plain, ("rw",)) == os.getegid()
    assert group_of(plain, ("rw", "grpid")) == plain.st_gid
    assert group_of(tmp_path.stat(), ()) == plain.st_gid
