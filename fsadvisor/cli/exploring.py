"""From the command line to the explorer: on a terminal, or in a browser of this machine.

On a terminal there is something to see at once, then the first snapshot, then Textual. In a page, the server that
started this process takes what is drawn, and sends keys.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from fsadvisor import __version__, inputs
from fsadvisor.arguments_help import demo_extras, is_demo
from fsadvisor.machine import kept_files

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from fsadvisor.machine.live import ProgressiveMachine
    from fsadvisor.machine.port import Machine
    from fsadvisor.survey.progress import Glimpse
    from fsadvisor.tui.session import Session
    from fsadvisor.tui.terminal import Terminal
    from fsadvisor.tui.views.snapshot import Snapshot


_NO_SERVER: Final = "serve needs textual-serve, which is not installed here: pip install 'textual-serve>=1.1'"
_NO_TEXTUAL: Final = "serve needs Textual, which the one-file program has not: see docs/install.md for the others"
_FIRST_SNAPSHOT_S: Final = 0.4
"""How long Textual waits for the first snapshot: a small machine's takes less, and both at once would take as long."""


def terminal_of(chosen: argparse.Namespace) -> Terminal | None:
    """The terminal that the explorer can run on; None where the report is to be printed."""
    if not sys.stdout.isatty():
        return None
    if find_spec("textual") is None:
        sys.stderr.write("fsadvisor: no explorer without Textual, which the one-file program has not; the report:\n")
        return None
    from fsadvisor.tui import terminal

    return None if terminal.obstacle(os.environ) else terminal.terminal(os.environ, plain=bool(chosen.plain))


def explore(chosen: argparse.Namespace, terminal: Terminal) -> int:
    """Something is to be seen at once; what that does not need is loaded later."""
    from fsadvisor.tui.views.head import RECORDED

    name, note = _name(chosen), RECORDED if chosen.on else ""
    if not is_demo(chosen.on) or chosen.attestations is not None:
        return _start(name, lambda: _session(chosen, name), terminal, note)
    with ExitStack() as kept:

        def of_demo() -> Session:
            from tempfile import TemporaryDirectory

            made = TemporaryDirectory(prefix="fsadvisor-demo-", ignore_cleanup_errors=True)
            folder = kept.enter_context(made)  # what one says of the demo is gone when it ends
            chosen.attestations = Path(folder, "attest.toml")
            chosen.attestations.touch()
            return _session(chosen, name)

        return _start(name, of_demo, terminal, note, kept.close)


def _start(
    name: str,
    session_of: Callable[[], Session],
    terminal: Terminal,
    note: str = "",
    clear: Callable[[], None] | None = None,
) -> int:
    """Explore; the exit code. `name` is what the machine is called before it is looked at; `session_of` may raise.

    `clear` takes away what must not outlive us.
    """
    from fsadvisor.tui.first_picture import Painter
    from fsadvisor.tui.session import SurveyThread, collect_rarely
    from fsadvisor.tui.terminal import HeldTerminal

    with HeldTerminal(clear) as held:
        painter = Painter(terminal, note)

        def show(snapshot: Snapshot | None, seen: Glimpse | None = None) -> None:
            columns, lines = held.size
            held.show(painter.picture(snapshot, name, columns, lines, seen))

        show(None)
        session = session_of()
        survey_thread = SurveyThread(session)
        if (snapshot := survey_thread.newest(_FIRST_SNAPSHOT_S)) or session.glimpsed:
            show(snapshot, session.glimpsed)
        from fsadvisor.tui import app

        if snapshot is not (newest := survey_thread.newest(0)):
            show(newest, session.glimpsed)
        collect_rarely()
        return app.explore(session, terminal, survey_thread, held, painter.wire)


def serve(chosen: argparse.Namespace, write: Callable[[Sequence[str]], None]) -> int:
    """The explorer's page, until somebody stops it; each visit runs the same command line as `page`."""
    for module, words in (("textual", _NO_TEXTUAL), ("textual_serve", _NO_SERVER)):
        if find_spec(module) is None:
            raise inputs.UsageError(words)
    if chosen.page:
        return _page(chosen)
    from fsadvisor.tui.serving import NoPortError, served

    inputs.rulebook(chosen)
    inputs.machine(chosen)  # what is said wrongly is told now, not in the browser
    try:
        served(sys.argv[1:], chosen.port, write, may_write=bool(chosen.may_write))
    except NoPortError as error:
        raise inputs.UsageError(str(error)) from error
    return 0


def _page(chosen: argparse.Namespace) -> int:
    """Within a process of its own, for one visit: what is drawn goes to the server by standard output."""
    if not chosen.may_write:
        seal("this page is read-only: only `fsadvisor serve --may-write` lets it write or measure")
    return _explore_in_page(_session(chosen, _name(chosen), may_write=bool(chosen.may_write)))


def _explore_in_page(session: Session) -> int:
    """Run it for one visit; the exit code. Raises what ended the survey."""
    os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")  # of the page, not of where the server runs
    os.environ.pop("NO_COLOR", None)
    from fsadvisor.tui.session import SurveyThread, collect_rarely

    survey_thread = SurveyThread(session)
    from textual.drivers.web_driver import WebDriver
    from textual.messages import ExitApp

    from fsadvisor.tui.app import FsadvisorApp
    from fsadvisor.tui.terminal import Terminal

    class EndsWithItsServer(WebDriver):
        def run_input_thread(self) -> None:
            super().run_input_thread()
            self._app.post_message(ExitApp())

    collect_rarely()
    signs = Terminal(unicode=True, plain=False, colour=True)  # a page's shows them all; nothing else is assumed of it
    app = FsadvisorApp(session, signs, survey_thread, EndsWithItsServer)
    code = app.run()
    if app.error is not None:
        raise app.error
    return code or 0


def _name(chosen: argparse.Namespace) -> str:
    from fsadvisor.tui.views.head import called

    return called(str(chosen.on)) if chosen.on else os.uname().nodename


def _session(chosen: argparse.Namespace, name: str, *, may_write: bool = True) -> Session:
    from fsadvisor.machine.live import ProgressiveMachine
    from fsadvisor.tui.session import Memory, Session
    from fsadvisor.verbs import own_name

    def opened() -> tuple[Machine, ProgressiveMachine | None]:
        if chosen.on:
            return inputs.machine(chosen), None
        answering = ProgressiveMachine(chosen.timeout, wake=chosen.wake)
        answering.asks_programs = bool(chosen.ask_programs)
        return inputs.with_what_is_kept(answering, chosen), answering

    memory = None
    if may_write and not (chosen.on or chosen.only or chosen.workload or chosen.attestations):
        file = kept_files.seen_path(root=os.geteuid() == 0, environment=os.environ)
        memory = Memory(file) if file else None
    return Session(
        opened=opened,
        storage_of=lambda machine, supposed=(): inputs.storage(machine, chosen, supposed),
        rulebook=inputs.rulebook(chosen),
        version=__version__,
        name=name,
        every=bool(chosen.all),
        live=not chosen.on,
        replay=demo_extras() / "live.jsonl" if is_demo(chosen.on) else None,
        may_write=may_write,
        memory=memory,
        attestations=None if chosen.on and chosen.attestations is None else inputs.attestations(chosen),
        who=own_name(),
    )


_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES: Final = frozenset(
    f"os.{name}"
    for name in (
        *("chmod", "chown", "link", "mkdir", "remove", "rename", "rmdir", "symlink", "truncate", "utime"),
        *("removexattr", "setxattr", "exec", "fork", "forkpty", "posix_spawn", "spawn", "system"),
    )
)
"""What Python tells of before it changes a file or becomes another program."""


def seal(words: str) -> None:
    """From now on nothing of this process opens a file to write or changes one; it can't be undone.

    Programs that the machine is asked by still run; a Python, such as what measures, does not. `words` are what
    whoever tries is told.
    """

    def refuses(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            wrong = bool(flags & _WRITES) and not isinstance(path, int) and path not in (os.devnull, b"/dev/null")
        elif event == "subprocess.Popen":
            wrong = os.fsdecode(arguments[0]) == sys.executable
        else:
            wrong = event in _CHANGES
        if wrong:
            raise OSError(errno.EROFS, words)

    sys.addaudithook(refuses)
