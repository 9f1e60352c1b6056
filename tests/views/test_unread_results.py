"""Results of probes that are kept and cannot be read: none of the lists says that nothing was measured."""

from datetime import UTC, datetime

import pytest

from fsadvisor.pages.glyphs import UNICODE, plain
from fsadvisor.tui.views import probes
from fsadvisor.tui.views.probes import ResultsByMount
from tests.views.seen import snapshot_from


@pytest.mark.parametrize(("unread", "words"), [(0, "not measured"), (3, "not known: results are unreadable")])
def test_a_mount_without_results_is_not_measured_only_where_all_could_be_read(unread, words):
    storage = snapshot_from("pm9a3-postgresql-volatile").storage
    rows = probes.mount_rows(storage, ResultsByMount({}, unread), datetime(2026, 11, 22, tzinfo=UTC), 60, UNICODE)
    assert rows
    assert all(words in plain(row.lines[-1]) for row in rows)
