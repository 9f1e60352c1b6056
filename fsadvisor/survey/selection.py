"""One mount or disk, with everything above and below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fsadvisor.storage import Storage

_CHOSEN_KINDS = ("mount", "disk", "filesystem", "layer", "service")


def names(storage: Storage) -> list[str]:
    """What can be chosen: mount points, and devices with or without /dev."""
    return [subject.name for subject in storage.subjects if subject.kind in ("mount", "disk", "layer")]


def only(storage: Storage, target: str) -> Storage | None:
    """The storage cut down to the subjects that stand on or under the target, and the host; None where it is not."""
    wanted = {target.rstrip("/") or "/", target.removeprefix("/dev/")}
    chosen = [it.id for it in storage.subjects if it.kind in _CHOSEN_KINDS and wanted & {it.id, it.name}]
    if not chosen:
        return None
    under = {it.id: it.below for it in storage.subjects}
    above: dict[str, list[str]] = {}
    for at, below in under.items():
        for one in below:
            above.setdefault(one, []).append(at)
    kept = {"host", *_reached(chosen, under), *_reached(chosen, above)}
    return replace(storage, subjects=tuple(it for it in storage.subjects if it.id in kept))


def _reached(start: Iterable[str], edges: Mapping[str, Iterable[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = list(start)
    while waiting:
        subject = waiting.pop()
        if subject not in seen:
            seen.add(subject)
            waiting.extend(edges.get(subject, ()))
    return seen
