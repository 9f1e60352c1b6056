"""The command palette: every action by its name and its sentence, every fact, rule, finding and subject by its name."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from fsadvisor.pages.glyphs import cut, plain, span
from fsadvisor.tui.actions import EVERYWHERE, Action
from fsadvisor.tui.explorer import Explorer
from fsadvisor.tui.place import Place
from fsadvisor.tui.views import keys
from fsadvisor.tui.views.snapshot import Names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


_NEAREST: Final = "Nothing has what you typed; these are nearest"
_DRAWN_S: Final = 0.1
"""Until the actions are drawn; then, before anything is typed, all else is made ready to be found."""

_MARGINS: Final = 7
"""Columns of the list's own, with its scrollbar."""


class Commands(Provider):
    """Texts are plain: what a drive calls itself must not be read as markup."""

    _doing: Sequence[Action] = EVERYWHERE
    """What does something at the moment that it was opened."""

    async def startup(self) -> None:
        """Once for each palette."""
        if isinstance(self.screen, Place):
            self._doing = tuple(self.screen.doing())

    async def discover(self) -> Hits:
        """What can be done, before anything is typed."""
        for one, action in zip(self._entries(), self._doing, strict=True):
            yield DiscoveryHit(self._shown(one), partial(self._do, action), text=one.words)
        self.app.set_timer(_DRAWN_S, self._make_ready)

    async def search(self, query: str) -> Hits:
        """What fits the words, in the order of views/keys.py: Textual's own sorts by the score that is given."""
        index = self._named()
        entries = index.found(query, self._entries())
        near = [] if entries else index.nearest(query)
        near[:1] = [replace(one, under=_NEAREST) for one in near[:1]]
        for at, one in enumerate(entries or near):
            yield Hit(len(entries) - at, self._shown(one), self._command(one), text=one.words)

    def _make_ready(self) -> None:
        """What is typed next need not wait for what all palettes share."""
        self._named()
        threading.Thread(target=keys.read_symptoms, daemon=True).start()

    def _entries(self) -> list[keys.Entry]:
        return [keys.action(one.label, one.keys, one.help, str(at)) for at, one in enumerate(self._doing)]

    def _named(self) -> keys.Index:
        """Made once for each snapshot, not for each palette: a machine may have thousands of disks."""
        explorer = self.app
        if not isinstance(explorer, Explorer) or explorer.snapshot is None:
            return keys.Index((), Names(()))
        if explorer.named is None or explorer.named[0] is not explorer.snapshot:
            entries = keys.entries(explorer.snapshot, explorer.session.rulebook.rules)
            explorer.named = explorer.snapshot, keys.Index(entries, explorer.snapshot.names)
        return explorer.named[1]

    def _shown(self, entry: keys.Entry) -> Content:
        """Neither line is broken: what tells entries apart stands first."""
        room = max(self.app.size.width - _MARGINS, 1)
        ellipsis = self.app.glyphs.ellipsis if isinstance(self.app, Explorer) else ""
        first, under = (plain(cut((span(text),), room, ellipsis)) for text in (entry.words, f"  {entry.under}"))
        return Content.assemble(first, "\n", (under, "dim not bold")) if entry.under else Content(first)

    def _command(self, entry: keys.Entry) -> Callable[[], object]:
        if entry.kind == keys.ACTION:
            return partial(self._do, self._doing[int(entry.key)])
        explorer = self.app
        if entry.kind in (keys.PROBE, keys.COMMAND) and isinstance(explorer, Explorer):
            return partial(explorer.show_job if entry.kind == keys.PROBE else explorer.copy_command, entry.key)
        return partial(explorer.go, entry.subplace, entry.key) if isinstance(explorer, Explorer) else lambda: None

    async def _do(self, action: Action) -> None:
        await self.screen.run_action(action.name)
