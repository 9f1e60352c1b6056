"""Fixtures of the lab: they work in a guest only."""

import contextlib
import json
import platform
import time
from pathlib import Path

import pytest

from fsadvisor.rulebook.loading import own_rulebook
from tests.lab.scenario import RESULTS, Scenario, disks

IN_GUEST = Path("/run/lab/guest").exists()
if IN_GUEST:
    own_rulebook()  # each audit is a child of this process and finds the rules loaded


@pytest.fixture
def scenario(request):
    """What a scenario needs; afterwards nothing of it may be left."""
    assert IN_GUEST, "scenarios run in a guest: `make lab`"
    before, start = disks(), time.monotonic()
    with contextlib.ExitStack() as stack:
        made = Scenario(request.node.name.removeprefix("test_"), stack)
        yield made
    took = time.monotonic() - start
    row = {
        "scenario": request.node.nodeid.split("/")[-1],
        "what": (request.function.__doc__ or "").strip().split("\n")[0],
        "kernel": platform.release(),
        "checked": list(made.checked),
        "kept": made.kept,
        "story": made.story or [],
        "passed": getattr(request.node, "passed", False),
        "seconds": round(took, 1),
    }
    with (RESULTS / "rows.jsonl").open("a") as file:
        file.write(json.dumps(row) + "\n")
    assert disks() == before, "left behind"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Tell the fixture whether its test passed."""
    report = yield
    if call.when == "call":
        item.passed = report.passed
    return report
