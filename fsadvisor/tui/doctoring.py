"""What `fsadvisor doctor` says, asked on a thread: the head tells the verdict, and the place of the key d the rest."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.measure.now.answer import Answer
    from fsadvisor.measure.now.model import Window
    from fsadvisor.tui.session import Session


class Diagnosed(Message, bubble=False):
    """The doctor has looked. It does not bubble: the app hands it on to the place that is shown."""


class Doctor:
    """One look at a time, on a daemon thread: a dead device may hold it for ever. `tell` is called on that thread."""

    def __init__(self, session: Session, tell: Callable[[], object]) -> None:
        self._session = session
        self._tell = tell
        self.looks = False
        self.answer: Answer | None = None
        """What came out last."""

        self.trouble = ""
        """Why the last look came to nothing."""

        self.kept: tuple[Window, ...] = ()
        """The last incident that `watch` kept."""

        self._recalled = False
        self.clock = time.monotonic
        self._looked_at = 0.0

    @property
    def age_s(self) -> float:
        """How old the answer is."""
        return self.clock() - self._looked_at if self._looked_at else 0.0

    def look(self) -> None:
        """Begin, unless one is under way."""
        if self._session.live and not self.looks:
            self.looks = True
            threading.Thread(target=self._run, daemon=True).start()

    def recall(self) -> None:
        """Read what `watch` kept, once."""
        if not self._recalled:
            self._recalled = True
            threading.Thread(target=self._recall, daemon=True).start()

    def _recall(self) -> None:
        try:
            from fsadvisor.measure.now.kept import chosen_of, incident

            self.kept = self._session.asked(incident)
            if self.kept and not self._session.live:
                self.answer = self.judged(chosen_of(self.kept, None))
        except Exception as error:  # noqa: BLE001 - as below
            self.trouble = str(error)
        self._tell()

    def judged(self, window: Window) -> Answer:
        """What the doctor says of it."""
        from fsadvisor.measure.now.answer import answer

        return answer(window, self._session.shelf.rules)

    def _run(self) -> None:
        try:
            self.answer, self.trouble = self.judged(self._session.window()), ""
        except Exception as error:  # noqa: BLE001 - whatever it is, the person is told, and the explorer goes on
            self.trouble = f"{type(error).__name__}: {error}"
        self.looks, self._looked_at = False, self.clock()
        self._tell()
