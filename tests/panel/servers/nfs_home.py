"""Homes on NFS without _netdev (systemd knows NFS by its type), a nofail disk that is away. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("fstab-device-missing",)


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    share = build.Mount("/home", "filer:/home", "0:62", "nfs4", inside="rw,vers=4.2,hard,proto=tcp")
    made = build.server(
        disk,
        mounts=[build.root(disk), share],
        fstab="/dev/sda1 / ext4 errors=remount-ro 0 1\nfiler:/home /home nfs4 defaults 0 0\n"
        "UUID=deaddead-0000-4000-8000-000000000002 /srv/usb ext4 nofail,x-systemd.device-timeout=5 0 2\n",
    )
    made.files["/proc/self/mountinfo"] = made.files["/proc/self/mountinfo"].replace("/dev/filer:", "filer:")
    return made
