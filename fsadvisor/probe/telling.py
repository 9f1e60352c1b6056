"""What a probe in a process of its own is asked, and what it tells: a line of JSON each."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from fsadvisor.probe.cost import Cost  # noqa: TC001 - decoding resolves the annotations at run time
from fsadvisor.probe.finding import Finding  # noqa: TC001
from fsadvisor.probe.result import Figure, Result  # noqa: TC001

State: TypeAlias = Literal["done", "cancelled", "not started", "failed"]


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """The first line that it reads; `seconds` are for each job."""

    jobs: tuple[str, ...]
    target: str
    seconds: float
    in_data_directory: bool = False


class Go(msgspec.Struct, frozen=True, kw_only=True):
    """The second line that it reads: start. Where there is none, it ends without having touched anything."""

    gentle: bool = False


class Told(msgspec.Struct, frozen=True, kw_only=True, tag="told"):
    """What it takes and what speaks against it, before anything is touched; `would_do` names what may run instead."""

    asked: Asked
    target: str
    mount: str
    cost: Cost
    findings: tuple[Finding, ...]
    would_do: tuple[str, ...] = ()

    @property
    def refused(self) -> tuple[Finding, ...]:
        """Why it may not start."""
        return tuple(one for one in self.findings if one.level == "refused")


class Began(msgspec.Struct, frozen=True, kw_only=True, tag="began"):
    """A job is being set up; `seconds_left` are those of all jobs, at most."""

    at: int
    job: str
    seconds_left: float


class Went(msgspec.Struct, frozen=True, kw_only=True, tag="went"):
    """A window has ended."""

    at: int
    job: str
    seconds_left: float
    headline: str
    value: float | None
    """In the headline's unit; None where the window has none."""
    void: str
    """Why it does not count, '' where it does."""
    figure: Figure | None
    """So far."""
    counted: int
    seconds: float
    """Of this job, so far."""
    job_seconds_left: float
    operations_per_s: float
    bytes_per_s: float
    p50_us: float | None
    p99_us: float | None


class Ended(msgspec.Struct, frozen=True, kw_only=True, tag="ended"):
    """A job has."""

    at: int
    seconds_left: float
    result: Result


class Said(msgspec.Struct, frozen=True, kw_only=True, tag="said"):
    """Something that a person should know, or (`pause`) why it waits at the moment."""

    text: str
    pause: bool = False


class Over(msgspec.Struct, frozen=True, kw_only=True, tag="over"):
    """The last: everything is cleaned up."""

    state: State
    error: str = ""


Event: TypeAlias = Told | Began | Went | Ended | Said | Over

_EVENTS: Final[msgspec.json.Decoder[Event]] = msgspec.json.Decoder(Event)


def line(message: Event | Asked | Go) -> bytes:
    """As it is sent."""
    return msgspec.json.encode(message) + b"\n"


def event(text: bytes) -> Event:
    """As it is heard. Raises msgspec.MsgspecError."""
    return _EVENTS.decode(text)
