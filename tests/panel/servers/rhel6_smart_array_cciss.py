"""RHEL 6 on a ProLiant G6: cciss/c0d0, ext4, kernel 2.6.32. Old, and nothing is known to be wrong."""

from tests.panel import build
from tests.told import disk

FIRST = ()
NEVER = ("fstab-kernel-name", "hard-disk-without-scheduler")


def server():
    files, links = disk(
        "cciss!c0d0",
        where="pci0000:00/0000:00:03.0/0000:06:00.0/cciss0/c0d0",
        number="104:0",
        size="1170997168",
        queue__scheduler="noop anticipatory deadline [cfq]",
        queue__rotational="1",
        queue__nr_requests="128",
        queue__read_ahead_kb="128",
        queue__physical_block_size="512",
        device__model="LOGICAL VOLUME",
        device__vendor="HP      ",
    )
    for gone in ("write_cache", "fua"):
        del files[f"/sys/block/cciss!c0d0/queue/{gone}"]
    for number, start, size in ((1, 2048, 1048576), (2, 1050624, 1169946544)):
        files |= {
            f"/sys/block/cciss!c0d0/cciss!c0d0p{number}/{key}": text
            for key, text in (
                ("dev", f"104:{number}"),
                ("size", str(size)),
                ("start", str(start)),
                ("alignment_offset", "0"),
                ("partition", str(number)),
            )
        }
    drive = build.Drive("cciss!c0d0", (files, links), {}, 600 * 10**9, "104:0")
    made = build.server(
        drive,
        mounts=[
            build.Mount(
                "/", "cciss/c0d0p2", "104:2", options="rw,relatime", inside="rw,barrier=1,data=ordered", used=60
            ),
            build.Mount(
                "/boot",
                "cciss/c0d0p1",
                "104:1",
                options="rw,relatime",
                inside="rw,barrier=1,data=ordered",
                size=build.GIB // 2,
            ),
        ],
        fstab="UUID=5d1c6a2e-0000-4000-8000-000000000001 / ext4 defaults 1 1\n"
        "UUID=5d1c6a2e-0000-4000-8000-000000000002 /boot ext4 defaults 1 2\ntmpfs /dev/shm tmpfs defaults 0 0\n",
        kernel="2.6.32-754.35.1.el6.x86_64",
    )
    del made.files["/proc/pressure/io"]
    return made
