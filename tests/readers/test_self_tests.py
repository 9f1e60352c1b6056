"""How a drive's last self-test went, as smartctl's JSON has it."""

import json

import pytest

from fsadvisor.readers import smartctl


def ata(*table, **log):
    return {"ata_smart_self_test_log": {"standard": {"table": list(table), **log}}}


def nvme(*results):
    return {"nvme_self_test_log": {"table": [{"self_test_result": {"value": it}} for it in results]}}


PASSED, FAILED, STOPPED = {"status": {"passed": True}}, {"status": {"passed": False}}, {"status": {"value": 16}}


@pytest.mark.parametrize(
    ("log", "told"),
    [
        (ata(PASSED, FAILED), "passed"),
        (ata(FAILED, PASSED), "failed"),
        (ata(STOPPED, FAILED), "failed"),
        (ata(STOPPED), None),
        (ata(count=0), "never"),
        ({"ata_smart_self_test_log": {"extended": {"count": 0}}}, "never"),
        (nvme(0, 7), "passed"),
        (nvme(7, 0), "failed"),
        (nvme(1, 5), "failed"),
        ({}, None),
    ],
)
def test_the_newest_that_came_to_an_end_counts(log, told):
    report = {"smartctl": {"version": [7, 4]}, "model_name": "X", "device": {"name": "/dev/sda"}} | log
    assert smartctl.parse(json.dumps(report)).self_test == told
