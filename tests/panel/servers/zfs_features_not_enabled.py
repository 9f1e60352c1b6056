"""A healthy ZFS mirror after an upgrade: 'Some supported and requested features are not enabled'. Nothing."""

from fsadvisor.readers import zfs_tools
from tests.panel import pools

FIRST = ()
NEVER = ("zfs-pool-not-online", "zfs-device-errors")
WORDS = """status: Some supported and requested features are not enabled on the pool.
        The pool can still be used, but some features are unavailable.
action: Enable all features using 'zpool upgrade'. Once this is done,
        the pool may no longer be accessible by software that does not support
        the features. See zpool-features(7) for details.
  scan:"""


def server():
    made = pools.on_zfs()
    asked = " ".join(zfs_tools.ZPOOL_STATUS_ARGV)
    made.commands[asked] = made.commands[asked].replace("  scan:", WORDS.replace(8 * " ", "\t"))
    return made
