"""A Debian image on GCP: a SCSI disk of Google. Nothing to say."""

from tests.panel import build

FIRST = ()


def server():
    disk = build.sata(0, "PersistentDisk", 20 * build.GIB, device__vendor="Google  ")
    return build.server(
        disk,
        mounts=[build.root(disk, inside="rw,discard")],
        vm="google",
        files={"/sys/class/dmi/id/sys_vendor": "Google"},
        kernel="6.1.0-28-cloud-amd64",
    )
