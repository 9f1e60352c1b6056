"""The ratio of two sides: its interval holds the truth, and its words never say more than it."""

import contextlib
import math
import random
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsadvisor.measure.probe import DiskWork, EngineError, ProbeWindow
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.trial import FEWEST_BLOCKS, narrow, ratio, systematic
from fsadvisor.measure.trial_worker import Rounds, TrialBudget, events
from fsadvisor.survey.tried import Ratio, kind, largest, sentence
from tests.cases import each, tries

JOB = JOBS["commit-fdatasync"]
TRIED = tries(50).max_examples
"""Trials of a disk that is played, each with lots of its own."""
DIFFERENCES = st.lists(st.floats(-3, 3), min_size=FEWEST_BLOCKS, max_size=30)


@given(DIFFERENCES)
def test_the_middle_lies_in_the_interval_and_both_among_what_was_seen(differences):
    found = ratio(differences)
    assert found.low <= found.middle <= found.high
    assert math.exp(min(differences)) <= found.low * (1 + 1e-12)
    assert found.high <= math.exp(max(differences)) * (1 + 1e-12)


@given(DIFFERENCES)
def test_the_other_way_round_it_is_the_inverse(differences):
    found, inverse = ratio(differences), ratio([-it for it in differences])
    assert inverse.low == pytest.approx(1 / found.high)
    assert inverse.middle == pytest.approx(1 / found.middle)


@given(DIFFERENCES, st.floats(-1, 1))
def test_what_all_blocks_share_moves_the_interval_and_leaves_its_width(differences, shift):
    found, moved = ratio(differences), ratio([it + shift for it in differences])
    assert moved.low == pytest.approx(found.low * math.exp(shift))
    assert moved.half_width == pytest.approx(found.half_width, abs=1e-9)


@given(DIFFERENCES, st.floats(0, 1))
def test_what_is_wrong_with_the_comparison_only_widens_the_interval(differences, beside):
    found, wider = ratio(differences), ratio(differences, beside=beside)
    assert wider.low <= found.low
    assert found.high <= wider.high


def test_a_wild_block_among_many_hardly_moves_it():
    quiet = [0.1 + 0.001 * at for at in range(20)]
    assert ratio([*quiet, 9.0]).middle == pytest.approx(ratio(quiet).middle, rel=0.01)


def test_too_few_blocks_tell_nothing():
    assert ratio([0.1] * (FEWEST_BLOCKS - 1)) is None
    assert ratio([0.1] * FEWEST_BLOCKS) is not None


@each(("blocks", "left_out"), [(6, 0), (8, 3), (10, 8), (20, 52)])
def test_the_interval_leaves_out_as_many_pairs_as_the_tables_of_signed_ranks_say(blocks, left_out):
    differences = [1.3**at / 100 for at in range(blocks)]
    walsh = sorted((one + other) / 2 for at, one in enumerate(differences) for other in differences[at:])
    assert math.log(ratio(differences).low) == pytest.approx(walsh[left_out])


def test_beyond_the_tables_the_normal_approximation_leaves_out_at_most_two_fewer():
    differences = [1.05**at / 100 for at in range(100)]
    walsh = sorted((one + other) / 2 for at, one in enumerate(differences) for other in differences[at:])
    assert walsh[1953] <= math.log(ratio(differences).low) * (1 + 1e-12)
    assert math.log(ratio(differences).low) <= walsh[1955], "1955 is the table's value for 100 pairs"


RATIOS = st.builds(
    lambda middle, down, up, blocks: Ratio(middle=middle, low=middle / down, high=middle * up, blocks=blocks),
    st.floats(0.05, 20),
    st.floats(1, 3),
    st.floats(1, 3),
    st.integers(6, 100),
)


@given(RATIOS, st.floats(0.001, 0.5))
def test_the_words_say_what_the_interval_says(found, matters):
    said, words = kind(found, matters), sentence(found, matters)
    assert words.startswith(
        {"faster": "faster by", "slower": "slower by", "alike": "no diff", "open": "not told"}[said]
    )
    if said in ("faster", "slower"):
        assert not found.low <= 1 <= found.high
    if said == "alike":
        assert largest(found) <= matters
        assert narrow(found, matters)


@each(
    ("low", "high", "words"),
    [
        (1.08, 1.15, "faster by 8 to 15 %"),
        (0.85, 0.92, "slower by 8 to 15 %"),
        (0.97, 1.035, "no difference larger than 4 %"),
        (0.91, 1.12, "not told: between 9 % slower and 12 % faster"),
        (2.5, 3.1, "faster by 2.5 to 3.1 times"),
        (2.06, 3.34, "faster by 2.0 to 3.4 times"),
        (1.012, 1.081, "faster by 1.2 to 9 %"),
        (1.0, 1.0, "no difference larger than 0 %"),
    ],
)
def test_sentences(low, high, words):
    assert sentence(Ratio(middle=math.sqrt(low * high), low=low, high=high, blocks=12), 0.05) == words


def test_images_that_differ_beyond_noise_count_against_the_gain():
    assert systematic(Ratio(middle=1.1, low=1.05, high=1.15, blocks=9)) == pytest.approx(math.log(1.1))
    assert systematic(Ratio(middle=1.1, low=0.95, high=1.25, blocks=9)) == systematic(None) == 0.0


@dataclass
class World:
    """A disk whose speed drifts, jumps about, and stalls now and then."""

    lots: random.Random
    noise: float
    drift: float = 0.0
    now: float = 0.0
    mood: float = 0.0
    stalls: float = 0.05


@dataclass
class Side:
    world: World
    scale: float
    engine: str = "played"
    windows: list = field(default_factory=list)

    def window(self, seconds):
        world = self.world
        world.now += seconds
        world.mood = 0.8 * world.mood + world.lots.gauss(0, 0.6 * world.noise)
        us = 1000 * self.scale * math.exp(world.mood + world.drift * world.now + world.lots.gauss(0, world.noise))
        if world.lots.random() < world.stalls:
            us *= world.lots.uniform(1, 3)
        done = max(1, round(seconds * 1e6 / us))
        latencies = {round(us * 1000): done}
        disks = DiskWork(
            flushes=2 * done,
            flush_us=0.0,
            sent_flushes=2 * done,
            write_ios=done,
            written_bytes=12288 * done,
            read_ios=0,
            read_bytes=0,
        )
        return ProbeWindow(
            seconds=seconds,
            operations=done,
            asked_bytes=4096 * done,
            latencies_ns=latencies,
            sync_ns=latencies,
            disks=disks,
        )


def tried(seed, times, noise, *, drift=0.0, images=0.0, seconds=240.0, sides=("default", "again", "changed")):
    """A trial of a change that makes it so many times as fast, on images that are unlike each other."""
    world = World(lots=random.Random(seed), noise=noise, drift=drift)
    unlike = [math.exp(world.lots.gauss(0, images)) for _ in sides]

    @contextlib.contextmanager
    def opened(turn):
        world.now += 4
        turned = unlike[turn:] + unlike[:turn]
        yield {
            side: Side(world, scale / (times if side == "changed" else 1))
            for side, scale in zip(sides, turned, strict=True)
        }

    rounds = Rounds(len(sides), opened)
    *_, last = events(JOB, rounds, TrialBudget(seconds=seconds), random.Random(seed + 1), lambda: world.now)
    return last


SLOW = [(1.03, 0.02), (1.12, 0.05), (0.8, 0.1)]
PLANTED = [*(pytest.param(*one, marks=pytest.mark.long) for one in SLOW), (2.0, 0.2)]


@pytest.mark.parametrize(("times", "noise"), PLANTED)
def test_a_planted_gain_is_found_with_an_interval_that_holds_the_truth_in_9_of_10(times, noise):
    found = [tried(seed, times, noise, drift=0.002, images=0.03) for seed in range(TRIED)]
    assert sum(it.gain.low <= times <= it.gain.high for it in found) >= 0.9 * TRIED
    if abs(math.log(times)) > 0.1:
        assert sum(kind(it.gain, 0.05) == ("faster" if times > 1 else "slower") for it in found) >= 0.9 * TRIED


ALIKE = {0.0: 0.9, 0.03: 0.75}
"""How unlike the images are, and how many of the planted nothings are called one; 99 and 87 of 100 were."""


@pytest.mark.long
@pytest.mark.parametrize("images", ALIKE)
def test_a_planted_nothing_is_never_called_a_difference_and_mostly_called_none(images):
    count = (TRIED + 1) // 2 if TRIED > 10 else 3  # each takes until its end
    found = [tried(seed, 1.0, 0.03, drift=0.002, images=images) for seed in range(count)]
    assert {kind(it.gain, 0.05) for it in found} <= {"alike", "open"}
    assert sum(kind(it.gain, 0.05) == "alike" for it in found) >= math.floor(ALIKE[images] * count)


@pytest.mark.long
def test_two_halves_of_a_device_are_told_apart_from_the_change_by_changing_places():
    found = [tried(seed, 1.2, 0.03, images=0.2, sides=("default", "changed")) for seed in range(TRIED)]
    assert sum(it.gain.low <= 1.2 <= it.gain.high for it in found) >= 0.9 * TRIED
    assert all(it.control is None for it in found)


def binned(nanoseconds):
    """The middle of fio's bin: 64 of them between a power of two and the next."""
    width = 1 << max(0, nanoseconds.bit_length() - 7)
    return nanoseconds // width * width + width // 2


class Fio(Side):
    """Its latencies are alike but for a thousandth, and told in fio's bins."""

    def window(self, seconds):
        exact = super().window(seconds)
        told = {binned(at): count for at, count in exact.latencies_ns.items()}
        return replace(exact, latencies_ns=told, sync_ns=told)


@pytest.mark.parametrize("sides", [("default", "changed"), ("default", "again", "changed")], ids=len)
def test_a_disk_as_regular_as_a_clock_is_told_no_finer_than_fio_tells_of_it(sides):
    found = []
    for seed in range(TRIED):
        lots = random.Random(seed)
        world = World(lots=lots, noise=0.0005, stalls=0.0)
        times, scale = lots.choice((1.0, 1.03, 1.1)), lots.uniform(1, 2)

        @contextlib.contextmanager
        def opened(turn, world=world, times=times, scale=scale):
            world.now += 4
            yield {side: Fio(world, scale / (times if side == "changed" else 1)) for side in sides}

        *_, last = events(
            JOB, Rounds(len(sides), opened), TrialBudget(seconds=60), random.Random(seed), lambda w=world: w.now
        )
        found.append((times, last))
    assert all(it.gain.low <= times <= it.gain.high for times, it in found)
    assert all(it.gain.high / it.gain.low < 1.05 for _, it in found)
    assert all(kind(it.gain, 0.05) == "alike" for times, it in found if times == 1)


class HeldUp(Side):
    """Its first block of each turn, after a window to warm up, does not count."""

    def window(self, seconds):
        self.windows.append(super().window(seconds))
        return replace(self.windows[-1], void="held up" if len(self.windows) in (2, 3) else "")


def test_where_time_is_short_blocks_that_do_not_count_are_made_up_for():
    world = World(lots=random.Random(1), noise=0.01, stalls=0.0)

    @contextlib.contextmanager
    def opened(turn):
        yield {"default": Side(world, 1.0), "again": Side(world, 1.0), "changed": HeldUp(world, 0.5)}

    *_, last = events(JOB, Rounds(3, opened), TrialBudget(seconds=0.0), random.Random(1), lambda: world.now)
    assert (last.left_out, last.blocks) == (3, 3 + FEWEST_BLOCKS)
    assert last.gain.low > 1.9


def test_flushes_and_amplification_are_told_of_each_side():
    found = tried(1, 1.5, 0.02)
    assert found.end == "settled"
    assert {side: (it.flushes_per_operation, it.amplification) for side, it in found.sides.items()} == dict.fromkeys(
        ("default", "again", "changed"), (2.0, 3.0)
    )


def test_where_it_fails_in_the_middle_what_was_measured_stays():
    class Broken(Side):
        def window(self, seconds):
            if self.world.now > 20:
                raise EngineError("while measuring: the disk is gone")
            return super().window(seconds)

    world = World(lots=random.Random(1), noise=0.02)

    @contextlib.contextmanager
    def opened(turn):
        yield {side: Broken(world, 1.0) for side in ("default", "changed")}

    *_, last = events(JOB, Rounds(2, opened), TrialBudget(seconds=100), random.Random(2), lambda: world.now)
    assert (last.end, last.error) == ("failed", "while measuring: the disk is gone")
    assert last.blocks > FEWEST_BLOCKS


def test_stopped_before_the_first_block_there_is_nothing_to_tell():
    @contextlib.contextmanager
    def opened(turn):
        yield {side: Side(World(lots=random.Random(1), noise=0.1), 1.0) for side in ("default", "changed")}

    *_, last = events(JOB, Rounds(2, opened), TrialBudget(seconds=9), random.Random(1), lambda: 0.0, lambda: True)
    assert (last.end, last.gain, last.blocks) == ("cancelled", None, 0)


@dataclass
class Disk:
    """What all that is written to it adds up to, and in how many windows of each turn."""

    written: int = 0
    windows: list = field(default_factory=list)


@dataclass
class Writing:
    disk: Disk
    world: World
    engine: str = "played"

    def window(self, seconds):
        self.world.now += seconds
        done = round(self.world.lots.uniform(0.5, 1.5) * 1000)
        self.disk.written += 4096 * done
        self.disk.windows[-1] += 1
        sync = {round(seconds * 1e9 / done): done}
        return ProbeWindow(seconds=seconds, operations=done, asked_bytes=4096 * done, latencies_ns=sync, sync_ns=sync)


@tries(10)
@given(st.integers(300, 3000).map(lambda mib: mib << 20), st.integers(0, 10).map(lambda mib: mib << 20), st.integers())
def test_no_more_is_written_than_was_told_and_each_turn_has_its_share(limit, set_up, seed):
    disk, world = Disk(), World(lots=random.Random(seed), noise=0.0)

    @contextlib.contextmanager
    def opened(turn):
        disk.written += set_up
        disk.windows.append(0)
        yield {side: Writing(disk, world) for side in ("default", "again", "changed")}

    budget = TrialBudget(seconds=1e6, written_bytes=limit, matters=1e-9)
    *_, last = events(JOB, Rounds(3, opened, set_up), budget, random.Random(seed), lambda: world.now)
    assert last.end == "budget"
    assert disk.written <= limit
    assert len(disk.windows) % 3 == 0
    assert min(disk.windows) >= 3 + 6  # it warms up, and has one block at least
