"""One iSCSI disk without multipath, with open-iscsi's own 120 s and _netdev: as it should be. Nothing to say."""

from tests.panel.servers import iscsi_single_path_short_timeout as short

FIRST = ()
NEVER = ("network-disk-fails-soon",)


def server():
    made = short.server()
    made.files["/sys/class/iscsi_session/session1/recovery_tmo"] = "120"
    return made
