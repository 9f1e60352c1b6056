import os
import subprocess
import sys

import msgspec
import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.port import Reply
from fsadvisor.machine.runner import MOST_SIDE_BY_SIDE, OUTPUT_CAP_BYTES, Runner, encoded
from tests.machine.stand_ins import write_tools
from tests.paths import ROOT
from tests.waiting import END_S, comes_to, running


@pytest.fixture
def folders(tmp_path):
    return write_tools(tmp_path)


def answer(folders, *argv, timeout_s=END_S, root=True):
    return Runner(timeout_s, folders, root).run([argv])[0]


def test_a_tool_that_sleeps_times_out_and_is_killed(folders, tmp_path):
    (tmp_path / "sleeper").write_text(f"#!/bin/sh\nexec sleep {2 * END_S}.1234\n")
    sleeper = answer(folders, "sleeper", timeout_s=0.2)
    assert comes_to(lambda: not running(f"{2 * END_S}.1234"))
    assert sleeper == Unknown(Cause.TIMED_OUT, "retry with a --timeout longer than 0.2 s", "sleeper")


@pytest.mark.parametrize("tool", ["stubborn", "grumbler", "closer"])
def test_a_tool_that_does_not_stop_by_itself_times_out(folders, tool):
    assert answer(folders, tool, timeout_s=0.2).cause is Cause.TIMED_OUT


def test_a_grandchild_that_holds_the_pipe_is_not_waited_for_and_not_left_behind(folders, tmp_path):
    """If it were waited for, the answer would come after the test's end."""
    (tmp_path / "parent").write_text(f"#!/bin/sh\nsleep {4 * END_S}.7654 & echo hello\n")
    assert answer(folders, "parent", timeout_s=3 * END_S) == Reply("hello\n", "parent", 0)
    assert comes_to(lambda: not running(f"{4 * END_S}.7654"))


class EndsWhenLookedAt(subprocess.Popen):
    """A tool that says its last words, and ends, just as somebody looks whether it has ended."""

    def poll(self):
        if not self.stdin.closed:
            self.stdin.close()
            self.wait()
        return super().poll()


class Hasty(Runner):
    """Runs every tool as one that ends when looked at."""

    def _start(self, tool, argv):
        pipe = subprocess.PIPE
        return EndsWhenLookedAt([tool, *argv[1:]], stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)


def test_what_a_tool_says_with_its_last_breath_is_heard(folders, tmp_path):
    (tmp_path / "halfway").write_text("#!/bin/sh\ncat; echo last words\n")
    assert Hasty(END_S, folders, True).run([("halfway",)]) == [Reply("last words\n", "halfway", 0)]


class DiesOfClosedPipes(subprocess.Popen):
    """A tool that is given all the time to die once nobody listens any more."""

    def wait(self, timeout=None):
        return super().wait(None if self.stdout.closed else timeout)


class Patient(Runner):
    """Runs every tool as one of those."""

    def _start(self, tool, argv):
        return DiesOfClosedPipes(
            [tool, *argv[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )


def test_a_tool_that_dies_of_its_closed_pipes_has_timed_out_and_not_answered(folders):
    assert Patient(0.2, folders, True).run([("grumbler",)])[0].cause is Cause.TIMED_OUT


@pytest.mark.parametrize("tool", ["torrent", "endless", "wailing"])
def test_more_than_the_cap_is_unreadable(folders, tool):
    torrent = answer(folders, tool)
    assert torrent.cause is Cause.UNREADABLE
    assert torrent.learn.startswith("more than 4 MiB")


def test_exactly_the_cap_is_a_reply(folders):
    full = answer(folders, "head", "-c", str(OUTPUT_CAP_BYTES), "/dev/zero")
    assert len(full.text) == OUTPUT_CAP_BYTES


def test_garbage_comes_through_byte_for_byte(folders):
    assert encoded(answer(folders, "garbage").text) == b"\xff\xfe\x00{[\n"


def test_a_failing_tool_with_output_is_a_reply(folders):
    assert answer(folders, "halfway") == Reply('{"blockdevices": [{', "halfway", 3)


def test_stderr_is_the_text_where_stdout_is_blank(folders):
    assert answer(folders, "complainer") == Reply("no such device\n", "complainer", 2)


def test_a_refusal_is_denied_for_an_ordinary_user_only(folders):
    assert answer(folders, "refused", root=False) == Unknown(Cause.DENIED, "run as root", "refused")
    assert answer(folders, "refused", root=True) == Reply("open failed: Permission denied\n", "refused", 1)


def test_a_tool_that_succeeded_is_not_denied_by_what_it_grumbled(folders):
    assert answer(folders, "chatty", root=False) == Reply("useful\n", "chatty", 0)


@pytest.fixture
def fetched(tmp_path):
    folders = [tmp_path / "system", tmp_path / "fetched"]
    for folder in folders:
        folder.mkdir()
        for tool in ("smartctl", "nvme") if folder.name == "fetched" else ("smartctl",):
            (folder / tool).write_text(f"#!/bin/sh\necho {folder.name}\n")
            (folder / tool).chmod(0o755)
    return [str(folder) for folder in folders]


def test_the_systems_own_tool_comes_before_a_fetched_one_and_the_source_tells_which(fetched):
    commands = [("smartctl", "-x", "/dev/sda"), ("nvme", "list")]
    assert Runner(END_S, fetched, True, fetched[1:]).run(commands) == [
        Reply("system\n", "smartctl -n standby -x /dev/sda", 0),
        Reply("fetched\n", "nvme (fetched) list", 0),
    ]


def test_a_fetched_tool_that_is_not_trusted_is_not_run_and_the_cure_says_so(fetched):
    [answer] = Runner(END_S, fetched[:1], True, (), fetched[1:]).run([("nvme", "list")])
    assert answer.cause is Cause.NO_TOOL
    assert answer.learn.startswith("install nvme-cli; the fetched one is not used")


def test_a_missing_tool_says_which_package_brings_it(tmp_path):
    runner = Runner(folders=[str(tmp_path)])
    nvme, perccli, strange, path, nothing = runner.run(
        [("nvme", "list"), ("perccli64",), ("strange",), ("/bin/true",), ()]
    )
    assert nvme == Unknown(Cause.NO_TOOL, "install nvme-cli", "nvme list")
    assert perccli.learn == "install perccli64 from the controller's vendor"
    assert strange.learn == "install strange"
    assert path.cause is nothing.cause is Cause.NO_TOOL


def test_what_can_not_be_executed_is_no_reply(folders):
    assert answer(folders, "not_executable").cause is Cause.NO_TOOL
    assert answer(folders, "binary_rubbish").cause is Cause.UNREADABLE
    assert answer(folders, "arguments", "nul\0byte").cause is Cause.UNREADABLE
    assert answer(folders, "arguments", "\ud800").cause is Cause.UNREADABLE


def test_no_shell_sees_the_arguments(folders):
    told = answer(folders, "arguments", "$(id)", "a b", "*", "\udcff")
    assert told.text == "[$(id)]\n[a b]\n[*]\n[\udcff]\n"
    assert told.source == "arguments '$(id)' 'a b' '*' '\udcff'"


def test_the_environment_is_small_and_the_locale_c(folders, monkeypatch):
    monkeypatch.setenv("SECRET", "hunter2")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    told = answer(folders, "environment").text
    assert "LC_ALL=C\n" in told
    assert "hunter2" not in told
    assert "tty=not a tty" in told
    assert told.endswith("\n/\n")


def test_answers_come_in_order_and_side_by_side(folders, tmp_path):
    (tmp_path / "met").mkdir()
    meets = f"cd {tmp_path}/met; : > $1; until [ $(ls | wc -l) = 8 ]; do sleep 0.05; done; echo $1"
    commands = [("sh", "-c", meets, "sh", str(number)) for number in range(8)]
    assert [reply.text for reply in Runner(END_S, folders).run(commands)] == [f"{n}\n" for n in range(8)]


def test_more_tools_than_threads_are_all_answered(folders):
    replies = Runner(END_S, folders).run([("echo", str(number)) for number in range(40)])
    assert [reply.text for reply in replies] == [f"{number}\n" for number in range(40)]


class Counting(Runner):
    """Keeps the names of the tools that it has started."""

    started: list = msgspec.field(default_factory=list)

    def _start(self, tool, argv):
        self.started.append(argv[0])
        return super()._start(tool, argv)


def test_a_tool_that_hung_twice_is_not_run_again(folders, tmp_path):
    (tmp_path / "hanging").write_text("#!/bin/sh\nexec sleep 100\n")
    (tmp_path / "hanging").chmod(0o755)
    runner = Counting(0.3, folders)
    Counting(END_S, folders, patience=runner.patience).run([("echo",)])
    runner.run([("hanging", "1"), ("hanging", "2")])
    (refused,) = runner.run([("hanging", "3")])
    assert runner.started == ["hanging"] * 2
    assert refused.cause is Cause.TIMED_OUT
    assert refused.learn.startswith("run it by hand: it was not run, since hanging")


def test_a_tool_that_hangs_for_some_devices_is_still_asked_of_the_others(folders):
    runner = Runner(END_S, folders)
    runner.run([("half_dead", "well", str(number)) for number in range(5)])
    Runner(0.3, folders, patience=runner.patience).run([("half_dead", "1"), ("half_dead", "2")])
    assert runner.run([("half_dead", "well", "again")])[0].text == "fine\n"


def test_many_hung_tools_take_less_than_two_time_outs_together(folders, tmp_path):
    tools = [f"hung{number}" for number in range(20)]
    for tool in tools:
        (tmp_path / tool).write_text("#!/bin/sh\nexec sleep 100\n")
        (tmp_path / tool).chmod(0o755)
    runner = Counting(2, folders)
    for number in range(4):
        runner.run([(tool, str(number), str(device)) for tool in tools for device in range(5)])
    assert len(runner.started) <= 2 * MOST_SIDE_BY_SIDE


def test_hung_tools_do_not_hold_up_those_that_answer(folders, tmp_path):
    """They would answer if the last command were run, which is asked after more of them than run side by side."""
    hung = f"until [ -e {tmp_path}/here ]; do sleep 0.05; done"
    commands = [*([("sh", "-c", hung)] * 12), ("sh", "-c", f": > {tmp_path}/here; echo here")]
    *_, last = Runner(END_S, folders).run(commands)
    assert last.text == "here\n"


@pytest.mark.parametrize(
    ("wake", "told"), [(False, "[-n]\n[standby]\n[-x]\n[/dev/sda]\n"), (True, "[-x]\n[/dev/sda]\n")]
)
def test_a_drive_that_sleeps_is_woken_only_where_that_is_asked_for(folders, tmp_path, wake, told):
    (tmp_path / "smartctl").symlink_to(tmp_path / "arguments")
    (reply,) = Runner(END_S, folders, wake=wake).run([("smartctl", "-x", "/dev/sda")])
    assert reply.text == told


def test_nothing_is_asked_of_nothing():
    assert Runner().run([]) == []


@pytest.fixture
def frozen(tmp_path):
    """A frozen filesystem: who writes there sleeps uninterruptibly until it thaws."""
    if os.geteuid() != 0:
        pytest.skip("needs root")
    image, mount = tmp_path / "image", tmp_path / "mount"
    mount.mkdir()
    image.write_bytes(b"")
    os.truncate(image, 8 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
    if subprocess.run(["mount", "-o", "loop", image, mount], check=False).returncode:
        pytest.skip("loop devices do not work here")
    try:
        subprocess.run(["fsfreeze", "--freeze", mount], check=True)
        yield mount
    finally:
        subprocess.run(["fsfreeze", "--unfreeze", mount], check=False)
        subprocess.run(["umount", "--lazy", mount], check=True)


@pytest.mark.loop
def test_a_tool_in_uninterruptible_sleep_is_abandoned_and_the_interpreter_exits(frozen):
    program = (
        "from fsadvisor.machine.runner import Runner\n"
        f"print(Runner(3).run([('touch', {str(frozen / 'file')!r})]), Runner({END_S}).run([('echo', 'fine')]))\n"
    )
    told = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "could not be killed" in told.stdout
    assert "fine" in told.stdout
    assert running(frozen / "file")
