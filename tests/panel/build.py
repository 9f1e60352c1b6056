"""Servers from a few words: drives, what is mounted, which programs run; all else is as a healthy server has it."""

import datetime as dt
import json

from fsadvisor.machine.kept_files import PROBES
from fsadvisor.readers import (
    arcconf,
    dmsetup,
    megacli,
    multipathd,
    mvcli,
    nvme_amzn_stats,
    smartctl,
    ssacli,
    storcli,
    zfs_tools,
)
from fsadvisor.readers import drbd as drbd_reader
from fsadvisor.readers import lvs as lvs_reader
from fsadvisor.survey import behind_controllers
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


def nvme(at=0, model=CONSUMER, size=2000398934016, *, vwc=7, cache="write back", log=(), flush_ms=None, **more):
    """An NVMe drive; `flush_ms` is the average of ten million flushes since boot."""
    name = f"nvme{at}n1"
    if flush_ms is not None:
        more["stat"] = parts.stat(10_000_000, int(flush_ms * 10_000))
    said = {key: more.pop(key) for key in ("capacitors", "firmware", "unfinished") if key in more}
    made = parts.nvme(name, model, size, f"259:{16 * at}", cache=cache, at=f"0000:4{at}:00.0", **more)
    return Drive(
        name, made, parts.nvme_answers(f"/dev/{name}", model, size, vwc=vwc, log=log, **said), size, f"259:{16 * at}"
    )


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


def sas(at=0, model="ST8000NM0075", size=8001563222016, *, spins=7200, **report):
    """A SAS drive behind a host bus adapter."""
    drive = sata(at, model, size, spins=spins, device__vendor="SEAGATE ")
    where = f"pci0000:00/0000:00:03.0/host0/port-0:{at}/end_device-0:{at}/target0:0:{at}/0:0:{at}:0"
    drive.made = (drive.made[0], {f"/sys/block/{drive.name}": f"../devices/{where}/block/{drive.name}"})
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
    drive.commands[" ".join(nvme_amzn_stats.argv(f"/dev/{drive.name}"))] = (
        f"EBS Volume Performance Exceeded (us):\n  IOPS: {volume}\n  Throughput: 0\n\n"
        f"EC2 Instance EBS Performance Exceeded (us):\n  IOPS: 0\n  Throughput: {instance}\n\n"
    )
    return drive


AZURE = {
    "/sys/class/dmi/id/sys_vendor": "Microsoft Corporation",
    "/sys/class/dmi/id/chassis_asset_tag": "7783-7084-3265-9085-8269-3286-77",
}


def azure(at=0, controller="f8b3781a-1e82-4818-a1c3-63d806ec15bb", lun=0, size=64 * GIB):
    """A SCSI disk of Azure; lun 1 of the first controller is the temporary one."""
    drive = sata(at, "Virtual Disk", size, device__vendor="Msft    ")
    where = f"LNXSYSTM:00/LNXSYBUS:00/ACPI0004:00/VMBUS:00/{controller}/host0/target0:0:0/0:0:0:{lun}"
    drive.made = (drive.made[0], {f"/sys/block/{drive.name}": f"../devices/{where}/block/{drive.name}"})
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


def _drive(slot, state):
    group = 0 if state in ("Onln", "Rbld") else "-"
    about = {"Intf": "SAS", "Med": "HDD", "Model": "ST8000NM0075"}
    return {"EID:Slt": f"252:{slot}", "DID": slot, "State": state, "DG": group} | about


def megaraid(at=0, model="MR9361-8i", vendor="AVAGO   ", tool="storcli64", *, volume="Optl", cache="RWBD",
             battery="Optimal", drives=("Onln",) * 4, disk_cache="Disabled", media_errors=None, predicted=(),
             patrol_read=None, foreign=()):  # fmt: skip
    """A MegaRAID volume as one disk, with what its tool says of it; `media_errors` go by slot."""
    drive = sata(at, model, 8 * 10**12, device__vendor=vendor)
    name = drive.name
    drive.made = (
        drive.made[0],
        {f"/sys/block/{name}": f"../devices/pci0000:00/0000:00:03.0/host0/target0:2:0/0:2:0:0/block/{name}"},
    )
    report = {"Basics": {"Controller": 0, "Model": model}, "Status": {"Controller Status": "Optimal", "BBU Status": 0},
              "HwCfg": {"BBU": "Present"},
              "VD LIST": [{"DG/VD": "0/0", "TYPE": "RAID5", "State": volume, "Cache": cache}],
              "PD LIST": [_drive(it, state) for it, state in enumerate(drives)],
              "Cachevault_Info": [{"Model": "CVPM05", "State": battery}]}  # fmt: skip
    volumes = {
        "/c0/v0": [{"DG/VD": "0/0", "TYPE": "RAID5", "State": volume, "Cache": cache}],
        "VD0 Properties": {"OS Drive Name": f"/dev/{name}", "Disk Cache Policy": disk_cache},
    }
    status = {"Controller": 0, "Status": "Success"}
    report["PD LIST"] += [_drive(slot, "UGood") | {"DG": "F"} for slot in foreign]
    more = {}
    if media_errors is not None:
        more[storcli.DRIVES] = {}
        for at, state in enumerate(drives):
            key = f"Drive /c0/e252/s{at}"
            counts = {
                "Media Error Count": media_errors.get(at, 0),
                "Predictive Failure Count": int(at in predicted),
                "S.M.A.R.T alert flagged by drive": "Yes" if at in predicted else "No",
            }
            more[storcli.DRIVES] |= {
                key: [_drive(at, state)],
                f"{key} - Detailed Information": {f"{key} State": counts},
            }
    if patrol_read:
        more[storcli.PATROL_READ] = {"Controller Properties": [{"Ctrl_Prop": "PR Mode", "Value": patrol_read}]}
    drive.commands = {
        " ".join(storcli.argv(tool, question)): json.dumps(
            {"Controllers": [{"Command Status": status, "Response Data": said}]}
        )
        for question, said in more.items()
    }
    drive.commands |= {
        " ".join(storcli.argv(tool)): json.dumps(
            {"Controllers": [{"Command Status": status, "Response Data": report}]}
        ),
        " ".join(storcli.argv(tool, storcli.VOLUMES)): json.dumps(
            {"Controllers": [{"Command Status": status, "Response Data": volumes}]}
        ),
    }
    return drive


def behind(kinds, attributes=(), at=0, path="/dev/bus/0", model="ST8000NM0055", rpm=7200):
    """What smartctl says of the drives behind a controller; only number `at` has these attributes."""
    devices = [{"name": path, "info_name": f"{path} [{kind}]", "type": kind, "protocol": "ATA"} for kind in kinds]
    told = {" ".join(behind_controllers.SCAN): json.dumps({"smartctl": {"exit_status": 0}, "devices": devices})}
    for number, kind in enumerate(kinds):
        own = parts.sata_answers(path, model, 8 * 10**12, spins=rpm, attributes=attributes if number == at else ())
        told |= {" ".join(smartctl.argv(path, kind)): words for words in own.values()}
    return told


def drbd(below, case):
    """A DRBD device over a partition, and what drbdsetup says by the reader's sample."""
    quiet = {"size": "838860800", "queue__physical_block_size": "4096", "queue__discard_max_bytes": "0"}
    return stacked("drbd0", "147:0", [below], **quiet), {" ".join(drbd_reader.ARGV): parts.sample("drbd", case)}


def boss(listing):
    """The mirror of a Dell BOSS card, with what mvcli says of it."""
    card = sata(0, "DELLBOSS VD", 480 * 10**9)
    card.commands = {" ".join(mvcli.ARGV): listing}
    return card


def old_megaraid(state="Optimal", drives=("Online, Spun Up",) * 3, *, cache="WriteBack", battery="Optimal", errors=()):
    """A MegaRAID volume on a server that has MegaCLI and no storcli; `errors` are (media errors, predicted) by slot."""
    drive = megaraid()
    counts = dict(errors)
    members = "".join(
        f"Enclosure Device ID: 32\nSlot Number: {at}\nMedia Error Count: {counts.get(at, (0, 0))[0]}\n"
        f"Predictive Failure Count: {counts.get(at, (0, 0))[1]}\nFirmware state: {it}\nForeign State: None\n"
        for at, it in enumerate(drives)
    )
    drive.commands = {
        " ".join(megacli.argv("megacli")): f"Virtual Drive: 0 (Target Id: 0)\nState : {state}\n"
        f"Current Cache Policy: {cache}, ReadAhead, Direct, No Write Cache if Bad BBU\n"
        f"Disk Cache Policy : Disabled\n{members}",
        " ".join(megacli.argv_battery("megacli")): f"Battery State: {battery}\n",
    }
    return drive


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


SCRUBBED = "scrub repaired 0B in 02:13:45 with 0 errors on Sun Nov  8 02:37:46 2026"


def zpool(*pools, datasets=(), status=None, autotrim="off"):
    """What zpool and zfs say: pools are (name, ashift, health, capacity, fragmentation), datasets (name, {…})."""
    usual = {"sync": "standard", "atime": "on", "relatime": "on", "recordsize": "131072", "logbias": "latency",
             "compression": "lz4", "primarycache": "all", "quota": "0", "refquota": "0"}  # fmt: skip
    lines = [f"{name}\t{key}\t{value}\n" for name, own in datasets for key, value in (usual | own).items()]
    return {
        " ".join(zfs_tools.ZPOOL_LIST_ARGV): "".join("\t".join(map(str, (*pool, autotrim))) + "\n" for pool in pools),
        " ".join(zfs_tools.ZFS_GET_ARGV): "".join(lines),
    } | ({" ".join(zfs_tools.ZPOOL_STATUS_ARGV): status} if status else {})


def zpool_status(name, *vdevs, state="ONLINE", scan=SCRUBBED, errors="No known data errors"):
    """`zpool status` of a pool: vdevs are 'mirror' or 'logs' alone, or (device, READ, WRITE, CKSUM, note)."""
    rows, indent = [f"\t{name}  {state}  0 0 0\n"], "  "
    for vdev in vdevs:
        if isinstance(vdev, tuple):
            device, *more = vdev
            counts = [*more, 0, 0, 0][:3]
            note = f"  {more[3]}" if len(more) > 3 else ""
            rows.append(f"\t{indent}{device}  ONLINE  {' '.join(map(str, counts))}{note}\n")
        elif vdev in ("logs", "special", "cache", "spares"):
            rows.append(f"\t{vdev}\t\n")
            indent = "  "
        else:
            rows.append(f"\t  {vdev}-0  ONLINE  0 0 0\n")
            indent = "    "
    return (
        f"  pool: {name}\n state: {state}\n  scan: {scan}\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM\n"
        + "".join(rows)
        + f"\nerrors: {errors}\n"
    )


def on_zfs(dataset=(), *, disks=None, vdevs=("mirror", ("/dev/sdb1",), ("/dev/sdc1",)), files=(), capacity=60, more=(),
           listed=("tank", 12, "ONLINE"), autotrim="off", place="/tank", **rest):  # fmt: skip
    """A server with a pool at /tank, of two hard disks in a mirror unless said otherwise, and a boot SSD; atime is off.

    `dataset` are properties of it, `more` other mounts.
    """
    disks = [hdd(at, queue__scheduler="[none] mq-deadline") for at in (1, 2)] if disks is None else disks
    boot = sata(0, attributes=PROTECTED)
    for disk in disks:
        disk.partition(1)
    told = zpool((*listed, capacity, 20), datasets=[("tank", {"atime": "off"} | dict(dataset))],
                 status=zpool_status("tank", *vdevs), autotrim=autotrim)  # fmt: skip
    mount = Mount(place, "tank", "0:50", "zfs", inside="rw,xattr,noacl", options="rw,noatime", used=capacity)
    return server(boot, *disks, mounts=[root(boot), mount, *more], commands=told | rest.pop("commands", {}),
                  files=ZFS_FILES | dict(files), **rest)  # fmt: skip


def arc(gib):
    """ARC's statistics with its limit."""
    return {
        "/proc/spl/kstat/zfs/arcstats": f"9 1 0x01 147 39984 1 2\nname type data\nc_max  4  {gib * GIB}\nsize 4 {GIB}\n"
    }


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

ZFS_FILES = {"/sys/module/zfs/parameters/zfs_nocacheflush": "0", "/sys/module/zfs/parameters/zil_nocacheflush": "0"}

BTRFS_UUID = "eeeeeeee-0000-4000-8000-000000000007"


def btrfs(place, drives, profile="raid1", *, errors=0, data=10**12, data_used=4 * 10**11, metadata=2 * 10**10,
          metadata_used=4 * 10**9, unallocated=10**12, missing=0, metadata_profile=None, **more):  # fmt: skip
    """A Btrfs over whole drives; sizes in bytes."""
    folder = f"/sys/fs/btrfs/{BTRFS_UUID}"
    files = {f"{folder}/label": "pool", f"{folder}/commit_stats": ""}
    size, copies = data + metadata + unallocated, (metadata_profile or profile).upper()
    for at, drive in enumerate(drives, 1):
        files |= {
            f"{folder}/devices/{drive.name}": "",
            f"{folder}/devinfo/{at}/writeable": "1",
            f"{folder}/devinfo/{at}/error_stats": (
                f"write_errs 0\nread_errs {errors}\nflush_errs 0\ncorruption_errs {errors}\ngeneration_errs 0\n"
            ),
        }
    for feature in ("extended_iref", "free_space_tree", "no_holes", "skinny_metadata"):
        files[f"{folder}/features/{feature}"] = "1"
    files["/sys/fs/btrfs/features/free_space_tree"] = "0"
    device = f"/dev/{drives[0].name}"
    usage = f"""Overall:
    Device size:\t\t{size}
    Device allocated:\t\t{data + metadata}
    Device unallocated:\t\t{unallocated}
    Device missing:\t\t{missing}
    Device slack:\t\t0
    Used:\t\t\t{data_used + metadata_used}
    Free (estimated):\t\t{unallocated + data - data_used}\t(min: {unallocated + data - data_used})
    Free (statfs, df):\t\t{unallocated + data - data_used}
    Data ratio:\t\t\t1.00
    Metadata ratio:\t\t1.00
    Global reserve:\t\t5767168\t(used: 0)
    Multiple profiles:\t\tno

Data,{profile.upper()}: Size:{data}, Used:{data_used} ({100 * data_used / data:.2f}%)
   {device}\t{data}

Metadata,{copies}: Size:{metadata}, Used:{metadata_used} ({100 * metadata_used / metadata:.2f}%)
   {device}\t{metadata}

System,{copies}: Size:33554432, Used:16384 (0.05%)
   {device}\t33554432

Unallocated:
   {device}\t{unallocated}
"""
    commands = {f"btrfs filesystem usage -b {place}": usage, f"btrfs subvolume list -s {place}": ""}
    return Mount(place, drives[0].name, "0:41", "btrfs", inside="rw,ssd,space_cache=v2,subvolid=5,subvol=/",
                 size=size, files=files, commands=commands, **more)  # fmt: skip


def volume(name, number, below, called, **more):
    """A device-mapper volume of LVM."""
    quiet = {"size": "838860800", "queue__physical_block_size": "4096", "queue__discard_max_bytes": "0"}
    return stacked(name, number, below, **quiet | {"dm__name": called, "dm__uuid": f"LVM-EXAMPLE{called}"} | more)


def lvs(*rows):
    """What LVM says of its volumes; of each what differs from an active linear one."""
    names = lvs_reader.COLUMNS
    usual = dict.fromkeys(names, "") | {"vg_name": "vg0", "lv_active": "active", "segtype": "linear"}
    return {" ".join(lvs_reader.ARGV): json.dumps({"report": [{"lv": [usual | row for row in rows]}]})}


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
        " ".join(multipathd.ARGV): f"{called}|{queueing}\n",
        "dmsetup table": f"{called}: 0 15628053168 multipath {features} 0 1 1 service-time 0 {size} 2 {listed}\n",
        " ".join(dmsetup.DMSETUP_STATUS_ARGV): f"{called}: 0 15628053168 multipath 2 0 0 0 1 1 A 0 {size} 0{of}\n",
    }


def smart_array(*, volume="OK", drives=("OK",) * 4, battery="OK", cache="OK", drive_cache="Disabled"):
    """An HPE Smart Array volume as sda, with what ssacli says of it."""
    drive = sata(0, "LOGICAL VOLUME", 4 * 10**12, device__vendor="HPE     ")
    drive.made = (
        drive.made[0],
        {"/sys/block/sda": "../devices/pci0000:00/0000:00:03.0/host0/target0:1:0/0:1:0:0/block/sda"},
    )
    members = "".join(
        f"      physicaldrive 1I:1:{at}\n         Status: {state}\n         Drive Type: Data Drive\n"
        "         Interface Type: Solid State SATA\n         Model: ATA     EXAMPLE DC480\n\n"
        for at, state in enumerate(drives, 1)
    )
    drive.commands = {
        " ".join(ssacli.CONFIG_ARGV): f"""
Smart Array P408i-a in Slot 0 (Embedded)
   Controller Status: OK
   Cache Board Present: True
   Cache Status: {cache}
   Drive Write Cache: {drive_cache}
   No-Battery Write Cache: Disabled
   Cache Backup Power Source: Batteries
   Battery/Capacitor Count: 1
   Battery/Capacitor Status: {battery}

   Array: A
      Interface Type: Solid State SATA
      Status: OK

      Logical Drive: 1
         Fault Tolerance: 5
         Status: {volume}
         Caching:  Enabled
         Disk Name: /dev/sda
         LD Acceleration Method: Controller Cache

{members}"""
    }
    return drive


def adaptec(volume="Optimal", drives=("Online",) * 4, *, setting="On when protected by battery/ZMM", status="On",
            backup="Ready", supercap="Ready", smart=("No",) * 4, drive_cache="Disabled (write-through)"):  # fmt: skip
    """An Adaptec volume as sda, with what arcconf says of it."""
    drive = sata(0, "DATA", 4 * 10**12, device__vendor="ASR8805 ")
    drive.made = (
        drive.made[0],
        {"/sys/block/sda": "../devices/pci0000:00/0000:00:03.0/host0/target0:0:0/0:0:0:0/block/sda"},
    )
    members = "".join(
        f"      Device #{at}\n         Device is a Hard drive\n         State : {state}\n"
        f"         Write Cache : {drive_cache}\n         S.M.A.R.T. : {smart[at]}\n"
        f"         Reported Channel,Device(T:L) : 0,{at}({at}:0)\n"
        for at, state in enumerate(drives)
    )
    drive.commands = {
        " ".join(arcconf.ARGV): f"""Controllers found: 1
    Overall Backup Unit Status              : {backup}
         Supercap Status                    : {supercap}
Logical Device number 0
   Disk Name                                : /dev/sda
   Status of Logical Device                 : {volume}
   Write-cache setting                      : {setting}
   Write-cache status                       : {status}
{members}"""
    }
    return drive


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
