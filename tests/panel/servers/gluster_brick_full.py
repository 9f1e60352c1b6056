"""A Gluster server with a brick on XFS at 97 %, and its volume mounted, which shows the same. The expert: the brick is
full; said once.
"""

from tests.panel import build

FIRST = ("nearly-full filesystem:/dev/sdb2",)


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.sata(1, attributes=build.PROTECTED)
    volume = build.Mount(
        "/mnt/gv0",
        "gv0",
        "0:70",
        "fuse.glusterfs",
        inside="rw,user_id=0,group_id=0,default_permissions,allow_other,max_read=131072",
        used=97,
    )
    made = build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/data/brick1", "xfs", used=97), volume],
        fstab="UUID=5d1c6a2e-0000-4000-8000-000000000001 / ext4 errors=remount-ro 0 1\n"
        "UUID=5d1c6a2e-0000-4000-8000-000000000002 /data/brick1 xfs defaults 0 0\n"
        "localhost:/gv0 /mnt/gv0 glusterfs defaults,_netdev 0 0\n",
    )
    made.files["/proc/self/mountinfo"] = made.files["/proc/self/mountinfo"].replace("/dev/gv0", "localhost:/gv0")
    return made
