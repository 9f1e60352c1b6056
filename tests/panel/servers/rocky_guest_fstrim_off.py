"""A Rocky 9 guest on OpenStack: XFS, /boot of its own, EFI, a virtio disk that takes discards; fstrim.timer is off.
The expert: let it run, so that the cloud gets freed space back; nothing else. A hypervisor's disk is not called an
SSD.
"""

from tests.panel import build

FIRST = ("discards-never-sent host",)
NEVER = ("xfs-old-format", "fstab-kernel-name", "fsck-never-at-boot")


def server():
    disk = build.virtio(0, 40 * build.GIB)
    return build.server(
        disk,
        mounts=[
            build.Mount("/", *disk.partition(4, 38 * build.GIB), "xfs", size=38 * build.GIB, used=6),
            build.Mount("/boot", *disk.partition(3, build.GIB, 206848), "xfs", size=build.GIB, used=31),
            build.Mount("/boot/efi", *disk.partition(2, build.GIB // 10), "vfat", size=build.GIB // 10, used=8),
        ],
        vm="kvm",
        kernel="5.14.0-570.el9.x86_64",
        memory=4,
        fstrim=False,
        fstab="UUID=5d1c6a2e-0000-4000-8000-000000000001 / xfs defaults 0 0\n"
        "UUID=5d1c6a2e-0000-4000-8000-000000000002 /boot xfs defaults 0 0\n"
        "UUID=7B77-95E7 /boot/efi vfat defaults,uid=0,gid=0,umask=077,shortname=winnt 0 2\n",
    )
