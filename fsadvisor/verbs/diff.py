"""`fsadvisor diff OLD [NEW]`: what is new, gone and changed between two reports, recordings or looks."""

from __future__ import annotations

import os
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor import looking
from fsadvisor._version import __version__
from fsadvisor.machine import kept_files
from fsadvisor.machine.opening import captured_text
from fsadvisor.report import difference, history
from fsadvisor.report.as_json import as_json
from fsadvisor.report.difference import NoReportError, Side
from fsadvisor.report.model import Provenance
from fsadvisor.rulebook.advise import advise, with_fitting_waivers

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from fsadvisor.report.difference import Difference
    from fsadvisor.rulebook.shelf import Shelf

LAST, NOW = "last", "now"
_MOST_BYTES: Final = 256 << 20
_CHOICE: Final = "name a file that `fsadvisor --json` wrote"


def diff(chosen: Namespace, grave: Collection[str]) -> tuple[Iterator[str], Difference, str]:
    """What is printed, what was found, and why nothing could be seen on the new side ('': something was)."""
    shelf = looking.shelf(chosen)
    old, new = _side(chosen.old, chosen, shelf), _side(chosen.new, chosen, shelf)
    found = difference.difference(old, new, shelf.rules, grave, (chosen.old, chosen.new))
    told = difference.as_json(found) if chosen.form == "json" else difference.as_text(found)
    return told, found, new.could_not_look or ""


def _side(which: str, chosen: Namespace, shelf: Shelf) -> Side:
    """A side by its name; what mounts are used for, and which part counts, is said of the machine that this runs on."""
    if which == LAST:
        return _last()
    path = None if which == NOW else Path(which)
    if path is not None and path.is_file() and _starts_like_json(path):
        try:
            return difference.side_of(captured_text(path, _MOST_BYTES, _CHOICE))
        except NoReportError as error:
            raise looking.UsageError(f"{which}: {error}; {_CHOICE}") from None
    own = {} if path is None else {"workload": None, "only": None}
    looked = Namespace(**{**vars(chosen), "on": path, **own})
    machine = looking.machine(looked)
    storage = with_fitting_waivers(looking.storage(machine, looked), shelf.rules)
    about = Provenance(version=__version__, root=machine.root, rule_errors=shelf.errors)
    return difference.side_of(b"".join(as_json(storage, advise(storage, shelf.rules), about)))


def _starts_like_json(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(64).lstrip()[:1] == b"{"
    except OSError as error:
        raise looking.UsageError(f"{path}: {error.strerror}") from None


def _last() -> Side:
    file = kept_files.seen_path(root=os.geteuid() == 0, environment=os.environ)
    kept = history.gist_of(kept_files.read_seen(file)) if file else None
    if kept is None:
        raise looking.UsageError(
            f"last: no last look is kept in {file}; the explorer keeps one whenever it runs, or name a report"
        )
    return Side(facts=kept.facts, findings=kept.findings)
