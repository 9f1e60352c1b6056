"""The file that keeps the counts of looks."""

import datetime as dt

import pytest

from fsadvisor.machine import kept_files
from fsadvisor.machine.opening import open_machine
from fsadvisor.machine.port import MachineError
from fsadvisor.machine.recording import RecordingMachine
from fsadvisor.readers import own_records
from fsadvisor.survey import trends
from fsadvisor.survey.identity import keys_by
from fsadvisor.survey.whole import survey, survey_with_identities
from tests.panel import build
from tests.panel.servers import looks_full_in_hours, looks_reallocated_growing


def line(day, hour):
    when = f"2026-{1 + day // 28:02}-{1 + day % 28:02}T{hour:02}:00:00Z"
    return f'{{"schema":"fsadvisor/look/1","when":"{when}"}}\n'.encode()


def test_a_look_is_added_for_root_alone_to_read(tmp_path):
    file = tmp_path / "fsadvisor" / "looks.jsonl"
    kept_files.keep_look(line(0, 1), file)
    kept_files.keep_look(line(0, 2), file)
    assert file.read_bytes() == line(0, 1) + line(0, 2)
    assert file.stat().st_mode & 0o777 == 0o600


def test_of_older_looks_one_a_day_stays(tmp_path):
    file = tmp_path / "looks.jsonl"
    every = [line(day, hour) for day in range(40) for hour in range(24)]
    file.write_bytes(b"".join(every[:-1]))
    kept_files.keep_look(every[-1], file)
    kept = file.read_bytes().splitlines(keepends=True)
    assert kept[-60:] == every[-60:]
    assert kept[:-60] == [line(day, 0) for day in range(38)]
    assert len(own_records.parse_looks(file.read_text()).looks) == len(kept)


def test_it_is_bounded_and_the_newest_stays(tmp_path):
    file = tmp_path / "looks.jsonl"
    long = b'{"schema":"fsadvisor/look/1","when":"2026-01-01T00:00:00Z","disks":{"' + b"a" * (1 << 20) + b'":{}}}\n'
    for _ in range(5):
        kept_files.keep_look(long, file)
    assert len(file.read_bytes()) <= 3 << 20
    kept_files.keep_look(line(3, 3), file)
    assert file.read_bytes().endswith(line(3, 3))


def test_where_it_cannot_be_kept_it_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(MachineError, match="--remember"):
        kept_files.keep_look(line(0, 0), tmp_path / "file" / "looks.jsonl")


def test_a_recording_tells_what_grew_under_stand_ins_for_serial_numbers(tmp_path):
    live = RecordingMachine(looks_reallocated_growing.server())
    survey(live, {})
    live.write(tmp_path / "recorded")
    kept = next(it for it in (tmp_path / "recorded").rglob("*") if it.is_file() and b"look/1" in it.read_bytes())
    assert b"S63UNE0R500001" not in kept.read_bytes()
    storage = survey(open_machine(tmp_path / "recorded"), {})
    disk = next(it.scope["disk"] for it in storage.subjects if it.id == "disk:sdb")
    assert disk.damage_grown.value == ("reallocated sectors 2 -> 24 since 1 Nov (8 since 19 Nov)",)


def test_a_look_that_is_kept_is_read_by_the_next(tmp_path):
    machine = looks_full_in_hours.server()
    storage, identity = survey_with_identities(machine, {})
    now = dt.datetime.fromtimestamp(build.NOW, dt.UTC)
    said = trends.line(machine, storage, keys_by(identity), now)
    assert own_records.earlier_look(said.decode()).when == now
    machine.files |= {kept_files.LOOKS: said.decode(), "/proc/stat": f"btime {build.NOW - 864_000 + 7200}\n"}
    again = survey(machine, {})
    counted = {it.id: it.scope["filesystem"].looks.value for it in again.subjects if it.kind == "filesystem"}
    assert counted["filesystem:/dev/sdb2"] == 1


def test_a_stall_that_a_look_saw_is_evidence_when_it_is_over():
    drive = build.nvme(0)
    machine = build.server(drive, mounts=[build.root(drive)], dirty_mib=6000)
    machine.files["/proc/pressure/io"] = (
        "some avg10=80.00 avg60=80.00 avg300=9.00 total=99\nfull avg10=70.00 avg60=61.20 avg300=8.00 total=90\n"
    )
    storage, identity = survey_with_identities(machine, {})
    now = dt.datetime.fromtimestamp(build.NOW, dt.UTC)
    kept = trends.line(machine, storage, keys_by(identity), now).decode()
    later = build.server(drive, mounts=[build.root(drive)])
    later.files |= {kept_files.LOOKS: kept, "/proc/stat": f"btime {build.NOW - 864_000 + 7200}\n"}
    host = next(it.scope["host"] for it in survey(later, {}).subjects if it.kind == "host")
    assert host.stall_seen.value == f"{now:%Y-%m-%d %H:%M} UTC"
    assert host.stall_dirty_seconds.value >= 1
    assert (
        f"all tasks waited 62 % of the time, 6,291,456,000 bytes dirty ({kept_files.LOOKS})" in host.stall_seen.source
    )
