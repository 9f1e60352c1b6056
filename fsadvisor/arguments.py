"""The command line's grammar: what can be said, and the help for it."""

from __future__ import annotations

import argparse
import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from fsadvisor import __version__, arguments_measure
from fsadvisor.arguments_help import EXIT_CODES, FORMATS, TAKES, Parser, TopParser, demo_machine
from fsadvisor.machine import kept_files
from fsadvisor.machine.port import MachineError
from fsadvisor.patterns import did_you_mean
from fsadvisor.storage.about import Workload

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

FAIL_ON = ("critical", "high", "moderate", "low", "never")
FAIL_ON_DEFAULT = "moderate"
WORKLOADS = get_args(Workload)

_JSON = "--json="
DOCUMENTS = (
    *("report", "drive", "plan", "probe", "compare", "forecast"),
    *("trial", "waits", "doctor", "diff", "lines", "brief"),
)
_DOCUMENTS = f"{', '.join(DOCUMENTS[:-1])} or {DOCUMENTS[-1]} (default: report)"

_MAY_BE_EMPTY = ("--by", "--because", "--link")
"""What they are for is said where one is missing."""

_WITH_WORDS = ("probe", "trial", "doctor", "explain", "find", "rules")
"""Verbs that take a list of words, which may stand anywhere."""


def parser(words: Collection[str] | None = None) -> TopParser:
    """The whole grammar, or what these words need of it. Options may stand before or after the verb."""
    top = TopParser(
        prog="fsadvisor",
        description="Reads this machine's storage and gives ranked advice that it can prove. Changes nothing. "
        "Opens the explorer on a terminal, and prints the report elsewhere.",
        epilog=EXIT_CODES,
        parents=[_options(defaults=True)],
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"fsadvisor {__version__}")
    verbs = top.add_subparsers(title="commands", dest="verb", metavar="COMMAND", parser_class=Parser)
    for name, (says, add_arguments) in _VERBS.items():
        if words is None or name in words:
            add_arguments(_verb(verbs, name, says))
        else:
            verbs.choices[name] = top  # nobody asks for it: only errors name it
    return top


def commands() -> Iterator[tuple[str, str]]:
    """Each command by name, with the sentence of its help."""
    return ((name, says) for name, (says, _) in _VERBS.items())


def parsed(argv: Sequence[str]) -> argparse.Namespace:
    """What the command line says; exits with 2 where it says it wrongly.

    argparse takes a list of words only in one piece: what follows an option comes back as left over.
    """
    grammar = parser(argv)
    _see_to_empty(grammar, argv)
    words = [f"--format={word.removeprefix(_JSON)}" if word.startswith(_JSON) else word for word in argv]
    chosen, left_over = grammar.parse_known_args(words)
    if (file := chosen.config or (None if chosen.on else Path(kept_files.CONFIG))) and _heeds_config(chosen):
        defaults = _configured(file, must_exist=chosen.config is not None)
        grammar.set_defaults(**defaults)
        chosen, left_over = grammar.parse_known_args(words)
        told = ", ".join(sorted(defaults)).replace("_", "-")
        chosen.configured = f"{file}: {told}" if told else ""
    words = [word for word in left_over if not word.startswith("-")]
    if left_over and (chosen.verb not in _WITH_WORDS or words != left_over):
        wrong = [word for word in left_over if word not in words] if chosen.verb in _WITH_WORDS else left_over
        nearest = did_you_mean(wrong[0].partition("=")[0], grammar.options(chosen.verb))
        grammar.error(f"unrecognized arguments: {' '.join(wrong)}{nearest}")
    if words:
        chosen.words = [*chosen.words, *words]
    if chosen.verb:
        _see_to_fit(grammar, chosen)
    return chosen


def _heeds_config(chosen: argparse.Namespace) -> bool:
    return chosen.verb is None or bool({"workload", "fail_on"} & TAKES[chosen.verb])


def _configured(file: Path, *, must_exist: bool) -> dict[str, Any]:
    """Defaults of options from a file that nobody else may change. Raises MachineError."""
    text = kept_files.config_text(file, must_exist=must_exist)
    if not text:
        return {}
    import tomllib

    readers: dict[str, Callable[[Any], Any]] = {
        "fail-on": lambda value: _level(str(value)),
        "only": str,
        "workload": _configured_workloads,
    }
    defaults: dict[str, Any] = {}
    try:
        for key, value in tomllib.loads(text).items():
            if key not in readers:
                raise ValueError(f"no option {key!r} is read from it{did_you_mean(key, readers)}")
            defaults[key.replace("-", "_")] = readers[key](value)
    except (ValueError, TypeError, RecursionError, argparse.ArgumentTypeError) as error:
        raise MachineError(str(file), str(error), f"it may say {', '.join(readers)}") from None
    return defaults


def _configured_workloads(value: object) -> list[tuple[str, str]]:
    if not isinstance(value, dict):
        raise TypeError('workload is a table, such as {"/srv" = "oltp"}')
    return [_workload(f"{place}={kind}") for place, kind in value.items()]


def _add_explain(explain: Parser) -> None:
    explain.add_argument(
        "words",
        metavar="RULE",
        nargs="+",
        help="a rule's id, such as nobarrier-unproven, or 'order': how findings are ordered; other words as in find",
    )


def _add_find(find: Parser) -> None:
    find.add_argument(
        "words", metavar="WORDS", nargs="+", help="such as iowait, or a line of the kernel's log in quotes"
    )


def _add_rules(rules: Parser) -> None:
    rules.add_argument("words", metavar="WORDS", nargs="*", help="such as trim (default: all rules)")


def _add_facts(facts: Parser) -> None:
    facts.add_argument("pattern", metavar="PATTERN", nargs="?", default="*", help="such as 'disk.*' (default: all)")
    facts.add_argument("--values", action="store_true", help="with their values on this machine")


def _add_plan(plan: Parser) -> None:
    plan.add_argument(
        "findings",
        metavar="RULE[:SUBJECT]",
        nargs="*",
        help="such as nobarrier-unproven or nobarrier-unproven:/srv (default: all advice)",
    )
    plan.add_argument("--out", metavar="DIR", type=Path, help="write it into a directory that is new, or empty")


def _add_capture(capture: Parser) -> None:
    capture.add_argument("folder", metavar="DIR", type=Path, help="a directory that does not exist yet, or is empty")


def _add_rule(rule: Parser) -> None:
    verbs = rule.add_subparsers(
        title="commands", dest="rule_verb", metavar="COMMAND", parser_class=Parser, required=True
    )
    trying = _verb(verbs, "try", "Check a rule file, run its examples, and judge this machine by it.")
    trying.add_argument("file", metavar="FILE", type=Path, help="a rule in TOML")


def _add_drive(drive: Parser) -> None:
    drive.add_argument(
        "files", metavar="FILE", nargs="+", type=Path, help="JSON, text or raw; several of one drive join"
    )


def _add_schema(schema: Parser) -> None:
    schema.add_argument("document", metavar="DOCUMENT", nargs="?", choices=DOCUMENTS, default="report", help=_DOCUMENTS)


def _add_attest(attest: Parser) -> None:
    attest.add_argument("about", metavar="FACT", nargs="?", help="such as disk.datasheet_plp")
    attest.add_argument(
        "subject",
        metavar="SUBJECT",
        nargs="?",
        help="such as nvme0n1, or a drive's model for all of it; facts of the host need none",
    )
    attest.add_argument("value", metavar="VALUE", nargs="?", help="yes (the default), no, or what the fact may be")
    attest.add_argument(
        "--checklist", metavar="LIST", help="one page of all that is asked for: plp; FACT is then a disk or a model"
    )
    attest.add_argument(
        "--answer",
        metavar="NAME=VALUE",
        action="append",
        help="an answer to the checklist, such as runbook=yes; may be repeated",
    )
    _add_saying(attest, "default: a year from now", "why others may believe it")


_WAIVE_SAYS = (
    "Accept what a rule finds: it stays in the report, and no longer counts for --fail-on until the day is over."
    " What fails now, such as a drive that reports errors, can be accepted for 30 days at most."
)


def _add_waive(waive: Parser) -> None:
    waive.add_argument("about", metavar="RULE", help="a rule's id, such as nobarrier-unproven")
    waive.add_argument("subject", metavar="SUBJECT", help="such as /srv or filesystem:/dev/sdb1")
    by_severity = "default: in 7 days for what is critical, 30 for high, 90 for moderate, 365 for low"
    _add_saying(waive, by_severity, "why the risk is accepted; has to be given")


def _add_saying(verb: Parser, until: str, why: str) -> None:
    """What goes with all that people say of a machine."""
    verb.add_argument("--by", metavar="WHO", help="the person who says so")
    verb.add_argument("--because", metavar="TEXT", default="", help=why)
    verb.add_argument("--link", metavar="URL", default="", help="the datasheet, the runbook, the ticket")
    verb.add_argument("--until", metavar="DATE", type=_day, help=f"the last day that it holds ({until})")
    verb.add_argument("--remove", action="store_true", help="take it out of the file again")


def _verb(verbs: argparse._SubParsersAction[Parser], name: str, says: str) -> Parser:
    shared = _options(defaults=False, shown=TAKES[name])
    return verbs.add_parser(name, help=says, description=says, parents=[shared], allow_abbrev=False)


OF_REPORT = (
    *("only", "workload", "rules", "attestations", "fail_on", "quiet", "strict"),
    *("full", "all", "wake", "timeout", "plain", "plain_ids", "output", "config", "remember"),
    "ask_programs",
)


def _see_to_empty(grammar: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """A script's variable that is not set would else be the working directory, or no limit at all."""
    for before, word in zip(("", *argv), argv, strict=False):
        option, equals, value = word.partition("=") if word.startswith("--") else (before, "", word)
        if not value and (equals or not word) and option not in _MAY_BE_EMPTY:
            of = f"argument {option}" if option.startswith("-") else "an argument"
            grammar.error(f"{of} is empty; is a variable not set?")


def _see_to_fit(grammar: argparse.ArgumentParser, chosen: argparse.Namespace) -> None:
    """Options of the report that the command would not heed are refused; to --on each has an answer of its own."""
    given = {name for name in OF_REPORT if getattr(chosen, name) != grammar.get_default(name)}
    wrong = sorted((given | {chosen.form or "text"}) - TAKES[chosen.verb] - {"text"})
    if "markdown" in chosen and chosen.markdown and chosen.form is not None:
        grammar.error(f"argument --markdown: not allowed with argument --{chosen.form}")
    if wrong:
        options = " and ".join(f"--{'format ' if it in FORMATS else ''}{it.replace('_', '-')}" for it in wrong)
        grammar.exit(2, f"fsadvisor: {chosen.verb} takes no {options}; what it takes: fsadvisor {chosen.verb} --help\n")


def _options(*, defaults: bool, shown: frozenset[str] | None = None) -> Parser:
    """The options that stand before or after a command; without defaults, so that it does not undo what stood before.

    All are read; help has those of `shown`, or all of them.
    """
    shared = Parser(add_help=False, argument_default=None if defaults else argparse.SUPPRESS)

    def add(to: argparse._ActionsContainer, option: str, help: str, **more: Any) -> None:  # noqa: A002, ANN401 - argparse's own
        name = option.removeprefix("--").replace("-", "_")
        to.add_argument(option, help=help if shown is None or name in shown else argparse.SUPPRESS, **more)

    forms = (
        ("json", "print JSON"),
        ("text", "print text (default in pipes)"),
        ("html", "print the report as one HTML file, for a ticket or paper; it loads nothing from elsewhere"),
        ("summary", "print the report in one line"),
    )
    exclusive = shared.add_mutually_exclusive_group() if shown is None or "json" in shown else shared
    where = shared.add_mutually_exclusive_group() if shown is None else shared
    for name, says in forms:
        form = exclusive if shown is None or name in shown else shared
        add(form, f"--{name}", says, action="store_const", dest="form", const=name)
    say = f"{', '.join(FORMATS)}; --json=lines and --json=brief are the same as the first two"
    form = exclusive if shown is None or "format" in shown else shared
    add(form, "--format", f"print the report as {say}", metavar="NAME", type=_format, dest="form")
    add(shared, "--output", "write the report into FILE, in one step for its readers", metavar="FILE", type=Path)
    on = "look at what capture or watch made, an archive of sos, supportconfig or insights, or a copy of /proc and /sys"
    add(shared, "--plain", "in the explorer, only ASCII and the terminal's own colours", action="store_true")
    add(where, "--on", on, metavar="PATH", type=Path)
    demo = "look at a recorded server with all sorts of trouble instead; it needs no root"
    add(where, "--demo", demo, dest="on", action="store_const", const=demo_machine())
    add(shared, "--only", "only this mount point or disk, with all above and below it", metavar="MOUNT|DISK")
    workload = f"what a mount is used for: {', '.join(WORKLOADS)} (may be given more than once)"
    add(shared, "--workload", workload, metavar="MOUNT=KIND", action="append", type=_workload)
    add(shared, "--rules", "load the rules in this directory as well", metavar="DIR", action="append", type=Path)
    kept = "what people say of the machine (default: /etc/fsadvisor/attest.toml)"
    add(shared, "--attestations", kept, metavar="FILE", type=Path)
    defaults_of = "take defaults of fail-on, only and workload from it (default: /etc/fsadvisor/config.toml)"
    add(shared, "--config", defaults_of, metavar="FILE", type=Path)
    lowest = f"lowest severity that exits with 1: {', '.join(FAIL_ON)} (default: {FAIL_ON_DEFAULT})"
    add(shared, "--fail-on", lowest, metavar="LEVEL", type=_level)
    add(shared, "--quiet", "print nothing where the exit status is 0 (for cron)", action="store_true")
    remember = "keep the counts of this look, to tell later what grew (root alone, in /var/lib/fsadvisor)"
    add(shared, "--remember", remember, action="store_true")
    clients = (
        "ask databases by psql, mysql and redis-cli what is in force, over their local sockets; nothing is changed"
    )
    add(shared, "--ask-programs", clients, action="store_true")
    add(shared, "--strict", "exit with 3 where something could not be told", action="store_true")
    add(shared, "--full", "all evidence, small gains with their commands, too", action="store_true")
    add(shared, "--all", "list passed checks and rules that do not apply, too", action="store_true")
    add(shared, "--plain-ids", "in JSON, the ids of machine and boot, instead of hashes of them", action="store_true")
    add(shared, "--wake", "ask disks that sleep, too, which wakes them", action="store_true")
    add(shared, "--timeout", "for each tool (default: 10)", metavar="SECONDS", type=arguments_measure.seconds)
    if defaults:
        shared.set_defaults(fail_on=FAIL_ON_DEFAULT, timeout=10.0)
    return shared


def _workload(text: str) -> tuple[str, str]:
    mount_point, equals, kind = text.rpartition("=")
    if not equals or not mount_point.startswith("/"):
        raise argparse.ArgumentTypeError(f"{text!r} is not MOUNT=KIND, such as /srv=oltp")
    if kind not in WORKLOADS:
        raise argparse.ArgumentTypeError(f"{kind!r} is none of {', '.join(WORKLOADS)}{did_you_mean(kind, WORKLOADS)}")
    return mount_point, kind


def _day(text: str) -> dt.date:
    try:
        return dt.datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=dt.UTC).date()
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no date such as 2027-01-31") from None


def _format(text: str) -> str:
    known = ("json", "text", "html", "summary", *FORMATS)
    if text not in known:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(known)}{did_you_mean(text, known)}")
    return text


def _level(text: str) -> str:
    if text not in FAIL_ON:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(FAIL_ON)}{did_you_mean(text, FAIL_ON)}")
    return text


_VERBS: Final[Mapping[str, tuple[str, Callable[[Parser], None]]]] = {
    "explain": ("Print a rule's page: what it asks, why, what it would have you do. Words are found.", _add_explain),
    "find": ("Find what words are about, or an error message: here first, then rules and commands.", _add_find),
    "rules": ("List the rules, or those that words find, with their state on this machine.", _add_rules),
    "facts": ("List the facts that rules may ask, with meaning, unit and source.", _add_facts),
    "plan": (
        "Print a plan to review: a script with checks, an fstab diff and the undo. Runs nothing.",
        _add_plan,
    ),
    "probe": (arguments_measure.PROBE_SAYS, arguments_measure.add_probe),
    "compare": (arguments_measure.COMPARE_SAYS, arguments_measure.add_compare),
    "forecast": (arguments_measure.FORECAST_SAYS, arguments_measure.add_forecast),
    "trial": (arguments_measure.TRIAL_SAYS, arguments_measure.add_trial),
    "waits": (arguments_measure.WAITS_SAYS, arguments_measure.add_waits),
    "doctor": (arguments_measure.DOCTOR_SAYS, arguments_measure.add_doctor),
    "watch": (arguments_measure.WATCH_SAYS, arguments_measure.add_watch),
    "capture": ("Record this machine into a new directory, without serials and host names.", _add_capture),
    "diff": (arguments_measure.DIFF_SAYS, arguments_measure.add_diff),
    "unit": (arguments_measure.UNIT_SAYS, arguments_measure.add_unit),
    "serve": (arguments_measure.SERVE_SAYS, arguments_measure.add_serve),
    "attest": ("Say what only a person can know of this machine; alone, list what has been said.", _add_attest),
    "waive": (_WAIVE_SAYS, _add_waive),
    "rule": ("Work on rules.", _add_rule),
    "drive": ("Judge drives by outputs of nvme and smartctl that were captured elsewhere.", _add_drive),
    "schema": ("Print the JSON Schema of the report, or of what a command prints.", _add_schema),
}
"""Each command with what its help says and what adds its arguments: only those on the command line are made."""
