"""Which reader is for which kind of capture: smartctl and the RAID controllers' tools."""

import json

from fsadvisor.readers import smartctl, smartctl_text, ssacli, storcli


def smartctl_json(text):
    """Three files of this kind are scans, which nothing reads."""
    return [] if '"devices": [' in text else [smartctl.parse(text)]


def fragment(text):
    """Only the smart_status object of a report."""
    return [smartctl.parse(json.dumps({"smart_status": json.loads(text)}))]


def raid_controller(text):
    return [storcli.parse(text) if text.lstrip().startswith("{") else ssacli.parse(text)]


KINDS = {
    "smartctl-json": smartctl_json,
    "smartctl+nvme-json": lambda text: [smartctl.parse(text)],
    "smartctl-json-fragment": fragment,
    "smartctl-text": lambda text: [smartctl_text.parse(text)],
    "raid-controller": raid_controller,
}
