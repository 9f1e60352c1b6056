"""Writes what is generated from the program and its rules: man page, completions, schema, the pages about rules.

`generate_docs.py` writes docs/; with --check it says which files are out of date and fails.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import shtab
from argparse_manpage.manpage import Manpage

from fsadvisor import __version__, cli
from fsadvisor.arguments import DOCUMENTS
from fsadvisor.rulebook.loading import load_rulebook
from tools import rule_docs, waits_docs

if TYPE_CHECKING:
    from collections.abc import Mapping

DOCS = Path(__file__).resolve().parent.parent / "docs"
GENERATED = ("completions", "rules")
"""Folders of docs/ where nothing else stands."""

SAMPLE_LINES = 22
"""Of the README's sample of the report."""

COMPLETIONS = {"bash": "fsadvisor.bash", "zsh": "_fsadvisor", "fish": "fsadvisor.fish"}


def man_page(parser: argparse.ArgumentParser) -> str:
    """The man page in section 8, dated by its version alone so that it is the same on every day."""
    page = Manpage(
        parser,
        _data={
            "prog": "fsadvisor",
            "project_name": "fsadvisor",
            "version": __version__,
            "description": "reads a Linux server's storage and gives ranked advice that it can prove",
            "manual_section": 8,
            "manual_title": "System administration",
            "date": f"version {__version__}",
        },
        format="single-commands-section",
    )
    return re.sub("^'", r"\\&'", str(page), flags=re.MULTILINE)  # which troff would take for a request


def help_page(parser: argparse.ArgumentParser) -> str:
    """What --help prints, for a terminal of 80 columns."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "80"
    try:
        return parser.format_help()
    finally:
        os.environ.pop("COLUMNS")
        if before is not None:
            os.environ["COLUMNS"] = before


def schema(document: str) -> str:
    """A document's JSON Schema, as the program prints it."""
    command = [sys.executable, "-m", "fsadvisor", "schema", document]
    return subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout


def readme() -> str:
    """The README with the first finding of a recorded machine, as it is printed today."""
    before, start, rest = (DOCS.parent / "README.md").read_text(encoding="utf-8").partition("```text\n")
    command = [sys.executable, "-m", "fsadvisor", "--on", "fixtures/machines/ext4-nobarrier"]
    done = subprocess.run(command, cwd=DOCS.parent, capture_output=True, text=True, encoding="utf-8", check=False)
    sample = "".join(done.stdout.splitlines(keepends=True)[:SAMPLE_LINES])
    return f"{before}{start}{sample}```{rest.partition('```')[2]}"


def documents() -> dict[str, str]:
    """Every generated file: its name below docs/ and its text."""
    found = {f"completions/{file}": shtab.complete(cli.parser(), shell=shell) for shell, file in COMPLETIONS.items()}
    found |= {"fsadvisor.8": man_page(cli.parser()), **{f"{name}.schema.json": schema(name) for name in DOCUMENTS}}
    found["help.txt"] = help_page(cli.parser())
    found["waits.md"] = waits_docs.page()
    found["../README.md"] = readme()
    return found | rule_docs.pages(load_rulebook().rules)


def write(folder: Path, texts: Mapping[str, str]) -> None:
    """Write the files and the folders they lie in, and remove what is no longer generated."""
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    for name in left_over(folder, texts):
        (folder / name).unlink()


def stale(folder: Path, texts: Mapping[str, str]) -> list[str]:
    """The files that are absent or differ from what the program would write now."""
    return [
        name
        for name, text in texts.items()
        if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != text
    ]


def left_over(folder: Path, texts: Mapping[str, str]) -> list[str]:
    """Files that stand where everything is generated, and would not be written now."""
    found = (str(file.relative_to(folder)) for part in GENERATED for file in (folder / part).rglob("*"))
    return sorted(name for name in found if name not in texts)


def main() -> int:
    """Write or check the generated files."""
    parser = argparse.ArgumentParser(description="Write the generated files of docs/.")
    parser.add_argument("--check", action="store_true", help="only say which files are out of date")
    arguments = parser.parse_args()
    os.environ["COLUMNS"] = "80"  # argparse wraps to the terminal's width
    texts = documents()
    if not arguments.check:
        write(DOCS, texts)
        return 0
    wrong = [f"{name} is out of date" for name in stale(DOCS, texts)]
    wrong += [f"{name} is no longer generated" for name in left_over(DOCS, texts)]
    for words in wrong:
        print(f"docs/{words}: run `make docs` and review the difference", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
