"""What a drive says of itself: what is asked of it, its cache, its health and wear."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from msgspec import Struct

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import nvme_identify, nvme_logs, nvme_output, smartctl, smartctl_text
from fsadvisor.storage.about import WriteCache
from fsadvisor.survey import read_fact
from fsadvisor.survey.block import SECTOR_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.nvme_identify import IdCtrl, IdNs
    from fsadvisor.readers.nvme_logs import OcpSmartLog, SmartLog
    from fsadvisor.readers.nvme_output import AmznStats, Feature
    from fsadvisor.readers.smartctl import SmartReport
    from fsadvisor.storage.about import SelfTest, Transport
    from fsadvisor.survey.block import BlockDevice

R = TypeVar("R")


def own_smart(machine: Machine, device: BlockDevice) -> SmartReport | Unknown:
    """What smartctl says of the drive; an answer that names another device is no answer."""
    report = read_fact.command_record(machine, smartctl.argv(device.path), _smart)
    if isinstance(report, Unknown) or report.device_name in (None, device.path):
        return report
    learn = f"find out why smartctl answers for {report.device_name} instead of {device.path}"
    return Unknown(Cause.UNREADABLE, learn, " ".join(smartctl.argv(device.path)))


def _smart(text: str) -> SmartReport | Unknown:
    """JSON as we ask for it, or the text that archives have instead."""
    return smartctl_text.parse(text) if text.startswith("smartctl ") else smartctl.parse(text)


def own_controller(machine: Machine, device: BlockDevice, model: Fact[str]) -> IdCtrl | Unknown:
    """What the controller says of itself; an answer that names another model than the kernel does is no answer."""
    record = by_either_name(machine, nvme_identify.id_ctrl_argv, device.path, nvme_identify.parse_nvme_id_ctrl)
    if isinstance(record, Unknown) or not isinstance(model, Known) or record.mn is None:
        return record
    if record.mn.split() == model.value.split() or not f"{record.mn}{model.value}".isascii():
        return record
    learn = f"find out why nvme id-ctrl answers for {record.mn} instead of {model.value}"
    return Unknown(Cause.UNREADABLE, learn, " ".join(nvme_identify.id_ctrl_argv(device.path)))


def own_namespace(machine: Machine, device: BlockDevice) -> IdNs | Unknown:
    """What the namespace says of itself; an answer about one of another size is no answer."""
    argv = nvme_identify.id_ns_argv(device.path)
    record = by_either_name(machine, nvme_identify.id_ns_argv, device.path, nvme_identify.parse_nvme_id_ns)
    if isinstance(record, Unknown) or not (sectors := read_fact.value(device.sectors)):
        return record
    used = record.lba_format_in_use
    if not record.nsze or used is None or used.data_size_bytes is None:
        return record
    stated, real = record.nsze * used.data_size_bytes, sectors * SECTOR_BYTES
    if stated == real:
        return record
    learn = f"find out why nvme id-ns answers for {stated} bytes where {device.path} has {real}"
    return Unknown(Cause.UNREADABLE, learn, f"{' '.join(argv)}; {device.sectors.source}")


_MOST_COMPRESSED: Final = 8
"""Times that a drive may have been written more by its host than it wrote: those that compress promise 4 at most."""


class OcpLogs:
    """The OCP logs of all NVMe drives by what they say: each is asked for once, however many are held against others.

    `drives` has, by its path, each drive's controller and the serial number that udev knows.
    """

    def __init__(self, machine: Machine, drives: Mapping[str, tuple[str, str | None]]) -> None:
        self._machine = machine
        self._drives = drives

    def same_as(self, path: str, text: str) -> str | None:
        """Another drive of another controller whose log is the same, byte for byte; not the same drive by two paths."""
        controller, serial = self._drives.get(path, ("", None))
        for other in self._by_text.get(_digest(text), ()) if path in self._drives else ():
            its_controller, its_serial = self._drives[other]
            if its_controller != controller and (serial is None or its_serial != serial):
                return other
        return None

    @cached_property
    def _by_text(self) -> dict[bytes, list[str]]:
        """By a digest: the texts of thousands of drives are long."""
        found: dict[bytes, list[str]] = {}
        for path in self._drives:
            answer = self._machine.run([nvme_logs.ocp_smart_log_argv(path)])[0]
            if not isinstance(answer, Unknown):
                found.setdefault(_digest(answer.text), []).append(path)
        return found


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def own_ocp(machine: Machine, device: BlockDevice, written: int | None, logs: OcpLogs) -> OcpSmartLog | Unknown:
    """The drive's OCP log, which names no drive: one that contradicts its SMART log is no answer.

    Nor is one that another drive gives byte for byte: drives differ in what they wrote, if they ever wrote.
    """
    argv = nvme_logs.ocp_smart_log_argv(device.path)
    record = read_fact.command_record(machine, argv, nvme_logs.parse_nvme_ocp_smart_log)
    if isinstance(record, Unknown) or record.physical_media_written_bytes is None:
        return record
    source = " ".join(argv)
    if written is not None and written > _MOST_COMPRESSED * record.physical_media_written_bytes:
        learn = f"find out why nvme ocp smart-add-log counts so few bytes written to {device.path}: is it another's?"
        return Unknown(Cause.UNREADABLE, learn, source)
    own = machine.run([argv])[0]
    if record.physical_media_written_bytes and not isinstance(own, Unknown):
        path = logs.same_as(device.path, own.text)
        if path is not None:
            learn = f"find out why nvme ocp smart-add-log says the same of {device.path} and {path}, byte for byte"
            return Unknown(Cause.UNREADABLE, learn, source)
    return record


def host_written(log: SmartLog | Unknown, smart: SmartReport | Unknown) -> int | None:
    """Bytes that hosts wrote: nvme-cli's word, else smartctl's."""
    if not isinstance(log, Unknown) and log.written_bytes is not None:
        return log.written_bytes
    units = None if isinstance(smart, Unknown) or smart.nvme is None else smart.nvme.data_units_written
    return None if units is None else units * nvme_logs.BYTES_PER_DATA_UNIT


def by_either_name(
    machine: Machine, argv: Callable[..., Argv], path: str, parse: Callable[[str], R | Unknown]
) -> R | Unknown:
    """By the command's name before nvme-cli 3.0, else by the new one: 3.0 may be built without the old names."""
    record = read_fact.command_record(machine, argv(path), parse)
    if isinstance(record, Unknown) and record.learn == nvme_output.TOOL_TOO_OLD:
        return read_fact.command_record(machine, argv(path, since_3=True), parse)
    return record


_ANSWERS_SMARTCTL = {"nvme", "sata", "sas", "scsi", "usb", "fc"}
_SCSI_ADDRESS = late(r"/host\d+/(.*/)?target[\d:]+/")


class Drive(Struct, frozen=True, kw_only=True):
    """A drive's own answers; NOT_APPLICABLE where its kind has no such command."""

    id_ctrl: IdCtrl | Unknown = NOT_APPLICABLE
    id_ns: IdNs | Unknown = NOT_APPLICABLE
    smart_log: SmartLog | Unknown = NOT_APPLICABLE
    cache_feature: Feature | Unknown = NOT_APPLICABLE
    ocp: OcpSmartLog | Unknown = NOT_APPLICABLE
    smart: SmartReport | Unknown = NOT_APPLICABLE
    ebs: AmznStats | Unknown = NOT_APPLICABLE


_EBS: Final = "Amazon Elastic Block Store"
"""Asked how long it was held back, and not ahead with the others: its model is read with the disk's facts."""


def commands(device: BlockDevice, transport: Fact[Transport]) -> tuple[Argv, ...]:
    """The commands that a disk can answer, by how it is attached."""
    kind = read_fact.value(transport)
    found: list[Argv] = []
    if kind == "nvme":
        found += [
            nvme_identify.id_ctrl_argv(device.path),
            nvme_identify.id_ns_argv(device.path),
            nvme_logs.smart_log_argv(device.path),
            nvme_output.get_feature_argv(device.path),
            nvme_logs.ocp_smart_log_argv(device.path),
        ]
    if _answers_smartctl(device, kind):
        found.append(smartctl.argv(device.path))
    return tuple(found)


def _answers_smartctl(device: BlockDevice, kind: Transport | None) -> bool:
    """Of the virtio disks, those that are SCSI ones do."""
    return kind in _ANSWERS_SMARTCTL or (kind == "virtio" and _is_scsi(device))


def _is_scsi(device: BlockDevice) -> bool:
    return _SCSI_ADDRESS.search(device.hardware) is not None


def ask(
    machine: Machine, device: BlockDevice, transport: Fact[Transport], model: Fact[str], ocp_logs: OcpLogs
) -> Drive:
    """Ask the drive, whose model the kernel or udev tells; `ocp_logs` are those of all NVMe drives."""
    kind = read_fact.value(transport)
    smart = own_smart(machine, device) if _answers_smartctl(device, kind) else NOT_APPLICABLE
    if kind != "nvme":
        return Drive(smart=smart)
    smart_log = by_either_name(machine, nvme_logs.smart_log_argv, device.path, nvme_logs.parse_nvme_smart_log)
    return Drive(
        id_ctrl=own_controller(machine, device, model),
        id_ns=own_namespace(machine, device),
        smart_log=smart_log,
        cache_feature=read_fact.command_record(
            machine, nvme_output.get_feature_argv(device.path), nvme_output.parse_nvme_get_feature
        ),
        ocp=own_ocp(machine, device, host_written(smart_log, smart), ocp_logs),
        smart=smart,
        ebs=read_fact.command_record(
            machine, nvme_output.amzn_stats_argv(device.path), nvme_output.parse_nvme_amzn_stats
        )
        if read_fact.value(model) == _EBS
        else NOT_APPLICABLE,
    )


def volatile_cache(machine: Machine, device: BlockDevice, transport: Fact[Transport], drive: Drive) -> Fact[bool]:
    """Whether the drive says that a volatile write cache is there and in use."""
    kind = read_fact.value(transport)
    if kind == "nvme":
        return _nvme_cache(drive)
    if kind == "virtio" and "cache_type" in device.holds:
        path = f"{device.folder}/cache_type"
        return read_fact.derive(
            read_fact.choice(read_fact.text(machine, path), WriteCache), lambda it: it == "write back"
        )
    said = read_fact.field(drive.smart, "smartctl write cache", lambda it: it.write_cache_enabled)
    return read_fact.first(said, _scsi_cache(machine, device))


def _nvme_cache(drive: Drive) -> Fact[bool]:
    """vwc bit 0 says whether there is one; feature 6 whether it is switched on."""
    present = read_fact.field(drive.id_ctrl, "nvme id-ctrl vwc bit 0", lambda it: it.volatile_write_cache)
    if isinstance(present, Unknown) or not present.value:
        return present
    return read_fact.field(
        drive.cache_feature, "nvme id-ctrl vwc bit 0, get-feature 6", lambda it: it.volatile_write_cache_enabled
    )


def _scsi_cache(machine: Machine, device: BlockDevice) -> Fact[bool]:
    """Whether the write cache is on, by the kernel's sd.

    'write through' is no word of the drive: sd assumes it where the drive tells nothing, and shows it after somebody
    wrote 'temporary write through'.
    """
    kind = _cache_type(machine, device)
    if isinstance(kind, Known) and not _flushed(kind.value):
        return Unknown(Cause.NOT_EXPOSED, "", kind.source)
    return read_fact.derive(kind, _flushed)


def driver_flushes(machine: Machine, device: BlockDevice, write_cache: Fact[WriteCache]) -> Fact[bool]:
    """Whether the driver is ready to flush, so that queue/write_cache alone decides; only sd can be told otherwise."""
    if isinstance(write_cache, Unknown) or write_cache.value == "write back":
        return read_fact.derive(write_cache, bool)
    if not _is_scsi(device):
        return Known(True, "only SCSI disks have a cache_type")
    return read_fact.derive(_cache_type(machine, device), _flushed)


def _cache_type(machine: Machine, device: BlockDevice) -> Fact[str]:
    folder = f"{device.folder}/device/scsi_disk"
    names = machine.entries(folder)
    if isinstance(names, Unknown):
        return names
    if not names:
        return Unknown(Cause.NOT_EXPOSED, "", folder)
    return read_fact.choice(read_fact.text(machine, f"{folder}/{names[0]}/cache_type"), _SD_CACHES)


def _flushed(cache_type: str) -> bool:
    return cache_type.startswith("write back")


_SD_CACHES = Literal["write through", "none", "write back", "write back, no read (daft)"]
"""The words of drivers/scsi/sd.c."""


def own_name(drive: Drive) -> Fact[str]:
    """The model by the drive's own answers."""
    return read_fact.first(
        read_fact.field(drive.id_ctrl, "nvme id-ctrl mn", lambda it: it.mn or None),
        read_fact.field(drive.smart, "smartctl model", lambda it: it.model_name),
    )


def smart_passed(drive: Drive) -> Fact[bool]:
    """The drive's overall health."""
    return read_fact.field(drive.smart, "smartctl overall health", lambda it: it.passed)


def power_on_hours(drive: Drive) -> Fact[int]:
    """Hours that it was powered on: nvme-cli's word, else smartctl's."""
    return read_fact.first(
        read_fact.field(drive.smart_log, "nvme smart-log", lambda it: it.power_on_hours),
        read_fact.field(drive.smart, "smartctl power-on time", lambda it: it.power_on_hours),
    )


def command_timeout(machine: Machine, device: BlockDevice, sata: bool, model: Fact[str]) -> Fact[int]:
    """Of SATA drives the device's own, of EBS volumes the driver's for all."""
    if sata:
        return read_fact.number(machine, f"{device.folder}/device/timeout")
    if read_fact.value(model) == _EBS:
        return read_fact.number(machine, "/sys/module/nvme_core/parameters/io_timeout")
    return NOT_APPLICABLE


def self_test(drive: Drive) -> Fact[SelfTest]:
    """How its last self-test went."""
    return read_fact.field(drive.smart, "smartctl self-test log", lambda it: it.self_test)


def critical_warning(drive: Drive) -> Fact[int]:
    """NVMe critical warning: nvme-cli's word, else smartctl's."""
    by_nvme = read_fact.field(drive.smart_log, "nvme smart-log", lambda it: it.critical_warning)
    by_smart = read_fact.field(
        drive.smart,
        "smartctl NVMe health",
        lambda it: it.nvme.critical_warning if it.nvme else None,
    )
    return read_fact.first(by_nvme, by_smart)


_MILLION: Final = 1_000_000


def beyond_limit(drive: Drive, which: Literal["volume", "instance"]) -> Fact[int]:
    """Seconds in which more was asked than the EBS volume, or the instance, is allowed."""

    def longer(stats: AmznStats) -> int:
        volume = (stats.volume_iops_us, stats.volume_throughput_us)
        instance = (stats.instance_iops_us, stats.instance_throughput_us)
        return max(volume if which == "volume" else instance) // _MILLION

    return read_fact.field(drive.ebs, "nvme amzn stats", longer)


def capacitor_health(drive: Drive) -> Fact[int]:
    """OCP capacitor health in percent."""
    return read_fact.field(drive.ocp, "nvme ocp smart-add-log capacitor health", lambda it: it.capacitor_health)


def better_block_bytes(drive: Drive) -> Fact[int]:
    """The logical block of the best format without metadata, where the drive rates it above the one in use; else 0."""
    return read_fact.field(drive.id_ns, "nvme id-ns", _better_block_bytes)


def _better_block_bytes(namespace: IdNs) -> int | None:
    used = namespace.lba_format_in_use
    if used is None or used.relative_performance is None:
        return None
    better = [
        (it.relative_performance, it.data_size_bytes)
        for it in namespace.lbaf
        if it.data_size_bytes and it.metadata_size_bytes == 0 and it.relative_performance is not None
    ]
    best, size = min(better, default=(used.relative_performance, 0))
    return size if best < used.relative_performance else 0
