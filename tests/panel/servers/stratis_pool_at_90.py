"""RHEL 9 with a Stratis pool of two SSDs, 90 % full, and an XFS of 1 TiB on it that is half empty: add a disk."""

from fsadvisor.readers import dmsetup
from tests.panel import build

FIRST = ("thin-pool-nearly-full layer:dm-4",)
NEVER = ("thin-pool-promises-too-much", "thin-pool-holds-writes", "discards-never-sent")

POOL = "stratis-1-private-5e1a0c2d4f6b4a8c9d0e1f2a3b4c5d6e"
NAMES = {
    "dm-0": f"{POOL}-physical-originsub",
    "dm-1": f"{POOL}-flex-thindata",
    "dm-2": f"{POOL}-flex-thinmeta",
    "dm-3": f"{POOL}-flex-mdv",
    "dm-4": f"{POOL}-thinpool-pool",
    "dm-5": "stratis-1-5e1a0c2d4f6b4a8c9d0e1f2a3b4c5d6e-thin-fs-0f1e2d3c4b5a69788796a5b4c3d2e1f0",
}
TABLE = f"""{NAMES["dm-0"]}: 0 800000000 linear 8:16 8192
{NAMES["dm-0"]}: 800000000 800000000 linear 8:32 8192
{NAMES["dm-1"]}: 0 1500000000 linear 253:0 2000000
{NAMES["dm-2"]}: 0 1000000 linear 253:0 0
{NAMES["dm-3"]}: 0 1000000 linear 253:0 1000000
{NAMES["dm-4"]}: 0 1500000000 thin-pool 253:2 253:1 2048 1 2 no_discard_passdown skip_block_zeroing
{NAMES["dm-5"]}: 0 2147483648 thin 253:4 0
"""


def pool(used=660000):
    """The layers, and what dmsetup says."""
    below = {"dm-0": ["sdb", "sdc"], "dm-1": ["dm-0"], "dm-2": ["dm-0"], "dm-3": ["dm-0"], "dm-4": ["dm-1", "dm-2"],
             "dm-5": ["dm-4"]}  # fmt: skip
    layers = [
        build.volume(name, f"253:{name[-1]}", below[name], called, dm__uuid=called) for name, called in NAMES.items()
    ]
    status = f"{NAMES['dm-4']}: 0 1500000000 thin-pool 3 2301/125000 {used}/732421 - rw queue_if_no_space - 1024\n"
    return layers, {"dmsetup table": TABLE, " ".join(dmsetup.DMSETUP_POOLS_ARGV): status}


def server(used=660000):
    boot, one, two = (build.sata(at, attributes=build.PROTECTED) for at in range(3))
    layers, commands = pool(used)
    return build.server(
        boot,
        one,
        two,
        layers=layers,
        mounts=[build.root(boot), build.Mount("/srv", "dm-5", "253:5", "xfs", size=1024 * build.GIB, used=50)],
        commands=commands,
        kernel="5.14.0-503.el9.x86_64",
    )
