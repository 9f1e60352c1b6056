"""Results on disk: what is kept comes back, a damaged line hides no other, and two writers lose nothing."""

import os
import stat
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from fsadvisor.machine import kept_files
from fsadvisor.measure.probe.result import Figure, Result
from fsadvisor.measure.probe.store import MOST_ALIKE, MOST_BYTES, StoreError, bounded, keep, line, path, read, results
from fsadvisor.readers import own_records

FIGURES = st.builds(
    lambda low, more, beyond: Figure(median=low + more, low=low, high=low + more + beyond, windows=7),
    *[st.floats(min_value=0, max_value=1e9)] * 3,
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
RESULTS = st.builds(
    Result,
    job=st.sampled_from(["commit-fdatasync", "fsync-ladder"]),
    question=TEXTS,
    target=TEXTS,
    mount=st.sampled_from(["/", "/srv", "/srv/ä b\n"]),
    when=st.just("2026-11-21T12:00:00+00:00"),
    engine=st.just("fio 3.33"),
    headline=st.just("SYNC_US"),
    figure=st.none() | FIGURES,
    end=st.sampled_from(["settled", "budget", "cancelled", "failed"]),
    error=TEXTS,
    voids=st.lists(TEXTS, max_size=3).map(tuple),
    percentiles_us=st.dictionaries(st.sampled_from(["p50", "p99"]), st.floats(min_value=0, max_value=1e9)),
    histogram_us=st.lists(st.tuples(st.floats(0, 1e6), st.integers(0, 1000)), max_size=3).map(tuple),
    amplification=st.none() | st.floats(min_value=0, max_value=100),
    parts_us=st.dictionaries(st.sampled_from(["data", "flush"]), FIGURES),
    remarks=st.lists(TEXTS, max_size=2).map(tuple),
    believable=st.booleans(),
    depends=st.dictionaries(TEXTS, TEXTS, max_size=3),
)
ONE = Result(
    job="commit-fdatasync",
    question="q",
    target="/srv/data",
    mount="/srv",
    when="2026-11-21T12:00:00+00:00",
    engine="fio 3.33",
    headline="SYNC_US",
    figure=Figure(median=2, low=1, high=3, windows=6),
    end="settled",
)


@given(RESULTS)
def test_what_is_kept_comes_back_as_it_was(result):
    assert results(line(result)).results == (result,)


@given(RESULTS)
def test_the_survey_reads_what_the_probe_wrote(result):
    (found,) = own_records.parse_probe_results(line(result).decode()).results

    assert (found.job, found.mount, found.believable) == (result.job, result.mount, result.believable)
    assert (found.figure is None) == (result.figure is None)
    if result.figure:
        assert structs.asdict(found.figure) == structs.asdict(result.figure)
    assert dict(found.depends) == result.depends
    assert dict(found.percentiles_us) == result.percentiles_us
    assert {name for name, _ in found.parts_us} == set(result.parts_us)
    assert found.amplification == result.amplification


@given(st.lists(RESULTS, max_size=30))
def test_of_results_alike_the_newest_few_stay_in_their_order(given_results):
    text = b""
    for result in given_results:
        text = bounded(text, line(result))
    kept = results(text).results

    alike = {}
    for result in given_results:
        alike.setdefault((result.job, result.mount), []).append(result)
    assert {(it.job, it.mount) for it in kept} == set(alike)
    for key, every in alike.items():
        assert [it for it in kept if (it.job, it.mount) == key] == every[-MOST_ALIKE:]


def test_a_line_that_is_no_result_is_named_and_stays():
    text = b'{"half": \n' + line(ONE) + b'\n{"schema": "fsadvisor/probe/9", "job": "x"}\n'
    kept = results(bounded(text, line(ONE)))

    assert kept.results == (ONE, ONE)
    assert [why.partition(":")[0] for why in kept.unread] == ["line 1", "line 3"]


def test_the_file_does_not_grow_for_ever():
    text = b'{"schema": "fsadvisor/probe/9", "x": "' + b"y" * 1000 + b'"}\n'
    found = bounded(text * 3000, line(ONE))

    assert len(found) <= MOST_BYTES
    assert results(found).results == (ONE,)


def test_where_there_is_no_file_nothing_is_kept_yet(tmp_path):
    assert read(tmp_path / "probes.jsonl").results == ()


def test_a_user_s_results_are_the_user_s_alone(tmp_path):
    file = tmp_path / "state" / "fsadvisor" / "probes.jsonl"
    keep(file, ONE)

    assert read(file).results == (ONE,)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert list(file.parent.iterdir()) == [file]


def test_writers_at_the_same_time_lose_nothing(tmp_path):
    file = tmp_path / "probes.jsonl"
    writers = [threading.Thread(target=keep, args=(file, structs.replace(ONE, mount=f"/srv/{at}"))) for at in range(12)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert {result.mount for result in read(file).results} == {f"/srv/{at}" for at in range(12)}


def test_what_cannot_be_written_or_read_is_said_in_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="The result is not kept: "):
        keep(tmp_path / "file" / "probes.jsonl", ONE)
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(StoreError, match="not a regular file; move it away"):
        read(tmp_path / "fifo")


@pytest.mark.parametrize("content", [b"notes of mine\n" * (MOST_BYTES // 14 + 1), b"x" * (2 * MOST_BYTES + 1)])
def test_what_fsadvisor_did_not_write_is_never_lost(tmp_path, content):
    file = tmp_path / "probes.jsonl"
    file.write_bytes(content)
    with pytest.raises(StoreError, match=r"^The result is not kept: .*move it away\.$"):
        keep(file, ONE)
    assert file.read_bytes() == content


def test_notes_of_somebody_s_stay_while_results_come_and_go(tmp_path):
    file = tmp_path / "probes.jsonl"
    file.write_text("notes of mine\n")
    for at in range(2 * MOST_ALIKE):
        keep(file, structs.replace(ONE, seconds=at))
    kept = read(file)
    assert file.read_text().startswith("notes of mine\n")
    assert (len(kept.results), len(kept.unread)) == (MOST_ALIKE, 1)


def test_a_file_that_cannot_be_read_is_not_written_over(tmp_path):
    file = tmp_path / "probes.jsonl"
    os.mkfifo(file)
    with pytest.raises(StoreError, match=f"^The result is not kept: {file}: not a regular file"):
        keep(file, ONE)
    assert stat.S_ISFIFO(file.lstat().st_mode)


def test_a_link_to_the_file_stays_one(tmp_path):
    real, link = tmp_path / "real.jsonl", tmp_path / "probes.jsonl"
    real.write_text("")
    link.symlink_to(real)
    keep(link, ONE)
    assert link.is_symlink()
    assert read(real).results == (ONE,)


def test_root_s_results_are_where_the_survey_looks_and_others_in_their_state_folder():
    assert str(path(root=True, environment={"XDG_STATE_HOME": "/x"})) == kept_files.PROBES
    assert (
        str(path(root=False, environment={"XDG_STATE_HOME": "/x", "HOME": "/home/jo"})) == "/x/fsadvisor/probes.jsonl"
    )
    for environment in ({"HOME": "/home/jo"}, {"HOME": "/home/jo", "XDG_STATE_HOME": "relative"}):
        assert str(path(root=False, environment=environment)) == "/home/jo/.local/state/fsadvisor/probes.jsonl"
    with pytest.raises(StoreError, match="neither XDG_STATE_HOME nor HOME"):
        path(root=False, environment={})


def test_what_a_writer_left_that_was_killed_is_taken_away_by_the_next(tmp_path):
    file = tmp_path / "probes.jsonl"
    (tmp_path / ".probes.jsonl.fsadvisor-0a1b2c3d").write_text("half")
    (tmp_path / ".probes.jsonl.of-mine").write_text("kept")
    keep(file, ONE)
    assert sorted(it.name for it in tmp_path.iterdir()) == [".probes.jsonl.of-mine", "probes.jsonl"]


def test_a_line_that_is_nested_too_deeply_hides_no_other():
    assert [why.partition(":")[0] for why in results(b"[" * 100_000 + b"\n{}\n").unread] == ["line 1", "line 2"]
