"""The command palette: every action by its sentence, every finding and every subject by its name."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from fsadvisor.advise import Verdicts
from fsadvisor.report.values import full_name
from fsadvisor.tui.actions import EVERYWHERE, Action
from fsadvisor.tui.explorer import Explorer
from fsadvisor.tui.place import Place
from fsadvisor.views.keys import spelt
from fsadvisor.views.look import finding_key
from fsadvisor.views.spans import span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MOST: Final = 50
"""Hits of a kind that are shown: a machine may have thousands of disks."""
_WHOLE: Final = 1_000_000.0
"""The score of words that are there as typed; less for each letter before them."""


class Commands(Provider):
    """Texts are plain: what a drive calls itself must not be read as markup."""

    async def discover(self) -> Hits:
        """What can be done, before anything is typed."""
        for action in self._actions():
            words = _words(action)
            yield DiscoveryHit(Content(words), partial(self._do, action), text=words)

    async def search(self, query: str) -> Hits:
        """What fits the words: what has them as they are typed comes first, then what has their letters in order."""
        typed, matcher = query.casefold(), self.matcher(query)
        whole: list[tuple[str, Callable[[], object]]] = []
        others: list[tuple[str, Callable[[], object]]] = []
        for one in self._all():
            (whole if typed in one[0].casefold() else others).append(one)
        for words, command in whole[:_MOST]:
            yield Hit(_WHOLE - words.casefold().index(typed), Content(words), command, text=words)
        left = _MOST - len(whole)
        for words, command in others:
            if left <= 0:
                return
            score = matcher.match(words)
            if score > 0:
                yield Hit(score, Content(words), command, text=words)
                left -= 1

    def _all(self) -> Iterator[tuple[str, Callable[[], object]]]:
        for action in self._actions():
            yield _words(action), partial(self._do, action)
        explorer = self.app
        if not isinstance(explorer, Explorer) or explorer.look is None:
            return
        for finding in explorer.look.findings:
            words = f"Advice: {finding.rule.title} ({finding.rule.id})"
            yield span(words).text, partial(explorer.go, "finding", finding_key(finding))
        yield from self._rules(explorer)
        for subject in explorer.look.storage.subjects:
            yield span(f"Show {full_name(subject)}", longest=120).text, partial(explorer.go, "subject", subject.id)

    def _rules(self, explorer: Explorer) -> Iterator[tuple[str, Callable[[], object]]]:
        """What is not advised, with the answers why; else the page of a rule that asks of what is not here."""
        verdicts = explorer.look.verdicts if explorer.look is not None else None
        firsts = verdicts.firsts() if isinstance(verdicts, Verdicts) else {}
        for rule in explorer.session.shelf.rules:
            verdict = firsts.get(rule.id)
            words = span(f"{rule.title} ({rule.id})").text
            if verdict is None:
                yield f"Rule that asks of nothing here: {words}", partial(explorer.go, "rule", rule.id)
            elif not verdict.calls_for_action:
                yield f"Why not: {words}", partial(explorer.go, "finding", f"{rule.id}\n{verdict.subject.id}")

    def _actions(self) -> Iterator[Action]:
        if isinstance(self.screen, Place):
            yield from self.screen.ACTIONS
        yield from EVERYWHERE

    async def _do(self, action: Action) -> None:
        await self.screen.run_action(action.name)


def _words(action: Action) -> str:
    return f"{action.help} ({spelt(action.keys)})"
