"""What a cloud lets a disk and a machine do, and what of it is told inside the machine."""

import json

import pytest

from fsadvisor import drives
from fsadvisor.facts import Unknown
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.told import disk, machine

GIB = 1 << 30
DMI = "/sys/class/dmi/id"
AMAZON = {f"{DMI}/sys_vendor": "Amazon EC2"}
GOOGLE = {f"{DMI}/sys_vendor": "Google"}
AZURE = {
    f"{DMI}/sys_vendor": "Microsoft Corporation",
    f"{DMI}/chassis_asset_tag": "7783-7084-3265-9085-8269-3286-77",
}
PCI = "pci0000:00/0000:00:02.0/nvme/nvme0"
BUS = "LNXSYSTM:00/LNXSYBUS:00/ACPI0004:00/VMBUS:00"
DATA = "f8b3781b-1e82-4818-a1c3-63d806ec15bb"


def told(size="Standard_D4s_v5", system=30, data=()):
    disks = [
        {"lun": str(lun), "diskSizeGB": str(gib), "caching": caching, "opsPerSecondThrottle": iops or "",
         "managedDisk": {"storageAccountType": kind}}
        for lun, kind, gib, caching, iops in data
    ]  # fmt: skip
    boot = {"diskSizeGB": str(system), "caching": "ReadWrite", "managedDisk": {"storageAccountType": "Premium_LRS"}}
    compute = {"vmSize": size, "storageProfile": {"osDisk": boot, "dataDisks": disks}}
    said = json.dumps({"ds": {"meta_data": {"imds": {"compute": compute}}}})
    return AZURE | {"/run/cloud-init/instance-data.json": said}


def found(files, name="nvme0n1", where=PCI, model="MSFT NVMe Accelerator v1.0", gib=30, **more):
    """(disk, host) of a machine with one disk."""
    made = machine(
        disk(name, where=where, number="8:0", size=str(gib * GIB // 512), device__model=model, **more),
        files=dict(files),
        commands={"systemd-detect-virt --vm": "kvm\n"},
    )
    subjects = {it.id: it for it in survey(made, {}).subjects}
    return subjects[f"disk:{name}"].scope["disk"], subjects["host"].scope["host"]


P20 = (0, "Premium_LRS", 512, "None", None)
ULTRA = (1, "UltraSSD_LRS", 1024, "None", "65280")


@pytest.mark.parametrize(
    ("name", "gib", "kind", "cache", "iops"),
    [
        ("nvme0n1", 30, "Premium_LRS", "read write", 120),
        ("nvme0n2", 512, "Premium_LRS", "none", 2300),
        ("nvme0n3", 1024, "UltraSSD_LRS", "none", 65280),
    ],
)
def test_an_nvme_disk_of_azure_is_found_by_its_namespace(name, gib, kind, cache, iops):
    one, host = found(told(data=[P20, ULTRA]), name, gib=gib)
    assert (one.cloud_type.value, one.host_cache.value, one.provisioned_iops.value) == (kind, cache, iops)
    assert host.instance_type.value == "Standard_D4s_v5"
    assert (host.instance_iops.value, host.instance_burst_iops.value) == (6400, 20000)
    assert "read on 2026-11-26" in host.instance_iops.source


@pytest.mark.parametrize(
    ("controller", "lun", "gib"), [(DATA, 0, 512), ("00000000-0000-8899-0000-000000000000", 0, 30)]
)
def test_a_scsi_disk_of_azure_is_found_by_its_controller_and_lun(controller, lun, gib):
    where = f"{BUS}/{controller}/host0/target0:0:0/0:0:0:{lun}"
    one, _ = found(told(data=[P20]), "sda", where, "Virtual Disk", gib, device__vendor="Msft    ")
    assert one.cloud_type.value == "Premium_LRS"
    assert one.provisioned_throughput.value == {512: 150_000_000, 30: 25_000_000}[gib]


@pytest.mark.parametrize(
    ("name", "gib"), [("nvme0n2", 256), ("nvme0n3", 512)], ids=["of another size now", "that came later"]
)
def test_a_disk_that_azure_did_not_tell_of_stays_unknown_and_says_whom_to_ask(name, gib):
    one, _ = found(told(data=[P20]), name, gib=gib)
    for fact in (one.cloud_type, one.host_cache, one.provisioned_iops, one.provisioned_used_percent):
        assert isinstance(fact, Unknown)
        assert "az disk show" in fact.learn


@each("said", ["", "[]", '{"ds": 5}', '{"ds": {"meta_data": {"imds": {"compute": {"vmSize": 7}}}}}'])
def test_without_azures_word_its_disks_are_network_disks_of_no_known_type(said):
    one, host = found(AZURE | {"/run/cloud-init/instance-data.json": said})
    assert one.cloud_disk.value == "network"
    assert isinstance(one.host_cache, Unknown)
    assert isinstance(host.instance_iops, Unknown)


def test_amazon_tells_the_size_of_the_machine_and_nothing_of_the_volume():
    one, host = found(AMAZON | {f"{DMI}/product_name": "m5.large"}, model="Amazon Elastic Block Store")
    assert (host.instance_iops.value, host.instance_burst_iops.value) == (3600, 18750)
    assert host.instance_throughput.value == 81_250_000
    assert "describe-volumes" in one.provisioned_iops.learn
    assert "does not apply" in one.host_cache.learn or one.host_cache.cause.value == "not_applicable"


@each(
    ("dmi", "cloud"),
    [
        ({"sys_vendor": "Xen", "bios_version": "4.11.amazon", "product_name": "HVM domU"}, "aws"),
        ({"sys_vendor": "Xen", "bios_version": "4.17.0", "product_name": "HVM domU"}, "none"),
        ({"sys_vendor": "Hetzner"}, "none"),
        ({}, "none"),
    ],
)
def test_a_cloud_is_known_by_its_firmware_and_its_size_only_where_that_tells_it(dmi, cloud):
    _, host = found({f"{DMI}/{name}": text for name, text in dmi.items()}, model="QEMU")
    assert host.cloud.value == cloud
    assert isinstance(host.instance_type, Unknown)


def test_a_size_that_the_table_does_not_name_is_unknown():
    _, host = found(AMAZON | {f"{DMI}/product_name": "m99.large"}, model="Amazon Elastic Block Store")
    assert isinstance(host.instance_iops, Unknown)


def test_google_tells_neither():
    one, host = found(GOOGLE | {f"{DMI}/product_name": "Google Compute Engine"}, model="nvme_card-pd")
    assert "gcloud compute disks describe" in one.cloud_type.learn
    assert "gcloud compute instances describe" in host.instance_type.learn


def test_a_local_disk_has_no_type_and_no_limit():
    one, _ = found(told(), model="Microsoft NVMe Direct Disk v2")
    assert one.provisioned_iops.cause.value == one.cloud_type.cause.value == "not_applicable"


@pytest.mark.parametrize(("cache", "percent"), [("None", 78), ("ReadOnly", 43)])
def test_reads_that_the_hosts_cache_may_answer_are_not_counted_against_the_limit(cache, percent):
    told_of = told(data=[(0, "Premium_LRS", 512, cache, None)]) | {"/proc/uptime": "10000.00 9000.00\n"}
    stat = "8000000 0 8 10 10000000 0 16000 900 0 500 910 0 0 0 0 0 0"
    one, _ = found(told_of, "nvme0n2", gib=512, stat=stat)
    assert one.provisioned_used_percent.value == percent


def test_every_row_of_the_table_reads_and_no_baseline_is_above_its_burst():
    sizes = {cloud: drives._sizes(cloud) for cloud in ("aws", "azure")}
    assert (len(sizes["aws"]), len(sizes["azure"])) == (609, 35)
    disks = [limits for one in drives._disks().values() for _, limits in one]
    for limits in (*sizes["aws"].values(), *sizes["azure"].values(), *disks):
        assert 0 < limits.iops <= limits.burst_iops
        assert 0 < limits.throughput <= limits.burst_throughput
