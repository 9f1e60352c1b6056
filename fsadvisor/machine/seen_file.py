"""The file that remembers what was last seen of this machine, beside the results of probes: root's, or a user's own."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.machine import probe_file, safe_files
from fsadvisor.machine.error import MachineError

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
    """What is remembered, b'' where there is nothing that can be read and believed."""
    unpacking = zlib.decompressobj(wbits=31)
    try:
        unpacked = unpacking.decompress(safe_files.read(file, MOST_BYTES) or b"", _MOST_UNPACKED)
    except (MachineError, zlib.error):
        return b""
    return unpacked if unpacking.eof else b""


def write(file: Path, content: bytes) -> bool:
    """Remember it, in one step, for its user alone to read; False where it can't be kept."""
    packed = gzip.compress(content, 1, mtime=0)
    if len(packed) > MOST_BYTES:
        return False
    beside_results = 0o755 if file == Path(probe_file.PATH).with_name(NAME) else 0o700
    try:
        safe_files.rewrite(file, lambda _: packed, MOST_BYTES, safe_files.PRIVATE, make=beside_results)
    except MachineError:
        return False
    return True
