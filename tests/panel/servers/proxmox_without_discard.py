"""Proxmox on an LVM thin pool at 85 %: its guests pass no discard on, so that the pool only grows. First extend it."""

from fsadvisor.survey import tenants
from tests.panel import build

FIRST = ("thin-pool-nearly-full layer:dm-1",)
BESIDE = ("guests-keep-freed-space host", "storage-not-known-as-mount host")
NEVER = ("guests-configured-unsafe",)


def server():
    drive, spare = build.sata(0, attributes=build.PROTECTED), build.hdd(1)
    pv, _ = drive.partition(3)
    grep = {
        " ".join(tenants.PROXMOX_STORAGES): "lvmthin: local-lvm\ndir: backup\n\tpath /mnt/backup\n",
        " ".join(tenants.PROXMOX_DISKS): "/etc/pve/qemu-server/104.conf:scsi0: local-lvm:\n",
    }
    return build.server(
        drive,
        spare,
        layers=[build.volume("dm-1", "253:1", [pv], "pve-data-tpool")],
        mounts=[build.root(drive), build.on(spare, "/mnt/backup", "ext4")],
        programs=[("pmxcfs", "/")],
        commands=build.lvs(
            {"vg_name": "pve", "lv_name": "data", "lv_dm_path": "/dev/mapper/pve-data", "segtype": "thin-pool",
             "data_percent": "85.00", "metadata_percent": "4.00", "lv_attr": "twi-aotz--"},
        )
        | {"dmsetup table": "pve-data-tpool: 0 838860800 thin-pool 253:8 253:9 512 0\n"}
        | grep,
        kernel="6.8.12-4-pve",
    )  # fmt: skip
