"""What `--help` says: the commands by what one wants to do, the options that each takes, and examples."""

from __future__ import annotations

import argparse
import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from fsadvisor.patterns import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

_GROUPS: Final = {
    "what is wrong, and what to do": {
        "doctor": "what hurts at this moment: the cause, who does it, what to do",
        "explain": "a rule's page: what it asks, why, what to do",
        "find": "what words or an error message lead to",
        "plan": "a script with checks, an fstab diff and the undo, to review",
    },
    "measure (each says what it takes, and asks before it starts)": {
        "probe": "short jobs on a filesystem, which leave nothing behind",
        "trial": "what an option would bring here, on scratch filesystems",
        "compare": "paths, devices and filesystems at the same jobs, in turn",
        "forecast": "what a faster or slower device would bring",
    },
    "watch and record": {
        "waits": "where the time goes: processors, disks, flushes, locks",
        "watch": "wait for an incident, and keep windows of it for doctor",
        "capture": "record this machine, to look at it elsewhere",
        "diff": "what is new since a report, a recording or the last look",
        "unit": "a systemd timer and a cron line that run the report, to review",
        "drive": "the power-loss verdict from captured tool outputs",
        "serve": "the explorer in a browser of this machine, read-only",
    },
    "say what only people know": {
        "attest": "facts that no tool can tell, such as a data sheet's",
        "waive": "accept a finding until a day, with a reason",
    },
    "rules and formats": {
        "rules": "all rules, or those that words find, with their state here",
        "rule": "work on rules: rule try FILE",
        "facts": "what rules may ask, with meaning, unit, source and value",
        "schema": "the JSON Schema of what is printed",
    },
}

FORMATS: Final = ("lines", "brief", "openmetrics", "nagios", "checkmk", "sarif", "junit")
"""What --format takes besides json, text, html and summary, which have options of their own."""

_LOOK: Final = "on only workload attestations timeout wake ask_programs"
TAKES: Final[Mapping[str, frozenset[str]]] = {
    verb: frozenset(options.split())
    for verb, options in {
        "explain": f"{_LOOK} rules",
        "find": f"{_LOOK} rules",
        "rules": f"{_LOOK} rules",
        "facts": _LOOK,
        "plan": f"{_LOOK} rules json text",
        "capture": f"{_LOOK} rules",
        "attest": f"{_LOOK} rules",
        "waive": f"{_LOOK} rules",
        "rule": f"{_LOOK} json text html full all",
        "try": f"{_LOOK} json text html full all",
        "diff": "workload attestations timeout wake rules json text fail_on config",
        "drive": "json text",
        "unit": "only workload attestations rules fail_on format output config html json text summary quiet strict"
        f" remember ask_programs timeout {' '.join(FORMATS)}",
        "doctor": "on json text timeout",
        "watch": "timeout",
        "schema": "",
        "waits": "on json text timeout wake",
        **dict.fromkeys(("probe", "compare", "forecast", "trial"), "json text timeout wake"),
        "serve": f"{_LOOK} rules all",
    }.items()
}
"""The options of the report that each command takes as well."""

EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "": (
        "fsadvisor                        the explorer; in a pipe the report",
        "fsadvisor --json | jq .verdicts  for scripts",
        "fsadvisor --only /srv            one mount point or disk",
        "fsadvisor doctor                 what hurts at this moment",
    ),
    "explain": ("fsadvisor explain nobarrier-unproven", "fsadvisor explain order", "fsadvisor explain slow fsync"),
    "find": ("fsadvisor find iowait", "fsadvisor find 'No space left on device'"),
    "rules": ("fsadvisor rules", "fsadvisor rules trim"),
    "facts": ("fsadvisor facts 'disk.plp*' --values", "fsadvisor facts 'mount.*' --on server.tar.xz"),
    "plan": ("fsadvisor plan", "fsadvisor plan nobarrier-unproven:/srv --out /root/plan"),
    "probe": (
        "fsadvisor probe --list",
        "fsadvisor probe fsync-ladder /srv",
        "fsadvisor probe --suite quick /srv --yes --json",
    ),
    "compare": ("fsadvisor compare /srv /var --dry-run", "fsadvisor compare /srv --images ext4,xfs"),
    "forecast": ("fsadvisor forecast /srv",),
    "trial": (
        "fsadvisor trial -o noatime --on-scratch /srv --dry-run",
        "fsadvisor trial access-times-written --on-scratch /srv",
    ),
    "waits": ("fsadvisor waits", "fsadvisor waits /srv --seconds 30"),
    "doctor": ("fsadvisor doctor", "fsadvisor doctor full /var", "fsadvisor doctor fsync /srv/db"),
    "watch": ("fsadvisor watch --out /root/seen --for 8h --when 'io pressure > 20 %'",),
    "capture": ("fsadvisor capture /root/recorded", "fsadvisor --on /root/recorded"),
    "diff": ("fsadvisor diff last", "fsadvisor diff monday.json friday.json --fail-on high"),
    "unit": ("fsadvisor unit --every hourly --format openmetrics --output /var/lib/node_exporter/fsadvisor.prom",),
    "attest": ("fsadvisor attest", "fsadvisor attest --checklist plp nvme0n1"),
    "waive": ("fsadvisor waive nearly-full /srv --because 'moved next week' --until 2027-01-31",),
    "drive": ("smartctl --json -x /dev/nvme0 > drive.json; fsadvisor drive drive.json",),
    "schema": ("fsadvisor schema plan",),
    "serve": ("fsadvisor serve", "fsadvisor serve --demo --port 0"),
    "try": ("fsadvisor rule try my-rule.toml --on server.tar.xz",),
}


@cache
def _columns() -> int:
    """Columns of the terminal, as shutil.get_terminal_size counts them."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and len(given) < 6 and int(given):
        return int(given)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or _COLUMNS  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return _COLUMNS


_COLUMNS: Final = 80


class _Formatter(argparse.HelpFormatter):
    """Paragraphs are wrapped, lines that were broken by hand stay.

    argparse makes one for each option that is added, to check it, and would load shutil for the terminal's width.
    """

    def __init__(self, prog: str, width: int | None = None) -> None:
        super().__init__(prog, width=width or _columns() - 2)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


class Parser(argparse.ArgumentParser):
    """A parser that names the nearest valid choice, and shows examples."""

    def __init__(self, *names: str, **settings: object) -> None:
        settings.setdefault("formatter_class", _Formatter)
        super().__init__(*names, **settings)  # type: ignore[arg-type]
        examples = EXAMPLES.get("" if self.prog == "fsadvisor" else self.prog.rpartition(" ")[2], ())
        if examples and self.add_help:
            listed = "\n".join(("examples:", *(f"  {line}" for line in examples)))
            self.epilog = f"{listed}\n\n{self.epilog}" if self.epilog else listed

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """As argparse has it, with the nearest of the choices."""
        if action.choices is not None and value not in action.choices:
            named = did_you_mean(str(value), action.choices)
            raise argparse.ArgumentError(action, f"{value!r} is none of {', '.join(action.choices)}{named}")

    def options(self, verb: str | None) -> list[str]:
        """All long options that may stand here, and those of the command."""
        of_verb = [it.choices[verb] for it in self._actions if verb and isinstance(it, argparse._SubParsersAction)]
        return [name for it in (self, *of_verb) for name in it._option_string_actions if name.startswith("--")]

    def error(self, message: str) -> NoReturn:
        """One line, exit status 2."""
        self.exit(2, f"{self.prog}: {message}\n{self.prog}: try --help\n")


class TopParser(Parser):
    """The whole command line: its help has the commands in groups, each with its first sentence."""

    def format_help(self) -> str:
        """As argparse has it, but for the commands."""
        formatter = self._get_formatter()
        formatter.add_usage("fsadvisor [OPTIONS] [COMMAND …]", (), (), "usage: ")
        formatter.add_text(self.description)
        for title, says in _GROUPS.items():
            formatter.add_text("\n".join((f"{title}:", *(f"  {name:<10}{what}" for name, what in says.items()))))
        formatter.start_section("options of the report (`fsadvisor COMMAND --help` has a command's own)")
        formatter.add_arguments(it for it in self._actions if it.option_strings)
        formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()


@cache
def demo_machine() -> Path:
    """The recorded machine that comes with fsadvisor: inside an installed package, else beside it."""
    package, name = Path(__file__).resolve().parent, "old-storage-server"
    shipped = package / "_demo" / name
    return shipped if shipped.is_dir() else package.parent / "fixtures" / "machines" / name


def is_demo(on: Path | None) -> bool:
    """Whether it is what --demo stands for; to who names the folder itself by --on, it is a recording like others."""
    return on is demo_machine()


def demo_extras() -> Path:
    """What was kept and recorded of it: results of probes, an incident, samples of Live."""
    machine = demo_machine()
    shipped = machine.parent / "kept"
    return shipped if shipped.is_dir() else machine.parents[1] / "demo"


EXIT_CODES: Final = """exit status:
  0  nothing at or above --fail-on
  1  advice at or above --fail-on
  2  the command line, a file or a recording is wrong
  3  incomplete: something could not be told (with --strict), or measured
  4  a bug of ours
  5  could not look: no block device and no mount seen, whatever --fail-on says"""
