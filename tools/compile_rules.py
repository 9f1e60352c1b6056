"""Compiles what is written in TOML to JSON, keyed by content, so that no run parses it: rules, and tables.

Needs the standard library only: set-up calls it, the bench, hatchling while it builds a wheel, and who runs it by hand.
fsadvisor.rulebook.loading and fsadvisor.own_tables read it; what was changed since is not found there, and is parsed.
"""

from __future__ import annotations

import compileall
import hashlib
import json
import os
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ("example", "steps")
"""What an audit does not ask of a rule."""


def compile_rules(rules: Path) -> tuple[Path, Path]:
    """Write rules.json and rules_examples.json beside the directory rules; what is no TOML is left to who loads it."""
    judged, examples = {}, {}
    for file in sorted(rules.glob("*/*.toml")):
        text = file.read_bytes().replace(b"\r\n", b"\n")
        try:
            document = tomllib.loads(text.decode())
        except ValueError:
            continue
        digest = hashlib.sha256(text).hexdigest()
        examples[digest] = {key: document.pop(key) for key in EXAMPLES if key in document}
        judged[digest] = document
    names = rules.with_suffix(".json"), rules.with_name(f"{rules.name}_examples.json")
    return _written(judged, names[0]), _written(examples, names[1])


def compile_tables(package: Path) -> list[Path]:
    """Write X.json beside each X.toml of the package."""
    made = []
    for file in sorted(package.rglob("*.toml")):
        text = file.read_bytes()
        digest = hashlib.sha256(text).hexdigest()
        made.append(_written([digest, tomllib.loads(text.decode())], file.with_suffix(".json")))
    return made


def _written(document: object, compiled: Path) -> Path:
    """Whole or not at all."""
    descriptor, temporary = tempfile.mkstemp(dir=compiled.parent, prefix=f".{compiled.name}.")
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        json.dump(document, opened, ensure_ascii=False, separators=(",", ":"), default=str)  # str: of days
    Path(temporary).chmod(0o644)
    return Path(temporary).replace(compiled)


def compile_checkout(root: Path = ROOT) -> None:
    """All that a run would have to parse or to compile: the program's bytecode, too."""
    compileall.compile_dir(root / "fsadvisor", quiet=2)
    compile_rules(root / "rules")
    compile_tables(root / "fsadvisor")


if __name__ == "__main__":
    compile_checkout()
