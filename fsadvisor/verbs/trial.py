"""`fsadvisor trial RULE|OPTIONS --on-scratch DIR`: says what it takes, asks, measures, reports."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor import verbs
from fsadvisor.measure.messages import BlockProgress, Note
from fsadvisor.measure.probe import EngineError
from fsadvisor.measure.probe.processes import Stop
from fsadvisor.measure.trial import empty
from fsadvisor.measure.trial.change import ChangeError
from fsadvisor.measure.trial_session import TrialWanted, around
from fsadvisor.pages.glyphs import clean
from fsadvisor.pages.text import render
from fsadvisor.report import probe_page, trial_page
from fsadvisor.report.probe_page import Narrator, RunStep
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.storage.catalogue import did_you_mean
from fsadvisor.survey.tried import sentence
from fsadvisor.verbs import NOT_MEASURED, USAGE, RefusedError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from fsadvisor.machine.port import Machine
    from fsadvisor.measure.messages import Event
    from fsadvisor.measure.trial import TrialOutcome
    from fsadvisor.measure.trial_session import TrialSession

_SECONDS = 180.0


class TrialRequest(Struct, frozen=True, kw_only=True):
    """What the command line asks for."""

    wanted: TrialWanted
    dry_run: bool
    yes: bool
    erase: str
    """The kernel name of the device that may be overwritten, '' where it is still to be asked."""
    as_json: bool


def run(chosen: argparse.Namespace, machine: Machine, write: Callable[[Iterable[str]], None]) -> int:
    """Do what the command line says; returns the exit status. Raises RefusedError."""
    request = requested(chosen)
    try:
        with around(request.wanted, machine) as session:
            return _Command(request, session, write).run()
    except ChangeError as error:
        raise RefusedError(str(error)) from error


def requested(chosen: argparse.Namespace) -> TrialRequest:
    """What is asked for. Raises RefusedError."""
    if chosen.on:
        raise RefusedError("--on: a recording has no disk to measure; a trial runs on this machine")
    words = [*(chosen.words or ()), *(chosen.options or ())]
    if not words or not (chosen.on_scratch or chosen.device):
        raise RefusedError(
            "say what to try and where: fsadvisor trial access-times-written --on-scratch /srv, or "
            "fsadvisor trial -o noatime --on-scratch /srv"
        )
    rules = {rule.id: rule for rule in own_rulebook().rules}
    rule = rules.get(words[0])
    if rule is not None and len(words) > 1:
        raise RefusedError(f"one change at a time: {rule.id} alone, or options alone")
    _no_rule_misspelt(words, rules)
    return TrialRequest(
        wanted=TrialWanted(
            rule=rule,
            words=tuple(words),
            folder=str(chosen.on_scratch or ""),
            device=str(chosen.device or ""),
            job=chosen.job,
            fs_type=chosen.type,
            seconds=chosen.seconds or _SECONDS,
            matters=chosen.matters / 100,
            keep=not chosen.no_keep,
            in_data_directory=chosen.yes_in_data_directory,
        ),
        dry_run=chosen.dry_run,
        yes=chosen.yes,
        erase=chosen.yes_erase or "",
        as_json=chosen.form == "json",
    )


def _no_rule_misspelt(words: Iterable[str], rules: Iterable[str]) -> None:
    """A word with '-' in it that is near a rule's id is no mount option."""
    names = list(rules)
    for word in words:
        if word not in names and "-" in word and not word.startswith("mkfs:") and "=" not in word:
            near = did_you_mean(word, names)
            if near:
                raise RefusedError(f"no rule {word!r}{near}")


class _Command:
    """One run of the command."""

    def __init__(self, request: TrialRequest, session: TrialSession, write: Callable[[Iterable[str]], None]) -> None:
        self._request, self._session, self._write = request, session, write
        self._stop = Stop()
        self._narrator = Narrator(verbs.to_stderr, verbs.columns if sys.stderr.isatty() else None)
        self._outcome: TrialOutcome | None = None
        self._refused = session.refused

    def run(self) -> int:
        if self._refused or self._request.dry_run:
            return self._plan_only()
        verbs.show(self._plan_lines())
        if not (verbs.may_start(yes=self._request.yes) and self._may_erase()):
            return USAGE
        try:
            self._outcome = self._session.measure(self._stop, self._hear)
        finally:
            self._narrator.clear()
        outcome = self._outcome
        failed = outcome.comparison is None or outcome.comparison.gain is None
        state: trial_page.State = "cancelled" if self._stop.asked else "failed" if failed else "done"
        self._write([self._json(state)] if self._request.as_json else render(trial_page.found(outcome), margin=2))
        if self._stop.asked:
            return self._stop.exit_status
        return NOT_MEASURED if failed or not outcome.is_conclusive else 0

    def _plan_lines(self) -> list[str]:
        """What is tried, what it takes, and what speaks against it."""
        session = self._session
        blocks = (
            *trial_page.plan(session.change, session.place, on_device=bool(session.wanted.device)),
            *trial_page.takes(session.cost),
            *probe_page.findings(session.findings),
        )
        return list(render(blocks, margin=2))

    def _plan_only(self) -> int:
        if self._request.as_json:
            self._write([self._json("refused" if self._refused else "not started")])
        elif self._request.dry_run:
            self._write(self._plan_lines())
        if self._refused:
            raise RefusedError(*self._refused)
        return 0

    def _may_erase(self) -> bool:
        """What is on a device is lost: its name has to be said."""
        device = self._request.wanted.device
        if not device:
            return True
        try:
            name = empty.full_name(device)
        except EngineError as error:
            raise RefusedError(str(error)) from error
        if self._request.erase:
            if self._request.erase != name:
                raise RefusedError(f"--yes-erase {self._request.erase}: the device {device} is {name}")
            return True
        verbs.need_terminal(verbs.command("--yes", "--yes-erase", name))
        verbs.to_stderr(f"All of {clean(device)} is overwritten. Type its name, {name}: ")
        if sys.stdin.readline().strip() == name:
            return True
        verbs.say("not started")
        return False

    def _hear(self, event: Event) -> None:
        """In the bar; what a person should know as a line of its own above it."""
        wanted = self._request.wanted
        match event:
            case Note(text=text, kind="step"):
                self._narrator.step(RunStep(at=1, jobs=1, job=text, seconds_left=wanted.seconds))
            case Note(text=text):
                self._narrator.clear()
                verbs.say(text)
            case BlockProgress(progress=seen):
                self._narrator.step(
                    RunStep(
                        at=1,
                        jobs=1,
                        job=f"block {seen.blocks}",
                        used=seen.seconds / (seen.seconds + seen.seconds_left or 1),
                        seconds_left=seen.seconds_left,
                        says=sentence(seen.gain, wanted.matters) if seen.gain else "too early to tell",
                    )
                )

    def _json(self, state: trial_page.State) -> str:
        session = self._session
        return trial_page.as_json(
            state=state,
            change=session.change,
            target=session.place,
            on_device=bool(session.wanted.device),
            mount=session.mount,
            taken=session.cost,
            refused=self._refused,
            warnings=[it.says for it in session.findings if it.level == "warning"],
            matters=session.wanted.matters,
            result=self._outcome,
        )
