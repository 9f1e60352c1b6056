"""What drives, filesystems and hosts of composed machines answer, from field values.

The layouts are those of the readers' samples; the values are the machine's own. Serials are made up, models are names
that are sold.
"""

import json

from fsadvisor.readers import (
    block_files,
    ext4_reports,
    nvme_identify,
    nvme_logs,
    nvme_output,
    smartctl,
    xfs_reports,
)
from fsadvisor.survey import configured, host, tenants
from tests import told
from tests.paths import FIXTURES
from tests.told import disk

GIB = 1 << 30
OUTPUTS = FIXTURES / "outputs"


def sample(reader, case):
    """The text of a reader's sample."""
    return (OUTPUTS / reader / f"{case}.out").read_text()


def edited(reader, case, **values):
    """A sample in JSON with other values at its top."""
    return json.dumps(json.loads(sample(reader, case)) | values, indent=2) + "\n"


def nvme(name, model, size_bytes, number, *, cache="write back", at="0000:41:00.0", link="16.0 GT/s PCIe", **files):
    """(files, links) of an NVMe namespace; its queue as the driver sets it, its link in a slot of 16 GT/s."""
    sectors = size_bytes // 512
    controller = name.rpartition("n")[0]
    port = f"pci0000:40/0000:40:{at[5:7]}.1"
    found, links = disk(
        name,
        where=f"{port}/{at}/nvme/{controller}",
        number=number,
        cache=cache,
        **{
            "size": str(sectors),
            "queue__fua": "1" if cache == "write back" else "0",
            "queue__scheduler": "[none] mq-deadline kyber bfq",
            "queue__nr_requests": "1023",
            "queue__read_ahead_kb": "128",
            "queue__logical_block_size": "512",
            "queue__minimum_io_size": "4096",
            "queue__optimal_io_size": "0",
            "queue__zoned": "none",
            "queue__discard_max_bytes": "2199023255040",
            "device__model": f"{model:<40}",
            "queue__wbt_lat_usec": "2000",
            "device__firmware_rev": "GDC5902Q",
            "device__state": "live",
            "stat": stat(0, 0),
            **files,
        },
    )
    for function, which, speed in (
        (f"{port}/{at}", "current", link),
        (f"{port}/{at}", "max", FAST),
        (port, "max", FAST),
    ):
        found |= {
            f"/sys/devices/{function}/{which}_link_speed": speed,
            f"/sys/devices/{function}/{which}_link_width": "4",
        }
    return found, links


def sata(name, model, size_bytes, number, *, port=1, spins=False, **files):
    """(files, links) of a SATA drive."""
    found, links = disk(
        name,
        where=f"pci0000:00/0000:00:17.0/ata{port}/host{port - 1}/target{port - 1}:0:0/{port - 1}:0:0:0",
        number=number,
        **{
            "size": str(size_bytes // 512),
            "queue__rotational": str(int(spins)),
            "queue__scheduler": "none [mq-deadline] kyber bfq",
            "queue__nr_requests": "64",
            "queue__read_ahead_kb": "128",
            "queue__logical_block_size": "512",
            "queue__minimum_io_size": "4096",
            "queue__optimal_io_size": "0",
            "queue__zoned": "none",
            "queue__discard_max_bytes": "0" if spins else "2147450880",
            "queue__wbt_lat_usec": "75000" if spins else "2000",
            "device__model": f"{model:<16}",
            "device__vendor": "ATA     ",
            "device__rev": "0104",
            "device__state": "running",
            f"device__scsi_disk__{port - 1}:0:0:0__cache_type": "write back",
            "stat": stat(0, 0),
            **files,
        },
    )
    return found | {f"/sys/class/ata_device/dev{port}.0/trim": "unsupported" if spins else "queued"}, links


def partition(parent, name, number, size_bytes, start=2048):
    """Files of a partition."""
    return told.partition(parent, name, number, start) | {f"/sys/block/{parent}/{name}/size": str(size_bytes // 512)}


FAST = "16.0 GT/s PCIe"


def udev(name, model):
    """What udev knows of a disk, as `udevadm info --export-db` prints it."""
    lines = (
        f"P: /devices/{name}",
        f"N: {name}",
        "E: SUBSYSTEM=block",
        "E: DEVTYPE=disk",
        # ata_id and scsi_id put underscores; of NVMe drives udev takes the model as it is.
        f"E: ID_MODEL={model if name.startswith('nvme') else '_'.join(model.split())}",
    )
    return "\n".join([*lines, "E: ID_SERIAL_SHORT=S63UNE0R500001", "", ""])


def stat(flushes, seconds):
    """/sys/block/D/stat: reads, writes, discards, flushes and the milliseconds that they took."""
    fields = (900000, 1200, 88000000, 410000, 54000000, 90000, 1728000000, 21600000, 0, 9000000, 22010000)
    return " ".join(str(it) for it in (*fields, 1000, 0, 4000000, 900, flushes, seconds * 1000))


def nvme_answers(device, model, size_bytes, *, vwc, capacitors=None, firmware="GDC5902Q", log=(), unfinished=0):
    """What nvme-cli and smartctl say; feature 6 does not exist where there is no volatile cache (vwc bit 0)."""
    feature = sample("nvme_get_feature", "json-2.8" if vwc & 1 else "invalid-field-3.0")
    nvm = {"sn": "S000EXAMPLE00001    ", "mn": f"{model:<40}", "fr": f"{firmware:<8}"}
    log = {"percent_used": 4, "data_units_written": 61035156, "power_on_hours": 9100, "unsafe_shutdowns": 3} | dict(log)
    answers = {
        nvme_identify.id_ctrl_argv(device): edited(
            "nvme_id_ctrl", "json-2.16", vid=0x144D, ssvid=0x144D, tnvmcap=size_bytes, vwc=vwc, **nvm
        ),
        nvme_identify.id_ns_argv(device): edited(
            "nvme_id_ns", "json-2.16", nsze=size_bytes // 512, ncap=size_bytes // 512, nvmcap=size_bytes
        ),
        nvme_logs.smart_log_argv(device): edited("nvme_smart_log", "json-2.16", **log),
        nvme_output.get_feature_argv(device): feature,
        nvme_logs.ocp_smart_log_argv(device): "Unknown GUID in C0 Log Page data\n"
        if capacitors is None
        else edited(
            "nvme_ocp_smart_log",
            "json-v1-2.16",
            **{"Capacitor health": capacitors, "Incomplete shutdowns": unfinished, "PLP start count": 3},
        ),
        smartctl.argv(device): json.dumps(_smart(device, model, size_bytes, "nvme", nvme_log=log)),
    }
    return {" ".join(argv): text for argv, text in answers.items()}


HEALTHY = (
    (5, "Reallocated_Sector_Ct", 100, 10, 0),
    (187, "Reported_Uncorrect", 100, 0, 0),
    (197, "Current_Pending_Sector", 100, 0, 0),
    (198, "Offline_Uncorrectable", 100, 0, 0),
)


def sata_answers(device, model, size_bytes, *, attributes=(), spins=0, cache=True, passed=True):
    """What smartctl says of a SATA drive; attributes are (id, name, value, threshold, raw)."""
    table = {one[1]: one for one in (*HEALTHY, *attributes)}
    report = _smart(device, model, size_bytes, "sat") | {
        "rotation_rate": spins,
        "write_cache": {"enabled": cache},
        "smart_status": {"passed": passed},
        "ata_smart_attributes": {"revision": 1, "table": [_attribute(*one) for one in table.values()]},
    }
    return {" ".join(smartctl.argv(device)): json.dumps(report)}


def _smart(device, model, size_bytes, kind, nvme_log=None):
    report = {
        "json_format_version": [1, 0],
        "smartctl": {"version": [7, 4], "exit_status": 0},
        "device": {"name": device, "type": kind, "protocol": "NVMe" if kind == "nvme" else "ATA"},
        "model_name": model,
        "firmware_version": "GDC5902Q" if kind == "nvme" else "0104",
        "user_capacity": {"blocks": size_bytes // 512, "bytes": size_bytes},
        "logical_block_size": 512,
        "physical_block_size": 4096,
        "smart_support": {"available": True, "enabled": True},
        "smart_status": {"passed": True},
    }
    if nvme_log:
        log = {"critical_warning": 0, "available_spare": 100, "available_spare_threshold": 10, "media_errors": 0}
        log |= {key: nvme_log[key] for key in log if key in nvme_log}
        log |= {"available_spare": nvme_log.get("avail_spare", 100), "percentage_used": nvme_log["percent_used"]}
        report["nvme_smart_health_information_log"] = log
    return report


def _attribute(number, name, value, threshold, raw):
    flags = {"value": 51, "string": "PO--CK "}
    words = {"value": value, "worst": value, "thresh": threshold, "when_failed": "", "flags": flags}
    return {"id": number, "name": name, **words, "raw": {"value": raw, "string": str(raw)}}


HOST_FILES = {
    "/proc/cmdline": "BOOT_IMAGE=/vmlinuz root=/dev/disk/by-label/root ro",
    "/proc/pressure/io": "some avg10=0.40 avg60=1.10 avg300=0.80 total=81234567\n"
    "full avg10=0.20 avg60=0.90 avg300=0.70 total=70123456\n",
    "/proc/sys/vm/dirty_background_bytes": "0",
    "/proc/sys/vm/dirty_background_ratio": "10",
    "/proc/sys/vm/dirty_bytes": "0",
    "/proc/sys/vm/dirty_expire_centisecs": "3000",
    "/proc/sys/vm/dirty_ratio": "20",
    "/proc/sys/vm/dirty_writeback_centisecs": "500",
    "/proc/uptime": "864000.00 6912000.00",
    "/sys/class/dmi/id/sys_vendor": "Example",
    "/sys/class/dmi/id/product_name": "Example Server",
    "/sys/class/dmi/id/chassis_asset_tag": "",
    "/sys/fs/cgroup/cgroup.controllers": "cpu io memory",
    "/etc/cron.weekly/man-db": "",
    "/etc/systemd/system/multi-user.target.wants/ssh.service": "",
}

STALLED = {
    "/proc/pressure/io": "some avg10=42.40 avg60=34.10 avg300=9.80 total=812345678\n"
    "full avg10=41.00 avg60=32.30 avg300=8.10 total=701234567\n",
}
"""Files of a host on which all tasks wait for I/O a third of the time."""

HOST_ANSWERS = {
    "dmesg": "[    0.000000] Linux version\n",
    " ".join(block_files.LSBLK_LABELS_ARGV): '{"blockdevices": []}\n',
    " ".join(host.DEFRAGMENTING): "",
    " ".join(configured.MOUNT_UNITS): "Where=/\nWhat=/dev/root\nOptions=rw\nType=ext4\nId=-.mount\n"
    "FragmentPath=/run/systemd/generator/-.mount\nSourcePath=/etc/fstab\n",
}


def meminfo(total_gib, dirty_mib=300):
    """/proc/meminfo with half of the memory free for writing into."""
    kib = total_gib << 20
    rows = {"MemTotal": kib, "MemFree": kib // 4, "MemAvailable": kib // 2, "Dirty": dirty_mib << 10, "Writeback": 4096}
    return "".join(f"{name + ':':<16}{value:>10} kB\n" for name, value in rows.items())


def host_answers(*, fstrim_timer):
    """{command: output} of what is asked once, and whether fstrim.timer runs."""
    state, file = ("active", "enabled") if fstrim_timer else ("inactive", "disabled")
    command = "systemctl show fstrim.timer --property=Id,LoadState,ActiveState,UnitFileState"
    return HOST_ANSWERS | {command: f"Id=fstrim.timer\nLoadState=loaded\nActiveState={state}\nUnitFileState={file}\n"}


def mounted(at, number, place, options, fs_type, device, superblock):
    """A line of /proc/self/mountinfo; `at` is the mount's id, 29 the root's."""
    above = 1 if place == "/" else 29
    return f"{at} {above} {number} / {place} {options} shared:{at} - {fs_type} {device} {superblock}"


XFS_OPTIONS = "rw,attr2,inode64,logbufs=8,logbsize=32k,noquota"


EXT4_OPTIONS = "rw bsddf delalloc barrier auto_da_alloc user_xattr acl noquota errors=remount-ro commit=5 data=ordered"


def ext4_files(name, options=EXT4_OPTIONS, commits=0, commit_us=0):
    """Files of a mounted ext4: all options in force, remembered errors, the journal's statistics."""
    journal = sample("jbd2_info", "fsyncs").replace("40 transactions (40", f"{commits} transactions ({commits}")
    return {
        f"/proc/fs/ext4/{name}/options": "".join(f"{option}\n" for option in options.split()),
        f"/sys/fs/ext4/{name}/errors_count": "0",
        f"/proc/fs/jbd2/{name}-8/info": journal.replace("18us average", f"{commit_us}us average"),
    }


def ext4_answers(device, *, size_bytes, journal="1024M", errors=0, **changed):
    """What dumpe2fs says of an ext4 with blocks of 4 KiB; keywords are its lines, '_' for ' '."""
    lines = {
        "Filesystem volume name": "data",
        "Default mount options": "user_xattr acl",
        "Block count": str(size_bytes // 4096),
        "Block size": "4096",
        "First block": "0",
        "Total journal size": journal,
        "RAID stride": None,
        "RAID stripe width": None,
    } | {key.replace("_", " "): value for key, value in changed.items()}
    said = []
    for line in sample("dumpe2fs", "ext4_fresh").splitlines():
        key, colon, _ = line.partition(":")
        if key not in lines:
            said.append(line)
        elif lines[key] is not None:
            said.append(f"{key}{colon:<{25 - len(key)}} {lines[key]}")
    if errors:
        said.append(f"FS Error count:           {errors}")
    return {" ".join(ext4_reports.dumpe2fs_argv(device)): "\n".join(said) + "\n"}


def xfs_answers(place, device, case="default", **replaced):
    """What xfs_info says of a mounted XFS, with pieces replaced; a keyword's '__' stands for '=', as in bigtime__1."""
    text = sample("xfs_info", case).replace("/dev/loop0", device)
    for old, new in replaced.items():
        text = text.replace(old.replace("__", "="), new)
    return {" ".join(xfs_reports.xfs_info_argv(place)): text}


def process(pid, name, folder, **settings):
    """A running program that works in a folder, with settings among its arguments."""
    told_of = {"pid": pid, "name": name, "user": name, "cwd": folder, "paths": [folder], "here": True}
    return told_of | {"settings": [[key, value] for key, value in settings.items()]}


def behind_megaraid(device):
    """What smartctl says of a volume of such a controller: its drives are asked one by one."""
    words = f"{device}: DELL or MegaRaid controller, please try adding '-d megaraid,N'"
    said = {"version": [7, 4], "messages": [{"string": words, "severity": "error"}], "exit_status": 1}
    return {" ".join(smartctl.argv(device)): json.dumps({"json_format_version": [1, 0], "smartctl": said})}


def machine(*what, **more):
    """A told machine on which grep finds no job that defragments, and no guest that drops flushes."""
    made = told.machine(*what, **more)
    made.statuses = dict.fromkeys((" ".join(host.DEFRAGMENTING), " ".join(tenants.UNSAFE_GUESTS)), 1)
    return made


def attested(*said, model=None):
    """The file of what people said: (fact, subject, value as TOML); of a disk, with its model."""
    entries = []
    for fact, subject, value in said:
        drive = f'\n[[attestation.drive]]\nmodel = "{model}"\n' if model and fact.startswith("disk.") else ""
        entries.append(
            f'[[attestation]]\nfact = "{fact}"\nsubject = "{subject}"\nvalue = {value}\nby = "the storage team"\n'
            f'on = 2026-11-01\nuntil = 2027-10-31\nbecause = "composed"\nlink = "https://example.com/"\n{drive}'
        )
    return {"/etc/fsadvisor/attest.toml": "\n".join(entries)}


def extents(gib, each_gib):
    """How the largest files of a folder lie: one file of so many GiB, in so many pieces per GiB."""
    size = gib * GIB
    file = {"bytes": size, "extents": gib * each_gib, "mapped_bytes": size, "encoded": 0, "unwritten": 0, "shared": 0}
    return {"whole": True, "largest_folder": 302, "files": [{**file, "whole": True}]}


def room(size_bytes, used_percent, inodes_used_percent=3):
    """What statvfs says."""
    free = size_bytes * (100 - used_percent) // 100
    inodes = size_bytes // 16384
    return {
        "size": size_bytes,
        "free": free,
        "available": free,
        "inodes": inodes,
        "inodes_free": inodes * (100 - inodes_used_percent) // 100,
    }
