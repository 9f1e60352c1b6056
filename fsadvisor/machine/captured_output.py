"""A file that somebody keeps a tool's output in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.machine.error import MachineError
from fsadvisor.machine.runner import OUTPUT_CAP_BYTES, decoded

if TYPE_CHECKING:
    from pathlib import Path


def text_of(path: Path) -> str:
    """What is in the file, bytes that are no UTF-8 as surrogates. Raises MachineError."""
    try:
        with path.open("rb") as file:
            content = file.read(OUTPUT_CAP_BYTES + 1)
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or "can't be read"
        raise MachineError(str(path), said, "name a file with a tool's output") from None
    if len(content) > OUTPUT_CAP_BYTES:
        raise MachineError(str(path), "longer than any tool's output", "name a file with one machine's outputs")
    return decoded(content)
