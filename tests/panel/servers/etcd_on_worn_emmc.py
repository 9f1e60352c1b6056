"""k3s with its own etcd on an eMMC that has used 80 to 90 % of its life, 35 ms a flush. The expert: move etcd to an
SSD with PLP, which also saves what is left of the eMMC. Never --unsafe-no-fsync.
"""

from tests.panel.servers import k3s_on_emmc

PLACE = "/var/lib/rancher/k3s/server/db/etcd"
FIRST = (f"etcd-slow-flushes service:etcd {PLACE}",)
BESIDE = (f"cluster-state-on-card service:etcd {PLACE}",)
NEVER = ("drive-failing", "drive-worn-out", "drive-nearly-worn-out", "etcd-never-flushes")


def server():
    made = k3s_on_emmc.server()
    made.files |= {"/sys/block/mmcblk0/device/life_time": "0x02 0x09", "/sys/block/mmcblk0/device/pre_eol_info": "0x01"}
    made.running[0] |= {"name": "etcd", "user": "etcd", "cwd": PLACE, "paths": [PLACE]}
    return made
