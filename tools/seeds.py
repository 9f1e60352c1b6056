"""`make seeds`: faults against each promise of README, put into a copy of the checkout; a test must notice each.

The faults are in seeds.toml. A fault is found by its text, in whatever module that is by now; text that is not in
exactly one module fails. `make seeds ARGS=secrets` runs those whose promise has this word.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
_FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)


class LostError(Exception):
    """The text of a fault is not in exactly one module."""


def module_with(text: str, root: Path) -> Path:
    """The one module that holds the text once."""
    found = [it for it in sorted(root.joinpath("fsadvisor").rglob("*.py")) if text in it.read_text("utf-8")]
    if len(found) != 1 or found[0].read_text("utf-8").count(text) != 1:
        raise LostError(f"{text!r} is in {', '.join(map(str, found)) or 'no module'}: it must be in one, once")
    return found[0]


def noticed(fault: dict[str, Any], root: Path) -> str:
    """The first test that fails with it and not without it, '' where there is none."""
    module = module_with(fault["old"], root)
    text = module.read_text("utf-8")
    module.write_text(text.replace(fault["old"], fault["new"]), "utf-8")
    try:
        failed = _failed(fault["tests"], root)
    finally:
        module.write_text(text, "utf-8")
    also_without = set(_failed(failed, root)) if failed else set()
    return next((it for it in failed if it not in also_without), "")


def _failed(tests: list[str], root: Path) -> list[str]:
    """The first few tests that fail."""
    command = [sys.executable, "-m", "pytest", "-q", "--maxfail=8", "-p", "no:cacheprovider", *tests]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    failed = _FAILED.findall(ran.stdout)
    if not failed and ran.returncode != 0:
        raise LostError(f"pytest {' '.join(tests)}: {ran.stdout[-300:]}{ran.stderr[-300:]}")
    return failed


def main(words: list[str]) -> int:
    """Print the table; 1 where a fault was missed or its text is lost."""
    faults = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["fault"]
    chosen = [it for it in faults if all(word in it["promise"] for word in words)]
    bad = 0
    print("| promise | fault | noticed by |\n|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="fsadvisor-seeds-") as folder:
        copy = Path(folder, "checkout")
        Path(folder).chmod(0o755)  # some tests act as another user
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache"))
        for fault in chosen:
            try:
                by = noticed(fault, copy)
            except LostError as error:
                by = f"LOST: {error}"
            bad += not by or by.startswith("LOST")
            print(f"| {fault['promise']} | {fault['what']} | {by or 'MISSED'} |", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
