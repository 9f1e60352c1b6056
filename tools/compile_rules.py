"""Compiles what is written in TOML to JSON, keyed by content, so that no run parses it: rules, and tables.

Needs the standard library only: the set-up calls it, and hatchling while it builds a wheel. fsadvisor.rulebook.loading
and fsadvisor.own_tables read it; what was changed since is not found there, and is parsed.
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
    return _written(documents, rules.with_suffix(".json"))


def compile_tables(package: Path) -> list[Path]:
    """Write X.json beside each X.toml of the package."""
    made = []
    for file in sorted(package.rglob("*.toml")):
        text = file.read_bytes()
        digest = hashlib.sha256(text).hexdigest()
        made.append(_written([digest, tomllib.loads(text.decode())], file.with_suffix(".json")))
    return made


def _written(document: object, compiled: Path) -> Path:
    descriptor, temporary = tempfile.mkstemp(dir=compiled.parent, prefix=f".{compiled.name}.")
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        json.dump(document, opened, ensure_ascii=False, separators=(",", ":"), default=str)  # str: of days
    Path(temporary).chmod(0o644)
    return Path(temporary).replace(compiled)
