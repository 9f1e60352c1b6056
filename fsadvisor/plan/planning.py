"""Which findings a plan is for, and the plan of them. Pure: `read` gives a file's text as it was seen.

`fsadvisor plan`: what the command line needs of this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.pages.glyphs import clean
from fsadvisor.patterns import did_you_mean
from fsadvisor.plan import Finding, FstabChange, LineEdit, Manual, Plan, Refusal, Step, UnfitError, fstab_patch
from fsadvisor.plan.changes import Proposal, changes, gathered, mount_unit_hint, mounts, see_to, without_conflicts
from fsadvisor.plan.commands import with_names
from fsadvisor.plan.documents import as_one_text, documents, write
from fsadvisor.plan.fstab_patch import Wish
from fsadvisor.rulebook.advise import RUNNING, advise, judge, reason
from fsadvisor.rulebook.rule import SAID, Outcome
from fsadvisor.storage import Mount, by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from fsadvisor.machine.port import Answer, Machine
    from fsadvisor.plan.changes import SeenMounts
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Storage, Subject


_FOUND = (Outcome.ADVISE, Outcome.WITHHELD, Outcome.BLOCKED)


class ChoiceError(Exception):
    """What was chosen is not there or can't be planned: one line for people."""


def chosen(storage: Storage, rules: Sequence[Rule], names: Iterable[str]) -> tuple[Verdict, ...]:
    """The verdicts to plan, in rank order. `names` are RULE or RULE:SUBJECT; none stands for all advice."""
    names = tuple(names)
    if not names:
        return tuple(it for it in advise(storage, rules) if it.outcome is Outcome.ADVISE)
    found = {(it.rule.id, it.subject.id): it for name in names for it in _named(storage, rules, name)}
    return tuple(sorted(found.values(), key=lambda it: it.rank()))


def _named(storage: Storage, rules: Sequence[Rule], name: str) -> list[Verdict]:
    """What one name of the command line stands for; ChoiceError where that can't be planned."""
    rule_id, colon, where = name.partition(":")
    rule = _rule(rules, rule_id)
    subjects = [it for it in storage.subjects if it.kind == rule.subject]
    if not colon:
        calling = [it for it in (judge(rule, subject) for subject in subjects) if it.outcome in _FOUND]
        if not calling:
            raise ChoiceError(f"{rule_id} finds nothing here")
        if not any(can_be_planned(it) for it in calling):
            raise ChoiceError("; ".join(f"{rule_id}:{it.subject.name} is not planned: {why_not(it)}" for it in calling))
        return calling
    verdict = judge(rule, _subject(subjects, rule, where))
    if not can_be_planned(verdict):
        raise ChoiceError(f"{name} is not planned: {why_not(verdict)}")
    return [verdict]


def _rule(rules: Sequence[Rule], rule_id: str) -> Rule:
    rule = next((it for it in rules if it.id == rule_id), None)
    if rule is None:
        raise ChoiceError(f"no rule {rule_id!r}{did_you_mean(rule_id, [it.id for it in rules])}")
    if rule.status not in RUNNING:
        raise ChoiceError(f"rule {rule_id} is {rule.status}: only rules that run are planned")
    return rule


def _subject(subjects: Sequence[Subject], rule: Rule, where: str) -> Subject:
    names = by_name(subjects)
    if where not in names:
        raise ChoiceError(f"no {rule.subject} {where!r}{did_you_mean(where, names)}")
    return names[where]


def can_be_planned(verdict: Verdict) -> bool:
    """Whether it is advice that may be acted upon, and nobody has accepted things as they are."""
    return verdict.waiver is None and verdict.outcome is Outcome.ADVISE and not verdict.instructions().no_commands


def why_not(verdict: Verdict) -> str:
    """Why a verdict can't be planned, in a clause."""
    if verdict.waiver is not None:
        return f"it is waived until {verdict.waiver.until}: {verdict.waiver.because}"
    if verdict.outcome in _FOUND:
        says = "" if verdict.outcome is Outcome.ADVISE else f"{SAID[verdict.outcome]}: "
        return says + verdict.instructions().no_commands
    unknown = ", ".join(
        f"{name} is not known" + (f" ({it.learn})" if it.learn else "") for name, it in verdict.to_learn().items()
    )
    return _PASSED.get(verdict.outcome, f"it can't be told: {unknown}")


_PASSED = {Outcome.OK: "its checks pass, there is nothing to do", Outcome.NOT_APPLICABLE: "the rule does not apply"}


FSTAB: Final = "/etc/fstab"
_NOTHING: Final = "the files that it would change have nothing of it"
_BY_HAND: Final = {
    "restart": "it needs a restart of the program",
    "unmount": "it needs an unmount",
    "reboot": "it needs a reboot",
    "reformat": "it needs a new format, and all data restored",
    "hardware": "hardware is to be replaced or added",
}


def plan(storage: Storage, verdicts: Sequence[Verdict], read: Callable[[str], Answer]) -> Plan:
    """The plan for these verdicts, which are in rank order."""
    return _Planning(storage, read).plan(verdicts)


class _Planning:
    """One plan being made: what is for people gathers in `manual`."""

    def __init__(self, storage: Storage, read: Callable[[str], Answer]) -> None:
        self._storage = storage
        self._read = read
        self._seen: SeenMounts = mounts(read)
        scopes = [it.scope.get("mount") for it in storage.subjects if it.kind == "mount"]
        self._mounts = {it.point.value: it for it in scopes if isinstance(it, Mount) and isinstance(it.point, Known)}
        self._fstab = read(FSTAB)
        self._manual: list[Manual] = []

    def plan(self, verdicts: Sequence[Verdict]) -> Plan:
        refused = [Refusal(finding=_finding(it), reason=why_not(it)) for it in verdicts if not can_be_planned(it)]
        looked_at = [self._proposal(it) for it in verdicts if can_be_planned(it)]
        self._manual = [it for it in looked_at if isinstance(it, Manual)]
        agreed, quarrels = without_conflicts([it for it in looked_at if isinstance(it, Proposal)])
        steps, changed = _steps(agreed), gathered(agreed, self._read)
        fstab = self._fstab_change(agreed)
        told = {it.finding for it in self._manual} | set(fstab.findings if fstab else ())
        told |= {it for step in steps for it in step.findings} | {it for file in changed for it in file.findings}
        idle = (it.finding for it in agreed if it.finding not in told)
        return Plan(
            machine=self._storage.machine,
            kernel=self._kernel(),
            steps=steps,
            files=changed,
            fstab=fstab,
            manual=tuple(self._manual),
            refused=(*refused, *quarrels, *(Refusal(finding=it, reason=_NOTHING) for it in idle)),
        )

    def _kernel(self) -> str:
        """The kernel's release, '' where it is not known."""
        hosts = (it.scope["host"] for it in self._storage.subjects if it.kind == "host")
        release = getattr(next(hosts, None), "kernel_release", None)
        return release.value if isinstance(release, Known) else ""

    def _proposal(self, verdict: Verdict) -> Proposal | Manual:
        """What a script could do about a verdict, or what is left to people."""
        todo = verdict.instructions()
        lines = tuple((kept.file, kept.line) for kept in todo.keep if kept.file)
        try:
            if todo.needs in _BY_HAND:
                raise UnfitError(_BY_HAND[todo.needs])
            if not todo.now and not todo.keep:
                raise UnfitError("no command can do it")
            steps = changes(todo, verdict.subject.scope, self._seen)
            see_to(lines, self._read)
        except UnfitError as unfit:
            return _left(verdict, str(unfit))
        wishes = tuple(Wish(kept.mount, kept.add, kept.remove) for kept in todo.keep if kept.mount)
        return Proposal(
            verdict=verdict, finding=_finding(verdict), todo=todo, changes=steps, wishes=wishes, lines=lines
        )

    def _fstab_change(self, agreed: Sequence[Proposal]) -> FstabChange | None:
        edits: dict[int, LineEdit] = {}
        findings: list[Finding] = []
        text = "" if isinstance(self._fstab, Unknown) else self._fstab.text
        now = text
        for proposal in agreed:
            for wish in proposal.wishes:
                self._look_at_boot_loader(proposal, wish)
                if self._elsewhere(proposal, wish):
                    continue
                try:
                    edit = fstab_patch.edit(now, wish)
                except UnfitError as unfit:
                    self._keep_by_hand(proposal, wish, str(unfit))
                    continue
                if edit is not None:
                    first = edits.get(edit.number, edit)
                    edits[edit.number] = LineEdit(number=edit.number, before=first.before, after=edit.after)
                    findings.append(proposal.finding)
                    now = fstab_patch.edited(now, (edit,))
        if not edits:
            return None
        ordered = tuple(edits[number] for number in sorted(edits))
        return FstabChange(before=text, after=now, edits=ordered, findings=tuple(dict.fromkeys(findings)))

    def _elsewhere(self, proposal: Proposal, wish: Wish) -> bool:
        """Whether the mount is configured by a unit file, or fstab can't be read: then it is left to people."""
        mount = self._mounts.get(wish.mount)
        where = mount.configured_in if mount else None
        if isinstance(where, Known) and not where.value.startswith(f"{FSTAB}:"):
            if _fits(mount, wish):
                return True
            self._keep_by_hand(
                proposal, wish, f"the mount is configured in {where.value}", mount_unit_hint(mount, wish)
            )
            return True
        if isinstance(self._fstab, Unknown) and self._fstab.cause is not Cause.NOT_EXPOSED:
            self._keep_by_hand(proposal, wish, f"{FSTAB} could not be read")
            return True
        return False

    def _look_at_boot_loader(self, proposal: Proposal, wish: Wish) -> None:
        """The root's options may also stand on the kernel's command line, which no script touches."""
        flags = getattr(proposal.verdict.subject.scope.get("host"), "root_flags", None)
        there = [it for it in wish.remove if isinstance(flags, Known) and it in flags.value]
        if wish.mount == "/" and there:
            self._keep_by_hand(
                proposal,
                wish,
                f"rootflags= on the kernel's command line has {', '.join(there)}: change the boot loader",
            )

    def _keep_by_hand(self, proposal: Proposal, wish: Wish, why: str, hint: tuple[str, ...] = ()) -> None:
        """The rest of a finding that is planned: what makes it last."""
        words = (_words(wish.mount, wish.add, wish.remove), *hint)
        self._manual.append(Manual(finding=proposal.finding, reason=f"to make it last: {why}", keep=words))


def _left(verdict: Verdict, why: str) -> Manual:
    """A whole finding for people."""
    todo = verdict.instructions()
    kept = (f"{it.file}: {it.line}" if it.file else _words(it.mount, it.add, it.remove) for it in todo.keep)
    return Manual(
        finding=_finding(verdict),
        reason=why,
        advice=with_names(todo.advice, verdict.rule.id, verdict.subject),
        commands=todo.now,
        keep=tuple(kept),
        undo=todo.undo,
    )


def _fits(mount: Mount | None, wish: Wish) -> bool:
    """Whether the configuration is as the wish has it already."""
    options = mount.configured_options if mount else None
    return (
        isinstance(options, Known)
        and set(wish.add) <= set(options.value)
        and set(wish.remove).isdisjoint(options.value)
    )


def _words(mount: str, add: tuple[str, ...], remove: tuple[str, ...]) -> str:
    changes = [f"{verb} {', '.join(some)}" for verb, some in (("add", add), ("remove", remove)) if some]
    return f"options of {mount}: {'; '.join(changes)}"


def _finding(verdict: Verdict) -> Finding:
    return Finding(rule=verdict.rule.id, subject=verdict.subject.name, title=verdict.rule.title, reason=reason(verdict))


def _steps(agreed: Iterable[Proposal]) -> tuple[Step, ...]:
    """A step for each finding whose changes are not made by one of higher rank already."""
    steps: list[Step] = []
    made_by: dict[tuple[str, str], int] = {}
    for proposal in agreed:
        new = tuple(it for it in proposal.changes if not all(claim in made_by for claim in it.claims))
        for claim in (claim for change in proposal.changes for claim in change.claims if claim in made_by):
            at = made_by[claim]
            steps[at] = _shared(steps[at], proposal.finding)
        if new:
            made_by |= {claim: len(steps) for change in new for claim in change.claims}
            steps.append(
                Step(
                    findings=(proposal.finding,),
                    why=proposal.verdict.rule.why,
                    advice=with_names(proposal.todo.advice, proposal.verdict.rule.id, proposal.verdict.subject),
                    look=proposal.todo.verify,
                    changes=new,
                )
            )
    return tuple(steps)


def _shared(step: Step, finding: Finding) -> Step:
    if finding in step.findings:
        return step
    return Step(
        findings=(*step.findings, finding), why=step.why, advice=step.advice, look=step.look, changes=step.changes
    )


def made(machine: Machine, storage: Storage, rules: Sequence[Rule], findings: Sequence[str]) -> Plan:
    """The plan for the findings named, or for all advice. Raises ChoiceError."""
    return plan(storage, chosen(storage, rules, findings), machine.read)


def written(plan: Plan, where: Path) -> str:
    """Write the plan's folder; what to tell people of it. Raises MachineError."""
    write(documents(plan), where)
    return f"fsadvisor: wrote {clean(str(where))}; nothing was run: read README.txt there first\n"


def text(plan: Plan, *, as_json: bool) -> Iterable[str]:
    """The plan for stdout."""
    if not as_json:
        return as_one_text(plan)
    from fsadvisor.plan.documents import as_json as json_of

    return [json_of(plan)]
