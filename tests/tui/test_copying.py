"""What is copied and written are the commands themselves, quoted for a shell; what could harm one is not copied."""

import shlex

import pytest

from fsadvisor.tui.place import copy
from fsadvisor.tui.screens.finding import FindingPlace
from fsadvisor.tui.screens.unknowns import Unknowns
from fsadvisor.tui.views.look import finding_key
from tests.told import disk, machine
from tests.tui.driving import explored, shown, until

RULE = "access-times-written"
WITH_COMMANDS = ["/srv/my data", "/srv/it's", '/srv/"$(reboot)" `x` \\ &', "/srv/[red]漢"]
WITHOUT = ["/srv/\x1b[201~\rreboot", "/srv/caf\udce9", "/srv/a\nb", "/srv/\u202egnp"]


def mounted_at(point):
    """A machine with an ext4 there that writes access times, and that waits for every write."""
    written = "".join(f"\\{ord(sign):03o}" if sign in " \\\n\t" else sign for sign in point)
    return machine(disk("sda"), mounts=[f"36 1 8:0 / {written} rw,sync - ext4 /dev/sda rw"])


async def opened(app, pilot):
    app.go("finding", next(finding_key(one) for one in app.look.findings if one.rule.id == RULE))
    await until(pilot, lambda: isinstance(app.screen, FindingPlace) and app.screen._page is not None)
    await pilot.pause()
    return next(one.verdicts[0] for one in app.look.findings if one.rule.id == RULE)


def said(app):
    return " ".join(note.message for note in app._notifications)


class Clipboard:
    """Stands for the terminal."""

    def __init__(self):
        self.text = None

    def copy_to_clipboard(self, text):
        self.text = text.encode().decode()


ONE_ALWAYS = [WITHOUT[0], *(pytest.param(it, marks=pytest.mark.long) for it in WITHOUT[1:])]


@pytest.mark.parametrize("point", WITH_COMMANDS)
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


@pytest.mark.parametrize("point", ONE_ALWAYS)
def test_a_cure_that_names_it_is_shown_and_not_copied(point):
    async def steps(app, pilot):
        await pilot.press("2")
        await until(pilot, lambda: isinstance(app.screen, Unknowns) and app.screen._tasks)
        copied, told = [], ""
        for _ in range(len(app.screen._tasks)):
            await pilot.press("y")
            await pilot.pause()
            copied.append(app.clipboard)
            told += said(app)
            await pilot.press("j")
        return copied, told

    copied, told = explored(steps, machine=mounted_at(point), size=(160, 50))
    assert all(one.replace("\n", "").isprintable() for one in copied)
    assert any(copied)
    assert "Not copied: there are characters in it that are not safe to paste into a shell" in told


@pytest.mark.parametrize("line", ["a\x1b[201~b", "caf\udce9", "a\u202eb", "a\rb", "a\nb", "\x00"])
def test_a_line_that_is_not_printable_is_not_copied(line):
    terminal = Clipboard()
    assert "not safe to paste" in copy(terminal, ["fine", line])
    assert terminal.text is None


def test_tabs_and_other_scripts_are_copied_and_too_much_is_not():
    terminal = Clipboard()
    assert copy(terminal, ["\tmount /srv/漢", ""]) == ""
    assert terminal.text == "\tmount /srv/漢\n\n"
    assert "too much" in copy(terminal, ["x" * 70_000])
