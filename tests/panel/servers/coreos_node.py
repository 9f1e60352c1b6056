"""A node of Fedora CoreOS: composefs at 100 % as its root, by design, XFS for /sysroot and /var. Nothing."""

from tests.panel import build

FIRST = ()
NEVER = ("nearly-full", "filling-up")


def server():
    disk = build.virtio(0, 100 * build.GIB)
    part, number = disk.partition(4, 98 * build.GIB)
    made = build.server(
        disk,
        mounts=[
            build.Mount(
                "/",
                "composefs",
                "0:33",
                "overlay",
                options="ro,relatime",
                inside="ro,lowerdir+=/run/ostree/.private/cfsroot-lower,metacopy=on",
                size=build.GIB // 64,
                used=100,
            ),
            build.Mount("/sysroot", part, number, "xfs", options="ro,relatime", used=30, size=98 * build.GIB),
            build.Mount("/var", part, number, "xfs", used=30, size=98 * build.GIB),
        ],
        vm="kvm",
        fstab="",
        kernel="6.14.9-300.fc42.x86_64",
    )
    made.files["/proc/self/mountinfo"] = made.files["/proc/self/mountinfo"].replace("/dev/composefs", "composefs")
    made.files["/etc/fstab"] = ""
    return made
