"""An incident of a night is kept, with a minute around it, and judged later; nothing else is written."""

import json

import msgspec
import pytest
from msgspec.structs import replace

from fsadvisor.facts import Unknown
from fsadvisor.machine.kept_files import INCIDENT, WithFile
from fsadvisor.machine.opening import open_machine
from fsadvisor.machine.port import MachineError
from fsadvisor.machine.recording import RecordingMachine
from fsadvisor.measure.now import Device, Program, Window
from fsadvisor.measure.now.answer import answer
from fsadvisor.measure.now.observe import Watcher, threshold
from fsadvisor.measure.now.stored_windows import as_line, chosen_of, windows_in
from fsadvisor.readers import own_records
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.survey.whole import survey
from fsadvisor.verbs.watch import OURS, WindowFiles
from tests.cases import each
from tests.command import fsadvisor
from tests.panel import build

DAY, TWO, LASTS = 86400.0, 7200.0, 300.0


class Night:
    """A day whose clock moves only when it is slept or looked; its disks are slow from two o'clock on."""

    def __init__(self, end_at=DAY, slow=True):
        self.now, self.end_at, self.slow = 0.0, end_at, slow
        self.looked = 0.0

    def sleep(self, seconds):
        self.now += seconds
        return self.now >= self.end_at

    def above(self):
        return self.slow and TWO <= self.now < TWO + LASTS

    def look(self, seconds):
        self.now += seconds
        self.looked += seconds
        hurts = self.above()
        minutes, second = divmod(int(self.now), 60)
        disk = Device(name="sda", writes=440.0, write_ms=9.0, busy=1.0, queue=4.0) if hurts else Device(name="sda")
        return Window(
            when=f"2026-11-23T{minutes // 60:02}:{minutes % 60:02}:{second:02}+00:00",
            seconds=seconds,
            io_some=0.8 if hurts else 0.0,
            devices=(disk,),
        )

    def watched(self, keep, seconds=DAY):
        made = Watcher(clock=lambda: self.now, sleep=self.sleep, above=self.above, observe=self.look, keep=keep)
        return made.watch(seconds)


def test_an_incident_of_a_day_is_kept_with_a_minute_before_and_after():
    kept = []
    assert Night().watched(kept.append) == 1
    assert "01:58:" <= kept[0].when[11:17] <= "01:59:"
    assert "02:05:" <= kept[-1].when[11:17] <= "02:06:"
    assert any(window.io_some for window in kept)


def test_a_quiet_day_writes_nothing_and_looks_a_thirtieth_of_it():
    kept, quiet = [], Night(slow=False)
    assert quiet.watched(kept.append) == 0
    assert kept == []
    assert quiet.looked <= DAY / 30


def test_what_is_kept_gives_the_same_answer_later(tmp_path):
    kept = []
    Night().watched(kept.append)
    to = WindowFiles(tmp_path)
    for window in kept:
        to(window)
    worst = max(kept, key=lambda one: one.io_some)
    rules = own_rulebook().rules
    later = chosen_of(windows_in(tmp_path), None)
    assert all(OURS.fullmatch(path.name) for path in tmp_path.iterdir())
    assert later == worst
    assert msgspec.json.encode(later) == msgspec.json.encode(worst)
    assert [one.verdict.rule.id for one in answer(later, rules).found] == [
        one.verdict.rule.id for one in answer(worst, rules).found
    ]


def test_the_last_incident_is_a_fact_of_the_machine_with_its_time(tmp_path):
    dirty, kept = Night(), WindowFiles(tmp_path)

    def keep(window):
        window.io_full, window.dirty = window.io_some, int(8e9 * window.io_some)
        kept(window)

    dirty.watched(keep)
    file = tmp_path / "incident.jsonl"
    kept.over(file)
    assert len(own_records.parse_incident(file.read_text()).moments) == len(list(tmp_path.glob("window-*")))
    drive = build.nvme(0)
    machine = build.server(drive, mounts=[build.root(drive)])
    assert told_of(machine).value == 0
    fact = told_of(WithFile(machine, INCIDENT, file.read_text(), INCIDENT))
    assert fact.value == 6
    assert "2026-11-23 02:00 UTC: all tasks waited 80 % of the time, 6,400,000,000 bytes dirty" in fact.source
    broken = told_of(WithFile(machine, INCIDENT, "{", INCIDENT))
    assert isinstance(broken, Unknown)


def test_a_capture_takes_the_last_incident_along_without_what_names_the_machine(tmp_path):
    seen = Night().look(5.0)
    container = "e20b499a834e70bcc6ed8201d138d000"
    disks = tuple(Device(name=f"sd{name}", writes=1 / 3e5 * n, write_ms=900 / 7 * n) for n, name in enumerate("abc", 3))
    seen = replace(seen, devices=disks, programs=(Program(pid=9, name="db", groups=(f"/{container}",)),))
    drive = build.nvme(0)
    machine = WithFile(build.server(drive, mounts=[build.root(drive)]), INCIDENT, as_line(seen).decode(), INCIDENT)
    recording = RecordingMachine(machine)
    survey(recording, {})
    recording.write(tmp_path / "capture")
    (kept,) = windows_in(tmp_path / "capture")
    assert kept.devices[0].write_ms == pytest.approx(seen.devices[0].write_ms, rel=1e-5)
    assert container not in kept.programs[0].groups[0]
    assert b"What is wrong, in the 5 s until " in fsadvisor("doctor", "--on", tmp_path / "capture").stdout
    assert b"Where the time goes" in fsadvisor("waits", "--on", tmp_path / "capture").stdout


def host_of(machine):
    (host,) = (one for one in survey(machine, {}).subjects if one.kind == "host")
    return host.scope["host"]


def told_of(machine):
    return host_of(machine).stall_dirty_seconds


def test_where_the_file_could_not_have_been_seen_no_stall_is_ruled_out(tmp_path):
    drive = build.nvme(0)
    machine = build.server(drive, mounts=[build.root(drive)])
    assert host_of(machine).stall_seen.value == "never"
    recording = RecordingMachine(machine)
    survey(recording, {})
    recording.write(tmp_path)
    assert host_of(open_machine(tmp_path)).stall_seen.value == "never"
    (tmp_path / "files/var/lib/fsadvisor/%unknown").unlink()
    assert isinstance(host_of(open_machine(tmp_path)).stall_seen, Unknown)


def test_each_incident_ends_once_and_the_last_one_with_the_watch():
    for end_at in (DAY, TWO + 30):
        over = []
        night = Night(end_at)
        Watcher(
            clock=lambda night=night: night.now,
            sleep=night.sleep,
            above=night.above,
            observe=night.look,
            keep=lambda _: None,
            over=lambda night=night, over=over: over.append(night.now),
        ).watch(DAY)
        assert len(over) == 1


def test_the_directory_keeps_its_bound_and_the_newest(tmp_path):
    window = Night().look(1.0)
    most = 5 * len(as_line(window))
    to = WindowFiles(tmp_path, most)
    for _ in range(20):
        to(window)
    files = sorted(file.name for file in tmp_path.iterdir())
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= most
    assert [name[-11:-5] for name in files] == ["000016", "000017", "000018", "000019", "000020"]


def test_where_windows_cannot_be_written_it_goes_on_and_tells_it_once(tmp_path, capsys):
    night, to = Night(), WindowFiles(tmp_path / "full")
    assert night.watched(to) == 1
    assert to.lost == to.number > 20
    (tmp_path / "full").mkdir()
    to(night.look(1.0))
    assert len([*(tmp_path / "full").iterdir()]) == 1
    to.over(tmp_path / "full")
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert "full" in said[0]


@each(("time", "said"), [("1s", "1s"), ("90s", "90s"), ("1.5h", "90m"), ("12h", "12h"), ("48h", "2d")])
def test_a_unit_says_the_time_as_one_would_write_it(time, said):
    assert f"--for {said} ".encode() in fsadvisor("watch", "--unit", "--for", time, "--out", "/nowhere").stdout


def test_a_signal_ends_it_between_two_looks():
    night = Night(end_at=TWO + 30)
    assert night.watched(lambda _: None) == 1
    assert night.now < TWO + 60


def test_a_directory_that_others_may_change_is_refused_before_anything_happens(tmp_path):
    tmp_path.chmod(0o777)
    done = fsadvisor("watch", "--out", tmp_path)
    assert done.returncode == 2
    assert b"may be changed by everybody" in done.stderr


@pytest.mark.parametrize(
    "facts",
    [
        {"when": "x"},
        {"when": "9999-12-31T00:00:00+00:00"},
        {"seconds": 0},
        {"devices": [{"name": "a\x1b[2J", "writes": 1e300, "write_ms": 1e300}]},
        {"programs": [{"pid": 1, "name": "a", "stuck": 1, "stuck_s": -1e11}]},
        {"programs": [{"pid": 10**30, "name": "a"}]},
    ],
)
def test_figures_of_a_strangers_window_that_can_not_be_are_refused(tmp_path, facts):
    stranger = {"when": "2026-01-01T00:00:00+00:00", "seconds": 5, "root": True, "waiting": 1, **facts}
    (tmp_path / "window-1.json").write_text(json.dumps(stranger))
    with pytest.raises(MachineError):
        windows_in(tmp_path)
    done = fsadvisor("doctor", "--on", tmp_path)
    assert done.returncode == 2
    assert b"\x1b" not in done.stderr
    assert b"a bug of ours" not in done.stderr


@each("text", ["", "io > 20", "disk pressure > 20 %", "io pressure > 200 %", "io pressure < 5"])
def test_what_is_no_threshold_is_refused(text):
    assert threshold(text) is None
    assert fsadvisor("watch", "--out", "/nowhere", "--when", text).returncode == 2


@pytest.mark.parametrize(("mean", "told"), [("20.00", False), ("20.01", True), ("x", None)])
def test_a_threshold_is_passed_above_it(mean, told):
    text = f"some avg10={mean} avg60=0.00 avg300=0.00 total=1"
    assert threshold("io pressure > 20 %").passed(text) is told
    assert threshold("io pressure>20").passed(None) is None


def test_the_unit_is_printed_and_nothing_is_made(tmp_path):
    done = fsadvisor("watch", "--unit", "--for", "30m", "--out", tmp_path / "100% ${HOME}")
    printed = done.stdout.decode()
    assert "[Service]" in printed
    assert "watch --for 30m" in printed
    assert '100%% $${HOME}"' in printed
    assert "ExecStart=/" in printed
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_no_unit_can_hold_is_refused(tmp_path):
    done = fsadvisor("watch", "--unit", "--out", tmp_path / "a\nExecStart=b")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"has characters that no unit can hold" in done.stderr
