"""Each release's tool, asked about the same storage in one guest, tells the same. `make matrix` records them."""

from fsadvisor.facts import Unknown
from tests.cases import each
from tests.paths import FIXTURES
from tests.plain import plain
from tests.readers.discover import readers

RELEASES = ("debian-11", "debian-12", "debian-13", "sid", "nvme-cli-3.0", "smartctl-7.0", "smartctl-7.1")
OUTPUTS = FIXTURES / "outputs"
CASES = sorted(
    {
        (path.parent.name, path.stem.removeprefix(f"{release}-"))
        for release in RELEASES
        for path in OUTPUTS.glob(f"*/{release}-*.out")
    }
)
READERS = readers()
REFUSED = {"no-module", "refused"}
"""Cases in which there is nothing to tell: the kernel has no ZFS, the drive no such log page."""

MOVING = {"data_units_read", "host_read_commands", "host_reads", "smartctl_version"}
"""What the looks themselves count, and each tool's own version."""


def told(reader, case):
    """Release -> record."""
    files = {release: OUTPUTS / reader / f"{release}-{case}.out" for release in RELEASES}
    return {
        release: READERS[reader](file.read_text("utf-8", "surrogateescape"))
        for release, file in files.items()
        if file.exists()
    }


def leaves(value, at=""):
    """Each figure and word of a record by its place, without those that it does not tell."""
    if isinstance(value, dict):
        return {place: leaf for name, part in value.items() for place, leaf in leaves(part, f"{at}.{name}").items()}
    if isinstance(value, list):
        return {place: leaf for name, part in enumerate(value) for place, leaf in leaves(part, f"{at}.{name}").items()}
    return {} if value is None or at.rpartition(".")[2] in MOVING else {at: value}


@each(("reader", "case"), CASES)
def test_what_each_release_tells_the_newest_tells_too(reader, case):
    records = told(reader, case)
    assert set(records) >= set(RELEASES[:4])
    if case in REFUSED:
        assert {record.cause.value for record in records.values()} == {"not_exposed"}
        return
    assert not [release for release, record in records.items() if isinstance(record, Unknown)]
    found = {release: leaves(plain(record)) for release, record in records.items()}
    assert found["sid"]
    for release, older in found.items():
        assert older.items() <= found["sid"].items(), release
