"""A thread that samples while it is wanted: a daemon, because a dead device may hold it for ever."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Beat:
    """Calls `sample` every `every_s` seconds, or less often where it would take more than `share` of a processor.

    An error ends it, and is told to `failed`.
    """

    def __init__(
        self, sample: Callable[[], object], every_s: float, share: float, failed: Callable[[Exception], object]
    ) -> None:
        self._sample = sample
        self._every_s = every_s
        self._share = share
        self._failed = failed
        self._wanted = threading.Event()
        self._halt = threading.Event()
        self._thread: threading.Thread | None = None
        self.since_s: float | None = None
        """Since when (monotonic) a sample has been under way; None between samples."""

    def go(self) -> None:
        """Sample, from now on."""
        self._halt.clear()
        self._wanted.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def pause(self) -> None:
        """No more samples, but for the one under way."""
        self._wanted.clear()
        self._halt.set()

    @property
    def silent_s(self) -> float:
        """For how long the sample under way has not come back."""
        since = self.since_s
        return 0.0 if since is None else time.monotonic() - since

    def _run(self) -> None:
        try:
            while True:
                self._wanted.wait()
                self._once()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told where somebody sees it
            self._failed(error)

    def _once(self) -> None:
        began_s, cpu_s = time.monotonic(), time.thread_time()
        self.since_s = began_s
        self._sample()
        self.since_s = None
        used_s = time.thread_time() - cpu_s
        self._halt.wait(max(self._every_s - (time.monotonic() - began_s), used_s / self._share))
