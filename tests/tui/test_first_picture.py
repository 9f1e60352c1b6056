"""The picture that stands before Textual is loaded: held against what Textual draws then, and in a real terminal."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rich.color import ColorSystem
from rich.style import Style

from fsadvisor.tui.first_picture import Painter
from fsadvisor.tui.terminal import Terminal
from fsadvisor.tui.views.head import RECORDED
from fsadvisor.tui.widgets.rows_view import RowsView
from tests.cases import few
from tests.paths import ROOT
from tests.tui.driving import TERMINAL, explored, long
from tests.tui.test_terminal import MACHINE, needs_tmux
from tests.views.seen import snapshot_from
from tools.screens.docs import strips
from tools.screens.emulated import CellStyle, Emulated, seen
from tools.screens.terminal import Terminal as InTmux

SERVER = "raid-lvm-crypt-server"
PLAIN = Terminal(unicode=False, plain=True, colour=True)
ASKING = "asking for its disks"
SCROLLBAR = "a part of a scrollbar"

WAITS = """
import importlib, os, sys
open(os.environ["GATE"]).close()
sys.path.remove(os.path.dirname(os.path.dirname(__file__)))
del sys.modules["textual"]
importlib.import_module("textual")
"""
"""In Textual's place: waits for somebody to open the gate, and steps aside."""


def cells(segments):
    """What is seen of a line: each sign with its style, of a blank only what it stands on."""
    return [
        seen(sign, CellStyle().then((drawn or Style.null())._make_ansi_codes(ColorSystem.TRUECOLOR).split(";")))
        for text, drawn, _ in segments
        for sign in text
        if sign != "\n"
    ]


def of_textual(app):
    lines = [cells(strip) for strip in strips(app)]
    for view in app.screen.query(RowsView):
        if view.show_vertical_scrollbar:
            for y in range(view.region.y, view.region.bottom):
                lines[y][view.vertical_scrollbar.region.x] = SCROLLBAR
    return lines


def of_picture(written, size):
    terminal = Emulated(*size)
    terminal.feed(written)
    return terminal.cells


@pytest.mark.parametrize("size", [(80, 24), (120, 40), long(119, 17), long(119, 16), long(200, 61), long(300, 100)])
@pytest.mark.parametrize("kind", few([TERMINAL, PLAIN]), ids=["dark", "plain"])
def test_textual_draws_the_same_but_for_scrollbars_and_keys(size, kind, monkeypatch):
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm-256color")

    async def steps(app, pilot):
        await pilot.pause()
        return of_textual(app), app.snapshot

    later, snapshot = explored(steps, machine=SERVER, size=size, terminal=kind)
    first = of_picture(Painter(kind, RECORDED).picture(snapshot, "", *size), size)
    assert len(first) == len(later) == size[1]
    for at, (early, late) in enumerate(zip(first[:-1], later[:-1], strict=True)):
        without = [other if other == SCROLLBAR else one for one, other in zip(early, late, strict=True)]
        assert without == late, f"line {at}"


class Held:
    """The explorer in a terminal that waits for Textual until `go`."""

    def __init__(self, folder):
        self.gate = folder / "gate"
        os.mkfifo(self.gate)
        self.stub = folder / "ahead" / "textual" / "__init__.py"
        self.stub.parent.mkdir(parents=True)
        self.stub.write_text(WAITS)

    def explorer(self, *options, on=MACHINE, size=(80, 24), **environment):
        start = (
            f"import sys; sys.path[:0] = [{str(self.stub.parent.parent)!r}, {str(ROOT)!r}]; sys.argv[0] = 'fsadvisor'; "
            "from fsadvisor.__main__ import main; sys.exit(main())"
        )  # not by PYTHONPATH, of which root takes nothing
        command = [sys.executable, "-I", "-c", start, "--on", on, *options]
        return InTmux(command, *size, {"GATE": str(self.gate), **environment})

    def go(self):
        self.gate.open("w").close()


@pytest.fixture
def held(tmp_path):
    return Held(tmp_path)


@needs_tmux
@pytest.mark.parametrize("size", [(80, 24), long(20, 5), long(120, 40), long(300, 100)])
def test_the_machine_is_named_and_the_places_stand_before_textual_is_loaded(held, size):
    with held.explorer(size=size) as terminal:
        terminal.until("1 Overview")
        terminal.still()
        first, second, *_ = terminal.text().split("\n")
        # Where there is no room for both, the name is cut, and then what it comes to stands first.
        assert first.startswith(" pm9a3-postgresql" if size[0] > 20 else (" pm9a3-", "  1 "))
        assert second.startswith(" 1 ")
        held.go()
        terminal.until("Help")
        terminal.press("q")
        terminal.until("ended 0")


def as_found(terminal):
    """Of the terminal that the explorer was left in: not another screen, a cursor, and what is typed is shown."""
    terminal.press("shown")
    terminal.until("shown")
    return terminal.told("#{alternate_on}#{mouse_any_flag}#{cursor_flag}#{wrap_flag}") == "0011"


@needs_tmux
@pytest.mark.parametrize(
    ("number", "code"), few([(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)], 2)
)
def test_a_signal_before_textual_is_loaded_leaves_the_terminal_as_it_was(held, number, code):
    with held.explorer() as terminal:
        terminal.until("1 Overview")
        os.kill(terminal.child(), number)
        assert f"ended {code}" in terminal.until("ended")
        assert as_found(terminal)


@needs_tmux
def test_ctrl_c_ends_it_before_textual_is_loaded(held):
    with held.explorer() as terminal:
        terminal.until("1 Overview")
        terminal.press("C-c")
        assert "ended 130" in terminal.until("ended")
        assert as_found(terminal)


@needs_tmux
def test_an_error_before_textual_is_loaded_is_told_on_the_terminal_as_it_was(held):
    held.stub.write_text("raise ImportError('no such thing')")
    with held.explorer() as terminal:
        shown = terminal.until("ended")
        assert "a bug of ours: ImportError" in shown
        assert "ended 4" in shown
        assert as_found(terminal)


@needs_tmux
def test_a_mistake_in_the_command_is_told_on_the_terminal_as_it_was(held, tmp_path):
    with held.explorer("--rules", str(tmp_path / "absent"), size=(200, 24)) as terminal:
        shown = terminal.until("ended")
        assert "no such directory of rules" in shown
        assert "ended 2" in shown
        assert as_found(terminal)


@needs_tmux
def test_keys_that_are_typed_meanwhile_are_not_shown_and_not_lost_and_the_terminal_is_as_it_was_then(held):
    with held.explorer() as terminal:
        terminal.until("1 Overview")
        settings = subprocess.run(["stty", "-a", "-F", terminal.told("#{pane_tty}")], capture_output=True, text=True)
        assert {"-echo", "-icanon"} <= set(settings.stdout.replace(";", " ").split())
        terminal.press("C-\\", "2")
        held.go()
        terminal.until("Not known")
        terminal.press("q")
        terminal.until("ended 0")
        assert as_found(terminal)


@needs_tmux
def test_without_colours_none_are_sent_before_textual_is_loaded(held):
    with held.explorer(NO_COLOR="1") as terminal:
        terminal.until("1 Overview")
        terminal.still()
        screen = terminal.text(colours=True)
    assert not re.search(r"\x1b\[[\d;]*\b(?:3[0-8]|4[0-8]|9\d|10\d)[;m]", screen)


@needs_tmux
def test_plain_is_ascii_before_textual_is_loaded(held):
    with held.explorer("--plain") as terminal:
        assert terminal.until("1 Overview").isascii()


@needs_tmux
def test_what_a_folder_is_called_gives_the_terminal_no_orders(held, tmp_path):
    evil = tmp_path / "\x1b]0;owned\x07\x1b[31m\u202ex"
    Path(evil).symlink_to(MACHINE)
    with held.explorer(on=str(evil), size=(120, 24)) as terminal:
        before = terminal.told("#{pane_title}")
        assert "\\x1b]0;owned\\x07" in terminal.until("1 Overview")
        assert terminal.told("#{pane_title}") == before


def test_what_stands_there_already_is_not_painted_again():
    painter = Painter(TERMINAL)
    snapshot = snapshot_from("old-storage-server")
    waiting, looked, again = (painter.picture(one, "old-storage-server", 120, 40) for one in (None, snapshot, snapshot))
    assert again == ""
    assert len(looked) < len(Painter(TERMINAL).picture(snapshot, "", 120, 40))
    assert "asking for" in waiting
