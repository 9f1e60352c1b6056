"""What a tool (or `cat`) says instead of an answer, and which cause of Unknown that is."""

from __future__ import annotations

from fsadvisor.facts import Cause, Unknown, unreadable

_LOOKED_AT = 2000

_DENIED = (
    "permission denied",
    "operation not permitted",
    "must be root",
    "must be run as root",
    "run as root",
    "are you root",
    "superuser",
)
_NOT_EXPOSED = (
    "no such file or directory",
    "no such device",
    "no such pool",
    "operation not supported",
    "function not implemented",
    "inappropriate ioctl",
    "not a block device",
    "not a btrfs filesystem",
    "modules are not loaded",
    "module cannot be loaded",
    "dataset does not exist",
    "device-mapper is available",
)


def complaint(text: str, what: str) -> Unknown:
    """Why `text` holds no record: access was denied, nothing is there, or (`what`) it was not understood."""
    start = text[:_LOOKED_AT].lower()
    if any(phrase in start for phrase in _DENIED):
        return Unknown(Cause.DENIED, "run fsadvisor as root")
    if any(phrase in start for phrase in _NOT_EXPOSED):
        return Unknown(Cause.NOT_EXPOSED, "use a machine and kernel that have it: this one does not")
    return unreadable(what)
