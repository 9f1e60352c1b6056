"""What proves that a disk survives a power loss, and what does not."""

import json

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.readers import nvme_identify, nvme_logs, nvme_output, smartctl
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.told import BARE_METAL, disk, machine

PATH = "/dev/nvme0n1"
NVME = "pci0000:00/0000:00:01.0/nvme/nvme0"
GUID = "0xafd514c97c6f4f9ca4f2bfea2810afc5"


def id_ctrl(vwc):
    return {" ".join(nvme_identify.id_ctrl_argv(PATH)): json.dumps({"vid": 1, "mn": "", "vwc": vwc})}


def smart_log(warning=0):
    record = {
        "critical_warning": warning,
        "temperature": 310,
        "avail_spare": 100,
        "spare_thresh": 10,
        "unsafe_shutdowns": 2,
    }
    return {" ".join(nvme_logs.smart_log_argv(PATH)): json.dumps(record)}


def feature(value):
    text = f"get-feature:0x06 (Volatile Write Cache), Current value:{value:#010x}\n"
    return {" ".join(nvme_output.get_feature_argv(PATH)): text}


def ocp(health):
    record = {"Capacitor health": health, "PLP start count": 3, "Log page version": 2, "Log page GUID": GUID}
    return {" ".join(nvme_logs.ocp_smart_log_argv(PATH)): json.dumps(record)}


NO_OCP = {" ".join(nvme_logs.ocp_smart_log_argv(PATH)): "NVMe status: INVALID_LOG_PAGE(0x4109)\n"}
NO_FEATURE = {" ".join(nvme_output.get_feature_argv(PATH)): "NVMe status: INVALID_FIELD(0x2002)\n"}
SMART = {
    " ".join(smartctl.argv(PATH)): json.dumps({"smartctl": {"version": [7, 3], "exit_status": 0}, "model_name": "X"})
}


def verdict(*outputs, cache="write back", model="X", where=NVME, virtual="none"):
    commands = BARE_METAL | SMART
    commands["systemd-detect-virt --vm"] = f"{virtual}\n"
    for output in outputs:
        commands |= output
    made = machine(disk("nvme0n1", where=where, number="259:0", cache=cache, device__model=model), commands=commands)
    found = {subject.id: subject for subject in survey(made, {}).subjects}
    return found["disk:nvme0n1"].scope["disk"]


@pytest.mark.parametrize(
    ("model", "expected"), [("SAMSUNG MZQL23T8HCLS-00A07", "proven"), ("X", "claimed"), ("NVMe SNAP", "claimed")]
)
def test_no_volatile_cache_is_proof_only_for_a_family_that_is_sold_as_protected(model, expected):
    answers = (id_ctrl(6), smart_log(), NO_OCP, NO_FEATURE)
    assert verdict(*answers, cache="write through", model=model).plp.value == expected


def test_capacitors_that_contradict_a_family_without_any_leave_it_open():
    found = verdict(id_ctrl(7), feature(1), smart_log(), ocp(95), model="Samsung SSD 970 PRO 1TB")
    assert found.plp.value == "unknown"
    assert any("for proven" in line for line in found.plp_evidence.value)
    assert any("for absent" in line for line in found.plp_evidence.value)


def test_a_clouds_name_is_never_proven_though_its_page_shows_capacitors():
    answers = (id_ctrl(6), smart_log(), ocp(95), NO_FEATURE)
    assert verdict(*answers, cache="write through", model="MSFT NVMe Accelerator v1.0").plp.value == "unknown"


def test_a_healthy_capacitor_page_is_proof_though_the_cache_is_called_volatile():
    assert verdict(id_ctrl(7), feature(1), smart_log(), ocp(95)).plp.value == "proven"


def test_a_failed_backup_overrules_everything():
    assert verdict(id_ctrl(6), smart_log(0x10), ocp(95), cache="write through").plp.value == "failed"


@pytest.mark.parametrize(("health", "expected"), [(0, "failed"), (1, "failed"), (0xFFFF, "absent")])
def test_capacitors_without_energy_or_without_being_there_prove_the_contrary(health, expected):
    assert verdict(id_ctrl(7), feature(1), smart_log(), ocp(health)).plp.value == expected


def test_a_volatile_cache_and_nothing_else_is_the_verdict_unknown():
    assert verdict(id_ctrl(7), feature(1), smart_log(), NO_OCP).plp.value == "unknown"


@each("missing", range(4))
def test_what_could_not_be_asked_leaves_the_verdict_open(missing):
    given = [id_ctrl(6), smart_log(), NO_OCP, NO_FEATURE]
    del given[missing]
    plp = verdict(*given, cache="write through").plp
    assert isinstance(plp, Unknown)
    assert plp.cause is Cause.NO_TOOL


def test_a_contradiction_between_drive_and_kernel_is_shown_and_proves_nothing():
    found = verdict(id_ctrl(6), smart_log(), NO_OCP, NO_FEATURE, cache="write back")
    assert found.plp.value == "unknown"
    assert "contradict" in found.plp.source


@each("model", ["QEMU NVMe Ctrl", "Amazon Elastic Block Store", "nvme_card-pd", "Linux"])
def test_a_disk_that_a_hypervisor_shows_is_never_proven(model):
    assert verdict(id_ctrl(0), smart_log(), ocp(95), cache="write through", model=model).plp.value == "unknown"


def test_a_vendors_name_inside_a_virtual_machine_proves_nothing():
    assert verdict(id_ctrl(0), smart_log(), ocp(95), cache="write through", virtual="kvm").plp.value == "unknown"


def test_a_drive_over_the_network_is_never_proven():
    fabrics = "virtual/nvme-fabrics/ctl/nvme0"
    assert verdict(id_ctrl(0), smart_log(), cache="write through", where=fabrics).plp.value == "unknown"


@each(("vwc", "on", "expected"), [(7, 1, True), (7, 0, False), (1, 1, True), (6, 1, False), (4, 1, False)])
def test_the_volatile_cache_is_bit_0_and_switched_on(vwc, on, expected):
    assert verdict(id_ctrl(vwc), feature(on), smart_log()).volatile_cache.value is expected
