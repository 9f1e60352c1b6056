"""How a drive's last self-test went, and how long it tries to read, as smartctl's JSON has it."""

import json

from fsadvisor.readers import smartctl
from tests.cases import each


def ata(*table, **log):
    return {"ata_smart_self_test_log": {"standard": {"table": list(table), **log}}}


def nvme(*results):
    return {"nvme_self_test_log": {"table": [{"self_test_result": {"value": it}} for it in results]}}


def scsi(*results):
    tests = {f"scsi_self_test_{at}": {"result": {"value": it}} for at, it in enumerate(results)}
    return tests | {"scsi_extended_self_test_seconds": 1320}


PASSED, FAILED, STOPPED = {"status": {"passed": True}}, {"status": {"passed": False}}, {"status": {"value": 16}}


@each(
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
        (scsi(0, 7), "passed"),
        (scsi(7, 0), "failed"),
        (scsi(3), "failed"),
        (scsi(15, 2, 0), "passed"),
        (scsi(1, 2), None),
        (scsi(), "never"),
        ({}, None),
    ],
)
def test_the_newest_that_came_to_an_end_counts(log, told):
    report = {"smartctl": {"version": [7, 4]}, "model_name": "X", "device": {"name": "/dev/sda"}} | log
    assert smartctl.parse(json.dumps(report)).self_test == told


@each(
    ("said", "limit"),
    [
        ({"ata_sct_erc": {"read": {"enabled": True, "deciseconds": 70}}}, 70),
        ({"ata_sct_erc": {"read": {"enabled": False}}}, 0),
        ({"ata_sct_capabilities": {"error_recovery_control_supported": False}}, 0),
        ({"ata_sct_capabilities": {"error_recovery_control_supported": True}}, None),
        ({}, None),
    ],
)
def test_the_limit_of_error_recovery_is_0_where_there_is_none(said, limit):
    report = {"smartctl": {"version": [7, 4]}, "model_name": "X", "device": {"name": "/dev/sda"}} | said
    assert smartctl.parse(json.dumps(report)).recovery_limit_ds == limit
