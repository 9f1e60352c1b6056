"""Small servers: a filesystem on /srv above one stack, and up to three traits that differ from a healthy one's."""

from dataclasses import dataclass, field
from itertools import combinations

from tests.panel import build, controllers

SRV = "/srv"
CRITICAL = {"critical_warning": 4, "avail_spare": 3, "percent_used": 104}
PENDING = (197, "Current_Pending_Sector", 100, 0, 16)


@dataclass
class Small:
    """What is built: the drive below, the layers, the filesystem, and what runs on it."""

    drive: str = "consumer nvme"
    health: str = ""
    cache: str = "write back"
    layer: str = ""
    fs: str = "ext4"
    inside: str = ""
    used: int = 40
    inodes: int = 3
    program: str = ""
    settings: str = ""
    unread: tuple = ()
    files: dict = field(default_factory=dict)
    more: dict = field(default_factory=dict)
    at: int = 0
    healthy_beside: int = 1


def _drive(spec, at):
    if spec.drive in ("consumer nvme", "protected nvme", "slow nvme", "cloud"):
        logs = {"failing": CRITICAL, "worn": {"percent_used": 101}, "hot": {"critical_warning": 2}}
        own = {"log": logs[spec.health]} if spec.health in logs else {}
        if spec.drive == "protected nvme":
            return build.nvme(at, build.PM9A3, 3840755982336, vwc=7, cache=spec.cache, capacitors=100, **own)
        if spec.drive == "cloud":
            return build.nvme(at, build.EBS, 500 * build.GIB, vwc=0, cache="write through", firmware="1.0", **own)
        return build.nvme(at, cache=spec.cache, flush_ms=7.0 if spec.drive == "slow nvme" else None, **own)
    sick = {"failing": {"passed": False}, "pending": {"attributes": (PENDING,)}}.get(spec.health, {})
    if spec.drive == "virtio":
        return build.virtio(at)
    if spec.drive == "megaraid":
        state = {"failing": {"drives": ("Onln", "Failed", "Onln", "Onln"), "volume": "Dgrd"}}.get(spec.health, {})
        return controllers.megaraid(at, cache="AWB" if spec.cache == "always" else "RWBD", **state)
    if spec.drive == "hard disk":
        return build.hdd(at, **sick)
    attributes = (*build.PROTECTED, *sick.pop("attributes", ())) if sick else build.PROTECTED
    return build.sata(at, attributes=attributes, **sick)


def _stack(spec, drives):
    """(layers, the mount's device, its number, commands)."""
    if spec.layer in ("mirror", "degraded mirror"):
        members = [one.name for one in drives][: 1 if spec.layer == "degraded mirror" else 2]
        degraded = "1" if spec.layer == "degraded mirror" else "0"
        array = build.md("md0", "9:0", "raid1", members, md__degraded=degraded, md__raid_disks="2")
        return [array], "md0", "9:0", {}
    part, number = drives[0].partition(2)
    if spec.layer == "lvm":
        volume = build.volume("dm-0", "253:0", [part], "vg0-srv")
        table = {"dmsetup table": f"vg0-srv: 0 838860800 linear {number} 2048\n"}
        return [volume], "dm-0", "253:0", build.lvs({"lv_name": "srv", "lv_dm_path": "/dev/mapper/vg0-srv"}) | table
    if spec.layer == "crypt":
        volume = build.volume("dm-0", "253:0", [part], "luks-1", dm__uuid="CRYPT-LUKS2-0000-luks-1")
        table = f"luks-1: 0 838860800 crypt aes-xts-plain64 :64:logon:key 0 {number} 32768\n"
        return [volume], "dm-0", "253:0", {"dmsetup table": table}
    return [], part, number, {}


PROGRAMS = {
    "postgresql": ("postgres", f"{SRV}/pg"),
    "etcd": ("etcd", f"{SRV}/etcd"),
    "redis": ("redis-server", f"{SRV}/redis"),
}


def machine(spec):
    """The server that this spec says."""
    boot = [build.sata(8 + at, attributes=build.PROTECTED) for at in range(spec.healthy_beside)]
    drives = [_drive(spec, spec.at), *([_drive(spec, spec.at + 1)] if "mirror" in spec.layer else [])]
    layers, device, number, commands = _stack(spec, drives)
    mount = build.Mount(SRV, device, number, spec.fs, inside=spec.inside or None, used=spec.used, inodes=spec.inodes)
    files = dict(spec.files)
    if spec.program == "postgresql":
        files |= build.postgresql(f"{SRV}/pg", spec.settings)
    if spec.program == "redis":
        files["/etc/redis/redis.conf"] = f"dir {SRV}/redis\nappendonly yes\nappendfsync always\n"
    made = build.server(
        *boot,
        *drives,
        layers=layers,
        mounts=[build.root(boot[0]), mount],
        programs=[PROGRAMS[spec.program]] if spec.program else [],
        files=files,
        commands=commands,
        **spec.more,
    )
    for unread in spec.unread:
        for command in [command for command in made.commands if command.startswith(unread)]:
            del made.commands[command]
    return made


TRAITS = {
    "drive: protected nvme": {"drive": "protected nvme"},
    "drive: slow nvme": {"drive": "slow nvme"},
    "drive: sata with capacitors": {"drive": "sata"},
    "drive: hard disk": {"drive": "hard disk"},
    "drive: virtio": {"drive": "virtio", "more": {"vm": "kvm"}},
    "drive: cloud": {"drive": "cloud", "more": {"vm": "amazon"}},
    "drive: megaraid": {"drive": "megaraid"},
    "health: failing": {"health": "failing"},
    "health: pending sectors": {"health": "pending"},
    "health: worn": {"health": "worn"},
    "health: hot": {"health": "hot"},
    "cache: write through": {"cache": "write through"},
    "cache: always": {"cache": "always"},
    "layer: mirror": {"layer": "mirror"},
    "layer: degraded mirror": {"layer": "degraded mirror"},
    "layer: lvm": {"layer": "lvm"},
    "layer: crypt": {"layer": "crypt"},
    "fs: xfs": {"fs": "xfs"},
    "options: nobarrier": {"inside": "rw,nobarrier"},
    "options: writeback": {"inside": "rw,data=writeback"},
    "options: commit": {"inside": "rw,commit=600"},
    "options: discard": {"inside": "rw,discard"},
    "full: used": {"used": 98},
    "full: inodes": {"inodes": 98},
    "program: postgresql": {"program": "postgresql"},
    "program: postgresql without fsync": {"program": "postgresql", "settings": "fsync = off\n"},
    "program: etcd": {"program": "etcd"},
    "program: redis": {"program": "redis"},
    "kernel: 4.19": {"more": {"kernel": "4.19.0-27-amd64"}},
    "kernel: 5.14": {"more": {"kernel": "5.14.0-503.el9.x86_64"}},
    "kernel: 6.18": {"more": {"kernel": "6.18.2"}},
    "load: stalled": {"more": {"stalled": True}},
    "load: stalled and dirty": {"more": {"stalled": True, "dirty_mib": 9000, "memory": 256}},
    "trim: never": {"more": {"fstrim": False}},
    "unread: smartctl": {"unread": ("smartctl",)},
    "unread: nvme": {"unread": ("nvme ",)},
    "unread: dumpe2fs": {"unread": ("dumpe2fs",)},
    "unread: dmsetup": {"unread": ("dmsetup", "lvs")},
}
"""'dimension: value' -> what it sets; a server has one trait of a dimension at most."""


def spec_of(traits, **more):
    """The spec with these traits."""
    made = {"more": {}}
    for name in traits:
        for key, value in TRAITS[name].items():
            made[key] = {**made[key], **value} if key == "more" else value
    return Small(**made, **more)


def sets(most):
    """All sets of so many traits at most, of dimensions that differ, the small ones first."""
    for count in range(most + 1):
        for chosen in combinations(TRAITS, count):
            if len({name.partition(":")[0] for name in chosen}) == count:
                yield chosen
