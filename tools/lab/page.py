"""docs/lab.md: what the lab proved, written by `make lab ARGS=--accept`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tools.lab import cut_table

if TYPE_CHECKING:
    from tools.lab.tables import Row

PAGE = Path(__file__).resolve().parents[2] / "docs" / "lab.md"

_HEAD = """# What the lab proved

`make lab` boots guests of QEMU (without KVM) over this machine's root, on two of Debian's kernels. Their NVMe, SATA,
SAS and virtio disks are emulated. Device mapper, md, NVMe target, null_blk, F2FS and NILFS2 are the kernel's own. Each
scenario sets its storage up, asks `fsadvisor --json`, and holds facts and verdicts against a second source. `make
lab-shell` opens a shell in such a guest. This page is written by `make lab ARGS=--accept`; the guests' kernels then:
{kernels}.

What a guest cannot show: a hardware RAID card's battery, a capacitor's health page, a cloud's disks, and speed.
Emulation makes the processor some twenty times slower, so counts mean something here and times do not.
"""


def page(rows: list[Row], cuts: list[Row]) -> str:
    """The whole page, of the scenarios' rows and the power cuts'."""
    kernels = ", ".join(sorted({row["kernel"] for row in rows}))
    power = ["## Power cuts", "", cut_table.ABOUT, cut_table.markdown(cuts)]
    return "\n".join([_HEAD.format(kernels=kernels), _scenarios(rows), _claims(rows), *power]).rstrip() + "\n"


def see_to_page(rows: list[Row], cuts: list[Row], *, accept: bool) -> list[str]:
    """Write docs/lab.md, or say which scenarios it lacks or has too many; what is wrong, a line each."""
    if accept:
        PAGE.write_text(page(rows, cuts))
        return []
    told = PAGE.read_text() if PAGE.exists() else ""
    return [f"{PAGE} does not tell of: {what} (--accept)" for what in _titles(rows) if f"| {what} |" not in told]


def _titles(rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(row["what"] for row in rows))


def _scenarios(rows: list[Row]) -> str:
    lines = [
        "## Scenarios",
        "",
        "| the machine | cases | kernels | checked against | recorded as |",
        "| --- | ---: | --- | --- | --- |",
    ]
    for what in _titles(rows):
        of_title = [row for row in rows if row["what"] == what]
        cases = len({row["scenario"] for row in of_title})
        kernels = ", ".join(sorted({_series(row["kernel"]) for row in of_title}))
        checked = ", ".join(dict.fromkeys(tool for row in of_title for tool in row["checked"]))
        kept = ", ".join(dict.fromkeys(f"`{kept}`" for row in of_title for kept in row["kept"]))
        lines.append(f"| {what} | {cases} | {kernels} | {checked} | {kept} |")
    count = len({row["scenario"] for row in rows})
    return "\n".join([*lines, "", f"{count} scenarios. What is recorded is in fixtures/machines.", ""])


def _claims(rows: list[Row]) -> str:
    told = [(row["kernel"], story) for row in rows for story in row["story"]]
    lines = ["## Claims tried", "", "| claim | kernel | seen |", "| --- | --- | --- |"]
    lines += [f"| {_cell(story['claim'])} | {_series(kernel)} | {_seen(story)} |" for kernel, story in told]
    return "\n".join([*lines, ""])


def _seen(story: Row) -> str:
    """What was seen, in the scenario's words or as what it counted."""
    counted = ", ".join(f"{name} {value}" for name, value in story.items() if name not in ("claim", "expected"))
    return _cell(str(story.get("seen", counted)))


def _cell(words: str) -> str:
    """Words that end no cell of a Markdown table."""
    return " ".join(words.split()).replace("|", "\\|")


def _series(kernel: str) -> str:
    return ".".join(kernel.split(".")[:2])
