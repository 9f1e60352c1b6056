"""Messages between our own processes, and results that are kept: names of strangers' files may be any bytes."""

import json

from fsadvisor.measure import messages
from fsadvisor.measure.probe import store
from fsadvisor.measure.probe.store import encoded
from tests.cases import each
from tests.report.forecasts import result

NAME = "/srv/b\udcffd"


@each(
    "line",
    [
        encoded({"place": NAME}),
        store.line(result(error=f"while writing {NAME}")),
        messages.line(messages.Note(text=f"took away {NAME}")),
        messages.line(messages.Finished(state="failed", error=f"while writing {NAME}")),
    ],
)
def test_what_is_no_utf_8_is_told_all_the_same(line):
    assert "/srv/b?d" in str(json.loads(line))
