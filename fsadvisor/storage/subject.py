"""Subjects: what rules speak of, and the machine that holds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from fsadvisor.storage.below import Below
from fsadvisor.storage.disk import Disk
from fsadvisor.storage.filesystem import Filesystem
from fsadvisor.storage.host import Host
from fsadvisor.storage.layer import Layer
from fsadvisor.storage.mount import Mount
from fsadvisor.storage.said import Ignored, Tried, Waiver
from fsadvisor.storage.service import Service

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.storage.words import Kind

Facts: TypeAlias = Host | Disk | Below | Layer | Filesystem | Mount | Service


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Something that rules speak of: its facts, and what it stands on.

    `id` is unique ('disk:vda', 'mount:/srv'), `name` is for people, `below` holds the ids right below. `scope` maps
    the first part of a fact name ('mount', 'filesystem', 'below', 'host') to the facts that a rule on this subject
    may ask.
    """

    id: str
    kind: Kind
    name: str
    below: tuple[str, ...]
    scope: Mapping[str, Facts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """The whole machine: what it is called and every subject, the host first, bottom up.

    `waivers` are the findings that people have accepted; `ignored` is what they said that does not count,
    `tried` what trials of rules told.
    """

    machine: str
    subjects: tuple[Subject, ...]
    waivers: tuple[Waiver, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    tried: tuple[Tried, ...] = ()
