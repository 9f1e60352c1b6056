"""MongoDB on ext4, a quick SSD with PLP. The expert mentions that its makers ask for XFS, when it is moved anyway."""

from tests.panel import build

PLACE = "/var/lib/mongodb"
FIRST = ()
BESIDE = (f"mongodb-on-ext4 service:mongodb {PLACE}",)
NEVER = ("commits-wait-for-drive", "database-without-redundancy", "ext4-journalled-data-database")


def server():
    disk = build.sata(attributes=build.PROTECTED)
    return build.server(disk, mounts=[build.root(disk), build.on(disk, PLACE)], programs=[("mongod", PLACE)])
