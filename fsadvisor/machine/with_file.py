# ruff: noqa: D102 - port.Machine documents the methods
"""A machine on which one file reads as another text: attestations kept elsewhere than on the machine itself."""

from __future__ import annotations

from fsadvisor.machine.port import Answer, Machine, Reply
from fsadvisor.machine.wrapped import Wrapped


class WithFile(Wrapped):
    """Answers as the machine inside does, but for the content of one path, which comes from `source`."""

    def __init__(self, inner: Machine, path: str, text: str, source: str) -> None:
        super().__init__(inner)
        self._path = path
        self._reply = Reply(text, source)

    def read(self, path: str) -> Answer:
        return self._reply if path == self._path else self._inner.read(path)
