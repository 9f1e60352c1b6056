"""Servers from a few words: drives, what is mounted, which programs run; all else is as a healthy server has it."""

import datetime as dt
import json

from fsadvisor.machine.kept_files import PROBES
from fsadvisor.readers import dmsetup, nvme_output, volume_tools
from fsadvisor.survey.measured import conditions_of
from fsadvisor.survey.whole import survey
from tests.machines import parts
from tests.told import stacked

GIB = parts.GIB
PM9A3, CONSUMER, DC_SATA, HDD = (
    "SAMSUNG MZQL23T8HCLS-00A07",
    "Samsung SSD 990 PRO 2TB",
    "INTEL SSDSC2KB480G8",
    "ST8000NM0055-1RM112",
)
EBS = "Amazon Elastic Block Store"
PROTECTED = ((175, "Power_Loss_Cap_Test", 100, 10, 0),)


class Drive:
    """A drive: its files in sysfs, and what its tools answer."""

    def __init__(self, name, made, commands, size, number):
        self.name, self.made, self.commands, self.size, self.number = name, made, commands, size, number
        self.partitions = []

    def partition(self, number, size=400 * GIB, start=2048):
        """The name of a partition of it."""
        name = f"{self.name}{'p' if self.name[-1].isdigit() else ''}{number}"
        major, minor = self.number.split(":")
        self.partitions.append(parts.partition(self.name, name, f"{major}:{int(minor) + number}", size, start))
        return name, f"{major}:{int(minor) + number}"


def nvme(at=0, model=CONSUMER, size=2000398934016, *, namespace=1, vwc=7, cache="write back", log=(), flush_ms=None,
         **more):  # fmt: skip
    """A namespace of an NVMe drive; `flush_ms` is the average of ten million flushes since boot."""
    name, number = f"nvme{at}n{namespace}", f"259:{16 * at + 8 * (namespace - 1)}"
    if flush_ms is not None:
        more["stat"] = parts.stat(10_000_000, int(flush_ms * 10_000))
    said = {key: more.pop(key) for key in ("capacitors", "firmware", "unfinished") if key in more}
    made = parts.nvme(name, model, size, number, cache=cache, at=f"0000:4{at}:00.0", **more)
    answers = parts.nvme_answers(f"/dev/{name}", model, size, vwc=vwc, log=log, **said)
    return Drive(name, made, answers, size, number)


def sata(at=0, model=DC_SATA, size=480103981056, *, spins=0, attributes=(), passed=True, flush_ms=None, **more):
    """A SATA drive; attributes are (id, name, value, threshold, raw)."""
    name = f"sd{'abcdefghijkl'[at]}"
    if flush_ms is not None:
        more["stat"] = parts.stat(10_000_000, int(flush_ms * 10_000))
    made = parts.sata(name, model, size, f"8:{16 * at}", port=at + 1, spins=bool(spins), **more)
    if model.startswith("Samsung SSD 8"):  # the kernel knows them, and sends their TRIM unqueued
        made[0][f"/sys/class/ata_device/dev{at + 1}.0/trim"] = "forced_unqueued"
    answers = parts.sata_answers(f"/dev/{name}", model, size, attributes=attributes, spins=spins, passed=passed)
    return Drive(name, made, answers, size, f"8:{16 * at}")


def hdd(at=0, model=HDD, size=8001563222016, **more):
    """A hard disk of 7,200 rpm with mq-deadline, as the kernel sets it."""
    return sata(at, model, size, spins=7200, **more)


def said(drive, **report):
    """The drive, of which smartctl says this, too."""
    for asked, words in drive.commands.items():
        if asked.startswith("smartctl"):
            drive.commands[asked] = json.dumps(json.loads(words) | report)
    return drive


def statistics(**pages):
    """Rows of ATA Device Statistics: (page, offset, value) by any name."""
    rows = [
        {"number": page, "table": [{"offset": offset, "name": name, "value": value, "flags": {"valid": True}}]}
        for name, (page, offset, value) in pages.items()
    ]
    return {"ata_device_statistics": {"pages": rows}}


def placed(drive, where="pci0000:00/0000:00:03.0/host0/target0:2:0/0:2:0:0"):
    """The drive at another place; without a word where a RAID controller has its volumes."""
    drive.made = (drive.made[0], {f"/sys/block/{drive.name}": f"../devices/{where}/block/{drive.name}"})
    return drive


def sas(at=0, model="ST8000NM0075", size=8001563222016, *, spins=7200, **report):
    """A SAS drive behind a host bus adapter."""
    drive = sata(at, model, size, spins=spins, device__vendor="SEAGATE ")
    where = f"pci0000:00/0000:00:03.0/host0/port-0:{at}/end_device-0:{at}/target0:0:{at}/0:0:{at}:0"
    placed(drive, where)
    counts = {way: {"total_uncorrected_errors": 0} for way in ("read", "write", "verify")}
    scsi = {
        "device": {"name": f"/dev/{drive.name}", "type": "scsi", "protocol": "SCSI"},
        "ata_smart_attributes": {},
        "scsi_grown_defect_list": 0,
        "scsi_error_counter_log": counts,
        "temperature": {"current": 38, "drive_trip": 65},
    }
    return said(drive, **scsi | report)


AMAZON = {"/sys/class/dmi/id/sys_vendor": "Amazon EC2", "/sys/class/dmi/id/chassis_asset_tag": "Amazon EC2"}


def ebs(at=0, size=500 * GIB, *, volume=0, instance=0, **more):
    """An EBS volume; microseconds since it was attached in which more was asked of it than allowed."""
    drive = nvme(at, EBS, size, vwc=0, cache="write through", firmware="1.0", **more)
    drive.commands[" ".join(nvme_output.amzn_stats_argv(f"/dev/{drive.name}"))] = (
        f"EBS Volume Performance Exceeded (us):\n  IOPS: {volume}\n  Throughput: 0\n\n"
        f"EC2 Instance EBS Performance Exceeded (us):\n  IOPS: 0\n  Throughput: {instance}\n\n"
    )
    return drive


AZURE = {
    "/sys/class/dmi/id/sys_vendor": "Microsoft Corporation",
    "/sys/class/dmi/id/chassis_asset_tag": "7783-7084-3265-9085-8269-3286-77",
}


def azure_told(size="Standard_D4s_v5", data=(), system="ReadWrite"):
    """cloud-init's copy of what Azure tells: data disks by LUN are (type, GiB, caching)."""
    disks = [
        {"lun": str(lun), "caching": cache, "diskSizeGB": str(gib), "managedDisk": {"storageAccountType": kind}}
        for lun, (kind, gib, cache) in enumerate(data)
    ]
    boot = {"caching": system, "diskSizeGB": "64", "managedDisk": {"storageAccountType": "Premium_LRS"}}
    compute = {"vmSize": size, "storageProfile": {"osDisk": boot, "dataDisks": disks}}
    said = json.dumps({"ds": {"meta_data": {"imds": {"compute": compute}}}})
    return AZURE | {"/run/cloud-init/instance-data.json": said}


AZURE_DATA = "f8b3781b-1e82-4818-a1c3-63d806ec15bb"


def azure(at=0, controller="f8b3781a-1e82-4818-a1c3-63d806ec15bb", lun=0, size=64 * GIB, **more):
    """A SCSI disk of Azure; lun 1 of the first controller is the temporary one."""
    drive = sata(at, "Virtual Disk", size, device__vendor="Msft    ", **more)
    where = f"LNXSYSTM:00/LNXSYBUS:00/ACPI0004:00/VMBUS:00/{controller}/host0/target0:0:0/0:0:0:{lun}"
    placed(drive, where)
    drive.commands = {}
    return drive


def virtio(at=0, size=64 * GIB):
    """A disk that a hypervisor shows."""
    from tests.told import disk

    name = f"vd{'abc'[at]}"
    made = disk(
        name,
        where=f"pci0000:00/0000:00:0{at + 4}.0/virtio{at}",
        number=f"252:{16 * at}",
        size=str(size // 512),
        queue__rotational="1",
        queue__scheduler="[none] mq-deadline",
        queue__zoned="none",
        stat=parts.stat(9000, 9),
    )
    return Drive(name, made, {}, size, f"252:{16 * at}")


class Mount:
    """A filesystem and where it is mounted."""

    def __init__(self, place, device, number, fs_type="ext4", *, options="rw,relatime", inside=None, used=40, inodes=3,
                 size=400 * GIB, fstab="defaults", files=None, commands=None):  # fmt: skip
        self.place, self.device, self.number, self.fs_type = place, device, number, fs_type
        self.options, self.inside, self.used, self.inodes, self.size = options, inside, used, inodes, size
        self.fstab, self.files, self.commands = fstab, files or {}, commands or {}

    def line(self, at):
        inside = self.inside or {"xfs": parts.XFS_OPTIONS, "ext4": "rw"}.get(self.fs_type, "rw")
        source = self.device if self.fs_type == "zfs" else f"/dev/{self.device}"
        return parts.mounted(at, self.number, self.place, self.options, self.fs_type, source, inside)

    def all_files(self):
        if self.fs_type != "ext4":
            return self.files
        shown = f"{parts.EXT4_OPTIONS} {(self.inside or '').replace(',', ' ')}"
        return parts.ext4_files(self.device, shown) | self.files

    def all_commands(self):
        own = {}
        if self.fs_type == "ext4":
            own = parts.ext4_answers(f"/dev/{self.device}", size_bytes=self.size)
        elif self.fs_type == "xfs":
            own = parts.xfs_answers(self.place, f"/dev/{self.device}")
        return own | self.commands


def root(drive, **more):
    """The root on the drive's first partition."""
    return Mount("/", *drive.partition(1, 100 * GIB), size=100 * GIB, fstab="errors=remount-ro", **more)


def on(drive, place, fs_type="ext4", **more):
    """A filesystem on the drive's second partition."""
    return Mount(place, *drive.partition(2, start=209715200 + 2048), fs_type, **more)


def server(*drives, mounts, layers=(), programs=(), files=(), commands=(), kernel="6.8.0-60-generic", vm=None,
           memory=64, dirty_mib=60, stalled=False, fstrim=True, fstab="", udev="", attested=(), log=(), exporting=False,
           **more):  # fmt: skip
    """The machine; `programs` are (name, directory) or with {setting: value}, `vm` is systemd-detect-virt's word.

    `log` are lines of the kernel's, said 90 seconds ago.
    """
    told = {}
    for one in (*drives, *mounts):
        told |= one.commands if isinstance(one, Drive) else one.all_commands()
    table = fstab or "".join(
        f"/dev/{it.device} {it.place} {it.fs_type} {it.fstab} 0 2\n" for it in mounts if it.fs_type != "zfs"
    )
    own = parts.HOST_FILES | (parts.STALLED if stalled else {})
    for one in mounts:
        own |= one.all_files()
    own |= {"/proc/meminfo": parts.meminfo(memory, dirty_mib), "/proc/sys/kernel/osrelease": kernel}
    own |= parts.attested(*attested) if attested else {}
    told |= parts.host_answers(fstrim_timer=fstrim)
    told["dmesg"] = "\n".join(("[    0.000000] Linux version", *(f"[863910.000000] {it}" for it in log), ""))
    if vm:
        told["systemd-detect-virt --vm"] = f"{vm}\n"
    return parts.machine(
        *(it.made for it in drives),
        *(one for it in drives for one in it.partitions),
        *layers,
        mounts=[*(it.line(29 + 11 * at) for at, it in enumerate(mounts)), *([NFSD] if exporting else [])],
        fstab=table,
        files=own | dict(files),
        commands=told | dict(commands),
        udev=udev,
        processes=[parts.process(1000 + at, *it[:2], **dict(*it[2:])) for at, it in enumerate(programs)],
        spaces={it.place: parts.room(it.size, it.used, it.inodes) for it in mounts},
        **more,
    )


def drbd(below, case):
    """A DRBD device over a partition, and what drbdsetup says by the reader's sample."""
    quiet = {"size": "838860800", "queue__physical_block_size": "4096", "queue__discard_max_bytes": "0"}
    return stacked("drbd0", "147:0", [below], **quiet), {" ".join(volume_tools.DRBD_ARGV): parts.sample("drbd", case)}


def md(name, number, level, members, **more):
    """An md array."""
    settings = {
        "size": "1953260544",
        "md__level": level,
        "md__chunk_size": "524288" if level != "raid1" else "0",
        "md__degraded": "0",
        "md__consistency_policy": "bitmap" if level != "raid0" else "none",
        "md__sync_action": "idle",
        "md__mismatch_cnt": "0",
        "md__last_sync_action": "check",
        "md__raid_disks": str(len(members)),
        "queue__read_ahead_kb": "1024",
        "queue__physical_block_size": "4096",
        "queue__discard_max_bytes": "0",
        **{f"md__dev-{member}__offset": "262144" for member in members},
    }
    if level in ("raid5", "raid6"):
        settings["md__stripe_cache_size"] = "1024"
    return stacked(name, number, members, **settings | more)


def system_mirror(name, number, members, slots, **more):
    """The mirror in which a NAS keeps its system: a slot for each bay that there could be, many of them empty."""
    states = {f"md__dev-{member}__state": "in_sync" for member in members}
    empty = {"md__raid_disks": str(slots), "md__degraded": str(slots - len(members))}
    return md(name, number, "raid1", members, **{"size": "4980352"} | states | empty | more)


def guest(*images, name="kvm"):
    """A running guest of QEMU with these (path, cache)."""
    told = {"pid": 4711, "name": name, "cwd": "/", "paths": [], "settings": [], "here": True}
    return told | {"images": [{"path": path, "cache": cache} for path, cache in images]}


NOW = 1_795_132_800
"""20 November 2026, 00:00 UTC: when a server with looks is looked at."""
SERIAL = "S63UNE0R500001"


def looks(*counts, kind="disks", key):
    """Files of a server that keeps looks: (hours ago, what was counted of one drive or filesystem)."""
    lines = [
        json.dumps(
            {
                "schema": "fsadvisor/look/1",
                "when": dt.datetime.fromtimestamp(NOW - 3600 * hours, dt.UTC).isoformat(),
                kind: {key: counted},
            }
        )
        for hours, counted in counts
    ]
    return {"/var/lib/fsadvisor/looks.jsonl": "\n".join(lines), "/proc/stat": f"cpu 1 2 3 4\nbtime {NOW - 864_000}\n"}


MYSQL = {"mysqld --version": "mysqld  Ver 8.0.36 for Linux on x86_64 (MySQL Community Server - GPL)\n"}


def volume(name, number, below, called, **more):
    """A device-mapper volume of LVM."""
    quiet = {"size": "838860800", "queue__physical_block_size": "4096", "queue__discard_max_bytes": "0"}
    return stacked(name, number, below, **quiet | {"dm__name": called, "dm__uuid": f"LVM-EXAMPLE{called}"} | more)


def lvs(*rows):
    """What LVM says of its volumes; of each what differs from an active linear one."""
    names = volume_tools.LVS_COLUMNS
    usual = dict.fromkeys(names, "") | {"vg_name": "vg0", "lv_active": "active", "segtype": "linear"}
    return {" ".join(volume_tools.LVS_ARGV): json.dumps({"report": [{"lv": [usual | row for row in rows]}]})}


def thin_pool(disk, called, *, data, metadata):
    """A pool on a disk and a volume from it, filled to so many percent: layers and what LVM and device mapper say."""
    pv, _ = disk.partition(2)
    whole = {"lv_name": "pool", "lv_dm_path": "/dev/mapper/vg0-pool", "segtype": "thin-pool", "lv_attr": "twi-aotz--"}
    thin = {"lv_name": called, "lv_dm_path": f"/dev/mapper/vg0-{called}", "segtype": "thin", "lv_attr": "Vwi-aotz--"}
    table = f"vg0-pool-tpool: 0 838860800 thin-pool 253:8 253:9 512 0\nvg0-{called}: 0 838860800 thin 253:1 1\n"
    filled = {"data_percent": data}
    rows = whole | filled | {"metadata_percent": metadata}, thin | filled | {"pool_lv": "pool"}
    return {
        "layers": [
            volume("dm-1", "253:1", [pv], "vg0-pool-tpool"),
            volume("dm-2", "253:2", ["dm-1"], f"vg0-{called}"),
        ],
        "commands": lvs(*rows) | {"dmsetup table": table},
    }


def multipath(paths, usable, *, name="dm-0", number="253:0", called="mpatha", queueing=None):
    """A multipath device over drives, the first `usable` of which work, and the commands that tell."""
    of = "".join(f" {one.number} {'A' if at < usable else 'F'} {int(at >= usable)}" for at, one in enumerate(paths))
    layer = stacked(
        name,
        number,
        [one.name for one in paths],
        dm__name=called,
        dm__uuid="mpath-35000c500a0000001",
        queue__physical_block_size="4096",
        queue__discard_max_bytes="0",
        queue__read_ahead_kb="128",
    )
    features = "1 queue_if_no_path" if queueing else "0"
    listed = " ".join(f"{one.number} 1 1" for one in paths)
    size = len(paths)
    for at, one in enumerate(paths):
        one.made[0][f"/sys/block/{one.name}/device/state"] = "running" if at < usable else "offline"
    return layer, {
        " ".join(dmsetup.MULTIPATHD_ARGV): f"{called}|{queueing}\n",
        "dmsetup table": f"{called}: 0 15628053168 multipath {features} 0 1 1 service-time 0 {size} 2 {listed}\n",
        " ".join(dmsetup.DMSETUP_STATUS_ARGV): f"{called}: 0 15628053168 multipath 2 0 0 0 1 1 A 0 {size} 0{of}\n",
    }


def postgresql(place, settings=""):
    """Files of a cluster."""
    return {f"{place}/PG_VERSION": "16\n", f"{place}/postgresql.conf": settings}


def probed(made, place, p99_us, middle_us=800.0):
    """The machine on which `fsadvisor probe commit-fdatasync` was run a day ago."""
    figure = {"median": middle_us, "low": middle_us * 0.97, "high": middle_us * 1.03, "windows": 9}
    result = {
        "schema": "fsadvisor/probe/1",
        "job": "commit-fdatasync",
        "mount": place,
        "target": f"{place}/probe",
        "when": "2026-11-21T12:00:00+00:00",
        "engine": "fio 3.33",
        "figure": figure,
        "believable": True,
        "percentiles_us": {"p50": middle_us, "p99": p99_us},
        "depends": conditions_of(survey(made, {}), place),
    }
    made.files[PROBES] = json.dumps(result)
    return made


ISCSI = "platform/host2/session1/target2:0:0/2:0:0:0"
NFSD = "21 1 0:55 / /proc/fs/nfsd rw,relatime shared:9 - nfsd nfsd rw"


def nfs_server(place, how="sync"):
    """Files of a server that exports a place; say `exporting=True` to the server."""
    return {"/proc/fs/nfsd/threads": "8\n", "/var/lib/nfs/etab": f"{place}\t192.0.2.0/24(rw,{how},wdelay,sec=sys,rw)\n"}


def loop(name, number, file):
    """A loop device over a file."""
    return stacked(name, number, [], size="131072", ro="1", loop__backing_file=file, loop__dio="0")
