"""The leaf disks: how the kernel sees them, what they say of themselves, and the power-loss verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.drives import find
from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.readers import block_files, json_text
from fsadvisor.storage import Below, Disk, Mount
from fsadvisor.survey import (
    attachment,
    block,
    controller_tools,
    controllers,
    disk_tables,
    drive,
    drive_health,
    faults,
    hosting,
    measured,
    members,
    power_loss,
    read_fact,
    soundness,
    trends,
)
from fsadvisor.survey.attachment import transport, virtual
from fsadvisor.survey.identity import SubjectIdentities, keys_by
from fsadvisor.survey.progress import each

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

    from fsadvisor.drives import Family
    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.json_text import Json
    from fsadvisor.storage import Layer, Subject
    from fsadvisor.storage.about import PowerState
    from fsadvisor.survey.attested import Overlay
    from fsadvisor.survey.block import BlockDevice, Queue, Udev
    from fsadvisor.survey.inventory import Inventory

_NOT_TOLD = ("", "unknown")
_ZONED = Literal["none", "host-aware", "host-managed"]


class SurveyedDisk(Struct, frozen=True):
    """A disk's facts, the case that its power-loss verdict was given on, its place in sysfs, and reads since boot."""

    facts: Disk
    case: power_loss.DriveEvidence
    hardware: str
    reads: Fact[int]


def survey_disks(inventory: Inventory, overlay: Overlay) -> dict[str, Disk]:
    """Stage 2: the leaf disks by id, each by itself."""
    ocp_logs = drive.OcpLogs(inventory.machine, _nvme_drives(inventory))
    seen = {
        device.id: disk(
            inventory.machine,
            device,
            inventory.queue_of(device),
            inventory.in_vm,
            inventory.udev,
            inventory.io,
            inventory.uptime,
            inventory.power_states.get(device.name, NOT_APPLICABLE),
            ocp_logs,
        )
        for device in each("drives", [one for one in inventory.tree.devices.values() if one.is_disk])
    }
    logged = {subject: _with_log(it.facts, inventory, subject) for subject, it in seen.items()}
    logged |= {
        at: replace(logged[at], same_drive=others)
        for at, others in attachment.same_drive(logged, inventory.tree).items()
    }
    identity = SubjectIdentities(inventory.identifiers(), logged).of
    facts = trends.with_trends(logged, inventory.past, keys_by(identity))
    return overlay.over(
        "disk",
        facts,
        identity,
        published=lambda subject, known: with_pages(known, seen[subject], inventory.machine.today),
        derived=(
            lambda subject, known: reweigh_plp(known, seen[subject]),
            lambda _, known: replace(known, failing=soundness.failing(known)),
            lambda subject, known: hosting.with_use(known, seen[subject].reads, inventory.uptime),
        ),
    )


def _nvme_drives(inventory: Inventory) -> dict[str, tuple[str, str | None]]:
    """The NVMe disks by path, each with its controller and the serial number that udev knows."""
    return {
        it.path: (it.hardware.rpartition("/")[0], inventory.udev.get(it.name, "ID_SERIAL_SHORT"))
        for it in inventory.tree.devices.values()
        if it.is_disk and it.name.startswith("nvme")
    }


def _with_log(known: Disk, inventory: Inventory, subject: str) -> Disk:
    device, log, uptime = inventory.tree.devices[subject.partition(":")[2]], inventory.log, inventory.uptime
    return replace(
        known,
        offline=faults.offline(inventory.machine, device),
        lost_paths=faults.lost_paths(inventory.machine, device),
        log_errors=faults.logged_on_disk(log, device, uptime, "io"),
        log_said=faults.said_of_disk(log, device, uptime),
        log_link_troubles=faults.logged_on_disk(log, device, uptime, "link"),
    )


def with_what_is_above(
    inventory: Inventory, disks: Mapping[str, Disk], layers: Mapping[str, Layer], overlay: Overlay
) -> dict[str, Disk]:
    """The disks with what the layers on them tell: other paths to the same disk, and who orders requests."""
    unjoined = members.unjoined(disks, layers, inventory.stack, inventory.udev)
    found = {
        subject: replace(known, unjoined_paths=unjoined[subject]) if subject in unjoined else known
        for subject, known in disks.items()
    }
    kinds = {it: layer.kind for at, layer in layers.items() for it in inventory.stack.under(at) if _may_join(layer)}
    for subject, known in found.items():
        device = inventory.tree.devices[subject.partition(":")[2]]
        joined = read_fact.holds(kinds.get(subject, Known("", "/sys/block")), bool)
        held = NOT_APPLICABLE if subject in kinds else attachment.outage_seconds(inventory.machine, device)
        found[subject] = replace(known, joined=joined, outage_seconds=held)
    sorted_ = members.with_sorting(found, inventory, layers)
    placed = members.with_mount_points(sorted_, inventory)
    return overlay.suppose("disk", members.with_membership(placed, inventory, layers))


def _may_join(layer: Layer) -> bool:
    return read_fact.value(layer.kind) in (None, "dm-multipath")


def with_flush_shares(disks: dict[str, Disk], mounts: Mapping[str, Subject], overlay: Overlay) -> dict[str, Disk]:
    """The disks with what was measured on the filesystems above them, in place as Overlay.over does it."""
    shares = measured.flush_shares(
        (point, facts, under)
        for point, subject in mounts.items()
        if isinstance(facts := subject.scope["mount"], Mount) and isinstance(under := subject.scope.get("below"), Below)
    )
    for subject, known in disks.items():
        share = shares.get(subject.partition(":")[2])
        disks[subject] = known if share is None else replace(known, flush_share_percent=share)
    return overlay.suppose("disk", disks)


def disk(
    machine: Machine,
    device: BlockDevice,
    settings: Queue,
    in_vm: Fact[bool],
    udev: Udev,
    io: Json | Unknown,
    uptime: Fact[int],
    power_state: Fact[PowerState],
    ocp_logs: drive.OcpLogs,
) -> SurveyedDisk:
    """All facts of a disk; `settings` of its queue, `udev` by device name, `io` the machine's counters.

    `ocp_logs` are those of all NVMe drives.
    """
    folder, size = device.folder, block.size_bytes(device.sectors)
    kind = transport(device)
    short_model = _name(machine, device, "model", udev, "ID_MODEL_ENC")
    vendor = _name(machine, device, "vendor", udev, "ID_VENDOR_ENC")
    carrier: Fact[str] = attachment.carrier(machine, device) if read_fact.value(kind) == "nvme" else NOT_APPLICABLE
    answers = drive.ask(machine, device, kind, short_model, ocp_logs)
    model = attachment.whole_name(short_model, answers.smart, udev.get(device.name, "ID_MODEL_ENC"))
    family = _family(model, answers)
    volume_of = controllers.controller(machine, kind, vendor, model, device.hardware)
    named = (vendor, read_fact.first(short_model, drive.own_name(answers)))
    is_volume = read_fact.value(volume_of) not in (None, "none")
    seen = virtual(device, kind, carrier, () if is_volume else named, in_vm)  # Dell's are called "Virtual Disk"
    by_kernel = read_fact.switch(machine, f"{folder}/queue/rotational")
    rotational = controller_tools.rotational(machine, volume_of, device.path, by_kernel)
    raid_cache = controllers.cache(machine, volume_of, device.path)
    volume = controllers.volume(machine, volume_of, device)
    behind = drive_health.behind_controller(machine, read_fact.value(volume_of), device)
    case = power_loss.DriveEvidence(
        device=device.path,
        transport=read_fact.value(kind),
        model=model,
        family=family,
        virtual=seen,
        write_cache=settings.write_cache,
        rotational=rotational,
        drive=answers,
        controller=power_loss.by_controller(raid_cache, read_fact.value(volume_of)),
    )
    weighed = power_loss.weigh(case)
    scheduler_file, stat_file = f"{folder}/queue/scheduler", f"{folder}/stat"
    schedulers = read_fact.file_record(machine, scheduler_file, block_files.parse_scheduler)
    stat = read_fact.file_record(machine, stat_file, block_files.parse_block_stat)
    is_nvme, is_sata = read_fact.value(kind) == "nvme", read_fact.value(kind) == "sata"
    has_link = is_nvme and read_fact.value(carrier) in (None, "pcie")
    link, reduced = attachment.pcie_link(machine, device) if has_link else (NOT_APPLICABLE, NOT_APPLICABLE)
    wear = drive_health.health(answers)
    cloud_disk = hosting.cloud_disk(model, in_vm, vendor, device.hardware, machine)
    given = hosting.provisioned(machine, device, cloud_disk, model, size)
    facts = Disk(
        name=Known(device.name, "/sys/block"),
        transport=kind,
        nvme_transport=carrier,
        model=model,
        vendor=vendor,
        firmware=attachment.whole_firmware(_firmware(machine, device), answers.smart),
        size_bytes=size,
        virtual=seen,
        rotational=rotational,
        removable=read_fact.switch(machine, f"{folder}/removable"),
        read_only=read_fact.switch(machine, f"{folder}/ro"),
        scheduler=read_fact.field(schedulers, scheduler_file, lambda it: it.active),
        schedulers=read_fact.field(schedulers, scheduler_file, lambda it: read_fact.shared(it.available)),
        write_cache=settings.write_cache,
        zoned=read_fact.derive(
            read_fact.choice(read_fact.text(machine, f"{folder}/queue/zoned"), _ZONED), lambda it: it != "none"
        ),
        fua=read_fact.switch(machine, f"{folder}/queue/fua"),
        volatile_cache=drive.volatile_cache(machine, device, kind, answers),
        driver_flushes=drive.driver_flushes(machine, device, settings.write_cache),
        plp=weighed.fact,
        plp_evidence=weighed.evidence_in_words,
        plp_settle=weighed.next_steps,
        known_lossy=_lossy(model, family),
        controller=volume_of,
        raid_volume=volume.state,
        raid_sick_drives=volume.sick_drives,
        raid_drive_errors=volume.drive_errors,
        raid_foreign_drives=volume.foreign_drives,
        raid_patrol_read=volume.patrol_read,
        raid_drive_health=drive_health.sick_behind(behind),
        raid_drive_firmware=disk_tables.faulty_behind(behind),
        controller_cache=raid_cache.policy,
        controller_battery=raid_cache.battery,
        controller_drive_caches=raid_cache.drive_caches,
        power_state=power_state,
        critical_warning=drive.critical_warning(answers) if is_nvme else NOT_APPLICABLE,
        capacitor_health=drive.capacitor_health(answers) if is_nvme else NOT_APPLICABLE,
        incomplete_shutdowns=wear.incomplete_shutdowns,
        plp_starts=wear.plp_starts,
        unsafe_shutdowns=wear.unsafe_shutdowns,
        power_on_hours=drive.power_on_hours(answers),
        smart_passed=drive.smart_passed(answers),
        self_test=drive.self_test(answers),
        recovery_limit_ds=read_fact.field(answers.smart, "smartctl SCT ERC", lambda it: it.recovery_limit_ds)
        if is_sata
        else NOT_APPLICABLE,
        command_timeout_seconds=drive.command_timeout(machine, device, is_sata, model),
        percentage_used=drive_health.emmc_used(machine, folder)
        if read_fact.value(kind) == "mmc"
        else wear.percentage_used,
        emmc_spare=drive_health.emmc_spare(machine, folder) if read_fact.value(kind) == "mmc" else NOT_APPLICABLE,
        available_spare_percent=wear.available_spare_percent,
        available_spare_threshold_percent=wear.available_spare_threshold_percent,
        media_errors=wear.media_errors,
        pending_sectors=wear.pending_sectors,
        reallocated_sectors=wear.reallocated_sectors,
        link_errors=wear.link_errors,
        temperature_c=wear.temperature_c,
        temperature_limit_c=wear.temperature_limit_c,
        failing_attributes=wear.failing_attributes,
        discards=settings.discards,
        thin=read_fact.derive(seen, bool) if read_fact.value(seen) is False else _thin_unknown(seen),
        logical_block_bytes=read_fact.number(machine, f"{folder}/queue/logical_block_size"),
        physical_block_bytes=settings.physical_block_bytes,
        minimum_io_bytes=read_fact.number(machine, f"{folder}/queue/minimum_io_size"),
        optimal_io_bytes=read_fact.number(machine, f"{folder}/queue/optimal_io_size"),
        read_ahead_kib=settings.read_ahead_kib,
        requests=read_fact.number(machine, f"{folder}/queue/nr_requests"),
        flushes=read_fact.field(stat, stat_file, lambda it: it.flushes),
        writes=read_fact.field(stat, stat_file, lambda it: it.writes),
        written_bytes=_counted(io, device, "write_bytes", read_fact.field(stat, stat_file, lambda it: it.write_bytes)),
        read_bytes=_counted(io, device, "read_bytes", read_fact.field(stat, stat_file, lambda it: it.read_bytes)),
        flush_ms_avg=block.flush_average_ms(stat, stat_file),
        flush_time_percent=block.flush_percent_of_uptime(stat, uptime, stat_file),
        udev_model=udev.fact(device.name, "ID_MODEL"),
        udev_serial=udev.fact(device.name, "ID_SERIAL_SHORT"),
        cloud_disk=cloud_disk,
        cloud_type=given.kind,
        host_cache=given.host_cache,
        provisioned_iops=given.iops,
        provisioned_burst_iops=given.burst_iops,
        provisioned_throughput=given.throughput,
        beyond_volume_limit_percent=_share_of_uptime(drive.beyond_limit(answers, "volume"), uptime),
        beyond_instance_limit_percent=_share_of_uptime(drive.beyond_limit(answers, "instance"), uptime),
        trim_command=attachment.trim_command(machine, device) if is_sata else NOT_APPLICABLE,
        queued_trim_trouble=attachment.queued_trim_trouble(model) if is_sata else NOT_APPLICABLE,
        pcie_link=link,
        pcie_link_reduced=reduced,
        better_block_bytes=drive.better_block_bytes(answers) if is_nvme else NOT_APPLICABLE,
        write_throttle_us=read_fact.number(machine, f"{folder}/queue/wbt_lat_usec"),
    )
    whole = disk_tables.with_shingles(disk_tables.with_faults(facts, machine.today))
    reads = read_fact.field(stat, stat_file, lambda it: it.reads)
    return SurveyedDisk(whole, case, device.hardware, reads)


def _share_of_uptime(seconds: Fact[int], uptime: Fact[int]) -> Fact[float]:
    """In percent; a volume that was attached later has a higher one."""
    if isinstance(seconds, Unknown):
        return seconds
    return read_fact.derive(uptime, lambda it: read_fact.steady(100 * seconds.value / max(it, 1)))


def with_pages(disk: Disk, seen: SurveyedDisk, today: dt.date) -> Disk:
    """The disk with what a page or its place in sysfs tells, so that nobody has to say it."""
    return disk_tables.with_table_facts(disk, seen.hardware, seen.case.family, today)


def reweigh_plp(disk: Disk, seen: SurveyedDisk) -> Disk:
    """The disk with its power-loss verdict weighed anew, where it is known what the data sheet promises."""
    if isinstance(disk.datasheet_plp, Unknown):
        return disk
    weighed = power_loss.weigh(replace(seen.case, datasheet=disk.datasheet_plp))
    return replace(disk, plp=weighed.fact, plp_evidence=weighed.evidence_in_words, plp_settle=weighed.next_steps)


def _family(model: Fact[str], answers: drive.Drive) -> Family | None:
    """The drive's own full name comes first: SCSI and libata cut it to 16 characters."""
    own = (
        None if isinstance(answers.id_ctrl, Unknown) else answers.id_ctrl.mn,
        None if isinstance(answers.smart, Unknown) else answers.smart.model_name,
        read_fact.value(model),
    )
    return next((family for name in own if name and (family := find(name)) is not None), None)


def _lossy(model: Fact[str], family: Family | None) -> Fact[bool]:
    return read_fact.derive(model, lambda _: family is not None and family.lossy)


def _thin_unknown(seen: Fact[bool]) -> Fact[bool]:
    if isinstance(seen, Unknown):
        return seen
    learn = "ask whoever runs the hypervisor or the array whether discards give space back, and `fsadvisor attest` it"
    return Unknown(Cause.NOT_ATTESTED, learn, seen.source)


def _name(
    machine: Machine,
    device: BlockDevice,
    attribute: Literal["model", "vendor"],
    udev: Udev,
    key: str,
) -> Fact[str]:
    """The disk's own word for its model or vendor: sysfs (where virtio gives a PCI number), else udev's, escaped."""
    if "device" not in device.holds:
        return read_fact.fact_of(None, f"{device.folder}/device")
    said = read_fact.text(machine, f"{device.folder}/device/{attribute}")
    if isinstance(said, Known) and said.value not in _NOT_TOLD and not said.value.startswith("0x"):
        return said
    word = (udev.get(device.name, key) or "").replace("\\x20", " ").strip()
    return Known(word, f"udev {key}") if word else udev.missing(f"{device.folder}/device/{attribute}")


def _firmware(machine: Machine, device: BlockDevice) -> Fact[str]:
    """firmware_rev of an NVMe controller, rev of a SCSI device."""
    if "device" not in device.holds:
        return read_fact.fact_of(None, f"{device.folder}/device")
    return read_fact.first(
        read_fact.text(machine, f"{device.folder}/device/firmware_rev"),
        read_fact.text(machine, f"{device.folder}/device/rev"),
    )


def _counted(io: Json | Unknown, device: BlockDevice, key: str, stat: Fact[int]) -> Fact[int]:
    """psutil's counter, else the kernel's own."""
    if isinstance(io, Unknown):
        return stat
    return read_fact.first(
        read_fact.fact_of(json_text.integer(io, "io", device.name, key), "psutil disk_io_counters"), stat
    )
