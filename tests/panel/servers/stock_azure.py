"""An Azure virtual machine with its OS disk and a resource disk. Nothing to say."""

from tests.panel import build

FIRST = ()


def server():
    disk = build.sata(0, "Virtual Disk", 30 * build.GIB, device__vendor="Msft    ")
    files = {
        "/sys/class/dmi/id/sys_vendor": "Microsoft Corporation",
        "/sys/class/dmi/id/chassis_asset_tag": "7783-7084-3265-9085-8269-3286-77",
    }
    return build.server(
        disk, mounts=[build.root(disk, inside="rw,discard")], vm="microsoft", files=files, kernel="6.8.0-1020-azure"
    )
