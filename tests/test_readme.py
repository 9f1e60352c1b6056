"""The README shows what the program really prints."""

from tests.command import fsadvisor
from tests.paths import ROOT
from tests.test_cli import MACHINE


def test_the_sample_in_the_readme_is_the_beginning_of_the_real_report():
    sample = (ROOT / "README.md").read_text().partition("```text\n")[2].partition("```")[0]
    printed = fsadvisor("--on", str(MACHINE.removeprefix(f"{ROOT}/"))).stdout.decode()
    assert len(sample.splitlines()) > 20
    assert printed.startswith(sample)
