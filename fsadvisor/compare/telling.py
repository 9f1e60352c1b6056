"""What the measuring process is asked, and what it tells: a line of JSON each."""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from fsadvisor.compare.side import Side  # noqa: TC001 - decoding resolves the annotations at run time
from fsadvisor.probe.disks import Way  # noqa: TC001
from fsadvisor.probe.json_line import encoded
from fsadvisor.probe.result import Figure, Result  # noqa: TC001


class JobAsked(msgspec.Struct, frozen=True, kw_only=True):
    """A job, and the size of its file, which is the same on all sides; None where it has none."""

    id: str
    file_bytes: int | None


class PathAsked(msgspec.Struct, frozen=True, kw_only=True):
    """A mounted path, or the device below one, as it is."""

    side: Side
    folder: bytes
    """As the kernel has it: it need be no UTF-8."""
    mount: str
    below: Way | None
    write_back: bool | None
    depends: dict[str, str]


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """The line that it reads. `seconds` are for each job on each side; `seed` draws the order of each round."""

    jobs: tuple[JobAsked, ...]
    paths: tuple[PathAsked, ...]
    images: tuple[str, ...]
    """Names of `forms.CHOICES`."""
    image_folder: bytes
    image_bytes: int
    seconds: float
    width: float
    seed: int
    devices: bool
    """Whether the loop device below an image is read, too."""


class Stood(msgspec.Struct, frozen=True, kw_only=True, tag="stood"):
    """A side is there: with the options that the kernel shows."""

    side: Side


class LeftOut(msgspec.Struct, frozen=True, kw_only=True, tag="left out"):
    """A side could not be made, and is left out of all jobs."""

    name: str
    why: str


class Said(msgspec.Struct, frozen=True, kw_only=True, tag="said"):
    """Something that a person should know."""

    text: str


class Began(msgspec.Struct, frozen=True, kw_only=True, tag="began"):
    """A job is being set up on a side; jobs are counted from 1. An image is made while no job is: `at` is 0."""

    at: int
    job: str
    side: str


class Went(msgspec.Struct, frozen=True, kw_only=True, tag="went"):
    """A window of a side has ended; `used` is how much of its time is used up, 0 to 1."""

    at: int
    job: str
    side: str
    figure: Figure | None
    used: float


class Ended(msgspec.Struct, frozen=True, kw_only=True, tag="ended"):
    """A job on a side has."""

    at: int
    side: str
    result: Result


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag="failed"):
    """It cannot go on."""

    why: str


Event: TypeAlias = Stood | LeftOut | Said | Began | Went | Ended | Failed

_EVENT: Final = msgspec.json.Decoder(Event)


def line(event: Event | Asked) -> bytes:
    """As one line, without its end. Where a message names what is no UTF-8, '?' stands for those bytes."""
    return encoded(event)


def event(text: bytes) -> Event:
    """The event of a line."""
    found: Event = _EVENT.decode(text)
    return found
