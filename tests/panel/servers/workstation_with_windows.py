"""A workstation that boots Windows as well: its C: is mounted by ntfs3, the EFI partition is shared. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("commits-wait-for-drive", "fsck-never-at-boot", "timestamps-written-at-once", "filesystem-type-to-choose")


def server():
    disk = build.nvme(0, "WD_BLACK SN850X 2000GB", flush_ms=0.8)
    efi = build.Mount("/boot/efi", *disk.partition(2, build.GIB, 411648), "vfat", size=build.GIB, used=20,
                      inside="rw,fmask=0077,dmask=0077,codepage=437,shortname=mixed,errors=remount-ro")  # fmt: skip
    windows = build.Mount("/mnt/windows", *disk.partition(3, start=4 * 1024**2), "ntfs3", used=80,
                          inside="rw,uid=1000,gid=1000,acl,iocharset=utf8", fstab="uid=1000,nofail")  # fmt: skip
    return build.server(disk, mounts=[build.root(disk), efi, windows], kernel="6.12.10-arch1-1", memory=32)
