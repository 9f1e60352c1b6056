"""What a recording keeps of the kernel's command line: parameters about storage, none of the rest.

Other parameters may hold passwords, addresses or what an init program was told.
"""

from __future__ import annotations

PATH = "/proc/cmdline"
_WORDS = ("ro", "rw")
_BEGINNINGS = ("root=", "rootflags=", "rootfstype=", "libata.", "nvme", "scsi_mod.", "psi=", "elevator=", "zswap.")


def about_storage(text: str) -> str:
    """The parameters that a recording may hold, in their order."""
    words = text.partition(" -- ")[0].split()
    return " ".join(word for word in words if word in _WORDS or word.startswith(_BEGINNINGS)) + "\n"
