"""`make mutate`: changes the code that decides, a little at a time, and names what no test notices.

targets.toml names the modules, the tests that should notice and what is equivalent, because.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parents[2]
LAST: Final = ROOT / "build" / "mutate"
SEED: Final = 1


def main() -> int:
    """Exit status 1 where a module noticed less than it should."""
    parser = argparse.ArgumentParser(prog="make mutate", description=__doc__)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="such as truth or plan.shell; all without one")
    parser.add_argument("--again", action="store_true", help="only what survived the last time")
    parser.add_argument("--all", action="store_true", help="no samples of large modules")
    parser.add_argument("--table", action="store_true", help="only print the last results, as docs/proof.md has them")
    parser.add_argument(
        "--rules", action="store_true", help="only print how many changes of rules' questions are noticed"
    )
    given = parser.parse_args()
    if given.rules:
        print("\n".join(_of_rules()))
        return 0
    targets: list[dict[str, Any]] = tomllib.loads((ROOT / "tools/mutate/targets.toml").read_text())["target"]
    known = {name for target in targets for name in target["modules"]}
    for name in set(given.modules) - known:
        parser.error(f"no module '{name}' in tools/mutate/targets.toml: {', '.join(sorted(known))}")
    LAST.mkdir(parents=True, exist_ok=True)
    if not given.table:
        for target in targets:
            names = [it for it in target["modules"] if not given.modules or it in given.modules]
            if names:
                _in_fork(target, names, again=given.again, everything=given.all)
    chosen = given.modules or sorted(known, key=[it for target in targets for it in target["modules"]].index)
    rows = [_row(target, name) for name in chosen for target in targets if name in target["modules"]]
    print("| module | changes | noticed | equivalent | survive |\n|---|---|---|---|---|")
    print("\n".join(text for text, _ in rows))
    return int(not all(enough for _, enough in rows))


def _of_rules() -> Iterator[str]:
    """By kind of change and by part; then each rule that lists changes as equivalent, with its reasons."""
    from fsadvisor.rulebook.loading import own_rulebook
    from fsadvisor.rulebook.mutants import mutants, survivors

    rules = own_rulebook().rules
    tried, left = Counter[str](), Counter[str]()
    for rule in rules:
        for counts, changes in ((tried, mutants(rule)), (left, survivors(rule))):
            for it in changes:
                counts.update((it.kind, f"**in {it.part}**", "**all**"))
    yield f"{len(rules)} rules\n\n| change | noticed |\n|---|---|"
    for row in sorted(tried, key=lambda it: (it.startswith("**"), it)):
        yield f"| {row} | {tried[row] - left[row]:,} of {tried[row]:,} |"
    yield "\n| rule | equivalent | because |\n|---|---|---|"
    for rule in rules:
        for each in rule.equivalents:
            yield f"| {rule.id} | {each.change} | {each.reason} |"


def _in_fork(target: dict[str, Any], names: list[str], *, again: bool, everything: bool) -> None:
    """Each target in a process of its own, with what it imports."""
    child = os.fork()
    if not child:
        try:
            _try(target, names, again=again, everything=everything)
        except BaseException as error:  # noqa: BLE001 - told and ended
            print(f"{', '.join(names)}: {error!r}", file=sys.stderr, flush=True)
            os._exit(2)
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise SystemExit(2)


def _try(target: dict[str, Any], names: list[str], *, again: bool, everything: bool) -> None:
    scratch = Path(tempfile.mkdtemp(prefix="mutate-"))
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(scratch / "hypothesis")
    os.environ["TMPDIR"] = str(scratch)
    tempfile.tempdir = None
    import pytest

    from tools.mutate.noticing import Noticing

    before = {name: _last(name) for name in names}
    modules = {f"fsadvisor.{name}": set(before[name]["survived"]) if again else set() for name in names}
    modules = {name: chosen for name, chosen in modules.items() if chosen or not again}
    plugin = Noticing(modules, scratch, None if everything or again else target.get("sample"), SEED)
    left_out = " and ".join(f"not {it}" for it in ("lab", "long", "loop", "namespaces", "remounts"))
    options = [
        "-qq",
        "-s",
        "--tb=no",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
        "--hypothesis-seed=0",
        "-m",
        left_out,
    ]
    print(", ".join(names), flush=True)
    try:
        pytest.main([*options, *target["tests"]], plugins=[plugin])
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    for module, found in plugin.results.items():
        name = module.removeprefix("fsadvisor.")
        whole = {**before[name], "survived": found["survived"]} if again else found
        (LAST / f"{name}.json").write_text(json.dumps(whole))


def _last(name: str) -> dict[str, Any]:
    file = LAST / f"{name}.json"
    found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {"tried": [], "survived": []}
    return found


def _row(target: dict[str, Any], name: str) -> tuple[str, bool]:
    """A module's row, and whether enough of what is not equivalent was noticed and no reason is stale."""
    found = _last(name)
    reasons = target.get("equivalent", {}).get(name, {})
    survived = [it for it in found["survived"] if it not in reasons]
    equal = len(found["survived"]) - len(survived)
    counted = len(found["tried"]) - equal
    noticed = counted - len(survived)
    share = 100 * noticed / counted if counted else 0
    sample = f" (sample, seed {SEED})" if target.get("sample") == len(found["tried"]) else ""
    cells = (name, f"{len(found['tried'])}{sample}", f"{noticed} of {counted} ({share:.1f} %)", equal, len(survived))
    return f"| {' | '.join(map(str, cells))} |", share >= target["least"]


if __name__ == "__main__":
    sys.exit(main())
