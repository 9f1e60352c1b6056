"""Snapshots of machines, recorded or made by a test."""

from functools import cache

from fsadvisor.machine.opening import open_machine
from fsadvisor.pages.glyphs import plain
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.survey.whole import survey
from fsadvisor.tui.session import Session
from fsadvisor.tui.views.snapshot import Snapshot
from tests.paths import FIXTURES
from tests.report import composed
from tests.report.composed import ABOUT


def session():
    """The project's own rules."""
    return Session(
        opened=lambda: (None, None),
        storage_of=lambda machine, supposed=(): survey(machine, {}, supposed),
        rulebook=own_rulebook(),
        version="0",
        live=False,
    )


def snapshot_from(machine):
    """A snapshot of a recorded machine, by name, or of one that a test made."""
    return recorded(machine) if isinstance(machine, str) else session().snapshot(machine)


@cache
def recorded(machine):
    """Looked at once: a snapshot does not change."""
    return session().snapshot(open_machine(FIXTURES / "machines" / machine))


@cache
def many_disks():
    """A snapshot of more of everything than is shown at once."""
    return snapshot_of(composed.many(120))


def text(lines):
    """Lines of spans as one text."""
    return "\n".join(plain(one) for one in lines)


def snapshot_of(storage, number=1, **more):
    """A snapshot of a storage that was made up, by the project's own rules."""
    rules = own_rulebook().rules
    return Snapshot(number=number, storage=storage, verdicts=advise(storage, rules), about=ABOUT, **more)
