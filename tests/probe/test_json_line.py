"""Messages between our own processes, and results that are kept: names of strangers' files may be any bytes."""

import json

import pytest

from fsadvisor.compare import telling as compare_telling
from fsadvisor.probe import store
from fsadvisor.probe.json_line import encoded
from fsadvisor.probe.telling import Over
from fsadvisor.trial import telling as trial_telling
from fsadvisor.verbs import trials_telling
from tests.report.forecasts import result

NAME = "/srv/b\udcffd"


@pytest.mark.parametrize(
    "line",
    [
        encoded({"place": NAME}),
        store.line(result(error=f"while writing {NAME}")),
        trial_telling.line(trial_telling.Doing(says=f"took away {NAME}")),
        compare_telling.line(compare_telling.Said(text=f"took away {NAME}")),
        trials_telling.line(Over(state="failed", error=f"while writing {NAME}")),
    ],
    ids=["any", "result", "trial", "comparison", "apart"],
)
def test_what_is_no_utf_8_is_told_all_the_same(line):
    assert "/srv/b?d" in str(json.loads(line))
