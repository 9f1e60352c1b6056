"""The file that remembers what was last seen of this machine, beside the results of probes: root's, or a user's own."""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.machine import probe_file, rewriting

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME: Final = "seen.json.gz"
MOST_BYTES: Final = 8 << 20
"""Of the file; what would be longer is not kept."""
_MOST_UNPACKED: Final = 128 << 20


def path(*, root: bool, environment: Mapping[str, str]) -> Path | None:
    """Where it is, None where an ordinary user has no home."""
    beside = Path(probe_file.PATH) if root else probe_file.user_path(environment)
    return beside.with_name(NAME) if beside else None


def read(file: Path) -> bytes:
    """What is remembered, b'' where there is nothing that can be read."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as opened:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return b""
            packed = opened.read(MOST_BYTES + 1)
        unpacking = zlib.decompressobj(wbits=31)
        unpacked = unpacking.decompress(packed, _MOST_UNPACKED)
    except (OSError, zlib.error):
        return b""
    return unpacked if unpacking.eof else b""


def write(file: Path, content: bytes) -> bool:
    """Remember it, in one step, for its user alone to read; False where it can't be kept."""
    packed = gzip.compress(content, 1, mtime=0)
    if len(packed) > MOST_BYTES:
        return False
    try:
        file.parent.mkdir(
            mode=0o755 if file == Path(probe_file.PATH).with_name(NAME) else 0o700, parents=True, exist_ok=True
        )
        with rewriting.locked(file.parent) as folder:
            rewriting.replace(folder, file.name, packed, 0o600)
    except OSError:
        return False
    return True
