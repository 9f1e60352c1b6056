"""The thread that looks at the machine: a daemon, because a dead device may hold it for ever."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.tui.session import Session
    from fsadvisor.views.look import Look

Outcome: TypeAlias = "Look | Exception"


class Looking:
    """Starts at once; what it sees is kept until somebody listens. Each look, or the error that ended it, is told."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = threading.Lock()
        self._seen: list[Outcome] = []
        self._listener: Callable[[Outcome], object] | None = None
        self._stopped = False
        self._told = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def listen(self, listener: Callable[[Outcome], object]) -> None:
        """Tell what was seen so far, and what comes; called from the looking thread."""
        with self._lock:
            self._listener = listener
            seen, self._seen = self._seen, []
            for outcome in seen:
                listener(outcome)

    def newest(self, seconds: float) -> Look | None:
        """What was seen last, while nobody listens yet; waits so long for a first look. None where there is none."""
        self._told.wait(seconds)
        with self._lock:
            return next((one for one in reversed(self._seen) if not isinstance(one, Exception)), None)

    def stop(self) -> None:
        """Tell nothing more: another looking takes over. The thread ends when it has seen what it is looking at."""
        with self._lock:
            self._stopped = True

    def join(self, seconds: float) -> None:
        """Wait for the thread to end, so long at most."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            for look in self._session.looks():
                self._tell(look)
                if self._stopped:
                    return
        except Exception as error:  # noqa: BLE001 - whatever it is, it ends the explorer with a message, not a thread
            self._tell(error)

    def _tell(self, outcome: Outcome) -> None:
        with self._lock:
            if self._stopped:
                return
            self._told.set()
            if self._listener is None:
                self._seen.append(outcome)
            else:
                self._listener(outcome)
