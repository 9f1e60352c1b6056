"""Drives whose protection is in question, as evidence in memory; each part can be given otherwise."""

import json
import re

from fsadvisor.drives import Family
from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.readers import nvme_identify, nvme_logs, nvme_output, smartctl
from fsadvisor.survey.drive import Drive
from fsadvisor.survey.power_loss import DriveEvidence

REFUSED = Unknown(Cause.NOT_EXPOSED, nvme_output.DOES_NOT_ANSWER)
NO_TOOL = Unknown(Cause.NO_TOOL, "install the tool")
SILENT = Unknown(Cause.NOT_EXPOSED, "")
YES, NO = Known(True, "sysfs"), Known(False, "sysfs")
WRITE_BACK, WRITE_THROUGH = Known("write back", "queue/write_cache"), Known("write through", "queue/write_cache")
HEALTHY = smartctl.parse(
    '{"smartctl": {}, "device": {"protocol": "ATA"}, "model_name": "X", "smart_status": {"passed": true},'
    ' "ata_smart_attributes": {"table": [{"id": 9, "name": "Power_On_Hours"}]}}'
)


def ctrl(vwc):
    return nvme_identify.parse_nvme_id_ctrl(json.dumps({"vid": 1, "mn": "X", "vwc": vwc}))


def log(warning=0):
    rest = {"temperature": 310, "avail_spare": 100, "spare_thresh": 10, "unsafe_shutdowns": 2}
    return nvme_logs.parse_nvme_smart_log(json.dumps({"critical_warning": warning, **rest}))


def feature(value):
    return nvme_output.parse_nvme_get_feature(f"get-feature:0x06 (Volatile Write Cache), Current value:{value:#010x}\n")


def ocp(health=95, **more):
    guid = "0xafd514c97c6f4f9ca4f2bfea2810afc5"
    return nvme_logs.parse_nvme_ocp_smart_log(
        json.dumps(
            {"Capacitor health": health, "PLP start count": 3, "Log page version": 2, "Log page GUID": guid, **more}
        )
    )


def family(verdict="claimed", name="Samsung PM9A3", *, lossy=False):
    return Family(
        name=name, model=re.compile("X"), verdict=verdict, sources=("a sheet",), confidence="high", lossy=lossy
    )


def nvme(drive=None, **more):
    answers = {"id_ctrl": ctrl(7), "smart_log": log(), "ocp": REFUSED, "cache_feature": feature(1), **(drive or {})}
    facts = {"model": Known("X", "sysfs"), "virtual": NO, "write_cache": WRITE_BACK, "rotational": NO, "family": None}
    return DriveEvidence(**{"device": "/dev/it", "transport": "nvme", **facts, **more}, drive=Drive(**answers))


def other(transport="sata", smart=HEALTHY, **more):
    facts = {"model": Known("X", "sysfs"), "virtual": NO, "write_cache": WRITE_BACK, "rotational": NO, "family": None}
    return DriveEvidence(**{"device": "/dev/it", **facts, **more}, transport=transport, drive=Drive(smart=smart))


def smart(*rows, protocol="ATA", **more):
    table = {"table": [{"id": 9, "name": "Power_On_Hours"}, *rows]}
    whole = {"device": {"protocol": protocol}, "model_name": "X", "smart_status": {"passed": True}, **more}
    return smartctl.parse(json.dumps({"smartctl": {}, **whole, **({"ata_smart_attributes": table} if rows else {})}))


def row(name, value=100, thresh=0, raw=0, when=""):
    told = {"value": value, "thresh": thresh, "when_failed": when, "raw": {"value": raw, "string": str(raw)}}
    return {"id": 175, "name": name, **{key: one for key, one in told.items() if one is not None}}
