"""Where results are kept: a JSON object a line, root's for everybody to read, others' for themselves.

A new result is put in by rewriting the whole file in one step (`machine.safe_files`).
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from fsadvisor.machine import safe_files
from fsadvisor.machine.kept_files import PROBES, user_probes_path
from fsadvisor.machine.port import MachineError
from fsadvisor.measure.probe.result import Result
from fsadvisor.readers.own_records import RESULTS_SCHEMA

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_ALIKE: Final = 8
"""Results of the same job on the same mount; older ones are dropped."""
MOST_BYTES: Final = 2 << 20
"""Of the whole file; readers take 4 MiB."""
_MOVE: Final = "move it away"


def encoded(message: object) -> bytes:
    """As one line of JSON, without its end. Where it names what is no UTF-8, '?' stands for those bytes."""
    try:
        return msgspec.json.encode(message)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(message), ensure_ascii=False).encode("utf-8", "replace")


class StoreError(Exception):
    """Why a result is not kept: one sentence for the person who asked."""


class StoredResults(Struct, frozen=True, kw_only=True):
    """Results in the order in which they were kept, and what is wrong with other lines: 'line 3: no result: …'."""

    results: tuple[Result, ...] = ()
    unread: tuple[str, ...] = ()


def path(*, root: bool, environment: Mapping[str, str]) -> Path:
    """The file that a user's results go to. Raises StoreError where an ordinary user has no home."""
    if root:
        return Path(PROBES)
    own = user_probes_path(environment)
    if own is None:
        raise StoreError("The result is not kept: neither XDG_STATE_HOME nor HOME says where.")
    return own


def line(result: Result) -> bytes:
    """A result as it stands in the file, without the end of the line."""
    return encoded({"schema": RESULTS_SCHEMA, **msgspec.to_builtins(result)})


def results(text: bytes) -> StoredResults:
    """What a file holds; a line that is no result is named and hides no other."""
    results: list[Result] = []
    unread: list[str] = []
    for number, line in enumerate(text.split(b"\n"), 1):
        if line.strip():
            try:
                results.append(_result(line))
            except (msgspec.MsgspecError, RecursionError) as error:
                unread.append(f"line {number}: no result: {error}"[:200])
    return StoredResults(results=tuple(results), unread=tuple(unread))


def _result(stored: bytes) -> Result:
    document = msgspec.json.decode(stored)
    if not isinstance(document, dict) or document.pop("schema", None) != RESULTS_SCHEMA:
        raise msgspec.ValidationError(f"its schema is not {RESULTS_SCHEMA}")
    return msgspec.convert(document, Result)


def read(file: Path) -> StoredResults:
    """What is kept in a file, nothing where there is none. Raises StoreError."""
    return results(_text(file))


def keep(file: Path, result: Result) -> None:
    """Put a result at the end, and drop what is too old or too much. Raises StoreError; the file is then as it was."""
    shared = file == Path(PROBES)
    mode, make = (safe_files.PUBLIC, 0o755) if shared else (safe_files.PRIVATE, 0o700)
    try:
        safe_files.rewrite(file, lambda text: bounded(text, line(result)), 2 * MOST_BYTES, mode, _MOVE, make=make)
    except (MachineError, StoreError) as error:
        raise StoreError(f"The result is not kept: {_sentence(error)}") from error


def keep_for_this_user(result: Result) -> str:
    """Keep it where the results of who runs us go; why it is not kept, '' where it is."""
    try:
        keep(path(root=os.geteuid() == 0, environment=os.environ), result)
    except StoreError as error:
        return str(error)
    return ""


def _sentence(error: MachineError | StoreError) -> str:
    return f"{error}." if isinstance(error, MachineError) else str(error)


def bounded(text: bytes, new: bytes) -> bytes:
    """The lines with a new one at the end: of results alike the newest MOST_ALIKE, of all no more than MOST_BYTES.

    Lines of another version of fsadvisor stay until there is no room, others for ever: somebody may want them.
    Raises StoreError where they leave no room.
    """
    alike: Counter[tuple[str, str]] = Counter()
    lines = [line for line in (new, *reversed(text.split(b"\n"))) if line.strip()]
    left = MOST_BYTES - sum(len(line) + 1 for line in lines if not _of_ours(line))
    if left < len(new) + 1:
        raise StoreError("The file is full of lines that are no results of fsadvisor; move it away.")
    kept: list[bytes] = []
    for line in lines:
        about = _about(line)
        if about:
            alike[about] += 1
            if alike[about] > MOST_ALIKE:
                continue
        if _of_ours(line):
            left -= len(line) + 1
            if left < 0:
                continue
        kept.append(line)
    return b"".join(line + b"\n" for line in reversed(kept))


def _of_ours(line: bytes) -> bool:
    """Whether a version of fsadvisor wrote it."""
    try:
        document = msgspec.json.decode(line)
    except (msgspec.MsgspecError, RecursionError):
        return False
    schema = document.get("schema") if isinstance(document, dict) else None
    return isinstance(schema, str) and schema.startswith(RESULTS_SCHEMA.rpartition("/")[0] + "/")


def _about(stored: bytes) -> tuple[str, str] | None:
    try:
        found = _result(stored)
    except (msgspec.MsgspecError, RecursionError):
        return None
    return found.job, found.mount


def _text(file: Path) -> bytes:
    """The content of a regular file, b'' where there is none. Raises StoreError."""
    try:
        return safe_files.read(file, 2 * MOST_BYTES, _MOVE) or b""
    except MachineError as error:
        raise StoreError(_sentence(error)) from error
