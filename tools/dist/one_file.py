"""fsadvisor.pyz: one file for every Python from 3.11 on, every libc and processor.

Nothing in it is compiled. msgspec's place is taken by tools/standin, psutil is used where the system has it, and the
explorer, which needs Textual, is not inside. It unpacks for as long as it runs: rules and workers are files.
"""

from __future__ import annotations

import importlib.metadata
import io
import json
import zipfile
from typing import TYPE_CHECKING

import msgspec

from fsadvisor.report.schema import _DOCUMENTS
from tools.dist import packing

if TYPE_CHECKING:
    from pathlib import Path

STANDIN = packing.ROOT / "tools" / "standin"
START = packing.ROOT / "tools" / "dist" / "start_one_file.py"


def one_file(wheel: Path, made: Path) -> None:
    """Write it from the program's wheel."""
    files = {"__main__.py": START.read_bytes(), "LICENSE": (packing.ROOT / "LICENSE").read_bytes()}
    with zipfile.ZipFile(wheel) as packed:
        names = [name for name in packed.namelist() if name.startswith("fsadvisor/")]
        files |= {name: packed.read(name) for name in names if not name.startswith("fsadvisor/tui/")}
    files |= {str(file.relative_to(STANDIN)): file.read_bytes() for file in STANDIN.rglob("*.py")}
    for _, shape in _DOCUMENTS.values():
        files[f"msgspec/schemas/{shape.__name__}.json"] = json.dumps(msgspec.json.schema(shape)).encode()
    for file in importlib.metadata.files("pyudev") or ():
        if file.suffix == ".py" or "license" in file.name.lower() or file.name == "COPYING":
            files[str(file)] = file.read_binary()
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", compresslevel=9) as packed:
        for name, data in sorted(files.items()):
            packed.writestr(packing.member(name), data)
    made.write_bytes(b"#!/usr/bin/env python3\n" + content.getvalue())
    made.chmod(0o755)
