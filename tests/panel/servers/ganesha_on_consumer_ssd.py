"""NFS-Ganesha exports a filesystem on a 990 PRO at 3 ms a flush: each commit of a client waits. A drive with PLP."""

from tests.panel import build

FIRST = ()
BESIDE = ("nfs-commits-wait-for-drive mount:/srv",)
NEVER = ("nfs-export-async", "commits-wait-for-drive")


def server():
    boot, drive = build.sata(attributes=build.PROTECTED), build.nvme(flush_ms=3)
    share = "EXPORT { Export_Id = 1; Path = /srv; Pseudo = /srv; Access_Type = RW; FSAL { Name = VFS; } }\n"
    return build.server(
        boot,
        drive,
        mounts=[build.root(boot), build.on(drive, "/srv", "xfs")],
        programs=[("ganesha.nfsd", "/")],
        files={"/etc/ganesha/ganesha.conf": share},
    )
