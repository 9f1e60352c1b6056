"""What is told of a finding beside a list: at once, or on a thread where it is of thousands of subjects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from fsadvisor.pages.glyphs import Span, Tone, span
from fsadvisor.tui.session import Newest
from fsadvisor.tui.views import finding
from fsadvisor.tui.views.look import finding_key

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fsadvisor.pages.glyphs import Glyphs, Line
    from fsadvisor.report.findings import Finding
    from fsadvisor.tui.views.look import Look

    _Asked: TypeAlias = tuple[int, str, int]
    """The look's number, the finding's key and the columns."""

_MANY: Final = 200
"""Subjects that take a moment to tell of: no key may wait for that."""


class Telling:
    """Keeps what was told of the look of the moment. `told` is called on a thread once there is more."""

    def __init__(self, notify: Callable[[], object]) -> None:
        self._told = notify
        self._kept: dict[_Asked, Sequence[Line]] = {}
        self._of = 0
        self._newest = Newest["Sequence[Line]"](lambda _: notify())
        self._asked: _Asked | None = None

    def lines(self, look: Look, finding: Finding, columns: int, glyphs: Glyphs) -> Sequence[Line]:
        """What to do about it, and why; its title alone until the thread has told the rest."""
        asked = (look.number, finding_key(finding), columns)
        if look.number != self._of:
            self._of, self._kept = look.number, {}
        if (kept := self._kept.get(asked)) is not None:
            return kept
        if len(finding.verdicts) <= _MANY:
            return self._keep(asked, look, glyphs)
        if asked != self._asked:
            self._asked = asked
            self._newest.ask(lambda: self._keep(asked, look, glyphs))
        return [(span(finding.rule.title, Tone.STRONG),), (Span(glyphs.ellipsis, Tone.DIM),)]

    def _keep(self, asked: _Asked, look: Look, glyphs: Glyphs) -> Sequence[Line]:
        lines = self._kept[asked] = tuple(finding.beside_list(look, asked[1], asked[2], glyphs))
        return lines
