"""The files that results of probes are kept in: root's, and an ordinary user's own besides.

A recording holds what facts are made of, and not the folder that was measured, which may name a person.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from fsadvisor.machine.runner import OUTPUT_CAP_BYTES, decoded

if TYPE_CHECKING:
    from collections.abc import Mapping

PATH = "/var/lib/fsadvisor/probes.jsonl"

_KEPT = (
    *("schema", "job", "mount", "when", "engine", "figure", "end", "believable"),
    *("percentiles_us", "parts_us", "amplification", "small_file_bytes", "depends"),
)


def user_path(environment: Mapping[str, str]) -> Path | None:
    """Where an ordinary user's results are, None where the user has no home."""
    state = environment.get("XDG_STATE_HOME", "")
    if os.path.isabs(state):  # noqa: PTH117 - the specification: relative ones are ignored
        return Path(state, "fsadvisor", Path(PATH).name)
    home = environment.get("HOME", "")
    return Path(home, ".local/state/fsadvisor", Path(PATH).name) if os.path.isabs(home) else None  # noqa: PTH117


def text_of(path: Path) -> str:
    """What a user's file holds, '' where there is none that can be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as opened:
            return decoded(opened.read(OUTPUT_CAP_BYTES))
    except OSError:
        return ""


def without_places(text: str) -> str:
    """The lines with what facts are made of; a line that is no JSON object is left out."""
    return "".join(f"{told}\n" for line in text.split("\n") if (told := _without_place(line)))


def _without_place(line: str) -> str:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(document, dict):
        return ""
    return json.dumps({key: document[key] for key in _KEPT if key in document})
