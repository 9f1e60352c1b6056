"""Where the time went, as JSON: its shape, from which the schema is made."""

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from fsadvisor.facts import Unknown
from fsadvisor.measure.waits import journals
from fsadvisor.measure.waits.threads import Runner, Waiter
from fsadvisor.pages.published import document, published
from fsadvisor.readers.kernel_traces import LockWaits
from fsadvisor.report import probe_figures

if TYPE_CHECKING:
    from fsadvisor.facts import Fact, Known
    from fsadvisor.measure.waits import sentence, window
    from fsadvisor.measure.waits.sentence import Account

SCHEMA: Final = "fsadvisor/waits/1"


class NotKnown(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="known", tag="no"):
    """Why something could not be told, and how to learn it."""

    cause: str
    learn: str
    source: str


class Number(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="known", tag="yes"):
    """A share of the time (0 to 1), or what the field says."""

    value: float
    source: str


Told = Number | NotKnown


class Evidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A condition of the sentence, and what was measured. `unit` tells shares of the time from mean numbers."""

    measure: str
    unit: Literal["share", "number"]
    means: str
    of: str
    measured: Told
    relation: Literal["at least", "below"]
    threshold: float
    holds: Literal["true", "false", "unknown"]


class Sentence(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the window supports, and what that leaves open."""

    id: str
    says: str
    evidence: tuple[Evidence, ...]
    leaves_open: str


class Processors(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="known", tag="yes"):
    """Shares of the time of all processors, 0 to 1. iowait is unreliable: no sentence rests on it."""

    processors: int
    user: float
    system: float
    interrupts: float
    steal: float
    iowait: Told
    idle: Told
    source: str


class Disk(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Rates per second; `…_ms` are the mean of a request, null where none ended; `flush` flushes under way on average.

    `busy` is the share of the time with a request under way, flushes left out.
    """

    name: str
    busy: float
    busy_most: Told
    queue: float
    reads: float
    read_bytes: float
    read_ms: float | None
    writes: float
    write_bytes: float
    write_ms: float | None
    flushes: float | None
    flush_ms: float | None
    flush: Told


class Disks(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="known", tag="yes"):
    """`untold` came or went meanwhile."""

    each: tuple[Disk, ...]
    untold: tuple[str, ...]
    source: str


class Stalls(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The share of the time in which some, or all, threads waited for the resource."""

    some: Told
    full: Told


class Phase(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="known", tag="yes"):
    """The mean of the window's transactions in ms is within."""

    low: float
    high: float


class Ext4(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="ext4"):
    """A journal of jbd2."""

    device: str
    transactions: int
    requested: int
    commit_us: Told
    phases_ms: dict[str, Phase | NotKnown]


class Xfs(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="xfs"):
    """A log, '' for all together."""

    device: str
    log_writes: int
    forces: int
    forces_slept: int
    no_buffer: int
    space_slept: Told


class Btrfs(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="btrfs"):
    """Commits of a filesystem that ended; `busy` is the share of the time with one under way, at most."""

    uuid: str
    commits: int
    commit_ms: float
    busy: float


class Untold(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="not known"):
    """A journal whose statistics could not be read."""

    cause: str
    learn: str
    source: str


class Threads(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="known", tag="yes"):
    """Means over all looks; `kinds` are what those that waited waited for."""

    looks: int
    threads: float
    running: float
    waiting: float
    kinds: dict[str, Told]
    waiters: tuple[Waiter, ...]
    runners: tuple[Runner, ...]
    source: str


class Locks(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="known", tag="yes"):
    """How many threads slept for a lock of the kernel, and how many spun, on average; the longest waited for first."""

    waiting: float
    spinning: float
    locks: tuple[LockWaits, ...]
    source: str


class Waits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One run of `fsadvisor waits`: `sentences` first say what the rest supports, the gravest first.

    `target` is '' for all disks; `probe` is the run of the job that went on meanwhile, null where none did.
    """

    schema: Literal["fsadvisor/waits/1"]
    when: str
    seconds: float
    target: str
    notes: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    processors: Processors | NotKnown
    own_share: float
    disks: Disks | NotKnown
    pressure: dict[str, Stalls]
    journals: tuple[Ext4 | Xfs | Btrfs | Untold, ...]
    threads: Threads | NotKnown
    locks: Locks | NotKnown
    probe: probe_figures.Probe | None


_WORKS: Final[dict[type, type[Ext4 | Xfs | Btrfs | Untold]]] = {
    Unknown: Untold,
    journals.Jbd2Work: Ext4,
    journals.XfsWork: Xfs,
    journals.BtrfsWork: Btrfs,
}


def as_json(account: "Account", probe: str | None = None) -> str:
    """The document; `probe` is that of the probe that ran meanwhile."""
    window = account.window
    return document(
        published(
            Waits,
            account,
            window,
            schema=SCHEMA,
            processors=window.cpu,
            own_share=window.own,
            disks=window.disks if isinstance(window.disks, Unknown) else _disks(window.disks),
            journals=tuple(map(_work, window.works)),
            sentences=tuple(map(_sentence, account.sentences)),
            probe=None if probe is None else msgspec.json.decode(probe, type=probe_figures.Probe),
        )
    )


def _sentence(sentence: "sentence.Sentence") -> Sentence:
    evidence = (published(Evidence, it, it.condition, measure=it.condition.name) for it in sentence.evidence)
    return published(Sentence, sentence, evidence=tuple(evidence))


def _disks(known: "Known[window.Disks]") -> Disks:
    each = tuple(published(Disk, one, one.rates) for one in known.value.each)
    return published(Disks, known.value, known, each=each)


def _work(fact: "Fact[journals.Work]") -> Ext4 | Xfs | Btrfs | Untold:
    found = fact if isinstance(fact, Unknown) else fact.value
    return published(_WORKS[type(found)], found)
