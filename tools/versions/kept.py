"""What is kept of a run: each output as a sample of its reader, and a page of what differs between versions."""

from __future__ import annotations

import importlib
import json
import pkgutil
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fsadvisor.readers
from fsadvisor.facts import Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fsadvisor.readers.json_text import Json

ROOT = Path(__file__).resolve().parents[2]
OUTPUTS = ROOT / "fixtures" / "outputs"
PAGE = ROOT / "docs" / "tool-versions.md"
HEAD = """\
# Readers held against tool versions

Written by `make matrix ARGS=--accept`. One guest (Linux 6.1, QEMU's drives) has NVMe, SATA, SAS, LVM, md, multipath,
ext4, XFS and Btrfs. The tools of each Debian are asked about them, in a root of that Debian. nvme-cli 3.0 and smartctl
7.0 and 7.1 are compiled from their sources, and asked alone. Each output is a sample of its reader in
`fixtures/outputs/`, named by the release. `tests/readers/test_tool_versions.py` holds them together.
"""
COUNTED = {
    "available_bytes", "commit_us", "dirty_now_bytes", "flush_ms_avg", "flushes", "io_full_avg60_percent",
    "read_bytes", "reads", "uptime_seconds", "writes", "written_bytes",
}  # fmt: skip
"""Facts that move by themselves from one look to the next."""


VERSIONS = "packages.json"


def answers(results: Path) -> dict[str, Any]:
    """What a guest left: by release the answers, the facts, and the versions of the tools' packages."""
    versions = json.loads((results / VERSIONS).read_text())
    told = {name: json.loads((results / f"{name}.json").read_text()) for name in versions}
    return {name: one | {"packages": versions[name]} for name, one in told.items()}


def parser(reader: str) -> Callable[[str], object]:
    """A reader's function: a module's `parse`, or a family's `parse_READER`."""
    for name in (module.name for module in pkgutil.iter_modules(fsadvisor.readers.__path__)):
        module = importlib.import_module(f"fsadvisor.readers.{name}")
        found = getattr(module, "parse" if name == reader else f"parse_{reader}", None)
        if found is not None:
            return found  # type: ignore[no-any-return]
    raise LookupError(reader)


def samples(answers: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Release, reader/case and answer."""
    for release, told in answers.items():
        for case, answer in told["answers"].items():
            yield release, case, answer


def read(case: str, text: str) -> str:
    """'read', or why not."""
    record = parser(case.partition("/")[0])(text)
    return f"{record.cause.value}: {record.learn}" if isinstance(record, Unknown) else "read"


def accept(answers: Mapping[str, Any]) -> None:
    """Keep every output, and write the page."""
    for release, case, answer in samples(answers):
        reader, _, what = case.partition("/")
        file = OUTPUTS / reader / f"{release}-{what}.out"
        file.write_bytes(answer["text"].encode("utf-8", "surrogateescape"))
        command = f"`{shlex.join(answer['argv'])}`, exit status {answer['status']}"
        file.with_suffix(".txt").write_text(
            f"recorded in a guest of `make matrix` by the tools of {release}: {command}\n"
        )
    PAGE.write_text(page(answers))


def differing(answers: Mapping[str, Any]) -> list[str]:
    """What is read of one release's tool and not of another's, and what is read otherwise than what is kept."""
    wrong = []
    for release, case, answer in samples(answers):
        reader, _, what = case.partition("/")
        file = OUTPUTS / reader / f"{release}-{what}.out"
        now = read(case, answer["text"])
        if not file.exists():
            wrong.append(f"{release}, {case}: nothing is kept of it: ARGS=--accept keeps it")
        elif (before := read(case, file.read_text("utf-8", "surrogateescape"))) != now:
            wrong.append(f"{release}, {case}: {now}; what is kept: {before}")
    return wrong


def page(answers: Mapping[str, Any]) -> str:
    """Versions, what each reader made of each, and the facts that are not the same."""
    releases = list(answers)
    parts = [HEAD, _row("package", releases), _rule(releases)]
    packages = list(dict.fromkeys(name for told in answers.values() for name in told.get("packages", {})))
    parts += [_row(name, [told.get("packages", {}).get(name, "") for told in answers.values()]) for name in packages]
    parts += ["", _row("output", releases), _rule(releases)]
    for case in dict.fromkeys(case for _, case, _ in samples(answers)):
        told = [answers[release]["answers"].get(case) for release in releases]
        parts.append(_row(case, [read(case, one["text"]) if one else "no answer" for one in told]))
    answers = {release: told for release, told in answers.items() if told["facts"]}
    releases = list(answers)
    facts = list(_facts(answers))
    known = ", ".join(
        f"{sum(not str(values[at]).startswith('unknown') for _, _, values in facts)} by {release}"
        for at, release in enumerate(releases)
    )
    parts += [
        "",
        f"Of {len(facts)} facts of the survey are known: {known}.",
        "These are not the same by all:",
        "",
        _row("subject and fact", releases),
        _rule(releases),
    ]
    for subject, fact, values in facts:
        if fact not in COUNTED and len({repr(value) for value in values}) > 1:
            parts.append(_row(f"{subject} {fact}", [str(value)[:80] for value in values]))
    return "\n".join([*parts, ""])


def _facts(answers: Mapping[str, Any]) -> Iterator[tuple[str, str, list[Json]]]:
    """Subject, fact, and its value by each release."""
    told = [one["facts"] for one in answers.values()]
    for subject in dict.fromkeys(name for facts in told for name in facts):
        for fact in dict.fromkeys(name for facts in told for name in facts.get(subject, {})):
            yield subject, fact, [facts.get(subject, {}).get(fact) for facts in told]


def _row(name: str, cells: list[str]) -> str:
    return f"| {name} | " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _rule(cells: list[str]) -> str:
    return "|---" * (len(cells) + 1) + "|"
