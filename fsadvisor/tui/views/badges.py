"""What a subject is, in few words: those that an admin looks for first stand first, since the end may be cut.

A fact that is not known shows as '?'; one that is still being asked as '…', so that nothing cries before it is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.pages.glyphs import Line, Span, Tone, span
from fsadvisor.pages.values import bytes_text, listed
from fsadvisor.storage import Below

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fsadvisor.facts import Fact
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.storage import Disk, Filesystem, Host, Layer, Mount, Service, Subject

_LONGEST: Final = 60
_DISKS: Final = 2
_FULL, _NEARLY_FULL = 95, 85
_WORN, _NEARLY_WORN = 100, 80
PLP: Final = {
    "proven": Tone.GOOD,
    "claimed": Tone.PLAIN,
    "partial": Tone.WARNING,
    "absent": Tone.WARNING,
    "failed": Tone.BAD,
    "unknown": Tone.UNKNOWN,
}


def protection(said: str) -> str:
    """A verdict on power-loss protection in two words: of a claim, whose it is."""
    return "vendor: PLP" if said == "claimed" else f"PLP {said}"


def badges(subject: Subject, glyphs: Glyphs) -> Line:
    """The words, with commas between them."""
    spans: list[Span] = []
    for badge in _KINDS[subject.kind](subject.scope, glyphs):
        if spans:
            spans.append(Span(", ", Tone.DIM))
        spans.append(badge)
    return tuple(spans)


def words(subject: Subject, glyphs: Glyphs) -> list[Span]:
    """The same without what the board has columns for; of a mount, what its filesystem is, too."""
    if subject.kind == "mount":
        own = list(_mount(subject.scope, glyphs))
        return [*_options(subject.scope, glyphs), *own] if "filesystem" in subject.scope else own
    return list((_drive if subject.kind == "disk" else _KINDS[subject.kind])(subject.scope, glyphs))


def name(subject: Subject) -> str:
    """What it is called in the tree."""
    if subject.kind == "host":
        return "this machine"
    if subject.kind == "service":
        return _word(_facts(subject, "service").program) or subject.name
    if subject.kind == "layer":
        return _word(_facts(subject, "layer").mapped_name) or subject.name
    return subject.name


def disks_below(subject: Subject) -> Line:
    """'on sda and sdb', as far as that is known."""
    below = subject.scope.get("below")
    if not isinstance(below, Below) or not _value(below.disks):
        return ()
    names = list(below.disks.value) if isinstance(below.disks, Known) else []
    more = [f"{len(names) - _DISKS:,} more"] if len(names) > _DISKS else []
    return (span(f"on {listed(names[:_DISKS] + more)}", Tone.PLAIN, _LONGEST),)


def searched(subject: Subject) -> str:
    """The words that a search finds it by."""
    words = [subject.id, subject.name]
    if subject.kind == "disk":
        disk = _facts(subject, "disk")
        words += [_word(disk.model), _word(disk.firmware), _word(disk.vendor)]
    if subject.kind == "layer":
        layer = _facts(subject, "layer")
        words += [_word(layer.mapped_name), _word(layer.kind), _word(layer.md_level)]
    if subject.kind == "filesystem":
        filesystem = _facts(subject, "filesystem")
        words += [_word(filesystem.type), _word(filesystem.label)]
    return " ".join(words)


def _facts(subject: Subject, namespace: str) -> Any:  # noqa: ANN401 - one of storage's types
    return subject.scope[namespace]


def _word(fact: Fact[str]) -> str:
    return str(fact.value) if isinstance(fact, Known) else ""


def _host(scope: Mapping[str, Any], glyphs: Glyphs) -> Iterator[Span]:
    host: Host = scope["host"]
    yield from _or_open("memory", host.memory_bytes, glyphs, lambda size: span(f"{bytes_text(size)} memory"))
    if _is(host.container, True):
        yield Span("fsadvisor runs in a container", Tone.WARNING)
    elif _is(host.virtual, True):
        yield Span("virtual machine")
    if _is(host.io_stalled, True):
        yield Span("waits for I/O", Tone.WARNING)
    if _is(host.fstrim_timer, "active"):
        yield Span("fstrim weekly", Tone.DIM)


def _disk(scope: Mapping[str, Any], glyphs: Glyphs) -> Iterator[Span]:
    disk: Disk = scope["disk"]
    yield from _health(disk, glyphs)
    if _over(disk.percentage_used, _NEARLY_WORN - 1):
        yield worn(_value(disk.percentage_used))
    yield from _or_open("PLP", disk.plp, glyphs, lambda said: Span(protection(said), PLP[said]))
    yield from _or_open("cache", disk.write_cache, glyphs, Span)
    yield from _size(disk, glyphs)
    yield _medium(disk)
    yield from _model(disk, glyphs)


def _drive(scope: Mapping[str, Any], glyphs: Glyphs) -> Iterator[Span]:
    disk: Disk = scope["disk"]
    yield from _health(disk, glyphs)
    yield _medium(disk)
    yield from _or_open("cache", disk.write_cache, glyphs, Span)
    yield from _model(disk, glyphs)


def _size(disk: Disk, glyphs: Glyphs) -> Iterator[Span]:
    return _or_open("size", disk.size_bytes, glyphs, lambda size: span(_rounded(size)))


def _model(disk: Disk, glyphs: Glyphs) -> Iterator[Span]:
    return _or_open("model", disk.model, glyphs, lambda model: span(model.strip(), Tone.DIM, _LONGEST))


def size(subject: Subject, glyphs: Glyphs) -> Line:
    """How much a drive holds."""
    return tuple(_size(_facts(subject, "disk"), glyphs))


def kind(subject: Subject, glyphs: Glyphs) -> Line:
    """The kind of filesystem at a mount, running or else configured."""
    fact = _facts(subject, "mount").fs_type
    return tuple(_or_open("type", fact, glyphs, lambda one: span(one, Tone.STRONG, _LONGEST)))


def worn(share: int) -> Span:
    """How much of what an SSD is made for was written."""
    tone = Tone.BAD if share >= _WORN else Tone.WARNING if share >= _NEARLY_WORN else Tone.PLAIN
    return Span(f"{share} % worn", tone)


def _health(disk: Disk, glyphs: Glyphs) -> Iterator[Span]:
    """What is wrong first; 'healthy' is what the drive itself says."""
    wrong = [
        *(["failing"] if _is(disk.smart_passed, False) else []),
        *(["critical warning"] if _over(disk.critical_warning, 0) else []),
        *([f"{_value(disk.media_errors):,} media errors"] if _over(disk.media_errors, 0) else []),
        *([f"{_value(disk.pending_sectors):,} pending sectors"] if _over(disk.pending_sectors, 0) else []),
        *(["failing attributes"] if _value(disk.failing_attributes) else []),
    ]
    yield from (Span(words, Tone.BAD) for words in wrong)
    if not wrong:
        yield from _or_open("health", disk.smart_passed, glyphs, lambda _: Span("healthy", Tone.GOOD))
    if _is(disk.read_only, True):
        yield Span("refuses writes", Tone.BAD)


def _medium(disk: Disk) -> Span:
    transport = _word(disk.transport)
    spelt = {"nvme": "NVMe", "sata": "SATA", "sas": "SAS", "usb": "USB"}.get(transport, transport)
    if _is(disk.virtual, True):
        return span(f"virtual {transport}".replace("virtual virtio", "virtio"), Tone.DIM)
    if isinstance(disk.rotational, Unknown) or isinstance(disk.virtual, Unknown):
        return span(f"{spelt} medium ?".strip(), Tone.UNKNOWN)
    return span(f"{spelt} {'hard disk' if disk.rotational.value else 'SSD'}".strip(), Tone.DIM)


def _layer(scope: Mapping[str, Any], glyphs: Glyphs) -> Iterator[Span]:
    layer: Layer = scope["layer"]
    if _over(layer.md_degraded, 0):
        yield Span(f"{_value(layer.md_degraded)} missing", Tone.BAD)
    if health := _word(layer.lvm_health):
        yield span(health, Tone.BAD, _LONGEST)
    kind = _word(layer.md_level) or _word(layer.kind)
    yield span(kind, Tone.PLAIN, _LONGEST) if kind else unknown("kind", layer.kind, glyphs)
    if layer.md_level != layer.kind and _word(layer.mapped_name):
        yield span(_word(layer.name), Tone.DIM, _LONGEST)
    yield from _or_open("size", layer.size_bytes, glyphs, lambda size: span(bytes_text(size), Tone.DIM))
    yield from _or_open("fill", layer.fill_percent, glyphs, lambda share: filled(share, "full"))
    if _is(layer.misaligned, True):
        yield Span("misaligned", Tone.WARNING)
    yield from _or_open("mode", layer.cache_mode, glyphs, lambda mode: span(mode, Tone.PLAIN, _LONGEST))


def _filesystem(scope: Mapping[str, Any], glyphs: Glyphs) -> Iterator[Span]:
    filesystem: Filesystem = scope["filesystem"]
    yield from _trouble(filesystem)
    yield from _or_open("type", filesystem.type, glyphs, lambda kind: span(kind, Tone.STRONG, _LONGEST))
    yield from _or_open("room", filesystem.used_percent, glyphs, lambda share: filled(share, "full"))
    yield from _settings(filesystem, glyphs)


def _options(scope: Mapping[str, Any], glyphs: Glyphs) -> Iterator[Span]:
    """Of a mount's filesystem, without its kind and how full it is."""
    filesystem: Filesystem = scope["filesystem"]
    yield from _trouble(filesystem)
    yield from _settings(filesystem, glyphs)


def _settings(filesystem: Filesystem, glyphs: Glyphs) -> Iterator[Span]:
    if _over(filesystem.inodes_used_percent, _NEARLY_FULL - 1):
        yield filled(_value(filesystem.inodes_used_percent), "of inodes")
    yield from _or_open(
        "barriers",
        filesystem.barriers,
        glyphs,
        lambda on: Span("barriers", Tone.DIM) if on else Span("NO barriers", Tone.BAD),
    )
    if _is(filesystem.journal, False):
        yield Span("no journal", Tone.WARNING)
    else:
        yield from _or_open("journal", filesystem.data_mode, glyphs, lambda mode: Span(f"data={mode}"))
    yield from _or_open("data", filesystem.data_profile, glyphs, lambda one: span(f"data {one}", Tone.PLAIN, _LONGEST))
    yield from _or_open("sync", filesystem.zfs_sync, glyphs, lambda one: span(f"sync={one}", Tone.PLAIN, _LONGEST))


def _trouble(filesystem: Filesystem) -> Iterator[Span]:
    if _is(filesystem.shut_down, True):
        yield Span("STOPPED by the kernel", Tone.BAD)
    elif _is(filesystem.read_only, True):
        yield Span("read-only", Tone.WARNING)
    if _over(filesystem.errors, 0):
        yield Span(f"{_value(filesystem.errors):,} errors", Tone.BAD)
    if _over(filesystem.missing_bytes, 0):
        yield Span("device missing", Tone.BAD)
    health = _word(filesystem.zfs_pool_health)
    if health:
        yield span(f"pool {health}", Tone.GOOD if health == "ONLINE" else Tone.BAD, _LONGEST)


def _mount(scope: Mapping[str, Any], glyphs: Glyphs) -> Iterator[Span]:
    mount: Mount = scope["mount"]
    if _is(mount.mounted, False):
        yield Span("not mounted", Tone.BAD)
    if _is(mount.read_only, True):
        yield Span("read-only", Tone.WARNING)
    if _is(mount.sync, True):
        yield Span("sync", Tone.WARNING)
    if _is(mount.mounted, True):
        yield from _or_open("atime", mount.atime, glyphs, Span)
    if _value(mount.options_not_in_force):
        yield Span("differs from fstab", Tone.WARNING)
    yield from _or_open("", mount.workload, glyphs, Span)
    if isinstance(mount.fsync_us, Known):
        share = mount.flush_share_percent
        flushes = f", {share.value:.0f} % of it flushes" if isinstance(share, Known) else ""
        yield Span(f"fsync {mount.fsync_us.value / 1000:.3g} ms{flushes}", Tone.STRONG)
    elif isinstance(mount.commit_us, Known):
        yield Span(f"fdatasync {mount.commit_us.value:,.0f} µs", Tone.STRONG)


def _service(scope: Mapping[str, Any], glyphs: Glyphs) -> Iterator[Span]:
    service: Service = scope["service"]
    if _is(service.fsync, False):
        yield Span("fsync off", Tone.BAD)
    if _is(service.unsafe_no_fsync, True):
        yield Span("does not flush", Tone.BAD)
    yield Span("uses it", Tone.DIM)
    yield from _or_open("workload", service.workload, glyphs, Span)
    yield from _or_open("folder", service.directory, glyphs, lambda path: span(path, Tone.DIM, _LONGEST))


def filled(share: float, of_what: str) -> Span:
    """How full something is; a full one cries."""
    tone = Tone.BAD if share >= _FULL else Tone.WARNING if share >= _NEARLY_FULL else Tone.PLAIN
    return Span(f"{share:.0f} % {of_what}", tone)


def _or_open(what: str, fact: Fact[Any], glyphs: Glyphs, shown: Callable[[Any], Span]) -> Iterator[Span]:
    """The value as shown, 'what ?' where it is not known, nothing where it makes no sense or stays unnamed."""
    if isinstance(fact, Known):
        yield shown(fact.value)
    elif fact.cause is not Cause.NOT_APPLICABLE and what:
        yield unknown(what, fact, glyphs)


def unknown(what: str, fact: Fact[Any], glyphs: Glyphs) -> Span:
    """A question; what is still being asked is none yet."""
    if isinstance(fact, Unknown) and fact.cause is Cause.BEING_ASKED:
        return Span(f"{what} {glyphs.ellipsis}", Tone.DIM)
    return Span(f"{what} {glyphs.question}", Tone.UNKNOWN)


def _rounded(size: int) -> str:
    """Drives are sold by powers of ten."""
    for unit, scale in (("TB", 10**12), ("GB", 10**9)):
        if size >= scale:
            return f"{size / scale:.3g} {unit}"
    return bytes_text(size)


def _value(fact: Fact[Any]) -> Any:  # noqa: ANN401 - of any fact
    return fact.value if isinstance(fact, Known) else None


def _is(fact: Fact[Any], value: object) -> bool:
    return isinstance(fact, Known) and fact.value == value


def _over(fact: Fact[Any], limit: float) -> bool:
    return isinstance(fact, Known) and fact.value > limit


_KINDS: Final = {
    "host": _host,
    "disk": _disk,
    "layer": _layer,
    "filesystem": _filesystem,
    "mount": _mount,
    "service": _service,
}
