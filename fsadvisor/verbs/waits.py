"""`fsadvisor waits [TARGET]`: watches the machine, or a probe at its work, and says where the time goes."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor import inputs
from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.kernel_events import LockTrace
from fsadvisor.measure.messages import Progress
from fsadvisor.measure.now.stored_windows import REPLAYED_NOTE, chosen_of, replayed, windows_in
from fsadvisor.measure.probe import disks, surroundings
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.probe.processes import Stop, Stopped
from fsadvisor.measure.probe_session import OTHER_SECONDS, ProbeWanted, around
from fsadvisor.measure.waits.sentence import account
from fsadvisor.measure.waits.threads import Watch, watch
from fsadvisor.measure.waits.window import NOT_TRACED, locks_of, window
from fsadvisor.pages.text import render
from fsadvisor.patterns import did_you_mean
from fsadvisor.report import probe_page, waits_json
from fsadvisor.report.doctor_page import timeline
from fsadvisor.report.waits_page import document
from fsadvisor.survey.filesystem_types.registry import type_of
from fsadvisor.survey.whole import survey
from fsadvisor.verbs import RefusedError, say
from fsadvisor.verbs.probe import ProbeCommand

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from fsadvisor.facts import Fact
    from fsadvisor.machine.port import Machine
    from fsadvisor.measure.messages import Event
    from fsadvisor.measure.probe_session import ProbeSession
    from fsadvisor.measure.waits.sentence import Account
    from fsadvisor.measure.waits.window import Locks
    from fsadvisor.readers.mount_tables import MountEntry

SECONDS: Final = 5.0
_INCOMPLETE: Final = 3
_STOPPED: Final = Unknown(Cause.NOT_MEASURED, "watch again: it was stopped before perf had ended", "perf lock")


class Watched(Struct, frozen=True, kw_only=True):
    """What is watched: None is all. `disks` by kernel name; `journals` by device, or the UUID of a Btrfs."""

    target: str = ""
    disks: frozenset[str] | None = None
    journals: frozenset[str] | None = None
    notes: tuple[str, ...] = ()


def run(chosen: argparse.Namespace, machine: Machine, write: Callable[[Iterable[str]], None]) -> int:
    """Do what the command line asks for; returns the exit status. Raises RefusedError."""
    if chosen.on:
        return _again(chosen, write)
    if chosen.at:
        raise RefusedError("--at chooses among windows that were kept: say where with --on")
    if chosen.job is not None:
        return _with_job(chosen, machine, write)
    watched = _below(chosen.target, machine) if chosen.target else Watched()
    seconds = chosen.seconds or SECONDS
    trace = LockTrace(seconds) if chosen.locks else None
    stop, seen = Stop(), Watch()
    with stop.listening():
        say(f"watching for {seconds:g} s")
        if trace:
            trace.start()
        try:
            with stop.interruptible():
                watch(seen, seconds, time.sleep)
        except Stopped:
            seen.end()
    told = _account(seen, watched, _STOPPED if stop.asked and trace else _locks(trace))
    write([waits_json.as_json(told)] if chosen.form == "json" else render(document(told), margin=0))
    return stop.exit_status if stop.asked else _status(told)


def _again(chosen: argparse.Namespace, write: Callable[[Iterable[str]], None]) -> int:
    """Of a window that was kept. Raises RefusedError, MachineError."""
    if chosen.target or chosen.job or chosen.locks or chosen.seconds:
        raise RefusedError("--on tells of all disks in a window that is over: leave TARGET and other options out")
    windows = windows_in(inputs.windows_path(chosen.on))
    window = chosen_of(windows, chosen.at)
    waits = account(replayed(window), window.when, notes=(REPLAYED_NOTE,))
    if chosen.form == "json":
        write([waits_json.as_json(waits)])
    else:
        write(render((*timeline(windows, window), *document(waits)), margin=0))
    return _status(waits)


def _status(account: Account) -> int:
    return _INCOMPLETE if account.sentences[0].id == "not told" else 0


def _locks(trace: LockTrace | None) -> Fact[Locks]:
    return NOT_TRACED if trace is None else locks_of(trace.answer(), trace.seconds)


def _account(seen: Watch, watched: Watched, locks: Fact[Locks], job: str = "") -> Account:
    before, after = seen.both()
    found = window(before, after, seen.inside(), locks, watched.disks, watched.journals)
    when = datetime.now(tz=UTC).isoformat(timespec="seconds")
    return account(found, when, watched.target, job, watched.notes)


def _below(target: str, machine: Machine) -> Watched:
    """The disks and the journal of the filesystem that a folder or file is on. Raises RefusedError."""
    real = surroundings.real(target)
    mount = surroundings.mount_of(real, machine)
    if mount is None:
        raise RefusedError(f"{target}: on no mount that can be told; name a directory, or none for the whole machine")
    way = disks.way(survey(machine, {}), mount.mount_point)
    if way is None:
        raise RefusedError(
            f"{target}: the disks below {mount.mount_point} can not be told; without TARGET all disks are watched"
        )
    own = _device(mount, machine)
    whole_device = {own} if own and not isinstance(machine.entries(f"/sys/block/{own}"), Unknown) else set()
    return Watched(
        target=real,
        disks=frozenset({*way.leaves, *(way.flushed or ()), *whole_device}),
        journals=frozenset({own, *type_of(mount.fs_type).uuids(machine, own)}),
        notes=("Processors, pressure and threads are the whole machine's: they belong to no disk.",),
    )


def _device(mount: MountEntry, machine: Machine) -> str:
    """The kernel's name of the device that is mounted, '' where there is none."""
    link = machine.link(f"/sys/dev/block/{mount.major_minor}")
    if not isinstance(link, Unknown):
        return Path(link.text).name
    return Path(surroundings.real(mount.source)).name if mount.source.startswith("/dev/") else ""


def _with_job(chosen: argparse.Namespace, machine: Machine, write: Callable[[Iterable[str]], None]) -> int:
    """The probe verb's own run, watched from the end of its first window to the end of its last."""
    if chosen.job not in JOBS:
        near = did_you_mean(chosen.job, JOBS) or "; fsadvisor probe --list names them"
        raise RefusedError(f"no job {chosen.job!r}{near}")
    if not chosen.target:
        raise RefusedError(f"say in which directory: fsadvisor waits DIR --job {chosen.job}")
    wanted = ProbeWanted(
        jobs=(JOBS[chosen.job],), target=chosen.target, seconds=chosen.seconds or OTHER_SECONDS, keep=False
    )
    trace = LockTrace(min(wanted.seconds, SECONDS)) if chosen.locks else None
    with around(wanted, machine) as session:
        watched = Watched() if session.refused else _below(chosen.target, machine)
        return _WatchedCommand(chosen, session, write, watched, trace).run()


class _WatchedCommand(ProbeCommand):
    """The probe's run, and what the machine does meanwhile."""

    def __init__(
        self,
        chosen: argparse.Namespace,
        session: ProbeSession,
        write: Callable[[Iterable[str]], None],
        watched: Watched,
        trace: LockTrace | None,
    ) -> None:
        super().__init__(chosen, session, write)
        self._watched, self._trace = watched, trace
        self._seen = Watch()
        self._over = threading.Event()

    def hear(self, event: Event) -> None:
        """Each window's end may be that of what is watched; its first is its beginning."""
        super().hear(event)
        if not isinstance(event, Progress):
            return
        if self._seen.before is not None:
            self._seen.end()
            return
        self._seen.begin()
        threading.Thread(target=self._sample, daemon=True).start()
        if self._trace:
            self._trace.start()

    def _sample(self) -> None:
        while not self._over.wait(self._seen.take_sample()):
            pass

    def _report(self) -> int:
        self._over.set()
        began = self._seen.before is not None
        waits = _account(self._seen, self._watched, _locks(self._trace) if began else NOT_TRACED, self._job)
        if self._as_json:
            self._write([waits_json.as_json(waits, self._json(self._state))])
            return self._status
        self._write(render(probe_page.results(self._session.results, JOBS), margin=2))
        self._write(["\n"])
        self._write(render(document(waits), margin=0))
        return self._status

    @property
    def _job(self) -> str:
        return self._session.wanted.jobs[0].id
