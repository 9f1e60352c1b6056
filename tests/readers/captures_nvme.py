"""Captures of nvme-cli's outputs: kind in INDEX.csv -> the reader."""

import json

from fsadvisor.readers import nvme_identify, nvme_logs

PARTS = {
    "id_ctrl": nvme_identify.parse_nvme_id_ctrl,
    "smart_log": nvme_logs.parse_nvme_smart_log,
    "ocp_smart_log": nvme_logs.parse_nvme_ocp_smart_log,
}


def nvme_parts(text):
    """The nvme-cli outputs that an export of smartctl's and nvme-cli's holds, by name."""
    parts = json.loads(text).get("nvme_cli", {})
    return {name: PARTS[name](json.dumps(part)) for name, part in parts.items() if name in PARTS}


KINDS = {
    "nvme-id-ctrl-json": lambda text: [nvme_identify.parse_nvme_id_ctrl(text)],
    "nvme-id-ctrl-json-derived": lambda text: [nvme_identify.parse_nvme_id_ctrl(text)],
    "nvme-id-ctrl-text": lambda text: [nvme_identify.parse_nvme_id_ctrl(text)],
    "nvme-id-ctrl-bin": lambda text: [nvme_identify.parse_nvme_id_ctrl(text)],
    "nvme-id-ns-text": lambda text: [nvme_identify.parse_nvme_id_ns(text)],
    "nvme-smart-log": lambda text: [nvme_logs.parse_nvme_smart_log(text)],
    "nvme-ocp-smart-log": lambda text: [nvme_logs.parse_nvme_ocp_smart_log(text)],
}
