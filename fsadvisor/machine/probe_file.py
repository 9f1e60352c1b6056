"""The files that results of probes are kept in: root's, and an ordinary user's own besides.

A recording holds what facts are made of, and not the folder that was measured, which may name a person.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from fsadvisor import strict_json
from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine import safe_files
from fsadvisor.machine.error import MachineError
from fsadvisor.machine.port import Reply
from fsadvisor.machine.runner import OUTPUT_CAP_BYTES, decoded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.port import Answer

PATH = "/var/lib/fsadvisor/probes.jsonl"

_UNREAD = "unread"
"""The key of a line that says what could not be read."""
_KEPT = (
    *("schema", "job", "mount", "when", "engine", "figure", "end", "believable"),
    *("percentiles_us", "parts_us", "flushes_at", "disks", "amplification", "small_file_bytes", "depends"),
)


def user_path(environment: Mapping[str, str]) -> Path | None:
    """Where an ordinary user's results are, None where the user has no home."""
    state = environment.get("XDG_STATE_HOME", "")
    if os.path.isabs(state):  # noqa: PTH117 - the specification: relative ones are ignored
        return Path(state, "fsadvisor", Path(PATH).name)
    home = environment.get("HOME", "")
    return Path(home, ".local/state/fsadvisor", Path(PATH).name) if os.path.isabs(home) else None  # noqa: PTH117


def text_of(path: Path) -> Answer | None:
    """What a user's file holds; None where there is none."""
    try:
        content = safe_files.read(path, OUTPUT_CAP_BYTES)
    except MachineError as error:
        cause = Cause.DENIED if isinstance(error.__cause__, PermissionError) else Cause.UNREADABLE
        return Unknown(cause, error.what, str(path))
    return None if content is None else Reply(decoded(content), str(path))


def unread_line(why: Unknown) -> str:
    """A line in the place of a file that can't be read."""
    return json.dumps({_UNREAD: f"{why.source}: {why.learn or why.cause.value}"})


def without_places(text: str) -> str:
    """The lines with what facts are made of; one that is no result tells no more than that there is one."""
    return "".join(f"{_without_place(line)}\n" for line in text.split("\n") if line.strip())


def _without_place(line: str) -> str:
    try:
        document = strict_json.DECODER.decode(line)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        return json.dumps({_UNREAD: "no JSON object"})
    if _UNREAD in document:
        return json.dumps({_UNREAD: "a file of results could not be read"})
    return json.dumps({key: document[key] for key in _KEPT if key in document})
