"""What tells a drive or a filesystem from all others, from look to look, however the kernel calls it then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.storage import Disk, Filesystem
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.storage import Facts
    from fsadvisor.survey.attested import Identity


def by(identity: Callable[[str], Identity]) -> Callable[[str, Facts], str | None]:
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
