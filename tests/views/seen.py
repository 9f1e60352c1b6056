"""Looks at machines, recorded or made by a test."""

from functools import cache

from fsadvisor.machine.opening import open_machine
from fsadvisor.pages.glyphs import plain
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.survey.whole import survey
from fsadvisor.tui.session import Session
from fsadvisor.tui.views.look import Look
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


def look_at(machine):
    """A look at a recorded machine, by name, or at one that a test made."""
    return recorded(machine) if isinstance(machine, str) else session().look(machine)


@cache
def recorded(machine):
    """Looked at once: a look does not change."""
    return session().look(open_machine(FIXTURES / "machines" / machine))


@cache
def many_disks():
    """A look at more of everything than is shown at once."""
    return look_of(composed.many(120))


def text(lines):
    """Lines of spans as one text."""
    return "\n".join(plain(one) for one in lines)


def look_of(storage, number=1, **more):
    """A look at a storage that was made up, by the project's own rules."""
    rules = own_rulebook().rules
    return Look(number=number, storage=storage, verdicts=advise(storage, rules), about=ABOUT, **more)
