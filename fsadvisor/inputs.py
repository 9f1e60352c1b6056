"""What the command line says to look at: the machine, its storage, the rules; and what it says wrongly."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from fsadvisor.arguments_help import demo_extras, is_demo
from fsadvisor.machine import kept_files
from fsadvisor.machine.kept_files import WithFile, with_own_results
from fsadvisor.patterns import did_you_mean
from fsadvisor.rulebook.loading import Rulebook, load_rulebook, own_rulebook, own_rules

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from fsadvisor.machine.port import Machine
    from fsadvisor.storage import Storage, Supposition
    from fsadvisor.survey.identity import Identity as SubjectIdentity

Made = TypeVar("Made")


class UsageError(Exception):
    """The command line asks for what is not there: a line for people for each mistake, exit status 2."""


def machine(chosen: argparse.Namespace) -> Machine:
    """The machine that we run on, or what --on names, with what is kept of it."""
    if not chosen.on:
        from fsadvisor.machine.live import LiveMachine

        return with_what_is_kept(
            LiveMachine(timeout=chosen.timeout, wake=chosen.wake, ask_programs=bool(chosen.ask_programs)), chosen
        )
    from fsadvisor.machine.opening import open_machine

    machine = open_machine(chosen.on)
    if is_demo(chosen.on):
        for path, name in ((kept_files.PROBES, "probes.jsonl"), (kept_files.INCIDENT, "incident.jsonl")):
            kept = demo_extras() / name
            if kept.is_file():
                machine = WithFile(machine, path, kept.read_text(), path)
    return with_what_is_kept(machine, chosen)


def windows_path(on: Path) -> Path:
    """Where the windows are that --on names: the demo's stand beside its machine."""
    return demo_extras() / "incident.jsonl" if is_demo(on) else on


def with_what_is_kept(machine: Machine, chosen: argparse.Namespace) -> Machine:
    """With the results of probes and with what people said."""
    if not chosen.on:
        machine = with_own_results(machine, os.environ)
    if chosen.attestations is None:
        return machine
    text = kept_files.attestation_text(chosen.attestations, must_exist=chosen.verb not in ("attest", "waive"))
    return WithFile(machine, kept_files.ATTESTATIONS, text, str(chosen.attestations))


def attestations(chosen: argparse.Namespace) -> Path:
    """The file to write to: that of this machine only where this machine is looked at."""
    if chosen.on and chosen.attestations is None:
        raise UsageError("with --on, say where to keep what you say: --attestations FILE")
    return chosen.attestations or Path(kept_files.ATTESTATIONS)


def rulebook(chosen: argparse.Namespace) -> Rulebook:
    """Our own rules, and those of --rules."""
    folders = [own_rules(), *(chosen.rules or ())]
    absent = next((folder for folder in folders if not os.path.isdir(folder)), None)  # noqa: PTH112 - of any name
    if absent is not None:
        raise UsageError(f"{absent}: no such directory of rules")
    return load_rulebook(*folders) if chosen.rules else own_rulebook()


def storage(machine: Machine, chosen: argparse.Namespace, supposed: Sequence[Supposition] = ()) -> Storage:
    """Survey it as --workload says, and keep what --only names."""
    return _surveyed(machine, chosen, supposed)[0]


def identified(
    machine: Machine, chosen: argparse.Namespace, made: Callable[..., Made]
) -> tuple[Storage, Callable[[], Made]]:
    """The same, and which machine it is, to be asked for where somebody wants to know, as the class `made`.

    --remember keeps its counts.
    """
    if chosen.remember and (chosen.on or chosen.only):
        wrong = "--on" if chosen.on else "--only"
        raise UsageError(f"--remember: only looks at this whole machine are kept; leave {wrong} or --remember out")
    found, identity = _surveyed(machine, chosen, ())
    if chosen.remember:
        _remember(machine, found, identity)

    def which() -> Made:
        from fsadvisor.survey.identity import Which

        names = Which(machine, plain=bool(chosen.plain_ids))
        return made(
            host=names.host, id=names.id, boot=names.boot, time=names.time(live=not chosen.on), os=names.os,
            stable=names.stable(found, identity),
        )  # fmt: skip

    return found, which


def _remember(machine: Machine, found: Storage, identity: Callable[[str], SubjectIdentity]) -> None:
    """Keep the counts of this look. Raises MachineError where they can't be kept."""
    import datetime as dt

    from fsadvisor.survey import trends
    from fsadvisor.survey.identity import keys_by

    kept_files.keep_look(trends.line(machine, found, keys_by(identity), dt.datetime.now(dt.UTC)))


def _surveyed(
    machine: Machine, chosen: argparse.Namespace, supposed: Sequence[Supposition]
) -> tuple[Storage, Callable[[str], SubjectIdentity]]:
    from fsadvisor.survey.whole import names, only, survey_with_identities

    declared = dict(chosen.workload or ())
    whole, identity = survey_with_identities(machine, declared, supposed)
    points = [subject.name for subject in whole.subjects if subject.kind == "mount"]
    unknown = next((place for place in declared if place not in points), None)
    if unknown is not None:
        raise UsageError(f"--workload: {unknown} is no mount point{did_you_mean(unknown, points)}")
    if chosen.only is None:
        return whole, identity
    part = only(whole, chosen.only)
    if part is None:
        raise UsageError(f"--only: {chosen.only} is no mount point or disk{did_you_mean(chosen.only, names(whole))}")
    return part, identity
