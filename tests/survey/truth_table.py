"""Verdicts of `fsadvisor drive` against what is known of the captured drives, by kind and by evidence.

`python -m tests.survey.truth_table` prints the table, every verdict that differs from the truth, and coverage.

The truth's `plp` speaks of the drive's family, mostly from general knowledge ('UNVERIFIED' in its own words);
`volatile_write_cache` of the very capture: 'yes' and 'no' are NVMe's vwc bit 0 or the kernel's queue/write_cache,
'yes (ATA cache on)' and 'off' ATA's write cache as it was set, 'unknown' where the capture does not tell.
"""

import collections
import csv
from dataclasses import dataclass

from fsadvisor.captures import Judged, judged, recognised
from tests.paths import CAPTURES

KINDS = frozenset(
    (
        "smartctl-json",
        "smartctl-text",
        "smartctl+nvme-json",
        "nvme-id-ctrl-json",
        "nvme-id-ctrl-json-derived",
        "nvme-id-ctrl-text",
        "nvme-id-ctrl-bin",
    )
)
"""What `fsadvisor drive` reads; the truth has other files, too, that are no drive's output."""
FITTING = {"yes": {"proven", "claimed"}, "no": {"absent", "partial"}, "unknown": {"unknown"}}
CACHE = {"yes": True, "yes (ATA cache on)": True, "no": False, "off": False, "unknown": None}


@dataclass(frozen=True, slots=True)
class Row:
    """A captured drive: the truth about it, and our verdict."""

    file: str
    truth: dict
    found: Judged

    @property
    def verdict(self):
        return self.found.plp.verdict

    @property
    def rests_on(self):
        """The evidence that speaks for the verdict, by its sources."""
        return sorted({it.source for it in self.found.plp.evidence if it.verdict == self.verdict}) or ["nothing"]


def rows():
    """Every drive of the truth whose file is a drive's output."""
    kinds = {row["file"]: row["kind"] for row in csv.DictReader((CAPTURES / "INDEX.csv").read_text().splitlines())}
    truth = collections.defaultdict(list)
    for row in csv.DictReader((CAPTURES / "truth.csv").read_text().splitlines()):
        if kinds.get(row["file"]) in KINDS:
            truth[row["file"]].append(row)
    for file, told in truth.items():
        text = (CAPTURES / file).read_bytes().decode("utf-8", "surrogateescape")
        found = judged(recognised(text))
        if len(told) == len(found) == 1:
            yield Row(file, told[0], found[0])


def lines(found):
    """The table, then what differs, then coverage."""
    counts = collections.Counter(
        (row.truth["kind"], row.truth["plp"], row.verdict, ", ".join(row.rests_on)) for row in found
    )
    yield f"{'kind':9} {'truth':8} {'verdict':8} {'drives':>6}  rests on"
    for (kind, truth, verdict, rests_on), number in sorted(counts.items()):
        yield f"{kind:9} {truth:8} {verdict:8} {number:6}  {rests_on}"
    yield "\nverdicts that differ from the truth:"
    for row in found:
        if row.verdict not in FITTING[row.truth["plp"]]:
            yield f"  {row.truth['kind']}: {row.truth['plp']}, but {row.verdict}: {row.found.model} ({row.file})"
    yield "\ncaches that differ from the truth:"
    for row in found:
        if row.found.volatile_cache is not CACHE[row.truth["volatile_write_cache"]]:
            yield f"  {row.truth['volatile_write_cache']}, but {row.found.volatile_cache}: {row.file}"
    yield "\ncoverage:"
    for truth in FITTING:
        of = [row for row in found if row.truth["plp"] == truth]
        fitting = sum(row.verdict in FITTING[truth] for row in of)
        yield f"  truth {truth:8} {fitting} of {len(of)}"


if __name__ == "__main__":
    print("\n".join(lines(list(rows()))))
