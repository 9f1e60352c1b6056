"""What the measuring process of a trial is asked, and what it tells: a line of JSON each."""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from fsadvisor.probe.disks import Way  # noqa: TC001 - decoding resolves the annotations at run time
from fsadvisor.probe.json_line import encoded
from fsadvisor.trial.arena import Form  # noqa: TC001
from fsadvisor.trial.comparison import Comparison, Progress  # noqa: TC001


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be tried, and where: images in `folder`, or halves of `device`."""

    job: str
    default: Form
    changed: Form
    folder: bytes
    """As the kernel has it: it need be no UTF-8."""
    device: str = ""
    size_bytes: int
    """Of each image; of a device its half."""
    disks: Way | None
    """The devices below; None where they are not known."""
    seconds: float
    matters: float
    seed: int


class Stand(msgspec.Struct, frozen=True, kw_only=True):
    """How a side stands, as the kernel tells."""

    side: str
    mkfs: tuple[str, ...]
    options: tuple[str, ...]
    loop: str
    direct_io: bool
    write_cache: str | None


class Doing(msgspec.Struct, frozen=True, kw_only=True, tag="doing"):
    """What it is at between windows."""

    says: str


class Stood(msgspec.Struct, frozen=True, kw_only=True, tag="stood"):
    """How all sides stand in the first turn, and who measures."""

    stands: tuple[Stand, ...]
    engine: str


class Went(msgspec.Struct, frozen=True, kw_only=True, tag="went"):
    """A block has ended."""

    progress: Progress


class Done(msgspec.Struct, frozen=True, kw_only=True, tag="done"):
    """It has ended, whatever the end; everything is cleaned up."""

    comparison: Comparison


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag="failed"):
    """It could not begin: why, in a sentence."""

    error: str


Event: TypeAlias = Doing | Stood | Went | Done | Failed

_EVENTS: Final[msgspec.json.Decoder[Event]] = msgspec.json.Decoder(Event)
_ASKED: Final[msgspec.json.Decoder[Asked]] = msgspec.json.Decoder(Asked)


def line(message: Event | Asked) -> bytes:
    """As it is sent, without the end of the line."""
    return encoded(message)


def event(text: bytes) -> Event:
    """As it is heard. Raises msgspec.MsgspecError."""
    return _EVENTS.decode(text)


def asked(text: bytes) -> Asked:
    """As it is read. Raises msgspec.MsgspecError."""
    return _ASKED.decode(text)
