"""`fsadvisor trial RULE|OPTIONS --on-scratch DIR`: says what it takes, asks, measures, reports."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from fsadvisor import verbs
from fsadvisor.measure.messages import BlockProgress, Note
from fsadvisor.measure.probe import EngineError
from fsadvisor.measure.trial import empty
from fsadvisor.measure.trial.change import ChangeError
from fsadvisor.measure.trial_session import TrialWanted, around
from fsadvisor.pages.glyphs import clean
from fsadvisor.pages.text import render
from fsadvisor.patterns import did_you_mean
from fsadvisor.report import probe_page, trial_page
from fsadvisor.report.probe_page import RunStep
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.survey.tried import sentence
from fsadvisor.verbs import NOT_MEASURED, RefusedError
from fsadvisor.verbs.probe import MeasuringCommand

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator

    from fsadvisor.machine.port import Machine
    from fsadvisor.measure.messages import Event
    from fsadvisor.measure.trial import TrialOutcome
    from fsadvisor.measure.trial_session import TrialSession
    from fsadvisor.pages.document import Block

_SECONDS = 180.0


def run(chosen: argparse.Namespace, machine: Machine, write: Callable[[Iterable[str]], None]) -> int:
    """Do what the command line says; returns the exit status. Raises RefusedError."""
    wanted = requested(chosen)
    try:
        with around(wanted, machine) as session:
            return _TrialCommand(chosen, session, write).run()
    except ChangeError as error:
        raise RefusedError(str(error)) from error


def requested(chosen: argparse.Namespace) -> TrialWanted:
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
    return TrialWanted(
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
    )


def _no_rule_misspelt(words: Iterable[str], rules: Iterable[str]) -> None:
    """A word with '-' in it that is near a rule's id is no mount option."""
    names = list(rules)
    for word in words:
        if word not in names and "-" in word and not word.startswith("mkfs:") and "=" not in word:
            near = did_you_mean(word, names)
            if near:
                raise RefusedError(f"no rule {word!r}{near}")


class _TrialCommand(MeasuringCommand):
    """One run of `fsadvisor trial`."""

    PLAN_HAS_REFUSALS = False

    def __init__(
        self, chosen: argparse.Namespace, session: TrialSession, write: Callable[[Iterable[str]], None]
    ) -> None:
        super().__init__(chosen, session.refused, write)
        self._session = session
        self._outcome: TrialOutcome | None = None

    def _plan_blocks(self) -> Iterator[Block]:
        session = self._session
        yield from trial_page.plan(session.change, session.place, on_device=bool(session.wanted.device))
        yield from trial_page.takes(session.cost)
        yield from probe_page.findings(session.findings)

    def _may_start(self) -> bool:
        return super()._may_start() and self._may_erase()

    def _measure(self) -> None:
        self._outcome = self._session.measure(self._stop, self._hear)

    def _report(self) -> int:
        outcome = self._outcome
        failed = outcome is None or outcome.comparison is None or outcome.comparison.gain is None
        state: trial_page.State = "cancelled" if self._stop.asked else "failed" if failed else "done"
        if self._as_json:
            self._write([self._json(state)])
        elif outcome is not None:
            self._write(render(trial_page.found(outcome), margin=2))
        return NOT_MEASURED if failed or outcome is None or not outcome.is_conclusive else 0

    def _may_erase(self) -> bool:
        """What is on a device is lost: its name has to be said."""
        device = self._session.wanted.device
        if not device:
            return True
        try:
            name = empty.full_name(device)
        except EngineError as error:
            raise RefusedError(str(error)) from error
        if self._chosen.yes_erase:
            if self._chosen.yes_erase != name:
                raise RefusedError(f"--yes-erase {self._chosen.yes_erase}: the device {device} is {name}")
            return True
        verbs.need_terminal(verbs.command("--yes", "--yes-erase", name))
        verbs.to_stderr(f"All of {clean(device)} is overwritten. Type its name, {name}: ")
        if sys.stdin.readline().strip() == name:
            return True
        verbs.say("not started")
        return False

    def _hear(self, event: Event) -> None:
        """In the bar; what a person should know as a line of its own above it."""
        wanted = self._session.wanted
        match event:
            case Note(text=text, kind="step"):
                self._narrator.step(RunStep(at=1, jobs=1, job=text, seconds_left=wanted.seconds))
            case Note(text=text):
                self._say(text)
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
