"""The process that tries or compares for the explorer: what it tells before anything is touched."""

import io
import subprocess
import sys

import pytest

from fsadvisor.measure import messages, server
from fsadvisor.measure.messages import Finished

pytestmark = pytest.mark.namespaces


def answered(asked):
    """What is told to somebody who asks and does not say go."""
    tells = io.BytesIO()
    server.answer(io.BytesIO(messages.line(asked)), tells.write)
    return [messages.event(line) for line in tells.getvalue().splitlines()]


def test_a_trial_says_what_it_takes_and_touches_nothing_before_one_says_go(tmp_path):
    told, over = answered(messages.TrialAsked(rule="access-times-written", folder=str(tmp_path), seconds=9.0))
    assert "noatime" in told.title
    assert [name for name, _ in told.says][-3:].count("changed") == 1
    assert told.cost.written_bytes > 0
    assert over == Finished(state="not started")
    assert list(tmp_path.iterdir()) == []


def test_a_rule_that_cannot_be_tried_says_why(tmp_path):
    (over,) = answered(messages.TrialAsked(rule="no-such-rule", folder=str(tmp_path), seconds=9.0))
    assert (over.state, over.error) == ("failed", "there is no rule no-such-rule")


def test_a_comparison_says_its_sides_and_what_they_risk(tmp_path):
    told, over = answered(
        messages.CompareAsked(targets=(str(tmp_path),), images=("ext4-seed",), jobs=("create-1",), seconds=1.0)
    )
    assert ("jobs", "create-1") in told.says
    assert over == Finished(state="not started")


def test_the_explorer_starts_without_what_tries_compares_and_forecasts():
    found = subprocess.run(
        [sys.executable, "-c", "import fsadvisor.tui.app, sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    parts = tuple(f"fsadvisor.{one}" for one in ("trial", "compare", "forecast", "measure"))
    assert [name for name in found.stdout.split() if name.startswith(parts)] == []
