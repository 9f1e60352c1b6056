"""A plugin of pytest: collects tests once, then forks a process for each change and runs what may notice it there.

What noticed a change of the same function comes first, then what noticed most, then what is quick. Tests that never
called the changed function are left out.
"""

from __future__ import annotations

import functools
import gc
import importlib
import json
import os
import random
import resource
import select
import shutil
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tools.mutate.changes import Change, changes
from tools.mutate.living import Living

if TYPE_CHECKING:
    from types import CodeType, FrameType

    import pytest

MEMORY: Final = 4 << 30
HUNG: Final = "(hung)"
CRASHED: Final = "(crashed)"


class Noticing:
    """The plugin; `results` has a row for each module."""

    def __init__(self, modules: dict[str, set[str]], scratch: Path, sample: int | None, seed: int) -> None:
        self._modules = modules
        """Module -> the changes to try, or none for all."""
        self._scratch = scratch
        self._sample, self._seed = sample, seed
        self._failed: list[str] = []
        self.results: dict[str, dict[str, Any]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what failed."""
        if report.failed:
            self._failed.append(report.nodeid)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Instead of running the tests once: for each change."""
        if session.testsfailed:
            raise SystemExit("tests can't be collected")
        if not session.config.option.collectonly:
            living = {name: Living(importlib.import_module(name)) for name in self._modules}
            gc.freeze()  # what is frozen is not found by Living
            for name, chosen in self._modules.items():
                self._try(session, living[name], chosen)
        return True

    def _try(self, session: pytest.Session, living: Living, chosen: set[str]) -> None:
        name, file, source = living.module.__name__, living.file, living.source
        items = {item.nodeid: item for item in session.items}
        first = json.loads(self._in_fork(lambda: self._profile(list(items.values()), file), 600) or "{}")
        if first.get("failed", ["no answer"]):
            raise SystemExit(f"these fail without any change: {first}")
        took: dict[str, float] = first["took"]
        called: dict[str, set[str]] = {node: set(names) for node, names in first["called"].items()}
        everything = [it for it in changes(source, file) if not chosen or it.name in chosen]
        if self._sample and len(everything) > self._sample:
            everything = sorted(random.Random(self._seed).sample(everything, self._sample), key=lambda it: it.line)
        kills: Counter[str] = Counter()
        kills_at: Counter[tuple[str, str]] = Counter()
        survived: list[Change] = []
        since = time.monotonic()
        for change in everything:
            order = [it for it in items if change.statement is not None or change.where in called[it]]
            order.sort(key=lambda it: (-kills_at[change.where, it], -kills[it], took[it]))
            limit = 10 + 5 * sum(took[it] for it in order)
            run = functools.partial(self._run, living, change, [items[it] for it in order])
            by = self._in_fork(run, limit) if order else ""
            if by:
                kills[by] += 1
                kills_at[change.where, by] += 1
            else:
                survived.append(change)
                print(
                    f"  {Path(file).name}:{change.line} {change.name}{'' if order else '  (no test runs it)'}",
                    flush=True,
                )
        self.results[name] = {
            "tried": [it.name for it in everything],
            "survived": [it.name for it in survived],
            "hung": kills[HUNG],
            "seconds": round(time.monotonic() - since, 1),
        }

    def _run(self, living: Living, change: Change, items: list[pytest.Item]) -> str:
        """In a fork: the first test that fails."""
        living.put(change)
        for item in items:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            if self._failed:
                return self._failed[0]
        return ""

    def _profile(self, items: list[pytest.Item], file: str) -> str:
        """In a fork: which functions of the module each test calls, and how long it takes."""
        called: dict[str, set[str]] = {}
        took: dict[str, float] = {}
        for item in items:
            names: set[str] = set()
            codes: set[CodeType] = set()

            def note(frame: FrameType, event: str, _: object, codes: set[CodeType] = codes) -> None:
                if event == "call":
                    codes.add(frame.f_code)

            since = time.monotonic()
            sys.setprofile(note)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            sys.setprofile(None)
            names.update(code.co_qualname for code in codes if code.co_filename == file)
            called[item.nodeid] = {name.partition(".<")[0] for name in names} | {
                name.replace(".<locals>", "") for name in names
            }
            took[item.nodeid] = time.monotonic() - since
        return json.dumps({"failed": self._failed, "took": took, "called": {it: [*on] for it, on in called.items()}})

    def _in_fork(self, work: Any, seconds: float) -> str:  # noqa: ANN401 - a function without arguments
        """What it answers in a process of its own; HUNG where it does not, and the crash where it ends at once."""
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            status = 1
            try:
                os.setpgid(0, 0)
                os.close(reading)
                null = os.open(os.devnull, os.O_RDWR)
                for number in (0, 1, 2):
                    os.dup2(null, number)
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                with open(writing, "w") as answer:  # noqa: PTH123 - a descriptor
                    answer.write(work())
                status = 0
            finally:
                os._exit(status)
        os.close(writing)
        said = b""
        end = time.monotonic() + seconds
        with open(reading, "rb", buffering=0) as answer:  # noqa: PTH123 - a descriptor
            while select.select([answer], [], [], max(0, end - time.monotonic()))[0]:
                more = answer.read(1 << 16)
                if not more:
                    break
                said += more
            else:
                said = HUNG.encode()
        if said == HUNG.encode():
            os.killpg(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        for left in self._scratch.iterdir():
            shutil.rmtree(left, ignore_errors=True)
        return said.decode() or (CRASHED if status else "")
