"""A disk died with its volume group: /dev/mapper/vg1-data of fstab is not there, without nofail. The expert: the next
boot stops in emergency mode; the disk, or nofail.
"""

from tests.panel import build

FIRST = ("fstab-device-missing mount:/srv",)


def server(entry="/dev/mapper/vg1-data /srv xfs defaults 0 2", volumes=("vg0-home",)):
    boot = build.sata(0, attributes=build.PROTECTED)
    pv, number = boot.partition(3)
    return build.server(
        boot,
        layers=[build.volume("dm-0", "253:0", [pv], "vg0-home")],
        mounts=[build.root(boot), build.Mount("/home", "mapper/vg0-home", "253:0")],
        commands={"dmsetup table": f"vg0-home: 0 838860800 linear {number} 2048\n"} | build.lvs(*map(_listed, volumes)),
        fstab=f"LABEL=root / ext4 errors=remount-ro 0 1\n/dev/mapper/vg0-home /home ext4 defaults 0 2\n{entry}\n",
    )


def _listed(name):
    group, _, volume = name.partition("-")
    return {"vg_name": group, "lv_name": volume, "lv_dm_path": f"/dev/mapper/{name}"}
