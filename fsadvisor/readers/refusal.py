"""A tool's own complaint where its output was expected: who reads for values must not take it for one."""

from __future__ import annotations

from fsadvisor.facts import Cause, Unknown, unreadable

_LOOKED_AT = 4000

_DENIED = (
    "permission denied",
    "operation not permitted",
    "must be root",
    "must be run as root",
    "run as root",
    "only root can",
    "are you root",
    "superuser",
)
_NOT_EXPOSED = (
    "no such file or directory",
    "no such device",
    "no such pool",
    "operation not supported",
    "inappropriate ioctl",
    "function not implemented",
    "modules are not loaded",
    "module cannot be loaded",
    "dataset does not exist",
    "device-mapper is available",
)


def complaint(text: str) -> Unknown | None:
    """Access was denied or nothing is there, in the C locale's words; None where `text` says neither."""
    said = text[:_LOOKED_AT].lower()
    if any(phrase in said for phrase in _DENIED):
        return Unknown(Cause.DENIED, "run fsadvisor as root")
    if any(phrase in said for phrase in _NOT_EXPOSED):
        return Unknown(Cause.NOT_EXPOSED, "look at whether the device or the kernel module is there")
    return None


def refusal(text: str, what: str) -> Unknown:
    """Why `text` holds no record: what it complains of, else that it was not understood (`what`)."""
    return complaint(text) or unreadable(what)
