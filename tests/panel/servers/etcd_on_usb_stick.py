"""etcd on a USB stick, 40 ms a flush. The expert: its flushes are too slow, and a stick bears no datastore. That it
rotates is said by the kernel alone, and by no expert.
"""

from tests.panel.servers import postgresql_on_usb_stick

PLACE = "/var/lib/etcd"
FIRST = (f"etcd-slow-flushes service:etcd {PLACE}",)
BESIDE = (f"cluster-state-on-card service:etcd {PLACE}",)
NEVER = ("etcd-on-hard-disk", "cluster-state-on-card")


def server():
    return postgresql_on_usb_stick.server(program="etcd", place=PLACE)
