"""The generated pages about rules, the tables that they cite and the errata that they correct."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, get_args

from fsadvisor.pages.markdown import cell, plain, table
from fsadvisor.report.rule_page import GUIDES, markdown
from fsadvisor.rulebook import shape, tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fsadvisor.rulebook.rule import Rule

_SUBJECTS: Final = get_args(shape.SubjectKind)

_INDEX: Final = """
Every rule that comes with fsadvisor, generated from [rules/](../../rules/). `fsadvisor explain RULE` prints the same
page. Figures are cited from [tables of published measurements](../tables.md); what guides say, and what is wrong with
it, stands in [the errata](../errata.md). [CONTRIBUTING](../../CONTRIBUTING.md) says how to write a rule.
"""
_ERRATA: Final = """
Five documents that people tune filesystems by were held against the kernel's own texts and against what it does. This
is what holds on kernels from 5.10 on where they say something else, and which rule corrects it. Unsafe means that
following the guide may lose data. The numbers (E1 and on) are those by which fsadvisor refers to this page.
"""
_TABLES: Final = """
Figures that guides, papers and slides give, with the conditions that they tell. Rules cite them, and say what to
believe. A number with an erratum (E…) is not to be trusted as it stands. The keys are those by which fsadvisor refers
to a table.
"""


def pages(rules: Sequence[Rule]) -> dict[str, str]:
    """Every generated page: its name below docs/ and its text."""
    found = {f"rules/{rule.id}.md": "".join(markdown(rule)) for rule in rules}
    return found | {
        "rules/README.md": "".join(_index(rules)),
        "errata.md": "".join(_errata(rules)),
        "tables.md": "".join(_tables(rules)),
    }


def _index(rules: Sequence[Rule]) -> Iterator[str]:
    yield f"# Rules\n{_INDEX}\n"
    counts = Counter((rule.subject, rule.severity) for rule in rules)
    rows = [_counts(subject, [counts[subject, severity] for severity in shape.SEVERITIES]) for subject in _SUBJECTS]
    totals = [sum(counts[subject, severity] for subject in _SUBJECTS) for severity in shape.SEVERITIES]
    yield from table(("subject", *shape.SEVERITIES, "all"), [*rows, _counts("all", totals)])
    for subject in _SUBJECTS:
        yield f"\n## {subject}\n\n"
        chosen = sorted(
            (rule for rule in rules if rule.subject == subject),
            key=lambda rule: (shape.SEVERITIES.index(rule.severity), rule.id),
        )
        yield from table(
            ("rule", "severity", "kind", "status", "finds"),
            [
                (f"[{rule.id}]({rule.id}.md)", rule.severity, rule.kind, rule.status, cell(rule.title))
                for rule in chosen
            ],
        )


def _counts(name: str, numbers: list[int]) -> list[str]:
    return [name, *(str(number or "") for number in (*numbers, sum(numbers)))]


def _link(rule_id: str) -> str:
    return f"[{rule_id}](rules/{rule_id}.md)"


def _errata(rules: Sequence[Rule]) -> Iterator[str]:
    corrected: dict[str, list[str]] = {}
    for rule in rules:
        for number in rule.errata:
            corrected.setdefault(number, []).append(_link(rule.id))
    yield f"# {GUIDES}\n{_ERRATA}\n"
    known = len(tables.errata())
    yield f"{known} errata: {len(corrected)} corrected by rules, {known - len(corrected)} by none, for a reason.\n"
    for seed in tables.published_sources().values():
        address = f", <{seed.address}>" if seed.address.startswith("https://") else ""
        yield f'\n## <a id="guide-{seed.number}"></a>{plain(seed.name[:1].upper() + seed.name[1:])}\n\n'
        yield f"{plain(seed.what)} ({plain(seed.by)}, {seed.year}{address})\n\n"
        yield from table(
            ("what holds", "who says so", "what the guide says", "it is", "corrected by", "erratum"),
            [
                (
                    cell(one.correction),
                    cell(one.source),
                    cell(one.says),
                    one.verdict,
                    ", ".join(corrected[one.number]) if one.number in corrected else f"no rule: {cell(one.no_rule)}",
                    f'<a id="{one.number.lower()}"></a>{one.number}',
                )
                for one in tables.errata().values()
                if one.seed == seed.number
            ],
        )


def _tables(rules: Sequence[Rule]) -> Iterator[str]:
    yield f"# Published measurements\n{_TABLES}"
    for name in tables.table_names():
        yield from _table(tables.table(name), rules)


def _table(one: tables.PublishedTable, rules: Sequence[Rule]) -> Iterator[str]:
    citing = [_link(rule.id) for rule in rules if rule.gain and _cites(rule, one.id)]
    whose = f"[{plain(tables.published_sources()[one.seed].name)}](errata.md#guide-{one.seed})"
    yield f'\n## <a id="{one.id}"></a>{plain(one.title)}\n\n'
    yield f"{one.basis.capitalize()} in {whose}, {plain(one.section)}.\n\n"
    for field in ("kernel", "hardware", "tool", "filesystem", "options", "runs", "note"):
        if getattr(one, field):
            yield f"- {field}: {plain(getattr(one, field))}\n"
    if one.errata:
        yield f"- errata: {_numbers(one.errata)}\n"
    yield f"- cited by: {', '.join(citing) or 'no rule'}\n- key: {one.id}\n\n"
    yield from table([_head(column) for column in one.column], [[_cell(value) for value in row] for row in one.rows])


def _cites(rule: Rule, name: str) -> bool:
    return rule.gain is not None and any(figure.table == name for figure in rule.gain.figures)


def _head(column: tables.Column) -> str:
    unit = f" ({column.unit})" if column.unit else ""
    return cell(column.name + unit) + (f", {_numbers(column.errata)}" if column.errata else "")


def _numbers(numbers: Iterable[str]) -> str:
    return ", ".join(f"[{number}](errata.md#{number.lower()})" for number in numbers)


def _cell(value: str | float) -> str:
    if isinstance(value, str):
        return _numbers([value]) if value in tables.errata() else cell(value)
    return f"{value:,}"
