"""The file is changed in one step, and a recording holds none of people's own words."""

import stat
import threading
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.machine.kept_files import ATTESTATIONS, attestation_text, rewrite_attestations, without_people
from fsadvisor.machine.port import MachineError
from fsadvisor.machine.recorded import RecordedMachine
from fsadvisor.machine.recording import RecordingMachine
from fsadvisor.readers.attestations import parse
from tests.machine.scripted import ScriptedMachine
from tests.paths import FIXTURES

WRITTEN = (FIXTURES / "outputs/attestations/written.out").read_text()


def names(folder):
    return [path.name for path in folder.iterdir()]


def test_a_new_file_is_made_with_its_folder_for_all_to_read(tmp_path):
    path = tmp_path / "etc" / "attest.toml"
    rewrite_attestations(path, lambda text: text + "# new\n")
    assert path.read_text() == "# new\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert names(path.parent) == ["attest.toml"]


def test_a_change_that_fails_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "attest.toml"
    path.write_text(WRITTEN)
    with pytest.raises(ZeroDivisionError):
        rewrite_attestations(path, lambda _: str(1 // 0))
    assert (path.read_text(), names(tmp_path)) == (WRITTEN, ["attest.toml"])


def test_a_link_stays_one(tmp_path):
    real, link = tmp_path / "real.toml", tmp_path / "attest.toml"
    real.write_text("")
    link.symlink_to(real)
    rewrite_attestations(link, lambda _: "# x\n")
    assert link.is_symlink()
    assert real.read_text() == "# x\n"


def test_changes_at_the_same_time_wait_for_each_other(tmp_path):
    path = tmp_path / "attest.toml"
    threads = [threading.Thread(target=rewrite_attestations, args=(path, lambda text: text + "#\n")) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() == "#\n" * 8


def test_where_nothing_can_be_written_one_line_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(MachineError, match="run as root, or name a file of yours by --attestations"):
        rewrite_attestations(tmp_path / "file" / "attest.toml", str)
    with pytest.raises(MachineError, match="not a regular file"):
        rewrite_attestations(tmp_path, str)


def test_a_loop_of_links_is_told(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "a")
    with pytest.raises(MachineError):
        rewrite_attestations(tmp_path / "a", str)


def test_a_file_that_has_to_be_there_is_missed(tmp_path):
    assert attestation_text(tmp_path / "none") == ""
    with pytest.raises(MachineError, match="fsadvisor attest"):
        attestation_text(tmp_path / "none", must_exist=True)


def test_a_recording_keeps_what_was_said_and_not_who_said_it(tmp_path):
    recording = RecordingMachine(ScriptedMachine(files={ATTESTATIONS: WRITTEN}))
    recording.read(ATTESTATIONS)
    recording.write(tmp_path / "it")
    text = RecordedMachine(tmp_path / "it").read(ATTESTATIONS).text
    for words in ("Jo Doe", "example.com", "PostgreSQL", "filled anew", "# Kept", "S0000001", "0f0e0d0c"):
        assert words not in text
    assert RecordedMachine(tmp_path / "it").looked_on == ScriptedMachine.today
    was, now = parse(WRITTEN).entries, parse(text).entries
    assert [(it.about, it.subject, it.value, it.on, it.until) for it in was] == [
        (it.about, it.subject, it.value, it.on, it.until) for it in now
    ]
    assert now[0].drives[0].model == "EXAMPLE 3840"


@pytest.mark.parametrize("text", ['by = "Jo', "# Jo\nby = ", "Jo"])
def test_a_file_that_is_no_toml_is_not_recorded(text):
    assert "Jo" not in without_people(text)


secret = "Xq7Jo"
places = st.sampled_from(
    ['"by" = "{}"', "who = '{}'", 'because = """a\n{}"""', "# {}", 'x = ["{}"]', 'link = "{}" # {}', "y = '''{}'''"]
)


@given(lines=st.lists(places, max_size=4))
def test_nothing_that_people_wrote_in_their_own_words_is_recorded(lines):
    text = "".join(f"[[t]]\n{line.format(secret, secret)}\n" for line in lines)
    assert secret not in without_people(text)
    tomllib.loads(without_people(text))
