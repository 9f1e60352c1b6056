"""What a trial or a comparison in a process of its own is asked, and what it tells: a line of JSON each.

What the measuring process below tells is passed on whole.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from fsadvisor.compare import telling as compare_telling  # noqa: TC001 - decoding resolves annotations at run time
from fsadvisor.compare.side import Side  # noqa: TC001
from fsadvisor.probe.cost import Cost  # noqa: TC001
from fsadvisor.probe.finding import Finding  # noqa: TC001
from fsadvisor.probe.json_line import encoded
from fsadvisor.probe.result import Result  # noqa: TC001
from fsadvisor.probe.telling import Over
from fsadvisor.trial import telling as trial_telling  # noqa: TC001


class Try(msgspec.Struct, frozen=True, kw_only=True, tag="try"):
    """Try what a rule would change, on scratch filesystems in `folder`."""

    rule: str
    folder: str
    seconds: float
    matters: float = 0.05


class Compare(msgspec.Struct, frozen=True, kw_only=True, tag="compare"):
    """Compare paths, the devices below them, and filesystems in images on the first path."""

    targets: tuple[str, ...]
    images: tuple[str, ...]
    jobs: tuple[str, ...]
    seconds: float
    """For each job on each side."""
    width: float = 0.1


Asked: TypeAlias = Try | Compare


class Told(msgspec.Struct, frozen=True, kw_only=True, tag="told"):
    """What it would do, what it takes and what speaks against it, before anything is touched."""

    title: str
    says: tuple[tuple[str, str], ...]
    """What is done, by a word for each: 'job', 'as it is', 'changed'."""
    cost: Cost
    findings: tuple[Finding, ...]
    dangers: tuple[str, ...] = ()
    job: str = ""
    """Of a trial: what is measured."""

    @property
    def refused(self) -> tuple[Finding, ...]:
        """Why it may not start."""
        return tuple(one for one in self.findings if one.level == "refused")


class OfTrial(msgspec.Struct, frozen=True, kw_only=True, tag="of trial"):
    """The trial's process has told this."""

    event: trial_telling.Event


class OfCompare(msgspec.Struct, frozen=True, kw_only=True, tag="of compare"):
    """The comparison's process has told this."""

    event: compare_telling.Event


class Said(msgspec.Struct, frozen=True, kw_only=True, tag="said"):
    """Something that a person should know."""

    text: str


class CellTold(msgspec.Struct, frozen=True, kw_only=True):
    """One job on one side, both by name; `why` it was not measured."""

    side: str
    job: str
    result: Result | None
    why: str = ""


class Table(msgspec.Struct, frozen=True, kw_only=True, tag="table"):
    """All that a comparison has measured."""

    sides: tuple[Side, ...]
    jobs: tuple[str, ...]
    cells: tuple[CellTold, ...]
    when: str
    image_folder: str
    image_bytes: int
    seed: int


Event: TypeAlias = Told | OfTrial | OfCompare | Said | Table | Over

_EVENTS: Final[msgspec.json.Decoder[Event]] = msgspec.json.Decoder(Event)
_ASKED: Final[msgspec.json.Decoder[Asked]] = msgspec.json.Decoder(Asked)


def line(message: Event | Asked) -> bytes:
    """As it is sent."""
    return encoded(message) + b"\n"


def event(text: bytes) -> Event:
    """As it is heard. Raises msgspec.MsgspecError."""
    return _EVENTS.decode(text)


def asked(text: bytes) -> Asked:
    """As it is read. Raises msgspec.MsgspecError."""
    return _ASKED.decode(text)
