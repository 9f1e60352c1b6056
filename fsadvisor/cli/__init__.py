"""The command line: chooses the machine, runs the audit, writes the report, gives the exit code."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from typing import TYPE_CHECKING

from fsadvisor import __version__, arguments, arguments_help, inputs
from fsadvisor.machine.port import MachineError
from fsadvisor.patterns import did_you_mean
from fsadvisor.rulebook.advise import advise, judge, tally, with_fitting_waivers
from fsadvisor.rulebook.loading import Rulebook, load_others_rule, load_rulebook
from fsadvisor.rulebook.mistakes import RuleTextError
from fsadvisor.rulebook.rule import Outcome, Rule
from fsadvisor.rulebook.shape import SEVERITIES
from fsadvisor.storage.catalogue import catalogue, matching

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from fsadvisor.attestation import Saying
    from fsadvisor.report.model import Provenance
    from fsadvisor.rulebook.advise import Verdict, Verdicts
    from fsadvisor.storage import Storage

FINDINGS, USAGE, INCOMPLETE, BLIND = 1, 2, 3, 5
_MOST_WRITTEN = 1 << 30


def parser() -> argparse.ArgumentParser:
    """The grammar, for generated docs."""
    return arguments.parser()


def run(argv: Sequence[str]) -> int:
    """Do what the command line says; return the exit code."""
    try:
        chosen = arguments.parsed(argv)
        return _VERBS[chosen.verb](chosen)
    except (inputs.UsageError, MachineError) as error:
        return _refuse(*map(str, error.args))
    except RuleTextError:  # compiled while a rule was being written
        return _refuse(*map(str, load_rulebook().errors))
    except FileNotFoundError:
        if _has_working_directory():
            raise
        return _refuse("the working directory is gone: change into one that is there")


def _has_working_directory() -> bool:
    try:
        return bool(os.getcwd())  # noqa: PTH109 - pathlib loads slowly
    except FileNotFoundError:
        return False


def _refuse(*messages: str) -> int:
    from fsadvisor.pages.glyphs import clean

    sys.stderr.writelines(f"fsadvisor: {clean(message)}\n" for message in messages)
    return USAGE


def _drop_stdout() -> None:  # nobody reads on: the interpreter's own flush at exit shall find no pipe
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(chunks: Iterable[str] | Iterable[bytes]) -> None:
    """Write UTF-8 whatever the locale, so that the bytes do not depend on the terminal."""
    try:
        sys.stdout.buffer.writelines(
            chunk if isinstance(chunk, bytes) else chunk.encode("utf-8", "backslashreplace") for chunk in chunks
        )
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_stdout()
    except OSError as error:
        _drop_stdout()
        raise inputs.UsageError(f"standard output: {error.strerror}") from error


def _audit(chosen: argparse.Namespace) -> int:
    if not chosen.quiet and (defaults_file := getattr(chosen, "configured", "")):
        sys.stderr.write(f"fsadvisor: with the defaults of {defaults_file}\n")
    if chosen.form is None and not (chosen.quiet or chosen.output):
        from fsadvisor.cli import exploring

        if terminal := exploring.terminal_of(chosen):
            return exploring.explore(chosen, terminal)
    from fsadvisor.survey.whole import ask_ahead

    machine = inputs.machine(chosen)
    ask_ahead(machine)
    from fsadvisor.report.as_json import could_not_look
    from fsadvisor.report.model import MachineIdentity, Provenance

    rulebook = inputs.rulebook(chosen)
    seen, which = inputs.identified(machine, chosen, MachineIdentity)
    identity = which() if chosen.form in ("json", "lines", "brief") else None
    about = Provenance(version=__version__, root=machine.root, rule_errors=rulebook.errors, identity=identity)
    del which, machine  # and with them all that was read: of a big machine that is more than its report takes
    storage = with_fitting_waivers(seen, rulebook.rules)
    verdicts = advise(storage, rulebook.rules, every=chosen.all)
    status = BLIND if could_not_look(storage, about.root) else _exit_code(chosen, verdicts, rulebook)
    if status or not chosen.quiet:
        report = _report(chosen, storage, verdicts, about)
        _replace(chosen.output, report, chosen.form) if chosen.output else _write(report)
    if chosen.form != "nagios":
        return status
    from fsadvisor.report import formats

    return formats.state(formats.JudgedMachine(storage=storage, verdicts=verdicts, about=about, grave=_grave(chosen)))


def _replace(file: Path, chunks: Iterable[str] | Iterable[bytes], form: str | None) -> None:
    """Put a file in the place of what there is; what a collector reads is readable for all."""
    from fsadvisor.machine import safe_files

    content = b"".join(one if isinstance(one, bytes) else one.encode("utf-8", "backslashreplace") for one in chunks)
    mode = safe_files.PUBLIC if form == "openmetrics" else safe_files.PRIVATE
    safe_files.rewrite(file, lambda _: content, _MOST_WRITTEN, mode, "name another file for --output")


def _report(
    chosen: argparse.Namespace, storage: Storage, verdicts: Sequence[Verdict], about: Provenance
) -> Iterable[str] | Iterable[bytes]:
    if chosen.form == "json":
        from fsadvisor.report.as_json import as_json

        return as_json(storage, verdicts, about, sources=bool(chosen.full))
    if chosen.form == "html":
        from fsadvisor.report.as_html import as_html

        return as_html(storage, verdicts, about)
    from fsadvisor.report.as_text import as_text, in_a_line

    if chosen.form in arguments_help.FORMATS:
        from fsadvisor.report import formats

        seen = formats.JudgedMachine(storage=storage, verdicts=verdicts, about=about, grave=_grave(chosen))
        return formats.FORMATS[chosen.form](seen)
    if chosen.form == "summary":
        return in_a_line(storage, verdicts, about)
    return as_text(storage, verdicts, about, full=bool(chosen.full), every=bool(chosen.all))


def _exit_code(chosen: argparse.Namespace, verdicts: Verdicts, rulebook: Rulebook) -> int:
    grave = _grave(chosen)
    advised = verdicts.among(lambda rule, outcome: outcome is Outcome.ADVISE and rule.severity in grave)
    if any(one.waiver is None for one in advised):
        return FINDINGS
    open_ended = rulebook.errors or tally(verdicts)[Outcome.UNDETERMINED]
    return INCOMPLETE if chosen.strict and open_ended else 0


def _grave(chosen: argparse.Namespace) -> Sequence[str]:
    """The severities that --fail-on means."""
    return () if chosen.fail_on == "never" else SEVERITIES[: SEVERITIES.index(chosen.fail_on) + 1]


def _diff(chosen: argparse.Namespace) -> int:
    from fsadvisor.verbs.recorded import diff

    lines, compared, blind = diff(chosen, _grave(chosen))
    _write(lines)
    if blind:
        _refuse(f"{chosen.new}: could not look: {blind}")
        return BLIND
    return FINDINGS if any(one.counts for one in compared.findings) else 0


def _find(chosen: argparse.Namespace) -> int:
    """A rule's page, or what words lead to."""
    from fsadvisor.verbs import RefusedError, find

    rules = inputs.rulebook(chosen).rules
    try:
        _write(find.pages(chosen, rules, lambda: advise(inputs.storage(inputs.machine(chosen), chosen), rules)))
    except RefusedError as error:
        raise inputs.UsageError(*error.args) from error
    return 0


def _facts(chosen: argparse.Namespace) -> int:
    from fsadvisor.report.as_text import fact_list

    entries = matching(chosen.pattern)
    if not entries:
        near = did_you_mean(chosen.pattern, catalogue())
        raise inputs.UsageError(f"no fact is called {chosen.pattern!r}{near or '; `fsadvisor facts` lists them'}")
    storage = inputs.storage(inputs.machine(chosen), chosen) if chosen.values or chosen.on else None
    _write(fact_list(entries, storage))
    return 0


def _plan(chosen: argparse.Namespace) -> int:
    from fsadvisor.plan import planning
    from fsadvisor.plan.planning import ChoiceError

    rulebook = inputs.rulebook(chosen)
    machine = inputs.machine(chosen)
    storage = with_fitting_waivers(inputs.storage(machine, chosen), rulebook.rules)
    try:
        made = planning.made(machine, storage, rulebook.rules, chosen.findings)
        report = planning.written(made, chosen.out) if chosen.out else ""
    except ChoiceError as error:
        raise inputs.UsageError(str(error)) from error
    if chosen.form == "json" or not chosen.out:
        _write(planning.text(made, as_json=chosen.form == "json"))
    sys.stderr.write(report)
    return 0


def _capture(chosen: argparse.Namespace) -> int:
    from fsadvisor.verbs.recorded import capture

    rules = inputs.rulebook(chosen).rules
    same = capture(
        inputs.machine(chosen), chosen.folder, lambda machine: advise(inputs.storage(machine, chosen), rules)
    )
    return 0 if same else FINDINGS


def _claim(chosen: argparse.Namespace) -> int:
    """Write an attestation or a waiver, or list them."""
    from fsadvisor.attestation import ClaimError

    try:
        return _attest(chosen) if chosen.verb == "attest" else _waive(chosen)
    except ClaimError as error:
        raise inputs.UsageError(*error.args) from error


def _attest(chosen: argparse.Namespace) -> int:
    from fsadvisor.attestation import verbs

    if chosen.checklist or chosen.answer:
        return _checklist(chosen)
    if chosen.about is None:
        machine = inputs.machine(chosen)
        storage = with_fitting_waivers(inputs.storage(machine, chosen), inputs.rulebook(chosen).rules)
        _write(verbs.listing(machine, storage))
        return 0
    subject, value = chosen.subject, chosen.value
    if chosen.about.startswith("host.") and subject != "host" and value is None:
        subject, value = "host", subject
    if subject is None:
        raise inputs.UsageError(f"say of what: fsadvisor attest {chosen.about} SUBJECT, such as nvme0n1 or /srv")
    file = inputs.attestations(chosen)
    if chosen.remove:
        return _withdraw(chosen, "attestation", subject)
    if not chosen.by:
        raise inputs.UsageError("say who attests it: --by WHO")
    return _tell(verbs.attest(inputs.machine(chosen), file, chosen.about, subject, value, _saying(chosen)))


def _checklist(chosen: argparse.Namespace) -> int:
    from fsadvisor.attestation import verbs

    if not chosen.checklist or chosen.subject or chosen.remove:
        raise inputs.UsageError("a checklist is of one disk or model: fsadvisor attest --checklist plp DISK")
    machine = inputs.machine(chosen)
    if not chosen.answer:
        _write(verbs.page(inputs.storage(machine, chosen), chosen.checklist, chosen.about))
        return 0
    if not chosen.by:
        raise inputs.UsageError("say who answers: --by WHO")
    file, saying = inputs.attestations(chosen), _saying(chosen)
    return max(map(_tell, verbs.answered(machine, file, chosen.checklist, chosen.about, chosen.answer, saying)))


def _waive(chosen: argparse.Namespace) -> int:
    from fsadvisor.attestation import verbs

    file = inputs.attestations(chosen)
    if chosen.remove:
        return _withdraw(chosen, "waiver", chosen.subject)
    rules = inputs.rulebook(chosen).rules
    return _tell(verbs.waive(inputs.machine(chosen), file, rules, chosen.about, chosen.subject, _saying(chosen)))


def _withdraw(chosen: argparse.Namespace, kind: str, subject: str) -> int:
    from fsadvisor.attestation import verbs

    file, storage = inputs.attestations(chosen), inputs.storage(inputs.machine(chosen), chosen)
    return _tell(verbs.withdraw(file, kind, chosen.about, *verbs.called(storage, subject)))


def _saying(chosen: argparse.Namespace) -> Saying:
    from fsadvisor.attestation import Saying
    from fsadvisor.verbs import own_name

    return Saying(by=chosen.by or own_name(), because=chosen.because, link=chosen.link, until=chosen.until)


def _tell(words: str) -> int:
    """Narrate what was done."""
    from fsadvisor.pages.glyphs import clean

    sys.stderr.write(f"fsadvisor: {clean(words)}\n")
    return 0


def _rule_try(chosen: argparse.Namespace) -> int:
    """Tell what is wrong with a stranger's rule, before the report as text and beside any other form of it."""
    from fsadvisor.pages.glyphs import clean
    from fsadvisor.report.model import Provenance
    from fsadvisor.rulebook.laws import unproven

    rule = load_others_rule(chosen.file)
    if not isinstance(rule, Rule):
        raise inputs.UsageError(*rule)
    wrong, machine = list(unproven(rule)), inputs.machine(chosen)
    storage = inputs.storage(machine, chosen)
    verdicts = [judge(rule, subject) for subject in storage.subjects if subject.kind == rule.subject]
    said = [f"{clean(row, None)}\n" for text in wrong for row in text.split("\n")]
    _write(said) if chosen.form in (None, "text") else sys.stderr.writelines(said)
    _write(_report(chosen, storage, verdicts, Provenance(version=__version__, root=machine.root)))
    return FINDINGS if wrong else 0


def _drive(chosen: argparse.Namespace) -> int:
    from fsadvisor.verbs.recorded import drive

    report, complaints = drive(chosen.files, chosen.form)
    _write(report)
    for complaint in complaints:
        _refuse(complaint)
    return USAGE if complaints else 0


def _measures(chosen: argparse.Namespace) -> int:
    """What runs for seconds or minutes, on this machine only, or prints how to."""
    from fsadvisor.machine.live import LiveMachine
    from fsadvisor.verbs import RefusedError

    gc.enable()
    verb = importlib.import_module(f"fsadvisor.verbs.{chosen.verb}")
    try:
        status: int = verb.run(chosen, LiveMachine(timeout=chosen.timeout, wake=chosen.wake), _write)
    except RefusedError as error:
        raise inputs.UsageError(*error.args) from error
    return status


def _serve(chosen: argparse.Namespace) -> int:
    from fsadvisor.cli import exploring

    return exploring.serve(chosen, _write)


def _schema(chosen: argparse.Namespace) -> int:
    from fsadvisor.report.schema import schema_text

    _write([schema_text(chosen.document)])
    return 0


_VERBS: dict[str | None, Callable[[argparse.Namespace], int]] = {
    None: _audit,
    "explain": _find,
    "find": _find,
    "rules": _find,
    "facts": _facts,
    "plan": _plan,
    "capture": _capture,
    "diff": _diff,
    "attest": _claim,
    "waive": _claim,
    "rule": _rule_try,
    "drive": _drive,
    **dict.fromkeys(("probe", "compare", "forecast", "trial", "waits", "doctor", "watch", "unit"), _measures),
    "schema": _schema,
    "serve": _serve,
}
