"""Postfix and Dovecot on ext4 with data=journal, an SSD with PLP. The expert: nothing; for many small files that are
flushed it is a fair choice, and data=writeback would be the wrong one.
"""

from tests.panel import build

FIRST = ()
NEVER = ("ext4-journalled-data-database", "ext4-stale-data-exposed", "ext4-data-mode-at-boot", "ext4-ordered-data-slow")


def server():
    disk = build.sata(attributes=build.PROTECTED)
    data = build.on(disk, "/var/vmail", inside="rw,data=journal", fstab="data=journal")
    return build.server(
        disk,
        mounts=[build.root(disk), data],
        programs=[("dovecot", "/var/vmail"), ("master", "/var/spool/postfix")],
    )
