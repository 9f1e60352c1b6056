"""What a recording keeps of the kernel's command line: parameters about storage, none of the rest.

Other parameters may hold passwords, addresses or what an init program was told.
"""

from __future__ import annotations

from fsadvisor import secrecy

PATH = "/proc/cmdline"
_WORDS = ("ro", "rw")
_BEGINNINGS = ("root=", "rootflags=", "rootfstype=", "libata.", "nvme", "scsi_mod.", "psi=", "elevator=", "zswap.")


def about_storage(text: str) -> str:
    """The parameters that a recording may hold, in their order."""
    words = text.partition(" -- ")[0].split()
    return " ".join(_told(word) for word in words if word in _WORDS or word.startswith(_BEGINNINGS)) + "\n"


def _told(word: str) -> str:
    name, equals, value = word.partition("=")
    if name == "root":
        value = secrecy.anonymous_source("", value)
    elif name == "rootflags":
        value = secrecy.written_options(value)
    return f"{name}{equals}{value}"
