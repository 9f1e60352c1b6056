"""Writes a plan's documents into a folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from fsadvisor.plan.documents import Document


class FolderError(Exception):
    """Why the folder can't be written: one line for people."""


def write(documents: Iterable[Document], folder: Path) -> None:
    """Write into a new or empty folder, with the modes that the documents have. Raises FolderError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise FolderError(f"{folder}: the folder is not empty; name a new or an empty one")
        for document in documents:
            target = folder / document.path
            target.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            with os.fdopen(os.open(target, flags, document.mode), "wb") as file:
                file.write(document.text.encode("utf-8", "surrogateescape"))
                os.fchmod(file.fileno(), document.mode)
    except OSError as error:
        raise FolderError(f"{folder}: {error.strerror or error}; name a folder that can be written") from error
