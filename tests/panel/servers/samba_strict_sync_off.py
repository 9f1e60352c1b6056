"""A file server whose smb.conf has strict sync = no from a guide. The expert: clients' flushes are dropped."""

from fsadvisor.survey.tenants import SAMBA
from tests.panel import build

FIRST = ("samba-flushes-ignored service:samba ?",)
NEVER = ("nfs-export-async",)


def server():
    disks = [build.hdd(at) for at in (1, 2)]
    boot = build.sata(0, attributes=build.PROTECTED)
    array = build.md("md0", "9:0", "raid1", ["sdb", "sdc"])
    return build.server(
        boot,
        *disks,
        layers=[array],
        mounts=[build.root(boot), build.Mount("/srv/share", "md0", "9:0")],
        programs=[("smbd", "/")],
        commands={" ".join(SAMBA): "   strict sync = no\n"},
    )
