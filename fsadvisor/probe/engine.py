"""What the measuring loop asks of an engine: fio, or our own where fio is missing or worse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from fsadvisor.probe.window import Window


class EngineError(Exception):
    """Why a job cannot go on: no room, a disk error, a tool that failed; one sentence for the person who asked."""


class Session(Protocol):
    """A job that is set up on its target: the file is written, the folder filled. Made by a context manager."""

    @property
    def engine(self) -> str:
        """Who measures: 'fio 3.33', or 'fsadvisor 0.1.0, in place of fio' with how far the two were seen to differ."""
        ...

    def window(self, seconds: float) -> Window:
        """Run for about so long and tell what happened. Raises EngineError."""
        ...
