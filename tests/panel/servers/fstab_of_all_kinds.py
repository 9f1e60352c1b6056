"""A server whose fstab has all that is usual: bind, tmpfs, swap files, automounts, labels, noauto, CIFS and NFS. The
expert: nothing.
"""

from tests.panel import build

FIRST = ()
NEVER = (
    "fstab-device-missing",
    "network-disk-without-netdev",
    "options-not-in-force",
    "fstab-kernel-name",
    "uuid-on-two-devices",
)


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/srv", "xfs")],
        fstab="""# <file system> <mount point> <type> <options> <dump> <pass>
UUID=5d1c6a2e-0000-4000-8000-000000000001 / ext4 errors=remount-ro 0 1
LABEL=data /srv xfs defaults,nofail 0 2
/swapfile none swap sw 0 0
/dev/zram0 none swap defaults,pri=100 0 0
tmpfs /tmp tmpfs defaults,nosuid,nodev,size=4G 0 0
proc /proc proc defaults,hidepid=2 0 0
/srv/www /var/www none bind 0 0
//filer/share /mnt/share cifs credentials=/root/.smb,noauto,x-systemd.automount 0 0
filer:/export/home /mnt/home nfs noauto,x-systemd.automount,x-systemd.idle-timeout=600 0 0
/dev/sr0 /media/cdrom0 udf,iso9660 user,noauto 0 0
/dev/disk/by-id/usb-WD_Elements_25A3-0:0-part1 /mnt/usb ext4 noauto,user 0 0
sshfs#backup@host:/data /mnt/sshfs fuse noauto,_netdev 0 0
overlay /mnt/merged overlay noauto,lowerdir=/srv/a,upperdir=/srv/b,workdir=/srv/c 0 0
hugetlbfs /dev/hugepages hugetlbfs defaults 0 0
""",
    )
