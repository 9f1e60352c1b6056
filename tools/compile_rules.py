"""Compiles the rule files into one JSON file beside their directory, keyed by content, so that no run parses TOML.

Needs the standard library only: the set-up calls it, and hatchling while it builds a wheel. fsadvisor.rulebook.shelf
reads it; a rule file that was changed since is not found there, and is parsed.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import tomllib
from pathlib import Path


def compile_rules(rules: Path) -> Path:
    """Write rules.json beside the directory rules, whole or not at all; what is no TOML is left to who loads it."""
    documents = {}
    for file in sorted(rules.glob("*/*.toml")):
        text = file.read_bytes().replace(b"\r\n", b"\n")
        try:
            documents[hashlib.sha256(text).hexdigest()] = tomllib.loads(text.decode())
        except ValueError:
            continue
    compiled = rules.with_suffix(".json")
    descriptor, temporary = tempfile.mkstemp(dir=compiled.parent, prefix=f".{compiled.name}.")
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        json.dump(documents, opened, ensure_ascii=False, separators=(",", ":"))
    Path(temporary).chmod(0o644)
    return Path(temporary).replace(compiled)
