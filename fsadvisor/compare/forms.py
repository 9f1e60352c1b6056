"""The filesystems that are made to be compared: those that the types name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.survey.filesystem_types.registry import NO_FLUSH_OPTIONS, TYPES, type_of
from fsadvisor.trial.arena import Form

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fsadvisor.compare.side import Promise
    from fsadvisor.machine.port import Machine
    from fsadvisor.survey.filesystem_types.base import Variant


class Choice(Struct, frozen=True, kw_only=True):
    """A filesystem to be made."""

    form: Form
    says: str
    """What it is, in a few words."""
    dangers: tuple[str, ...] = ()


def _choice(fs_type: str, made: Variant) -> Choice:
    name = f"{fs_type}-{made.suffix}" if made.suffix else fs_type
    form = Form(name=name, fs_type=fs_type, mkfs=made.mkfs, options=made.options)
    return Choice(form=form, says=made.says, dangers=made.dangers)


_EVERY: Final = tuple(_choice(fs_type.name, made) for fs_type in TYPES.values() for made in fs_type.variants)
CHOICES: Final[Mapping[str, Choice]] = {it.form.name: it for it in _EVERY}
"""Every filesystem that can be made, by its name."""


def promise(fs_type: str, options: Sequence[str], write_cache: str | None) -> Promise:
    """What a sync ends with there; `write_cache` is that of the loop device, whose 'write through' drops flushes."""
    if NO_FLUSH_OPTIONS & set(options) or write_cache == "write through":
        return "no flushes"
    return "flushes" if type_of(fs_type).flushes_after_sync and write_cache is not None else "not known"


def kernel_has(fs_type: str, machine: Machine) -> Fact[bool]:
    """Whether the kernel has the filesystem, built in, loaded or as a module."""
    listed = machine.read("/proc/filesystems")
    if not isinstance(listed, Unknown) and fs_type in listed.text.split():
        return Known(True, "/proc/filesystems")
    release = machine.read("/proc/sys/kernel/osrelease")
    if isinstance(release, Unknown):
        return release
    modules = f"/lib/modules/{release.text.strip()}/modules.dep"
    found = machine.read(modules)
    if isinstance(found, Unknown):
        none = found.cause is Cause.NOT_EXPOSED and not isinstance(listed, Unknown)
        return Known(False, "/proc/filesystems") if none else found
    return Known(f"/{fs_type}.ko" in found.text, modules)
