"""etcd with unsafe-no-fsync in its configuration file, left from a benchmark: a power cut may end the cluster."""

from tests.panel import build

FIRST = ("etcd-never-flushes service:etcd /srv/etcd",)


def server():
    drive = build.nvme(model=build.PM9A3, size=3840755982336, capacitors=100)
    return build.server(
        drive,
        mounts=[build.root(drive)],
        programs=[("etcd", "/", {"config_file": "/etc/etcd/etcd.conf.yml"})],
        files={"/etc/etcd/etcd.conf.yml": "name: 'node1'\ndata-dir: /srv/etcd\nunsafe-no-fsync: true\n"},
    )
