"""Two HPE SAS SSDs of one batch in a mirror, firmware HPD4, 39,400 hours. The expert: both die for good at 40,000, in
25 days, and the mirror with them. Firmware HPD7 now.
"""

from tests.panel import build

FIRST = ("firmware-loses-data disk:sdb",)
NEVER = ("firmware-misbehaves",)


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    told = {"firmware_version": "HPD4", "power_on_time": {"hours": 39400}}
    worn = {"scsi_percentage_used_endurance_indicator": 11}
    disks = [build.said(build.sas(at, "MO1600JVYPR", 1600321314816, spins=0), **told, **worn) for at in (1, 2)]
    for disk in disks:
        disk.made[0][f"/sys/block/{disk.name}/device/rev"] = "HPD4"
        disk.made[0][f"/sys/block/{disk.name}/device/vendor"] = "HP      "
    return build.server(
        boot,
        *disks,
        layers=[build.md("md0", "9:0", "raid1", ["sdb", "sdc"])],
        mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")],
    )
