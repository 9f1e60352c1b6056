"""Configuration files that include others: read in the program's order, up to the first that can't be read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

from fsadvisor.facts import Known, Unknown, unreadable
from fsadvisor.survey import look, setting

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.machine.port import Machine

R = TypeVar("R")

_DEEPEST = 10
"""How deep PostgreSQL follows includes (CONF_FILE_MAX_DEPTH); MySQL's limit is the same."""
_MOST_FILES = 50


class IncludingFiles(ABC, Generic[R]):
    """`found` is what they set, the last one counting; `failed` says why they could not all be read."""

    def __init__(self, machine: Machine, parse: Callable[[str], R | Unknown]) -> None:
        self.found: dict[str, Known[str]] = {}
        self.failed: Unknown | None = None
        self._machine = machine
        self._parse = parse
        self._left = _MOST_FILES

    def read(self, path: str, depth: int = 0, *, must_exist: bool = True) -> None:
        """Read a file and what it includes."""
        if self.failed is not None:
            return
        if depth > _DEEPEST or not self._left:
            self.failed = unreadable("configuration files include too many others", path)
            return
        self._left -= 1
        answer = self._machine.settings(path)
        if isinstance(answer, Unknown) and setting.is_absent(answer) and not must_exist:
            return
        record = look.understood(answer, self._parse)
        if isinstance(record, Unknown):
            self.failed = record
            return
        self._take(path, record, depth)

    def read_folder(self, path: str, ending: str, depth: int, *, must_exist: bool) -> None:
        """Read the files of a folder with this ending, in order; hidden ones are passed over."""
        names = self._machine.entries(path)
        if isinstance(names, Unknown):
            absent = setting.is_absent(names) and not must_exist
            self.failed = self.failed or (None if absent else names)
            return
        for name in names:
            if name.endswith(ending) and not name.startswith("."):
                self.read(f"{path}/{name}", depth)

    @abstractmethod
    def _take(self, path: str, record: R, depth: int) -> None:
        """Note what a file sets, and read what it includes."""
