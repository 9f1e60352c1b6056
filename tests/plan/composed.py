"""Ten findings on a composed server, its fstab and mount table, and short rules that find them."""

import msgspec

from fsadvisor.facts import NOT_APPLICABLE, Cause, Unknown
from fsadvisor.machine.port import Reply
from fsadvisor.plan.planning import chosen, plan
from fsadvisor.rulebook.rule import rule_of
from fsadvisor.rulebook.shape import RuleShape
from fsadvisor.storage import Below, Filesystem, Mount
from tests.report.composed import disk, host, known, machine, subject

_NOT_THERE = Unknown(Cause.NOT_EXPOSED, "")


def rule(name, on, expr, *, kind="risk", severity="high", applies=None, safety=None, **remedy):
    """A rule with one check and a remedy."""
    shape = {
        "id": name,
        "title": f"Something is found by {name}",
        "kind": kind,
        "subject": on,
        "severity": severity,
        "status": "trial",
        "why": "Because it is so.",
        "applies": [{"ask": "Is it the place?", "expr": applies}] if applies else [],
        "checks": [{"ask": "Is it so?", "expr": expr}],
        "safety": [{"ask": "Is it safe?", "expr": safety}] if safety else [],
        "remedy": {"needs": "online", **remedy},
        "reference": [{"url": "https://docs.kernel.org/", "says": "so"}],
        "example": [{"name": "one", "expect": "undetermined", "facts": {}}],
    }
    if kind == "gain":
        shape["gain"] = {"metric": "time", "basis": "documented"}
    made = rule_of(msgspec.convert(shape, RuleShape), f"{name}.toml")
    assert not isinstance(made, tuple), made
    return made


def remounts(name, on, expr, do, undo, *, add=(), remove=(), **more):
    """A rule whose remedy is a remount and other options in fstab."""
    point = "{filesystem.mount_point}" if on == "filesystem" else "{mount.point}"
    return rule(
        name,
        on,
        expr,
        now=[f"mount -o remount,{do} {point}"],
        undo=[f"mount -o remount,{undo} {point}"],
        verify=[f"findmnt -no OPTIONS --mountpoint {point}"],
        **({"keep": [{"mount": point, "add": list(add), "remove": list(remove)}]} if add or remove else {}),
        **more,
    )


def writes(name, expr, value, fact, file, *, keep=(), **more):
    """A rule whose remedy writes a file of a disk's queue."""
    path = "/sys/block/{disk.name}/queue/" + file
    return rule(
        name,
        "disk",
        expr,
        now=[f"echo {value} > {path}"],
        undo=[f"echo {{{fact}}} > {path}"],
        verify=[f"cat {path}"],
        keep=list(keep),
        **more,
    )


BARRIERS = remounts(
    "barriers-off",
    "filesystem",
    "filesystem.barriers == False",
    "barrier",
    "nobarrier",
    remove=["nobarrier", "barrier=0"],
    severity="critical",
)
ATIME = remounts(
    "access-times",
    "mount",
    "mount.atime == 'relatime'",
    "noatime",
    "atime,{mount.atime}",
    add=["noatime"],
    remove=["relatime", "strictatime", "atime"],
    kind="gain",
    severity="low",
)
COMMIT = remounts(
    "long-commit", "filesystem", "filesystem.commit_seconds > 5", "commit=5", "commit={filesystem.commit_seconds}",
    remove=["commit=30"],
)  # fmt: skip
SCHEDULER = writes(
    "scheduler",
    "disk.scheduler == 'mq-deadline'",
    "none",
    "disk.scheduler",
    "scheduler",
    kind="gain",
    severity="moderate",
    keep=[
        {
            "file": "/etc/udev/rules.d/99-fsadvisor-scheduler.rules",
            "line": 'ACTION=="add|change", KERNEL=="nvme*n*", ATTR{{queue/scheduler}}="none"',
        }
    ],
)
CACHE = writes("not-flushed", "disk.write_cache == 'write through'", "'write back'", "disk.write_cache", "write_cache")
SYSCTL = rule(
    "long-writeback",
    "host",
    "host.dirty_bytes == 0",
    now=["sysctl -w vm.dirty_background_bytes=67108864", "sysctl -w vm.dirty_bytes=268435456"],
    undo=[
        "sysctl -w vm.dirty_background_ratio={host.dirty_background_ratio}",
        "sysctl -w vm.dirty_ratio={host.dirty_ratio}",
    ],
    verify=["sysctl vm.dirty_bytes"],
    keep=[
        {"file": "/etc/sysctl.d/90-fsadvisor.conf", "line": "vm.dirty_background_bytes = 67108864"},
        {"file": "/etc/sysctl.d/90-fsadvisor.conf", "line": "vm.dirty_bytes = 268435456"},
    ],
    kind="hygiene",
)
TIMER = rule(
    "no-trim",
    "host",
    "host.fstrim_timer == 'inactive'",
    now=["systemctl enable --now fstrim.timer"],
    undo=["systemctl disable --now fstrim.timer"],
    verify=["systemctl list-timers fstrim.timer"],
    kind="hygiene",
)
FSTAB_ONLY = rule(
    "xfs-barrier",
    "mount",
    "'nobarrier' in mount.configured_options and mount.fs_type == 'xfs'",
    keep=[{"mount": "{mount.point}", "remove": ["nobarrier"]}],
    severity="critical",
)
UNMOUNT = rule(
    "small-log",
    "mount",
    "mount.fs_type == 'xfs'",
    now=["umount {mount.point}", "mount -o logbsize=256k {mount.point}"],
    undo=["umount {mount.point}", "mount {mount.point}"],
    verify=["findmnt"],
    keep=[{"mount": "{mount.point}", "add": ["logbsize=256k"]}],
    needs="unmount",
    kind="gain",
)
WORDS = rule("full", "filesystem", "filesystem.used_percent > 95", advice="Remove what nobody needs.")

TIMER_FILE = "/etc/systemd/system/watch.timer"
WATCHED = rule(
    "watched",
    "host",
    "host.dirty_bytes == 0",
    now=["sysctl -w vm.dirty_bytes=1"],
    undo=["sysctl -w vm.dirty_ratio={host.dirty_ratio}"],
    verify=["sysctl vm.dirty_bytes"],
    keep=[{"file": TIMER_FILE, "line": line} for line in ("[Timer]", "OnBootSec=1min")],
)
KEPT = rule(
    "kept",
    "host",
    "host.dirty_bytes == 0",
    keep=[
        {"file": "/etc/modprobe.d/kept.conf", "line": "options kept a=1"},
        {"file": "/etc/systemd/kept.conf", "line": "Kept=yes"},
        {"file": "/etc/systemd/system/there.timer", "line": "OnBootSec=1min"},
        {"file": "/etc/udev/rules.d/kept.timer", "line": 'KERNEL=="sd*"'},
    ],
)
KEPT_TEXTS = {
    "/etc/modprobe.d/kept.conf": "options b=1\n# the last line has no end",
    "/etc/systemd/system/there.timer": "[Timer]\n",
}

RULES = (BARRIERS, ATIME, COMMIT, SCHEDULER, CACHE, SYSCTL, TIMER, FSTAB_ONLY, UNMOUNT, WORDS)

FSTAB = """\
# /etc/fstab: what is mounted at boot
UUID=0a3407de-014b-458b-b5c1-848e92a327a3\t/\text4\terrors=remount-ro\t0\t1
LABEL=data  /srv/my\\040data   ext4  rw,nobarrier,commit=30,nodev  0  2

LABEL=old   /srv/old           xfs   nobarrier                     0  2  # an old one
tmpfs       /tmp               tmpfs defaults
"""
MOUNTINFO = """\
1 0 259:1 / / rw,relatime - ext4 /dev/nvme0n1p1 rw,errors=remount-ro
2 1 8:0 / /srv/my\\040data rw,nodev,relatime - ext4 /dev/sda rw,nobarrier,commit=30
3 1 8:16 / /srv/old rw,noatime - xfs /dev/sdb rw,attr2,inode64,logbsize=32k
"""


def mounted(device, point, on, fs_type="ext4", options=(), **values):
    """A filesystem on a disk, and its mount."""
    at = f"filesystem:/dev/{device}"
    below = known(Below, disks=(device,))
    filesystem = known(
        Filesystem, type=fs_type, mount_point=point, mount_points=(point,), used_percent=values.pop("used", 10),
        barriers=values.pop("barriers", True), commit_seconds=values.pop("commit", 5),
    )  # fmt: skip
    mount = known(
        Mount, point=point, mounted=True, fs_type=fs_type, configured_options=options,
        **{"configured_in": NOT_APPLICABLE, **values},
    )  # fmt: skip
    return (
        subject("filesystem", f"/dev/{device}", (), filesystem=filesystem, below=below, host=on),
        subject("mount", point, (at,), mount=mount, filesystem=filesystem, below=below, host=on),
    )


def server(data="/srv/my data", old="/srv/old", **of_host):
    """The machine of FSTAB and MOUNTINFO."""
    on = host(
        **{
            "dirty_bytes": 0,
            "dirty_ratio": 20,
            "dirty_background_ratio": 10,
            "fstrim_timer": "inactive",
            "root_flags": (),
            **of_host,
        }
    )
    return machine(
        "a composed server",
        on,
        disk("nvme0n1", on, scheduler="mq-deadline"),
        disk("sda", on, scheduler="none", write_cache="write through", transport="sata"),
        disk("sdb", on, scheduler="none", transport="sata"),
        *mounted("nvme0n1p1", "/", on, atime="relatime", configured_in="/etc/fstab:2"),
        *mounted("sda", data, on, atime="relatime", barriers=False, commit=30, configured_in="/etc/fstab:3"),
        *mounted("sdb", old, on, "xfs", ("nobarrier",), atime="noatime", used=97, configured_in="/etc/fstab:5"),
    )


TEXTS = {"/etc/fstab": FSTAB, "/proc/self/mountinfo": MOUNTINFO}


def reader(texts):
    """What the machine answers when these files are read."""

    def read(path):
        found = texts.get(path, _NOT_THERE)
        return found if isinstance(found, Unknown) else Reply(found, path)

    return read


def planned(storage=None, rules=RULES, texts=TEXTS):
    """The plan for all that is advised."""
    storage = storage or server()
    return plan(storage, chosen(storage, rules, ()), reader(texts))
