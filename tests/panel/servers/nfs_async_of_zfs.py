"""An archive on ZFS, sync=standard, exported with async. The expert: the export undoes what sync=standard gives; set
sync, with a SLOG where that is too slow. He'd never set sync=disabled.
"""

from tests.panel import build, pools

FIRST = ("nfs-export-async mount:/tank",)
NEVER = ("zfs-sync-disabled", "zfs-sync-nfs-without-log", "nfs-commits-wait-for-drive")


def server():
    return pools.on_zfs(files=build.nfs_server("/tank", "async"), exporting=True)
