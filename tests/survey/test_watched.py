"""Who hears of failed protection is asked with what runs here; that something runs is never a yes."""

import pytest

from fsadvisor.facts import Cause
from fsadvisor.survey.host import WATCHERS
from fsadvisor.survey.whole import survey
from tests.panel import build


def monitored(active, model=build.PM9A3):
    units = ("smartmontools.service", "fsadvisor-write-cache.timer")
    shown = "\n".join(
        f"Id={unit}\nLoadState=loaded\nActiveState={'active' if unit in active else 'inactive'}\n" for unit in units
    )
    drive = build.nvme(0, model, 3840755982336, capacitors=100)
    server = build.server(drive, mounts=[build.root(drive)], commands={" ".join(WATCHERS): shown})
    return survey(server, {}).subjects[0].scope["host"].plp_monitored


@pytest.mark.parametrize(
    ("active", "says"),
    [
        (("smartmontools.service",), "not of capacitor health or of a controller's battery"),
        (("fsadvisor-write-cache.timer",), "calls nobody"),
        ((), "ask who gets the alert"),
    ],
)
def test_what_runs_is_told_to_who_is_asked_and_is_no_answer(active, says):
    fact = monitored(active)
    assert fact.cause is Cause.NOT_ATTESTED
    assert says in fact.learn
    assert fact.learn.endswith(", then say it with `fsadvisor attest`")


def test_where_no_drive_may_have_protection_nothing_is_looked_up():
    assert "smartd" not in monitored(("smartmontools.service",), model=build.CONSUMER).learn
