"""What may be ranked with what: never two different questions, never inside the intervals."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from fsadvisor.measure.compare.matrix import Standing, comparison, obstacle, question, ranked, share, tied, times
from fsadvisor.measure.compare_session import remembered
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.probe.result import Figure
from tests.cases import each
from tests.compare.compared import (
    BTRFS,
    CELLS,
    DISK,
    EXT4,
    OTHER,
    SIDES,
    SRV,
    UNSAFE,
    WHOLE,
    XFS,
    cell,
    figure,
    image,
    path,
)

AT_THE_TOP = (Standing.BEST, Standing.TIE)
JOB_IDS = ("random-read-32", "commit-fdatasync", "fsync-ladder", "mail", "create-1")


@st.composite
def figures(draw):
    median = draw(st.floats(0.0, 1e6))
    return Figure(
        median=median,
        low=median * draw(st.floats(0, 1)),
        high=median * draw(st.floats(1, 3)),
        windows=draw(st.integers(1, 20)),
    )


@st.composite
def rows(draw):
    """Cells of one job on many sides, some of them without a figure, or with one that is doubtful."""
    job = draw(st.sampled_from(JOB_IDS))
    cells = []
    for at in range(draw(st.integers(1, 7))):
        promise = draw(st.sampled_from(["flushes", "no flushes", "not known"]))
        make = draw(st.sampled_from([image, path]))
        side = make(f"s{at}", promise=promise)
        found = draw(st.one_of(figures(), st.none(), st.just("left out")))
        if isinstance(found, str):
            cells.append(cell(side, job, found))
            continue
        cells.append(
            cell(
                side,
                job,
                found,
                engine=draw(st.sampled_from(["fio 3.33", "fsadvisor 0.1.0, in place of fio"])),
                question=draw(st.sampled_from([JOBS[job].question, f"{JOBS[job].question} file of 1024"])),
                believable=draw(st.booleans()),
                end=draw(st.sampled_from(["settled", "budget", "failed"])),
            )
        )
    return cells


def standings(*cells):
    return [it.standing for it in ranked(cells)]


def read(side, found, **more):
    return cell(side, "random-read-32", found, **more)


def rivals(one, others):
    return [it for it in others if it.question == one.question and it is not one and it.standing != Standing.CEILING]


@given(rows())
def test_only_figures_that_answer_the_same_question_are_ranked(cells):
    found = ranked(cells)
    assert [it.cell for it in found] == cells
    for one in found:
        assert (one.question is None) == (one.standing is Standing.UNRANKED) == bool(obstacle(one.cell))
        if one.standing in (Standing.BEST, Standing.TIE, Standing.BEHIND):
            assert rivals(one, found)
            assert all(question(it.cell) == question(one.cell) for it in rivals(one, found))
        if one.standing is Standing.ALONE:
            assert not rivals(one, found)


@given(rows())
def test_the_best_lies_apart_from_all_others_and_whoever_is_behind_from_a_better_one(cells):
    found = ranked(cells)
    for one in found:
        smaller = one.cell.job.headline.smaller_is_better
        others = [it.cell.result.figure for it in rivals(one, found)] if one.question else []
        own = one.cell.result.figure if one.question else None
        if one.standing is Standing.BEST:
            assert not any(tied(own, it) for it in others)
            assert all(own.high < it.low if smaller else own.low > it.high for it in others)
        if one.standing is Standing.BEHIND:
            assert any(own.low > it.high if smaller else own.high < it.low for it in others)
            assert one.times is None or one.times[0] >= 1


@given(rows())
def test_every_question_that_two_answer_has_one_best_or_a_tie_of_several(cells):
    found = ranked(cells)
    for asked in {it.question for it in found if it.question}:
        of = [it.standing for it in found if it.question == asked]
        assert of == [Standing.ALONE] if len(of) == 1 else of.count(Standing.BEST) + (of.count(Standing.TIE) > 1) == 1
        assert of.count(Standing.TIE) != 1


@given(rows(), st.randoms())
def test_the_order_in_which_sides_are_named_changes_no_standing(cells, lots):
    before = {it.cell.side.name: it.standing for it in ranked(cells)}
    lots.shuffle(cells)
    assert {it.cell.side.name: it.standing for it in ranked(cells)} == before


@given(figures(), figures())
def test_a_tie_is_mutual_and_everything_ties_with_itself(one, other):
    assert tied(one, other) == tied(other, one)
    assert tied(one, one)


@given(figures(), figures())
def test_times_hold_the_quotient_of_the_medians(one, other):
    found = share(one, other)
    if found is not None and other.median:
        assert found[0] <= one.median / other.median * (1 + 1e-9)
        assert found[1] >= one.median / other.median * (1 - 1e-9)


def test_a_difference_inside_the_intervals_is_a_tie():
    assert standings(read(EXT4, 100.0), read(XFS, 105.0), read(BTRFS, 50.0)) == [
        Standing.TIE,
        Standing.TIE,
        Standing.BEHIND,
    ]


def test_less_is_better_where_time_is_measured():
    found = [cell(side, "commit-fdatasync", us) for side, us in ((EXT4, 300.0), (XFS, 200.0))]
    assert standings(*found) == [Standing.BEHIND, Standing.BEST]
    assert ranked(found)[0].times == pytest.approx((291 / 206, 309 / 194))


def test_an_image_and_a_bare_path_are_never_ranked_together():
    assert standings(read(EXT4, 100.0), read(SRV, 400.0)) == [Standing.ALONE, Standing.ALONE]


def test_syncs_without_flushes_are_ranked_with_none_that_flush_but_reads_are():
    assert standings(*(cell(it, "commit-fdatasync", 100.0) for it in (EXT4, UNSAFE))) == [Standing.ALONE] * 2
    assert standings(*(cell(it, "mail", 100.0) for it in (EXT4, UNSAFE))) == [Standing.ALONE] * 2
    assert standings(*(read(it, 100.0) for it in (EXT4, UNSAFE))) == [Standing.TIE] * 2


def test_whoever_may_flush_or_not_is_not_ranked_where_syncs_are_timed():
    unsure = image("zfs", promise="not known")
    found = ranked([cell(it, "commit-fdatasync", 100.0) for it in (EXT4, XFS, unsure)])
    assert found[2].why == "whether its syncs end with a flush is not known"
    assert standings(read(EXT4, 100.0), read(unsure, 100.0)) == [Standing.TIE] * 2


def test_a_device_is_a_ceiling_and_no_rival():
    assert standings(read(DISK, 400.0), read(SRV, 390.0), read(OTHER, 100.0)) == [
        Standing.CEILING,
        Standing.BEST,
        Standing.BEHIND,
    ]
    assert standings(read(DISK, 400.0), read(SRV, 390.0)) == [Standing.CEILING, Standing.ALONE]


@each(
    ("found", "why"),
    [
        (read(XFS, 900.0, believable=False), "not to be believed"),
        (read(XFS, 900.0, end="failed", error="no room"), "no room"),
        (read(XFS, figure(900.0, windows=5)), "5 of the 6 windows that a rank takes"),
        (read(XFS, None), "no figure"),
        (read(XFS, "the kernel has no xfs"), "the kernel has no xfs"),
    ],
)
def test_what_is_doubtful_is_told_and_wins_nothing(found, why):
    first, second, third = ranked([read(EXT4, 100.0), read(BTRFS, 50.0), found])
    assert (first.standing, second.standing) == (Standing.BEST, Standing.BEHIND)
    assert (third.standing, third.why, third.question) == (Standing.UNRANKED, why, None)


def test_a_figure_of_0_is_endlessly_behind():
    assert times(figure(100.0), figure(0.0), smaller_is_better=False) is None


def test_the_groups_of_a_row_tell_the_best_first_and_images_before_paths():
    first = WHOLE.rows[0]
    told = [(asked.ground, [it.cell.side.name for it in of]) for asked, of in first.groups()]
    assert told == [
        ("image", ["xfs", "ext4", "ext4-seed", "btrfs"]),
        ("bare", ["/srv", "device /dev/vda"]),
    ]


def test_nobody_is_best_at_everything_unless_the_figures_say_so():
    assert WHOLE.universal("image") is None
    jobs = [JOBS[it] for it in ("random-read-32", "create-1")]
    cells = [cell(side, job.id, rate) for job in jobs for side, rate in ((EXT4, 100.0), (XFS, 50.0))]
    everywhere = comparison((EXT4, XFS), jobs, cells)
    assert everywhere.universal("image").side is EXT4
    one = comparison((EXT4, XFS), jobs[:1], cells)
    assert one.universal("image") is None


def test_a_tie_anywhere_denies_that_one_is_best_at_everything():
    jobs = [JOBS[it] for it in ("random-read-32", "create-1")]
    cells = [cell(side, jobs[0].id, rate) for side, rate in ((EXT4, 100.0), (XFS, 50.0))]
    cells += [cell(side, jobs[1].id, 70.0) for side in (EXT4, XFS)]
    found = comparison((EXT4, XFS), jobs, cells)
    assert found.universal("image") is None
    assert [(it.side.name, it.best, it.tie, it.behind) for it in found.leads("image")] == [
        ("ext4", ("random-read-32",), ("create-1",), ()),
        ("xfs", (), ("create-1",), ("random-read-32",)),
    ]


def test_a_filesystem_is_told_as_a_share_of_its_device_and_an_image_as_one_of_the_path():
    device, image_ = WHOLE.of_devices(), WHOLE.of_images()
    assert [(it.job.id, it.side.name, it.of.name) for it in device] == [("random-read-32", "/srv", "device /dev/vda")]
    assert device[0].low < 398 / 408 < device[0].high
    assert {(it.job.id, it.side.name, it.of.name) for it in image_} == {
        (job, "ext4", "/srv") for job in ("random-read-32", "fsync-ladder", "create-1")
    }
    ladder = next(it for it in image_ if it.job.id == "fsync-ladder")
    assert ladder.low < 1160 / 1600 < ladder.high < 1


def test_what_is_missing_is_not_begun():
    found = comparison((EXT4, XFS), [JOBS["mail"]], [])
    assert [it.why for it in found.rows[0].ranked] == ["not begun", "not begun"]


def test_a_smaller_file_is_another_question():
    small = structs.replace(JOBS["random-read-32"].work, file_bytes=1 << 20)
    job = structs.replace(JOBS["random-read-32"], work=small, usual_file_bytes=256 << 20)
    assert standings(read(EXT4, 100.0), read(XFS, 50.0, question=job.question)) == [Standing.ALONE] * 2


def test_what_is_kept_of_a_comparison_is_who_was_at_the_top_of_what_by_its_ground():
    first = SimpleNamespace(mount="/srv", side=SRV, depends={"mount.options": "rw"})
    kept = remembered(WHOLE, first, "2026-11-21T19:40:00+00:00")
    assert kept.best["random-read-32 in images"] == ("xfs", "ext4", "ext4-seed")
    assert kept.best["fsync-ladder in images"] == ("xfs",)
    assert (kept.sides[2:4], kept.figure, kept.depends) == (("ext4", "xfs"), None, {"mount.options": "rw"})
    assert remembered(comparison(SIDES, [], []), first, kept.when) is None
    again = remembered(comparison(SIDES[:4], [JOBS["fsync-ladder"]], CELLS), first, kept.when)
    assert again.job != kept.job
