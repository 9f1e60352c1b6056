"""What is copied and written are the commands themselves, quoted for a shell; what could harm one is not copied."""

import os
import shlex
import shutil
import socket
import subprocess
import threading

import pytest

from fsadvisor.tui.copying import refused
from fsadvisor.tui.screens.finding import FindingScreen
from fsadvisor.tui.screens.unknowns import Unknowns
from fsadvisor.tui.views.snapshot import finding_key
from tests.cases import each, few
from tests.told import disk, machine
from tests.tui.driving import explored, said, shown, until

RULE = "access-times-written"
WITH_COMMANDS = ["/srv/my data", "/srv/it's", '/srv/"$(reboot)" `x` \\ &', "/srv/[red]漢"]
WITHOUT = ["/srv/\x1b[201~\rreboot", "/srv/caf\udce9", "/srv/a\nb", "/srv/\u202egnp"]


def mounted_at(point):
    """A machine with an ext4 there that writes access times, and that waits for every write."""
    written = "".join(f"\\{ord(sign):03o}" if sign in " \\\n\t" else sign for sign in point)
    return machine(disk("sda"), mounts=[f"36 1 8:0 / {written} rw,sync - ext4 /dev/sda rw"])


async def opened(app, pilot):
    app.go("finding", next(finding_key(one) for one in app.snapshot.findings if one.rule.id == RULE))
    await until(pilot, lambda: isinstance(app.screen, FindingScreen) and app.screen._page is not None)
    await pilot.pause()
    return next(one.verdicts[0] for one in app.snapshot.findings if one.rule.id == RULE)


ONE_ALWAYS = [WITHOUT[0], *(pytest.param(it, marks=pytest.mark.long) for it in WITHOUT[1:])]


@pytest.mark.parametrize("point", few(WITH_COMMANDS, 2))
def test_commands_come_as_they_are_and_a_shell_reads_the_mount_point_back(point, tmp_path):
    file = tmp_path / "commands"

    async def steps(app, pilot):
        verdict = await opened(app, pilot)
        await pilot.press("y")
        now = app.clipboard
        await pilot.press("u")
        await pilot.press("w")
        await pilot.pause()
        app.screen.query_one("AskLine Input").value = str(file)
        await pilot.press("enter")
        await until(pilot, file.exists)
        return now, app.clipboard, verdict.instructions()

    now, undo, told = explored(steps, machine=mounted_at(point))
    assert now == "".join(f"{one}\n" for one in told.now)
    assert undo == "".join(f"{one}\n" for one in told.undo)
    assert file.read_text() == now
    assert point in shlex.split(now)


@pytest.mark.parametrize("point", ONE_ALWAYS)
def test_of_a_mount_point_that_would_harm_a_shell_there_are_no_commands_to_copy(point):
    async def steps(app, pilot):
        await opened(app, pilot)
        await pilot.press("y", "u")
        await pilot.pause()
        return app.clipboard, shown(app)

    clipboard, page = explored(steps, machine=mounted_at(point), size=(120, 40))
    assert clipboard == ""
    assert "not safe to paste into a shell" in " ".join(page.split())


@pytest.mark.long
@pytest.mark.parametrize("point", ONE_ALWAYS)
def test_a_cure_that_names_it_is_shown_and_not_copied(point):
    async def steps(app, pilot):
        await pilot.press("2")
        await until(pilot, lambda: isinstance(app.screen, Unknowns) and app.screen._gathered)
        copied, told = [], ""
        for _ in range(len(app.screen._gathered.tasks)):
            await pilot.press("y")
            await pilot.pause()
            copied.append(app.clipboard)
            told += said(app)
            await pilot.press("j")
        return copied, told

    copied, told = explored(steps, machine=mounted_at(point), size=(160, 50))
    assert all(one.replace("\n", "").isprintable() for one in copied)
    assert any(copied)
    assert "not copied: there are characters in it that are not safe to paste into a shell" in told


@each("line", ["a\x1b[201~b", "caf\udce9", "a\u202eb", "a\rb", "a\nb", "\x00"])
def test_a_line_that_is_not_printable_is_not_copied(line):
    assert "not safe to paste" in refused(["fine", line])


def test_tabs_and_other_scripts_are_copied_and_too_much_is_not():
    assert refused(["\tmount /srv/漢", ""]) == ""
    assert "too much" in refused(["x" * 70_000])


@pytest.fixture
def tmux(tmp_path):
    """A tmux of the test's own; `TMUX` as it gives it to what it runs, and a way to ask it."""
    tool = shutil.which("tmux")
    if tool is None:
        pytest.skip("no tmux is installed here")
    ours = {**os.environ, "TMUX_TMPDIR": str(tmp_path)}
    ours.pop("TMUX", None)

    def asked(*words):
        return subprocess.run([tool, "-f", "/dev/null", *words], env=ours, capture_output=True, text=True, check=True)

    asked("new-session", "-d", "sleep 600")
    yield asked("display-message", "-p", "#{socket_path},#{pid},0").stdout.strip(), asked
    asked("kill-server")


ON_THE_WAY = "sent to the terminal's clipboard (OSC 52), and on to tmux's buffer; w writes a file"


async def copied(app, pilot):
    """What is in the clipboard, and what is said in the end."""
    await opened(app, pilot)
    before = len(app.heard)
    await pilot.press("y")
    await until(pilot, lambda: len(app.heard) > before + 1)
    assert app.heard[before].endswith(ON_THE_WAY)
    return app.clipboard, app.heard[-1]


def test_inside_tmux_it_is_in_tmuxs_buffer_too_and_that_is_said(tmux, monkeypatch):
    inside, asked = tmux
    monkeypatch.setenv("TMUX", inside)
    clipboard, words = explored(copied, machine=mounted_at(WITH_COMMANDS[2]))
    assert asked("show-buffer").stdout == clipboard
    assert "copied to tmux's buffer: prefix ] pastes; w writes a file" in words


def test_where_tmux_is_gone_it_is_said_where_the_copy_went_and_what_works(monkeypatch, tmp_path):
    monkeypatch.setenv("TMUX", f"{tmp_path}/gone,1,0")
    clipboard, words = explored(copied, machine=mounted_at(WITH_COMMANDS[0]))
    assert clipboard.startswith("mount ")
    assert "sent to the terminal's clipboard (OSC 52), not to tmux's buffer: " in words
    assert words.endswith("; w writes a file")


@pytest.mark.skipif(shutil.which("tmux") is None, reason="no tmux is installed here")
def test_while_tmux_hangs_it_is_said_what_was_done_and_one_can_leave(monkeypatch, tmp_path):
    monkeypatch.setenv("TMUX", f"{tmp_path}/hung,1,0")

    async def steps(app, pilot):
        await opened(app, pilot)
        await pilot.press("y")
        return app.heard[-1]

    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{tmp_path}/hung")
        server.listen()
        assert explored(steps, machine=mounted_at(WITH_COMMANDS[0])).endswith(ON_THE_WAY)
        asking, _ = server.accept()
        asking.close()
    for thread in threading.enumerate():
        if "_into_tmux" in thread.name:
            thread.join()  # what it raised would fail this test


def test_of_a_command_of_the_command_line_no_end_of_line_is_copied():
    async def steps(app, _pilot):
        app.copy_command("trial")
        return app.clipboard

    assert explored(steps) == "fsadvisor trial "
