"""The pictures of the docs: places of the explorer on a recorded machine, drawn in this process, the same everywhere.

`frozen.json` is what the doctor saw of a filesystem that fsfreeze had stopped (its mount point has another name there).
"""

from __future__ import annotations

import asyncio
import inspect
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

import msgspec
from rich.console import Console
from rich.segment import Segments
from textual._context import visible_screen_stack
from textual.geometry import Size
from textual.widgets import Input

from fsadvisor.machine.opening import open_machine
from fsadvisor.measure.now import Window  # noqa: TC001 - msgspec reads it
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.survey.whole import survey
from fsadvisor.tui.app import FsadvisorApp
from fsadvisor.tui.explorer import Explorer
from fsadvisor.tui.sampling import LiveSampler
from fsadvisor.tui.screens.live import Live
from fsadvisor.tui.session import Session
from fsadvisor.tui.terminal import Terminal
from fsadvisor.tui.views.live import LiveSamples
from tools.screens import played
from tools.screens.picture import svg

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.segment import Segment
    from textual.pilot import Pilot

    from fsadvisor.machine.port import Machine
    from fsadvisor.storage import Storage, Supposition

_MACHINES: Final = Path(__file__).resolve().parents[2] / "fixtures/machines"
_FROZEN: Final = Path(__file__).with_name("frozen.json")
_SIZE: Final = Size(120, 40)
_RECORDED: Final = (
    ("overview", ("1",)),
    ("finding", ("enter",)),
    ("subject", ("escape", "tab", "j", "j", "enter")),
    ("unknowns", ("escape", "2")),
    ("plan-all", ("6", "a")),
    ("find", ("1", "colon", "p", "l", "p")),
    ("filter", ("escape", "f")),
)
"""What to press after the picture before."""

_LADDER: Final = (("fsync-ladder", ("4", "j", "tab", "right_curly_bracket", "right_curly_bracket", "j", "v")),)
_LIVE: Final = (("live", ("5",)),)
_DOCTOR: Final = (("doctor", ("d",)),)
_SUPPOSED: Final = (("what-if", ("colon", "p", "l", "p", "enter", "S", "enter")),)

_WORKS: Final = ("Gathering", "Making the plan", "One moment", "looking", "Looking")
_TURN_S: Final = 0.1
_TURNS: Final = 5_000


class _Played(LiveSampler):
    """A minute of a mail server that is made up, in place of this machine's."""

    def go(self) -> None:
        """There are no more moments to come."""
        self.paused = False
        self._told()

    def pause(self) -> None:
        """Nor any to wait for."""

    def seen(self) -> LiveSamples:
        """The minute."""
        return LiveSamples(moments=played.minute(), writing=played.writing())


class _PlayedLive(Live):
    SAMPLING = _Played


class _Pictured(FsadvisorApp):
    CSS_PATH = str(Path(inspect.getfile(Explorer)).with_name("style.tcss"))
    MODES: ClassVar = {**FsadvisorApp.MODES, "live": _PlayedLive}


class _Kept(msgspec.Struct):
    window: Window


SERIES: Final = (
    ("hdd-mail-server", True, _DOCTOR),
    ("old-storage-server", False, _RECORDED),
    ("hdd-mail-server", True, _LIVE),
    ("pm9a3-postgresql-measured", False, _LADDER),
    ("pm9a3-postgresql-volatile", False, _SUPPOSED),
)
"""Recorded machines, whether they are played as this one, and the pictures of each."""


def pictures(
    series: Iterable[tuple[str, bool, Sequence[tuple[str, Sequence[str]]]]] = SERIES,
) -> Iterator[tuple[str, str]]:
    """Each by the name of its file."""
    for machine, live, places in series:
        yield from asyncio.run(_drawn(machine, live, places))


async def _drawn(machine: str, live: bool, places: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[str, str]]:
    app = _Pictured(_session(machine, live=live), Terminal(unicode=True, plain=False, colour=True))
    drawn = []
    async with app.run_test(size=_SIZE) as pilot:
        await _still(app, pilot)
        for name, keys in places:
            for key in keys:
                await pilot.press(key)
                for typed in app.screen.query(Input):
                    typed.cursor_blink = False
                await _still(app, pilot)
            drawn.append((name, _svg(app)))
    return drawn


def _session(machine: str, *, live: bool) -> Session:
    def storage_of(it: Machine, supposed: Sequence[Supposition] = ()) -> Storage:
        return survey(it, {}, supposed)

    return Session(
        opened=lambda: (open_machine(_MACHINES / machine), None),
        storage_of=storage_of,
        rulebook=own_rulebook(),
        version="0",
        live=live,
        window=lambda: msgspec.json.decode(_FROZEN.read_bytes(), type=_Kept).window,
    )


async def _still(app: FsadvisorApp, pilot: Pilot[int]) -> None:
    """Until nothing is worked out any more, and two looks at the screen are the same."""
    before = ""
    for _ in range(_TURNS):
        await pilot.pause()
        await asyncio.sleep(_TURN_S)
        now = _text(app)
        if app.snapshot is not None and now == before and not any(word in now for word in _WORKS):
            return
        before = now
    raise TimeoutError(f"the explorer did not come to rest:\n{before}")


def strips(app: FsadvisorApp) -> Sequence[Iterable[Segment]]:
    """The lines of the screen; Textual would draw what is not drawn yet only where it knows the screens below."""
    visible_screen_stack.set(app._background_screens)
    return app.screen._compositor.render_strips()


def _text(app: FsadvisorApp) -> str:
    return "\n".join("".join(one.text for one in strip) for strip in strips(app))


def _svg(app: FsadvisorApp) -> str:
    """As Rich would write it to a terminal."""
    console = Console(
        width=_SIZE.width, file=StringIO(), force_terminal=True, color_system="truecolor", legacy_windows=False
    )
    lines = []
    for strip in strips(app):
        with console.capture() as captured:
            console.print(Segments(strip), end="", soft_wrap=True)
        lines.append(captured.get())
    drawn = svg("\n".join(lines), _SIZE.width, "fsadvisor")
    return "".join(f"{one.rstrip()}\n" for one in drawn.splitlines())
