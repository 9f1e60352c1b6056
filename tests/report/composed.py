"""Machines made up for the reports: a busy one, one with hostile names, an empty one, a huge one."""

from functools import cache
from pathlib import Path

from msgspec.structs import fields

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.report.model import Provenance
from fsadvisor.rulebook.loading import RuleError, load_rulebook
from fsadvisor.storage import Below, Disk, Filesystem, Host, Mount, Storage, Subject
from fsadvisor.version import Version

NOT_SHOWN = Unknown(Cause.NOT_EXPOSED, "", "/sys")
DENIED = Unknown(Cause.DENIED, "run as root", "nvme id-ctrl")

_COUNTED = {"block_devices": 0, "mounts": 0, "services": 0}

ABOUT = Provenance(version="1.2.3", root=True)
BROKEN = (RuleError("/etc/fsadvisor/rules/disk/x.toml", 3, 9, "unknown fact 'disk.pulp'; did you mean 'disk.plp'?"),)

HOSTILE = {
    "newline": "a\nb",
    "escape": "\x1b[31mred\x1b]0;title\x07",
    "c1": "\x9b31m",
    "bidi": "\u202egnp.exe",
    "zero width": "a\u200bb\ufeff",
    "markup": "[red]",
    "shell": "$(reboot) `reboot` ' \" \\",
    "long": "ß漢" * 819,
    "not UTF-8": "caf\udce9",
    "lone surrogate": "\ud800",
    "tab": "a\tb",
    "option": "-rf",
}


@cache
def rules():
    """Our own few rules, so that the golden files do not follow each change of a shipped one."""
    rulebook = load_rulebook(Path(__file__).parent / "rules")
    assert rulebook.errors == ()
    return rulebook.rules


def known(facts, source="composed", **values):
    """An instance of `facts` on which exactly these are known, or what is given as a fact; others are not shown."""
    given = {
        name: value if isinstance(value, Known | Unknown) else Known(value, source) for name, value in values.items()
    }
    return facts(**{**not_shown(facts), **given})


@cache
def not_shown(facts):
    """What must be given of the facts of a kind."""
    return {field.name: NOT_SHOWN for field in fields(facts) if field.required}


def host(**values):
    """A server."""
    values = {"kernel_release": "6.1.0-42-amd64", "kernel": Version(6, 1, 0), "container": False, **_COUNTED, **values}
    return known(Host, "/proc", **values)


def subject(kind, name, under=(), **scope):
    """A subject by its facts."""
    return Subject(id=f"{kind}:{name}" if name else kind, kind=kind, name=name or kind, below=under, scope=scope)


def machine(name, on, *subjects):
    """The host and these."""
    return Storage(machine=name, subjects=(subject("host", "", host=on), *subjects))


def disk(name, on, **values):
    """A drive."""
    values = {
        "transport": "nvme",
        "model": "EXAMPLE 3840",
        "size_bytes": 3840755982336,
        "write_cache": "write back",
        "smart_passed": True,
        **values,
    }
    return subject("disk", name, disk=known(Disk, f"/sys/block/{name}", name=name, **values), host=on)


def mounted(device, point, on, *, barriers=True, protected=True, **values):
    """A filesystem on a disk and its mount."""
    below = known(Below, "disks", disks=(device,), any_unprotected_cache=not protected)
    filesystem = known(
        Filesystem,
        "/proc/self/mountinfo",
        type="ext4",
        label=point,
        mount_point=point,
        mount_points=(point,),
        read_only=False,
        barriers=barriers,
        size_bytes=3840755982336,
        used_percent=37,
    )
    mount = known(Mount, "/proc/self/mountinfo", point=point, mounted=True, atime="relatime", **values)
    at = f"filesystem:/dev/{device}"
    return (
        subject("filesystem", f"/dev/{device}", (f"disk:{device}",), filesystem=filesystem, below=below, host=on),
        subject("mount", point, (at,), mount=mount, filesystem=filesystem, below=below, host=on),
    )


def unsaid(point):
    """A workload that nobody has declared."""
    return Unknown(Cause.NOT_ATTESTED, f"declare it: --workload {point}=oltp", "services")


def busy():
    """Every outcome at once: a risk, gains proven, unproven and refused, the same on many disks, open questions."""
    on = host(
        dirty_limit_seconds=31,
        dirty_wanted_bytes=800_000_000,
        dirty_background_wanted_bytes=200_000_000,
        dirty_ratio=20,
        memory_bytes=25_276_502_016,
    )
    proven = [disk(f"nvme{at}n1", on, plp="proven") for at in range(14)]
    others = [
        disk("nvme20n1", on, plp=DENIED),
        disk("nvme21n1", on, plp=DENIED, write_cache=Unknown(Cause.NO_TOOL, "install nvme-cli", "nvme")),
        disk("sda", on, transport="sata", model="SPINNING 8000", plp="absent"),
        disk("sdb", on, transport="sata", model="CLIENT 500", plp="claimed"),
        disk("sdc", on, transport="sata", write_cache="write through", plp="absent"),
    ]
    return machine(
        "example",
        on,
        *proven,
        *others,
        *mounted("sda", "/srv", on, barriers=False, protected=False, workload="metadata-heavy"),
        *mounted("nvme0n1", "/", on, workload=unsaid("/")),
        *mounted("nvme1n1", "/var/lib/mail", on, workload=unsaid("/var/lib/mail")),
        *mounted("nvme2n1", "/build", on, workload="metadata-heavy"),
    )


def hostile(names=HOSTILE):
    """Names that would harm a terminal, a shell or a parser."""
    on = host()
    found = []
    for at, name in enumerate(HOSTILE[name] for name in names):
        found.append(disk(f"sd{chr(97 + at)}", on, model=name, plp="proven"))
        found += mounted(f"sd{chr(97 + at)}", f"/srv/{name}", on, barriers=False, protected=False, workload="oltp")
    return machine("hostile\nname", on, *found)


def empty():
    """No block device at all."""
    return machine("empty", host(dirty_limit_seconds=NOT_SHOWN))


def many(disks):
    """So many alike disks with a filesystem and a mount each."""
    on = host()
    found = []
    for at in range(disks):
        found.append(disk(f"sd{at}", on, plp="proven"))
        found += mounted(f"sd{at}", f"/srv/{at}", on, barriers=False, protected=False, workload=unsaid(f"/srv/{at}"))
    return machine("many", on, *found)


def blind():
    """A machine that lets nobody look."""
    denied = Unknown(Cause.DENIED, "run as root", "/sys/block")
    return machine("blind", known(Host, block_devices=denied, mounts=denied, services=denied))


def only_mounts(*, hidden):
    """A mount whose device is in no list: because /sys is hidden, or because there is none, as on a diskless client."""
    on = host(block_devices=Unknown(Cause.NOT_EXPOSED, "", "/sys/block") if hidden else 0)
    return machine("only-mounts", on, *mounted("sda", "/srv", on))
