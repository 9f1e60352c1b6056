"""Remembers what was seen of this machine from run to run. Everything here runs on the thread that looks."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from fsadvisor.machine import kept_files
from fsadvisor.views import history

if TYPE_CHECKING:
    from pathlib import Path

    from fsadvisor.storage import Storage
    from fsadvisor.views.history import Gist, History


class Memory:
    """What the last run saw stays what changes are told against for as long as this run lasts."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._before: Gist | None = None
        self._read = False

    def changes(self, host: str, storage: Storage) -> tuple[History | None, Gist]:
        """What changed since the last run, None where there is none to tell of; and what to keep."""
        if not self._read:
            self._read = True
            self._before = history.gist_of(kept_files.read_seen(self._file))
        now = history.gist(host, storage, dt.datetime.now(dt.UTC))
        return (None if self._before is None else history.history(self._before, now)), now

    def keep(self, now: Gist) -> None:
        """For the next run. Where it can't be kept, the next run tells of older changes, and nothing else is lost."""
        kept_files.write_seen(self._file, history.text_of(now))
