"""The root is an md mirror of two SSDs, and each of them has a swap partition of its own. The expert: the mirror keeps
the files, but not the machine up; a drive that dies kills what was swapped to it. Swap on a mirror, too.
"""

from tests.panel import build

FIRST = ("swap-without-redundancy host",)


def server(*swapped, level="raid1"):
    drives = [build.sata(at, attributes=build.PROTECTED) for at in (0, 1)]
    root, swap = [[it.partition(number)[0] for it in drives] for number in (1, 2)]
    areas = swapped or [f"/dev/{it} partition 8388604 0 -2" for it in swap]
    return build.server(
        *drives,
        layers=[build.md("md0", "9:0", level, root)],
        mounts=[build.Mount("/", "md0", "9:0", fstab="errors=remount-ro")],
        files={"/proc/swaps": "\n".join(("Filename Type Size Used Priority", *areas, ""))},
    )
