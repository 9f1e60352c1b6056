"""The rulebook loads sound rules and says where the others are wrong."""

import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.rulebook.loading import LARGEST, load_rule, load_rulebook, own_rules
from fsadvisor.rulebook.rule import Rule
from tests.cases import tries

SOUND = """id = "slow"
title = "It is slow"
kind = "gain"
subject = "disk"
severity = "low"
status = "trial"
why = "Because."
checks = [
  { ask = "Is it slow?", expr = "disk.rotational" },
]
[gain]
metric = "speed"
basis = "reported"
figures = [{ says = "2 x", source = "me", conditions = "here" }]
[remedy]
now = ["echo 1 > /sys/block/{disk.name}/x"]
undo = ["echo 0 > /sys/block/{disk.name}/x"]
verify = ["cat /sys/block/{disk.name}/x"]
needs = "online"
then = { disk.rotational = false }
[[reference]]
url = "https://example.org/"
says = "so"
[[example]]
name = "one"
expect = "advise"
[example.facts]
disk.rotational = true
"""


def put(folder, text, name="slow", subject="disk"):
    file = folder / subject / f"{name}.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def errors(folder):
    return [str(error).removeprefix(f"{folder}/") for error in load_rulebook(folder).errors]


def test_a_sound_rule_loads(tmp_path):
    put(tmp_path, SOUND)
    rulebook = load_rulebook(tmp_path)
    assert rulebook.errors == ()
    (rule,) = rulebook.rules
    assert rule.id == "slow"
    assert rule.asks[0].expression.names == ("disk.rotational",)
    assert rule.remedy.then == {"disk.rotational": False}
    assert rule.examples[0].facts == {"disk.rotational": True}


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        (
            '"disk.rotational" }',
            '"disk.rotatonal" }',
            "9:34: unknown fact 'disk.rotatonal'; did you mean 'disk.rotational'?",
        ),
        ('"disk.rotational" }', "\"disk.fua and disk.plp == 'provn'\" }", "9:59: 'provn' is none of the values"),
        ('"disk.rotational" }', '"disk.model == \\"x\\" and disk.plpp" }', "9: unknown fact 'disk.plpp'"),
        ("/sys/block/{disk.name}/x", "'{disk.name}'", "16:19: {disk.name} is quoted for you"),
        (
            'severity = "low"',
            'severity = "lwo"',
            "5:12: 'lwo' is none of critical, high, moderate, low; did you mean 'low'?",
        ),
        ('kind = "gain"', "kind = 3", "3:8: Expected `str`, got `int`"),
        ('kind = "gain"', 'kind = "gian"', "3:8: 'gian' is none of risk, gain, hygiene; did you mean 'gain'?"),
        ("needs =", "neds =", "19:8: unknown key 'neds'; did you mean 'needs'?"),
        ("checks = [", "chekcs = [", "8:10: unknown key 'chekcs'; did you mean 'checks'?"),
        ("{ ask =", "{ aks =", "9:11: unknown key 'aks'; did you mean 'ask'?"),
        ('why = "Because."\n', "", "1:1: the key 'why' is missing"),
        ('why = "Because."', 'why = " "', "7:7: 'why' is empty"),
        (
            'basis = "reported"',
            'basis = "reported"\nmeasure = "x"\nmeasured = "disk.flush_shar_percent"',
            "15:13: unknown fact 'disk.flush_shar_percent'; did you mean 'disk.flush_share_percent'?",
        ),
        (
            'basis = "reported"',
            'basis = "reported"\nmeasure = "x"\nmeasured = "mount.flush_share_percent"',
            "15:13: a rule on a disk can't ask 'mount.flush_share_percent', only facts of: disk, host",
        ),
        (
            'basis = "reported"',
            'basis = "reported"\nmeasure = "x"\nmeasured = "disk.flush_ms_avg"',
            "15:12: 'disk.flush_ms_avg' is no number in percent",
        ),
        (
            'basis = "reported"',
            'basis = "reported"\nmeasured = "disk.flush_share_percent"',
            "14:12: 'measured' needs 'measure', the probe that sets it",
        ),
        ('basis = "reported"', 'basis = "guessed"', "13:9: 'guessed' is none of measured, documented, reported"),
        ("[gain]\n", "[gain", "11:13: Expected"),
        ('title = "It is slow"', "title = It is slow", "2:9: Invalid value"),
        (SOUND, "", "1:1: the key 'id' is missing"),
        (SOUND[-40:], '"""', None),
        ("disk.rotational = true", "disk.rotational = 1", "28:19: 'disk.rotational' is a yes/no, not 1"),
        ("disk.rotational = true", 'disk.plp = "maybe"', "28:12: 'maybe' is none of the values of 'disk.plp'"),
        (
            "disk.rotational = true",
            'disk.schedulers = "none"',
            "28:19: 'disk.schedulers' is a list of texts, not 'none'",
        ),
        ("disk.rotational = true", "mount.root = true", "28:14: a rule on a disk can't ask 'mount.root'"),
        (
            "then = { disk.rotational = false }",
            "then = { disk.rotating = false }",
            "20:26: unknown fact 'disk.rotating'",
        ),
        ("https://", "http://", "22:7: a reference is an https address"),
        ('undo = ["echo 0 > /sys/block/{disk.name}/x"]\n', "", "15:1: a remedy with commands needs 'undo'"),
        ('id = "slow"', 'id = "Slow one"', "1:6: the id is 'Slow one' but the file is slow.toml"),
        ("needs =", "keep = [{ file = '/etc/x' }]\nneeds =", "19:9: give 'file' and 'line', or 'mount'"),
        ('ask = "Is it slow?"', 'ask = ""', "9:11: an ask needs words"),
        ("[[reference]]", "[[references]]", "21:1: unknown key 'references'; did you mean 'reference'?"),
        (
            'conditions = "here"',
            'conditions = "here", table = "000-fsnyc"',
            "14:72: no table is called '000-fsnyc'; did you mean '000-fsync'?",
        ),
        ('why = "Because."', 'errata = ["E1", "E111"]\nwhy = "Because."', "7:17: no erratum has the number 'E111'"),
        ('title = "It is slow"', 'title = "\\u0000"', None),
    ],
)
def test_a_mistake_is_told_with_its_place_and_the_nearest_right_word(tmp_path, old, new, error):
    assert SOUND.count(old) >= 1
    put(tmp_path, SOUND.replace(old, new, 1))
    rulebook = load_rulebook(tmp_path)
    if error is None:
        assert all(re.match(r".*\.toml:\d+", str(found)) for found in rulebook.errors)
    else:
        assert rulebook.rules == ()
        assert errors(tmp_path)[0].startswith(f"disk/slow.toml:{error}")


def test_all_mistakes_of_a_file_are_told_at_once(tmp_path):
    put(tmp_path, SOUND.replace("disk.rotational", "disk.rotatonal"))
    assert len(errors(tmp_path)) == 3


def test_a_gain_needs_its_table_and_a_rule_its_checks_references_and_examples(tmp_path):
    text = SOUND.replace("[[reference]]", "[[x]]").replace("[[example]]", "[[y]]").replace("[example.facts]", "")
    head = re.sub(r"(?s)\[gain\].*?\[remedy\]", "[remedy]", text[: text.index("[[x]]")])
    head = "reference = []\nexample = []\n" + re.sub(r"(?s)checks = \[.*?\n\]", "checks = []", head)
    put(tmp_path, head)
    told = "\n".join(errors(tmp_path))
    for message in ("needs [gain]", "without checks", "needs a reference", "needs examples"):
        assert message in told


def test_a_broken_rule_does_not_keep_others_from_loading(tmp_path):
    put(tmp_path, "nonsense")
    put(tmp_path, SOUND.replace('"slow"', '"slower"'), name="slower")
    assert [rule.id for rule in load_rulebook(tmp_path).rules] == ["slower"]


def test_an_id_is_taken_once(tmp_path):
    put(tmp_path, SOUND)
    other = tmp_path / "more"
    other.mkdir()
    put(other, SOUND)
    rulebook = load_rulebook(tmp_path, other)
    assert len(rulebook.rules) == 1
    assert [error.message for error in rulebook.errors] == [f"the id is taken by {tmp_path}/disk/slow.toml"]


def test_a_rule_stands_in_the_folder_of_its_subject(tmp_path):
    put(tmp_path, SOUND, subject="mount")
    assert errors(tmp_path) == ["mount/slow.toml:1: a rule on a disk belongs into the directory disk/"]


def test_a_rule_outside_such_a_folder_is_not_passed_over(tmp_path):
    put(tmp_path, SOUND, subject="disks")
    (tmp_path / "slow.toml").write_text(SOUND)
    assert errors(tmp_path) == [
        "disks:1: no kind of subject; did you mean 'disk'?",
        "slow.toml:1: a rule file stands in the directory of its subject",
    ]


def test_other_files_and_folders_are_left_alone(tmp_path):
    put(tmp_path, SOUND)
    (tmp_path / "README.md").write_text("x")
    (tmp_path / "disk" / "notes.txt").write_text("x")
    (tmp_path / "pictures").mkdir()
    assert errors(tmp_path) == []


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    assert errors(tmp_path / "nowhere") == [f"{tmp_path}/nowhere:1: can't be read: No such file or directory"]


def test_files_that_are_no_text_are_errors(tmp_path):
    put(tmp_path, b'# one\ntitle = "\xff"', name="latin")
    put(tmp_path, b"#" * (LARGEST + 1), name="huge")
    put(tmp_path, b"\xef\xbb\xbf" + SOUND.encode(), name="bom")
    put(tmp_path, "x = " + "[" * 100_000, name="deep")
    (tmp_path / "disk" / "loop.toml").symlink_to("loop.toml")
    (tmp_path / "disk" / "gone.toml").symlink_to("nowhere")
    (tmp_path / "disk" / "folder.toml").mkdir()
    os.mkfifo(tmp_path / "disk" / "pipe.toml")
    told = errors(tmp_path)
    assert [line for line in told if not line.startswith("disk/bom")] == [
        "disk/deep.toml:1: nested too deeply",
        "disk/folder.toml:1: not a regular file",
        "disk/gone.toml:1: can't be read: No such file or directory",
        "disk/huge.toml:1: larger than 256 KiB",
        "disk/latin.toml:2: not UTF-8",
        "disk/loop.toml:1: can't be read: Too many levels of symbolic links",
        "disk/pipe.toml:1: not a regular file",
    ]
    assert any(line.startswith("disk/bom.toml:1:1: ") for line in told)


def test_lines_end_as_on_windows_too(tmp_path):
    put(tmp_path, SOUND.replace("\n", "\r\n").replace('"low"', '"lwo"'))
    assert errors(tmp_path)[0].startswith("disk/slow.toml:5:12: ")


@tries(150)
@given(data=st.data())
def test_a_damaged_rule_loads_or_is_told_with_a_line_in_the_file(tmp_path_factory, data):
    start = data.draw(st.integers(0, len(SOUND)))
    end = data.draw(st.integers(start, min(len(SOUND), start + 60)))
    junk = data.draw(st.text(max_size=8) | st.sampled_from(['"', "[", "{", "= 1", "\n[gain]\n", "disk.", "'''", "\\"]))
    file = tmp_path_factory.mktemp("rules") / "slow.toml"
    text = SOUND[:start] + junk + SOUND[end:]
    file.write_bytes(text.encode(errors="replace"))
    loaded = load_rule(file)
    if not isinstance(loaded, Rule):
        assert loaded
        assert all(1 <= error.line <= text.count("\n") + 1 for error in loaded)


def test_our_own_rules_are_found_beside_the_package_or_inside_it():
    assert (own_rules() / "disk").is_dir()
    assert load_rulebook().rules
