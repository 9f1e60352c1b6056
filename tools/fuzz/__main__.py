"""`make fuzz`: attacks on what fsadvisor reads, each input from a seed that is told, what fails kept in a directory.

`make fuzz ARGS='--minutes 10 --parts mutations readers'`; the same --seed and --parts give the same inputs again.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from tools.fuzz import archives, environment, kills, mutations, numbers, parsing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tools.fuzz.part import Part

PARTS: Final[dict[str, Part]] = {
    "mutations": mutations.mutations,
    "numbers": numbers.numbers,
    "readers": parsing.every_reader,
    "rules": parsing.rules,
    "attestations": parsing.what_people_said,
    "recordings": parsing.recordings,
    "archives": archives.archives,
    "environment": environment.environment,
    "kills": kills.kills,
}
_KEPT: Final = 100
"""Failures of a part that are kept: many inputs fail for one reason."""


def main(arguments: list[str] | None = None, parts: Mapping[str, Part] = PARTS) -> int:
    """Each part for its share of the time; 1 where a law did not hold."""
    given = _arguments(parts).parse_args(arguments)
    seconds = given.minutes * 60 / len(given.parts)
    failed = [name for name in given.parts if _run(name, parts[name], given.seed, seconds, given.save)]
    return 1 if failed else 0


def _run(name: str, part: Part, seed: int, seconds: float, save: Path) -> bool:
    """Print what a part tried and what did not hold."""
    until = time.monotonic() + seconds
    tried, seen = 0, Counter[str]()
    for failures in part(Random(f"{name} {seed}")):
        tried += 1
        for failure in failures:
            seen[failure.what] += 1
            if seen[failure.what] == 1 and len(seen) <= _KEPT:
                save.mkdir(parents=True, exist_ok=True)
                kept = save / f"{name}-{seed}-{len(seen)}.txt"
                given = failure.given
                if isinstance(given, bytes):
                    kept.with_suffix(".input").write_bytes(given)
                    given = kept.with_suffix(".input").name
                kept.write_text(f"{failure.what}\n\n{given}", encoding="utf-8", errors="surrogateescape")
                print(f"{name}: {failure.what[:300]!r}: {kept}", flush=True)
        if time.monotonic() > until:
            break
    print(f"{name}: {tried} inputs, {len(seen)} failures, seed {seed}", flush=True)
    return bool(seen)


def _arguments(parts: Mapping[str, Part]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="for all parts together")
    parser.add_argument("--parts", nargs="+", choices=parts, default=list(parts), metavar="PART", help=", ".join(parts))
    parser.add_argument("--seed", type=int, default=int(time.time()), help="inputs to try again")
    parser.add_argument(
        "--save", type=Path, default=Path(tempfile.gettempdir()) / "fsadvisor-fuzz", help="for failures"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
