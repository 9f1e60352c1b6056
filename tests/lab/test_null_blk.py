"""null_blk: the kernel's disks of memory, with and without a write cache, with and without latency."""

import pytest

from tests.lab import flushes, null_blk

pytestmark = pytest.mark.lab
WRITES = 20


@pytest.fixture
def pair(scenario):
    """(scenario, disk with a volatile cache, disk without); each write to either takes 2 ms."""
    slow = {"irqmode": 2, "completion_nsec": 2_000_000}
    cached = null_blk.create(scenario, "nullb0", volatile_cache=True, **slow)
    plain = null_blk.create(scenario, "nullb1", **slow)
    return scenario, cached, plain


def test_a_disk_of_memory_is_told_as_such_with_its_cache(pair):
    """null_blk, one disk with a volatile write cache, one without"""
    scenario, cached, plain = pair

    report = scenario.audit()

    for name, words, fua in ((cached, "write back", "1"), (plain, "write through", "0")):
        facts = report.facts(f"disk:{name}")
        assert scenario.second_file(f"/sys/block/{name}/queue/write_cache") == words == facts["disk.write_cache"]
        assert scenario.second_file(f"/sys/block/{name}/queue/fua") == fua
        assert facts["disk.fua"] is (fua == "1")
        assert facts["disk.transport"] == "ram"
        assert facts["disk.plp"] == "absent"
        size = scenario.second("blockdev", "--getsize64", f"/dev/{name}")
        assert facts["disk.size_bytes"] == int(size) == 512 << 20
        assert report.outcome("volatile-cache-not-flushed", f"disk:{name}") != "advise"
        assert report.outcome("flushes-on-protected-nvme", f"disk:{name}") in (None, "ok")
    scenario.keep("lab-null-blk")


def flush_ms(scenario, name):
    """What a flush took on average since the disk is there."""
    flushed, took = map(int, scenario.second_file(f"/sys/block/{name}/stat").split()[15:17])
    return took / max(flushed, 1)


@pytest.mark.parametrize("is_cached", [True, False], ids=["write back", "write through"])
def test_flushes_go_to_a_disk_with_a_cache_only_and_their_time_is_told(pair, is_cached):
    """null_blk that takes 2 ms a request: fsync on ext4 with and without a volatile cache"""
    scenario, *disks = pair
    name = disks[0] if is_cached else disks[1]
    scenario.format("ext4", f"/dev/{name}")
    path = scenario.mount(f"/dev/{name}", "data") + "/file"
    flushes.prepare(path, WRITES)
    before = flushes.sent(name)

    flushes.by_fsync(path, WRITES)

    took = flushes.sent(name) - before
    means = [flush_ms(scenario, name)]
    facts = scenario.audit().facts(f"disk:{name}")
    stat = scenario.second_file(f"/sys/block/{name}/stat").split()
    means.append(flush_ms(scenario, name))  # the filesystem may flush meanwhile
    assert (took >= WRITES) is is_cached
    assert facts["disk.flushes"] == pytest.approx(int(stat[15]), rel=0.1)
    if is_cached:
        assert 0.9 * min(means) <= facts["disk.flush_ms_avg"] <= 1.1 * max(means)
        assert facts["disk.flush_ms_avg"] >= 2
    else:
        assert int(stat[15]) == 0
    scenario.tell(
        claim=f"null_blk, {facts['disk.write_cache']}, 2 ms a request: flushes of {WRITES} fsyncs on ext4",
        seen=f"{took}; {facts['disk.flush_ms_avg']} ms each",
        expected=f"{WRITES} or more of 2 ms and more" if is_cached else "none",
    )
