"""An ordinary user's results besides root's: what is there and can't be read is said, and never taken for nothing."""

import json
import os

import pytest

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.machine.kept_files import PROBES, with_own_results, without_places
from fsadvisor.machine.recorded import RecordedMachine
from fsadvisor.machine.recording import RecordingMachine
from fsadvisor.survey.whole import survey
from tests.survey.test_measured import MOUNT, fact, line
from tests.told import disk, machine


def results(*lines):
    return "".join(f"{json.dumps(one)}\n" for one in lines)


def looked_at(folder, shared=None):
    """What a user sees whose state folder that is."""
    files = {"/sys/block/sda/queue/scheduler": "[none] mq-deadline"} | ({} if shared is None else {PROBES: shared})
    made = machine(disk("sda", cache="write back"), mounts=(MOUNT,), files=files)
    made.files["/proc/sys/kernel/osrelease"] = "6.12.0"
    made.root = False
    return with_own_results(made, {"XDG_STATE_HOME": str(folder)})


@pytest.fixture
def own(tmp_path):
    file = tmp_path / "fsadvisor" / "probes.jsonl"
    file.parent.mkdir()
    return file


def test_both_count_and_the_newer_first(tmp_path, own):
    own.write_text(results(line(median=700.0, when="2026-11-22T12:00:00+00:00")))
    found = survey(looked_at(tmp_path, results(line(), line("random-read-1", 90.0))), {})
    assert fact(found, "mount.commit_us").value == 700
    assert fact(found, "mount.random_read_us").value == 90
    assert found.ignored == ()


def test_where_there_is_no_file_nothing_was_measured(tmp_path):
    found = survey(looked_at(tmp_path), {})
    assert fact(found, "mount.commit_us").cause is Cause.NOT_MEASURED
    assert found.ignored == ()


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (lambda file: file.mkdir(), "not a regular file"),
        (os.mkfifo, "not a regular file"),
        (lambda file: file.symlink_to(file), "Too many levels of symbolic links"),
        (lambda file: file.write_bytes(b"x" * (5 << 20)), "more than 4 MiB"),
    ],
)
def test_a_file_that_cannot_be_read_is_said_and_hides_no_result_of_root(tmp_path, own, made, why):
    made(own)
    found = survey(looked_at(tmp_path, results(line())), {})
    assert isinstance(fact(found, "mount.commit_us"), Known)
    unknown = fact(found, "mount.random_read_us")
    assert unknown.cause is Cause.UNREADABLE
    assert unknown.learn.startswith("`fsadvisor probe random-read-1 /srv` measures it; ")
    (said,) = found.ignored
    assert said.why == f"{own}: {why}"


def test_a_damaged_line_is_said_and_hides_no_other(tmp_path, own):
    own.write_text('{"half": \n' + results(line()))
    found = survey(looked_at(tmp_path), {})
    assert fact(found, "mount.commit_us").value == 800
    assert fact(found, "mount.random_read_us").cause is Cause.UNREADABLE
    assert [(one.place, one.why) for one in found.ignored] == [(str(own), "no JSON object")]


def test_a_stale_result_is_called_that_whatever_else_cannot_be_read(tmp_path, own):
    own.write_text("rubbish\n" + results(line(depends={"host.kernel_release": "5.10"})))
    assert "has changed since" in fact(survey(looked_at(tmp_path), {}), "mount.commit_us").learn


def test_root_s_file_that_a_user_may_not_read_is_said(tmp_path, own):
    own.write_text(results(line("random-read-1", 90.0)))
    inner = looked_at(tmp_path)._inner
    denied = Denied(inner)
    found = survey(with_own_results(denied, {"XDG_STATE_HOME": str(tmp_path)}), {})
    assert fact(found, "mount.random_read_us").value == 90
    assert fact(found, "mount.commit_us").cause is Cause.UNREADABLE
    assert [one.why for one in found.ignored] == [f"{PROBES}: run as root"]
    alone = survey(with_own_results(denied, {}), {})
    assert fact(alone, "mount.commit_us").cause is Cause.DENIED
    assert [one.why for one in alone.ignored] == ["it may not be read: run as root"]


class Denied:
    """A machine whose results are for root alone."""

    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def read(self, path):
        return Unknown(Cause.DENIED, "run as root", PROBES) if path == PROBES else self._inner.read(path)


def test_a_recording_still_says_that_something_could_not_be_read_but_not_where_it_was(tmp_path, own):
    own.write_text("rubbish of jo\n" + results(line()))
    recording = RecordingMachine(looked_at(tmp_path))
    was = survey(recording, {})
    recording.write(tmp_path / "recorded")
    replayed = survey(RecordedMachine(tmp_path / "recorded"), {})
    for name in ("mount.commit_us", "mount.random_read_us"):
        now = fact(replayed, name)
        assert (now.value if isinstance(now, Known) else now.cause) == (
            fact(was, name).value if isinstance(now, Known) else fact(was, name).cause
        )
    assert [one.why for one in replayed.ignored] == ["no JSON object"]
    assert "home" not in without_places(json.dumps({"unread": "/home/jo/x: Permission denied"}))
    assert replayed.ignored[0].place == PROBES


def test_a_recording_has_no_comparison_for_that_names_paths():
    told = without_places(results(line(job="compare:1", sides=["/srv/jo"]), line()))
    assert "compare" not in told
    assert len(told.splitlines()) == 1
