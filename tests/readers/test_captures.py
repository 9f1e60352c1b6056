"""Every capture of a real machine is read by the reader that its kind names.

Each tests/readers/captures_*.py adds to KINDS: kind in INDEX.csv -> a function (text of the file) -> list of
records or Unknowns. `python -m tests.readers.test_captures` prints the table.
"""

import collections
import csv
import importlib
import pkgutil

import pytest

import tests.readers
from fsadvisor.facts import Unknown
from tests.cases import few
from tests.paths import CAPTURES, needs_captures
from tests.plain import plain

pytestmark = needs_captures


def kinds():
    found = {}
    for module in pkgutil.iter_modules(tests.readers.__path__):
        if module.name.startswith("captures_"):
            found.update(importlib.import_module(f"tests.readers.{module.name}").KINDS)
    return found


KINDS = kinds()
INDEX = (CAPTURES / "INDEX.csv").read_text().splitlines() if CAPTURES.is_dir() else []
FILES = [(row["kind"], row["file"]) for row in csv.DictReader(INDEX) if row["kind"] in KINDS]


def outcomes(kind, file):
    """How each part of a capture was read: 'whole', 'in part: …' or 'refused: …'."""
    text = (CAPTURES / file).read_bytes().decode("utf-8", "surrogateescape")
    for record in KINDS[kind](text):
        if isinstance(record, Unknown):
            yield f"refused: {record.learn.split(';')[0]}"
        elif getattr(record, "unread", ()):
            yield f"in part: {record.unread[0]!r}"
        else:
            yield "whole"


@pytest.mark.parametrize("kind", few(sorted({kind for kind, _ in FILES}), 3))
def test_captures_are_read_without_an_exception(kind):
    for file in (file for one, file in FILES if one == kind):
        try:
            for record in KINDS[kind]((CAPTURES / file).read_bytes().decode("utf-8", "surrogateescape")):
                plain(record)
        except Exception as error:
            error.add_note(f"while reading {file}")
            raise


def table():
    """Lines of the table: files by kind, parts read whole, in part and refused, with each reason."""
    counts = collections.defaultdict(collections.Counter)
    reasons = []
    for kind, file in FILES:
        for outcome in outcomes(kind, file):
            counts[kind][outcome.split(":")[0]] += 1
            if outcome != "whole":
                reasons.append(f"  {kind} {file}: {outcome}")
        counts[kind]["files"] += 1
    yield f"{'kind':28} {'files':>5} {'whole':>6} {'part':>5} {'refused':>7}"
    for kind, count in sorted(counts.items()):
        yield f"{kind:28} {count['files']:5} {count['whole']:6} {count['in part']:5} {count['refused']:7}"
    yield from reasons


if __name__ == "__main__":
    print("\n".join(table()))
