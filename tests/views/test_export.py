"""What can be saved as a file."""

import datetime as dt
import json

from msgspec.structs import replace

from fsadvisor.storage import Supposition
from fsadvisor.tui.screens import export
from tests.cases import each
from tests.views.seen import snapshot_from

DAY = dt.date(2026, 11, 21)
MACHINE = "pm9a3-postgresql-volatile"


@each(
    ("host", "name"),
    [
        ("db7.example.org", "db7.example.org-2026-11-21.txt"),
        ("../../etc/\x1b[31mpasswd", "etc-31mpasswd-2026-11-21.txt"),
        ("-rf *", "rf-2026-11-21.txt"),
        ("漢字", "machine-2026-11-21.txt"),
        ("x" * 300, "x" * 60 + "-2026-11-21.txt"),
        ("", f"{MACHINE}-2026-11-21.txt"),
    ],
)
def test_a_name_is_made_of_the_host_and_the_day_and_of_nothing_that_could_lead_elsewhere(host, name):
    assert export.file_name(replace(snapshot_from(MACHINE), host=host), DAY, "txt") == name


def test_each_form_is_the_report_as_the_command_prints_it():
    snapshot = snapshot_from(MACHINE)
    assert json.loads(export.content(snapshot, "json", ""))["schema"] == "fsadvisor/report/2"
    assert export.content(snapshot, "html", "").startswith(b"<!DOCTYPE html>")
    assert b"POWER LOSS" in export.content(snapshot, "txt", "")
    assert export.content(snapshot, "svg", "<svg/>") == b"<svg/>"


def test_a_report_waits_for_answers_and_for_what_is_so():
    snapshot = snapshot_from(MACHINE)
    asking = replace(snapshot, asking=("nvme list",))
    supposing = replace(snapshot, supposed=(Supposition("disk:sda", "disk.plp", "proven"),))
    for form in ("txt", "json", "html"):
        assert export.obstacle(snapshot, form) == ""
        assert "1 answer still to come" in export.obstacle(asking, form)
        assert "supposed" in export.obstacle(supposing, form)
    assert export.obstacle(asking, "svg") == ""
