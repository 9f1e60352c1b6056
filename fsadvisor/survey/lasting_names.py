"""Which machine was looked at, and names of machine, drives and filesystems that outlive the kernel's."""

from __future__ import annotations

import datetime as dt
import hmac
import re
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Known
from fsadvisor.patterns import late
from fsadvisor.storage import Disk, Filesystem
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.machine.port import Machine
    from fsadvisor.storage import Facts, Storage, Subject
    from fsadvisor.survey.attested import Identity

_HOST_NAMES: Final = ("/proc/sys/kernel/hostname", "/etc/hostname")
_PURPOSE: Final = "fsadvisor"
_PRETTY: Final = late(r'^PRETTY_NAME=["\']?(.*?)["\']?$', re.MULTILINE)
_DIGITS: Final = 32


class Which:
    """What tells a machine from others; None where it is not known, as of a recording.

    The hashes are keyed by the machine's id, so that nobody finds the id, or a serial number, by trying all; on another
    machine the same drive has another.
    """

    def __init__(self, machine: Machine, *, plain: bool) -> None:
        self._machine = machine
        self._key = (self._text("/etc/machine-id") or "").encode()
        own = self._key.decode() if plain else self._hash("")
        self.id = own or None
        boot = self._text("/proc/sys/kernel/random/boot_id")
        self.boot = boot if plain or boot is None else self._hash("boot", boot)

    @property
    def host(self) -> str | None:
        """Its name in the network."""
        return next(filter(None, map(self._text, _HOST_NAMES)), None)

    @property
    def os(self) -> str | None:
        """Its distribution, as that names itself."""
        found = _PRETTY.search(self._text("/etc/os-release") or "")
        return found[1] if found else None

    def time(self, *, live: bool) -> str | None:
        """The moment in UTC; of a recording or an archive the day that it tells."""
        if live:
            return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        day = self._machine.looked_on
        return None if day is None else day.isoformat()

    def stable(self, storage: Storage, identity: Callable[[str], Identity]) -> dict[str, str]:
        """By subject id; nothing where the machine's id is not known, which keys the hashes."""
        if not self._key:
            return {}
        named = ((subject.id, self._hash(*_names(subject, identity(subject.id)))) for subject in storage.subjects)
        return {subject: name for subject, name in named if name is not None}

    def _text(self, path: str) -> str | None:
        return read_fact.value(read_fact.text(self._machine, path)) or None

    def _hash(self, *parts: str) -> str | None:
        if not self._key or not parts:
            return None
        text = "\0".join((_PURPOSE, *parts)).encode("utf-8", "surrogateescape")
        return hmac.new(self._key, text, "sha256").hexdigest()[:_DIGITS]


def _names(subject: Subject, identity: Identity) -> tuple[str, ...]:
    """What tells it from all others of its kind; nothing where that is not known."""
    if subject.kind == "disk" and identity.drives:
        drive = identity.drives[0]
        serial = read_fact.value(drive.serial)
        return ("disk", read_fact.value(drive.model) or "", serial) if serial else ()
    if subject.kind == "layer" and isinstance(identity.device, Known):
        return ("layer", identity.device.value)
    if subject.kind in ("filesystem", "mount") and isinstance(identity.uuid, Known):
        return (subject.kind, identity.uuid.value, *([subject.name] if subject.kind == "mount" else ()))
    return ()


def keys_by(identity: Callable[[str], Identity]) -> Callable[[str, Facts], str | None]:
    """The key of a subject by its id and facts; None where nothing tells it from others."""
    return lambda subject, facts: _key(identity(subject), facts)


def _key(identity: Identity, facts: Facts) -> str | None:
    """A filesystem's UUID, else where it is and how large; a drive's model and serial number."""
    if isinstance(facts, Filesystem):
        told = [read_fact.value(it) for it in (facts.device, facts.mount_point, facts.size_bytes)]
        return read_fact.value(identity.uuid) or (None if None in told else " ".join(map(str, told)))
    drive = identity.drives[0] if isinstance(facts, Disk) and identity.drives else None
    serial = None if drive is None else read_fact.value(drive.serial)
    return f"{read_fact.value(drive.model) or ''} {serial}".strip() if drive and serial else None
