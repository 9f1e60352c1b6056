"""How subjects and findings belong together: what stands on what, and which advice speaks of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fsadvisor.report.findings import Finding
    from fsadvisor.storage import Storage, Subject

_NUMBER: Final = re.compile(r"([0-9]{1,18})")
_ROOTS: Final = ("host", "mount", "service", "filesystem", "layer", "disk")


class Relations(Struct, frozen=True, kw_only=True):
    """By subject id; places are those in the ranked list of findings, from 0."""

    below: Mapping[str, Sequence[str]]
    above: Mapping[str, Sequence[str]]
    places: Mapping[str, Sequence[int]]
    roots: Sequence[str]
    """Where a person starts: the host, the mounts, and what stands below none of them."""

    def advice_on(self, subjects: Iterable[str]) -> list[int]:
        """The places of the findings that speak of any of the subjects, in rank order."""
        return sorted({place for one in subjects for place in self.places.get(one, ())})

    def stack(self, subject: str) -> set[str]:
        """The subject, all that it stands on, and all that stands on it."""
        return reached(subject, self.below) | reached(subject, self.above)

    def used(self, subject: str) -> set[str]:
        """The subject, all that it stands on, and what stands right on that but is no mount: a service, say."""
        found = reached(subject, self.below)
        return found | {one for one in self.above.get(subject, ()) if one.startswith("service:")}


def relations(storage: Storage, findings: Sequence[Finding]) -> Relations:
    """Those of a whole machine."""
    below = {subject.id: subject.below for subject in storage.subjects}
    above: dict[str, list[str]] = {}
    for subject in storage.subjects:
        for one in subject.below:
            above.setdefault(one, []).append(subject.id)
    places: dict[str, list[int]] = {}
    for place, finding in enumerate(findings):
        for subject in finding.subjects:
            places.setdefault(subject.id, []).append(place)
    return Relations(below=below, above=above, places=places, roots=_roots(storage, below, above))


def reached(subject: str, steps: Mapping[str, Sequence[str]]) -> set[str]:
    """The subject and all that is reached from it by these steps."""
    found, waiting = {subject}, [subject]
    while waiting:
        for one in steps.get(waiting.pop(), ()):
            if one not in found:
                found.add(one)
                waiting.append(one)
    return found


def _roots(storage: Storage, below: Mapping[str, Sequence[str]], above: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    shown: set[str] = set()
    for subject in storage.subjects:
        if subject.kind == "mount":
            shown |= reached(subject.id, below)
            shown.update(above.get(subject.id, ()))
    tops = [one for one in storage.subjects if _is_root(one, shown, above)]
    return tuple(one.id for one in sorted(tops, key=_place))


def _is_root(subject: Subject, shown: set[str], above: Mapping[str, Sequence[str]]) -> bool:
    """Whatever its place, a mount is one; else what no mount leads to, and nothing stands on."""
    if subject.kind in ("host", "mount"):
        return True
    return subject.id not in shown and not any(one not in shown for one in above.get(subject.id, ()))


def _place(subject: Subject) -> tuple[int, list[tuple[int, str]]]:
    return _ROOTS.index(subject.kind), as_people_count(subject.name)


def as_people_count(name: str) -> list[tuple[int, str]]:
    """A sort key that puts sd9 before sd10."""
    return [(int(part), "") if at % 2 else (-1, part) for at, part in enumerate(_NUMBER.split(name))]


def named(relation: Relations, subjects: Mapping[str, Subject], subject: str) -> Iterator[Subject]:
    """What a person sees under a subject of the tree: the services on a mount, then what it stands on."""
    if subject.startswith("mount:"):
        yield from (subjects[one] for one in relation.above.get(subject, ()) if one.startswith("service:"))
    if not subject.startswith("service:"):
        yield from (subjects[one] for one in relation.below.get(subject, ()) if one in subjects)
