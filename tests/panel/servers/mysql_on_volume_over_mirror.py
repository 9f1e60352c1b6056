"""The same volume in two pieces, of a mirror of both drives: nothing to say of redundancy, nor of anything else."""

from tests.panel.servers import mysql_on_volume_over_two_drives

FIRST = ()
NEVER = ("database-without-redundancy",)


def server():
    return mysql_on_volume_over_two_drives.server(mirrored=True)
