"""Where the time went, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from fsadvisor.facts import Unknown
from fsadvisor.pages.escape import json_escaped, without_surrogates
from fsadvisor.report import probe_json
from fsadvisor.report.waits_shapes import (
    Btrfs,
    Disk,
    Disks,
    Evidence,
    Ext4,
    Lock,
    Locks,
    NotKnown,
    Number,
    Phase,
    Processors,
    Runner,
    Sentence,
    Stalls,
    Threads,
    Untold,
    Waiter,
    Waits,
    Xfs,
)
from fsadvisor.waits.journals import Jbd2Work, XfsWork
from fsadvisor.waits.rules import COUNTS, MEANS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.facts import Fact, Known
    from fsadvisor.report.waits_shapes import Told
    from fsadvisor.waits import shares, threads
    from fsadvisor.waits import window as of_window
    from fsadvisor.waits.account import Account
    from fsadvisor.waits.journals import BtrfsWork, Work
    from fsadvisor.waits.sentence import Evidence as EvidenceFound
    from fsadvisor.waits.sentence import Sentence as SentenceFound

T = TypeVar("T")
S = TypeVar("S")


def as_json(account: Account, probe: str | None = None) -> str:
    """The document, escaped as in the report; `probe` is the document of the probe that ran meanwhile."""
    window = account.window
    told = Waits(
        schema="fsadvisor/waits/1",
        when=account.when,
        seconds=_six(window.seconds),
        target=without_surrogates(account.target),
        notes=tuple(map(without_surrogates, account.notes)),
        sentences=tuple(map(_sentence, account.sentences)),
        processors=_either(window.cpu, _cpu),
        own_share=_six(window.own),
        disks=_either(window.disks, _disks),
        pressure={
            name: Stalls(some=_number(stalls.some), full=_number(stalls.full))
            for name, stalls in window.pressure.items()
        },
        journals=tuple(map(_work, window.works)),
        threads=_either(window.threads, _threads),
        locks=_either(window.locks, _locks),
        probe=None if probe is None else msgspec.json.decode(probe, type=probe_json.Probe),
    )
    return json_escaped(msgspec.json.encode(told).decode()) + "\n"


def _six(value: float) -> float:
    return float(f"{value:.6g}")


def _maybe(value: float | None) -> float | None:
    return None if value is None else _six(value)


def _not_known(one: Unknown) -> NotKnown:
    return NotKnown(cause=one.cause.value, learn=without_surrogates(one.learn), source=without_surrogates(one.source))


def _either(fact: Fact[T], made: Callable[[Known[T]], S]) -> S | NotKnown:
    return _not_known(fact) if isinstance(fact, Unknown) else made(fact)


def _number(fact: Fact[float] | Fact[int]) -> Told:
    if isinstance(fact, Unknown):
        return _not_known(fact)
    return Number(value=_six(fact.value), source=fact.source)


def _sentence(one: SentenceFound) -> Sentence:
    return Sentence(
        id=one.id,
        says=without_surrogates(one.says),
        evidence=tuple(map(_evidence, one.evidence)),
        leaves_open=one.leaves_open,
    )


def _evidence(one: EvidenceFound) -> Evidence:
    return Evidence(
        measure=one.condition.name,
        unit="number" if one.condition.name in COUNTS else "share",
        means=MEANS[one.condition.name],
        of=without_surrogates(one.of),
        measured=_number(one.measured),
        relation=one.condition.relation,
        threshold=one.condition.threshold,
        holds=one.holds.value,
    )


def _cpu(fact: Known[shares.Cpu]) -> Processors:
    cpu = fact.value
    return Processors(
        processors=cpu.processors,
        user=_six(cpu.user),
        system=_six(cpu.system),
        interrupts=_six(cpu.interrupts),
        steal=_six(cpu.steal),
        iowait=_number(cpu.iowait),
        idle=_number(cpu.idle),
        source=fact.source,
    )


def _disks(fact: Known[shares.Disks]) -> Disks:
    return Disks(
        each=tuple(map(_disk, fact.value.each)),
        untold=tuple(map(without_surrogates, fact.value.untold)),
        source=fact.source,
    )


def _disk(one: shares.Disk) -> Disk:
    rates = one.rates
    return Disk(
        name=without_surrogates(one.name),
        busy=_six(rates.busy),
        busy_most=_number(one.busy_most),
        queue=_six(rates.queue),
        reads=_six(rates.reads),
        read_bytes=_six(rates.read_bytes),
        read_ms=_maybe(rates.read_ms),
        writes=_six(rates.writes),
        write_bytes=_six(rates.write_bytes),
        write_ms=_maybe(rates.write_ms),
        flushes=_maybe(rates.flushes),
        flush_ms=_maybe(rates.flush_ms),
        flush=_number(one.flush),
    )


def _work(fact: Fact[Work]) -> Ext4 | Xfs | Btrfs | Untold:
    if isinstance(fact, Unknown):
        told = _not_known(fact)
        return Untold(cause=told.cause, learn=told.learn, source=told.source)
    if isinstance(fact.value, Jbd2Work):
        return _ext4(fact.value)
    if isinstance(fact.value, XfsWork):
        return _xfs(fact.value)
    return _btrfs(fact.value)


def _ext4(work: Jbd2Work) -> Ext4:
    return Ext4(
        device=without_surrogates(work.device),
        transactions=work.transactions,
        requested=work.requested,
        commit_us=_number(work.commit_us),
        phases_ms={
            name: _not_known(fact)
            if isinstance(fact, Unknown)
            else Phase(low=_six(fact.value.low), high=_six(fact.value.high))
            for name, fact in work.phases_ms.items()
        },
    )


def _xfs(work: XfsWork) -> Xfs:
    return Xfs(
        device=without_surrogates(work.device),
        log_writes=work.log_writes,
        forces=work.forces,
        forces_slept=work.forces_slept,
        no_buffer=work.no_buffer,
        space_slept=_number(work.space_slept),
    )


def _btrfs(work: BtrfsWork) -> Btrfs:
    return Btrfs(
        uuid=without_surrogates(work.uuid), commits=work.commits, commit_ms=_six(work.commit_ms), busy=_six(work.busy)
    )


def _threads(fact: Known[threads.Threads]) -> Threads:
    told = fact.value
    return Threads(
        looks=told.looks,
        threads=_six(told.threads),
        running=_six(told.running),
        waiting=_six(told.waiting),
        kinds={kind: _number(number) for kind, number in told.kinds.items()},
        waiters=tuple(
            Waiter(
                name=without_surrogates(one.name),
                function=without_surrogates(one.function),
                kind=one.kind,
                waiting=_six(one.waiting),
                threads=one.threads,
            )
            for one in told.waiters
        ),
        runners=tuple(
            Runner(name=without_surrogates(one.name), pid=one.pid, thread=one.thread, share=_six(one.share))
            for one in told.runners
        ),
        source=fact.source,
    )


def _locks(fact: Known[of_window.Locks]) -> Locks:
    return Locks(
        waiting=_six(fact.value.waiting),
        spinning=_six(fact.value.spinning),
        locks=tuple(
            Lock(
                type=without_surrogates(one.type),
                caller=without_surrogates(one.caller),
                contended=one.contended,
                total_us=_six(one.total_us),
                longest_us=_six(one.longest_us),
            )
            for one in fact.value.locks
        ),
        source=fact.source,
    )
