"""Advice that is held back says right below its head what would unlock it."""

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.report.findings import findings, unlocks
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.survey.whole import survey
from tests.command import in_text
from tests.machines import parts
from tests.panel import build
from tests.paths import FIXTURES
from tests.report import composed


@pytest.mark.parametrize(
    ("machine", "rule", "says"),
    [
        ("pm9a3-postgresql-volatile", "PLP is proven", "fsadvisor attest --checklist plp nvme0n1"),
        ("hdd-mail-server", "", ""),
    ],
)
def test_the_line_below_the_head_is_the_command_that_unlocks(machine, rule, says):
    lines = in_text("--on", FIXTURES / "machines" / machine, "--text").stdout.split("\n")
    text = " ".join(" ".join(lines).split())
    assert ("To unlock" in text) == bool(says)
    if says:
        head, _, after = text.partition(" To unlock: ")
        assert rule in head
        assert after.startswith("answer ")
        assert says in after.partition(" Fix: ")[0]


def to_unlock(*learns):
    """Of disks, each of which says for itself how its health is to be learnt."""
    on = composed.host()
    asked = (Unknown(Cause.NO_TOOL, learn, "smartctl") for learn in learns)
    disks = (composed.disk(f"sd{at}", on, plp="proven", smart_passed=it) for at, it in enumerate(asked))
    (finding,) = findings(advise(composed.machine("m", on, *disks), composed.rules()))
    return unlocks(finding)


@pytest.mark.parametrize(
    ("learns", "says"),
    [
        (["run as root", "run as root"], "run as root"),
        (["run as root", "install smartmontools"], "run as root; then install smartmontools"),
        (["wake sd0", "run as root", "wake sd2"], "wake sd0 (and alike for sd2); then run as root"),
        ([f"wake sd{at}" for at in range(7)], "wake sd0 (and alike for sd1, sd2, sd3, sd4, sd5 and 1 more)"),
        (["a", "b", "c", "d", ""], "a; then b; then c; then 1 step more, told below; 1 fact more can't be learnt here"),
    ],
)
def test_each_step_of_each_subject_is_told_and_one_that_is_alike_once(learns, says):
    assert to_unlock(*learns) == says


def test_questions_about_drives_of_two_models_name_them_all():
    drives = [
        build.nvme(at, model, 3840755982336, vwc=7, capacitors=100 - at, stat=parts.stat(1_000_000_000, 268_000))
        for at, model in enumerate((build.PM9A3, "SAMSUNG MZQL21T9HCJR-00A07"))
    ]
    made = build.server(*drives, mounts=[build.root(drives[0]), build.on(drives[1], "/srv")])
    found = findings(advise(survey(made, {}), own_rulebook().rules))
    finding = next(it for it in found if it.rule.id == "flushes-on-protected-nvme")
    assert unlocks(finding).endswith(" fsadvisor attest --checklist plp nvme0n1 (and alike for nvme1n1)")
