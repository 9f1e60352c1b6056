"""The tour of `fsadvisor --demo`: what was kept and recorded of its machine is shown, and said to be recorded."""

import asyncio
import json
from pathlib import Path

import msgspec
import pytest

from fsadvisor import arguments, inputs
from fsadvisor.arguments_help import demo_extras, demo_machine
from fsadvisor.cli.exploring import _session
from fsadvisor.machine.opening import open_machine
from fsadvisor.machine.port import MachineError
from fsadvisor.measure.now.stored_windows import incident
from fsadvisor.survey.whole import survey
from fsadvisor.tui.app import FsadvisorApp
from fsadvisor.tui.sampling import RecordedSample, ReplaySampler, recorded
from fsadvisor.tui.views import probes
from tests.command import in_text
from tests.tui.driving import TERMINAL, shown, until

LIVE = demo_extras() / "live.jsonl"


def toured(steps, size=(120, 40)):
    """Drive the tour, as the command line makes it."""

    async def run():
        app = FsadvisorApp(_session(arguments.parsed(["--demo"]), "old-storage-server"), TERMINAL)
        async with app.run_test(size=size, notifications=True) as pilot:
            await until(pilot, lambda: app.snapshot is not None)
            return await steps(app, pilot)

    return asyncio.run(run())


PLACES = {
    "Live": ("5", ("mongod", "/srv/cached", "A recording, played over and over")),
    "what hurts": ("d", ("An incident that watch kept", "waits")),
    "the ladder": ("4", ("What an fsync is made of",)),
    "trials": ("7", ("timestamps-written-at-once",)),
    "the board": ("tab down", ("1.7 ms, 52 % of it flushes", "w ")),
}


def test_each_place_of_the_tour_has_something_to_show():
    async def steps(app, pilot):
        assert shown(app).splitlines()[0].endswith(" recording ")
        for key, words in PLACES.values():
            await pilot.press("1", *key.split())
            await until(pilot, lambda words=words: all(one in shown(app) for one in words))

    toured(steps)


def test_the_results_of_the_tour_hold_today_and_tell_a_ladder_a_trend_and_a_trial():
    machine = inputs.machine(arguments.parsed(["--demo"]))
    kept = probes.results_of((demo_extras() / "probes.jsonl").read_text(), survey(machine, {}))
    assert not kept.unread
    held = [one for jobs in kept.by_mount.values() for every in jobs.values() for one in every]
    assert not [one.stale for one in held if one.stale]
    on_root = kept.by_mount["/"]
    assert on_root["fsync-ladder"][0].result.parts_us.keys() >= {"data", "journal", "flush"}
    assert len(on_root["commit-fdatasync"]) >= 3
    assert any(job.startswith("trial") for jobs in kept.by_mount.values() for job in jobs)


def test_the_tour_is_its_machine_with_what_was_kept_and_others_get_nothing_of_it():
    alone = survey(open_machine(demo_machine()), {})
    toured = survey(inputs.machine(arguments.parsed(["--demo"])), {})
    assert [one.id for one in alone.subjects] == [one.id for one in toured.subjects]
    assert incident(inputs.machine(arguments.parsed(["--demo"])))
    assert not incident(inputs.machine(arguments.parsed(["--on", str(demo_machine().with_name("san-host"))])))


@pytest.mark.parametrize("command", ["doctor", "waits"])
def test_the_commands_of_what_hurts_tell_of_the_tours_incident(command):
    done = in_text(command, "--demo")
    assert (done.stderr, "windows were kept" in done.stdout) == ("", True)


def test_what_is_played_begins_with_a_minutes_course_goes_on_and_begins_anew():
    beats = recorded(LIVE)
    told, failed = [], []
    playing = ReplaySampler(beats, lambda: told.append(1), failed.append)
    playing._sample()
    seen = playing.seen()
    assert seen.replayed
    assert len(seen.moments) > 30
    assert seen.moments[-1].disks["bcache0"].writes > 0
    while playing._next < len(beats):
        playing._sample()
    assert playing.seen().moments[-1].at_s > seen.moments[-1].at_s
    playing._sample()
    assert playing.seen().moments[-1].at_s == seen.moments[-1].at_s
    assert not failed


def test_a_file_of_samples_that_is_none_is_told_with_its_name(tmp_path):
    broken = tmp_path / "live.jsonl"
    broken.write_text('{"at_s": 1}\n')
    with pytest.raises(MachineError, match=str(broken)):
        recorded(broken)


def test_what_was_recorded_names_no_file_or_program_of_the_host_that_it_was_recorded_on():
    text = (
        LIVE.read_text() + (demo_extras() / "incident.jsonl").read_text() + (demo_extras() / "probes.jsonl").read_text()
    )
    for word in ("/var/tmp", '"loop', "vda", "/work", "pytest", "python", "qemu"):
        assert word not in text
    for line in LIVE.read_bytes().splitlines():
        beat = msgspec.json.decode(line, type=RecordedSample)
        assert {one.name for one in beat.writing.writers} <= {"mongod", "postgres", "rsync"}
    programs = [
        one["name"]
        for line in (demo_extras() / "incident.jsonl").read_text().splitlines()
        for one in json.loads(line)["programs"]
    ]
    assert set(programs) <= {"mongod", "postgres", "rsync"}
    assert sum(file.stat().st_size for file in Path(demo_extras()).iterdir()) < 500_000


@pytest.mark.long
def test_a_row_of_what_is_wrong_tells_what_is_written_without_a_hole_where_its_course_would_stand():
    async def steps(app, pilot):
        await until(pilot, lambda: "w 0" in shown(app))
        rows = [one for one in shown(app).splitlines() if "device missing" in one or "NO barriers" in one]
        assert rows
        assert not [one for one in rows if "⠀" in one or ", ," in one]

    toured(steps, (200, 60))
