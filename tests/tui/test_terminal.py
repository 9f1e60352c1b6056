"""The explorer in a real terminal: tmux, whose screen is read back."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import few
from tests.paths import FIXTURES, ROOT
from tests.tui.driving import long
from tests.waiting import comes_to
from tools.screens.terminal import Terminal

MACHINE = str(FIXTURES / "machines" / "pm9a3-postgresql-volatile")
COMMAND = [sys.executable, "-m", "fsadvisor", "--on", MACHINE]
needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

pytestmark = needs_tmux


def started(*options, size=(80, 24), **environment):
    """fsadvisor in a terminal of that size."""
    return Terminal([*COMMAND[:3], *options], *size, {"PYTHONPATH": str(ROOT), **environment})


def explorer(*options, size=(80, 24), **environment):
    return started("--on", MACHINE, *options, size=size, **environment)


def leaves_the_terminal_as_it_was(terminal, number, code):
    """A signal that ends it."""
    os.kill(terminal.child(), number)
    assert f"ended {code}" in terminal.until("ended")
    assert terminal.told("#{alternate_on}#{mouse_any_flag}#{cursor_flag}") == "001"


def test_a_signal_that_ends_it_leaves_the_terminal_as_it_was():
    with explorer() as terminal:
        terminal.until("Quit")
        leaves_the_terminal_as_it_was(terminal, signal.SIGHUP, 129)


@pytest.mark.parametrize("number", few([signal.SIGTERM, signal.SIGHUP], 1))
def test_a_signal_before_the_first_look_takes_what_the_demo_keeps_away(number, tmp_path):
    with started("--demo", TMPDIR=str(tmp_path)) as terminal:
        assert comes_to(lambda: any(tmp_path.glob("fsadvisor-demo-*/attest.toml")))
        leaves_the_terminal_as_it_was(terminal, number, 128 + number)
    assert not [*tmp_path.iterdir()]


def test_it_ends_with_its_terminal():
    with explorer() as terminal:
        terminal.until("Quit")
        number = terminal.child()
    assert comes_to(lambda: not Path("/proc", str(number)).exists()), "it outlived its terminal"


@pytest.mark.parametrize("keys", few([b"\x1b\r\r\r\r", b"export\r\r\r", b"export\r\r\r\x1b\x1b\x1b"], 2))
def test_keys_that_come_faster_than_the_palette_goes_remove_no_other_screen(keys):
    with explorer() as terminal:
        terminal.until("Quit")
        terminal.press(":")
        terminal.until("Esc Close")
        terminal.paste(keys)
        assert "ended" not in terminal.still()
        leaves_the_terminal_as_it_was(terminal, signal.SIGTERM, 143)


def there_and_back(terminal):
    """An escape alone is a key."""
    terminal.until("Esc Back")
    terminal.press("Escape")
    terminal.until("Enter Open")


def test_neither_what_no_keyboard_sends_nor_being_stopped_ends_it_and_q_does():
    with explorer() as terminal:
        terminal.until("Quit")
        for garbage in (b"\xe9\xff", b"\x1b[99999999999999u"):
            terminal.paste(garbage + b"?")
            there_and_back(terminal)
        child = terminal.child()
        os.kill(child, signal.SIGTSTP)
        assert comes_to(lambda: Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] == "T")
        os.kill(child, signal.SIGCONT)
        terminal.press("?")
        there_and_back(terminal)
        terminal.press("q")
        assert "ended 0" in terminal.until("ended")


@pytest.mark.parametrize("size", [long(80, 24), long(300, 100), long(40, 10), (20, 5)])
def test_it_follows_the_size_of_the_terminal(size):
    with explorer(COLUMNS="80", LINES="24") as terminal:
        terminal.until("Quit")
        terminal.resize(*size)
        shown = terminal.still()
        assert len(shown.rstrip("\n").split("\n")) <= size[1]
        terminal.press("j")
        terminal.resize(80, 24)
        terminal.until("Quit")
        terminal.press("q")
        terminal.until("ended 0")


def test_without_colours_none_are_sent():
    with explorer(NO_COLOR="1") as terminal:
        terminal.until("Quit")
        screen = terminal.text(colours=True)
    assert not any(f"\x1b[{code}" in screen for code in ("38;", "48;", "31m", "32m", "33m", "34m", "35m", "36m"))


def test_plain_is_drawn_in_ascii():
    with explorer("--plain") as terminal:
        screen = terminal.until("Quit")
    assert screen.isascii()


@pytest.mark.parametrize("kind", ["dumb", "unknown"])
def test_a_terminal_that_can_not_move_its_cursor_gets_the_report(kind):
    with explorer(TERM=kind) as terminal:
        shown = terminal.until("ended")
    assert "ended 0" in shown


def test_a_pipe_gets_the_report():
    done = subprocess.run(COMMAND, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0
    assert done.stdout.startswith("fsadvisor ")
    assert "\x1b" not in done.stdout
