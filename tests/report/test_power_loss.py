"""The report's section on power loss: what each disk would lose, and what the kernel does about it."""

from fsadvisor.pages.text import render
from fsadvisor.report import power_loss
from tests.report import composed


def text(*disks):
    on = composed.host()
    subjects = [composed.disk(name, on, **facts) for name, facts in disks]
    return "".join(render(power_loss.blocks(composed.machine("m", on, *subjects)), 100))


def test_where_no_flush_is_sent_barriers_cost_nothing():
    said = text(("nvme0n1", {"plp": "proven", "plp_evidence": ("vwc 6",), "write_cache": "write through"}))
    assert "disk nvme0n1 (EXAMPLE 3840): proven" in said
    assert "- vwc 6\n" in said
    assert "barriers cost nothing here, and nobarrier would gain nothing" in said


def test_what_flushes_cost_is_told_in_numbers():
    said = text(("nvme0n1", {"plp": "proven", "flush_ms_avg": 0.36, "flush_time_percent": 31.0}))
    assert "The kernel sends flushes: up to 0.36 ms each, 31.0 % of the time since boot." in said


def test_a_cache_that_is_volatile_and_not_flushed_is_no_reason_for_calm():
    said = text(("nvme0n1", {"plp": "absent", "write_cache": "write through", "volatile_cache": True}))
    assert "no flushes, though the drive calls its cache volatile" in said
    assert "gain nothing" not in said


def test_disks_that_are_alike_are_told_once_with_the_worst_of_their_numbers():
    alike = {"plp": "absent", "flush_time_percent": 1.0}
    said = text(
        ("sda", alike | {"plp_evidence": ("seen in /sys/block/sda/queue/write_cache",)}),
        ("sdb", alike | {"plp_evidence": ("seen in /sys/block/sdb/queue/write_cache",), "flush_time_percent": 7.5}),
    )
    assert said.count("absent") == 1
    assert "2 disks, sda and sdb: absent" in said
    assert "up to 7.5 %" in said


def test_a_disk_in_memory_loses_all_and_is_not_told_of():
    assert text(("zram0", {"transport": "ram", "plp": "absent"})) == ""


def test_a_verdict_that_could_not_be_reached_says_what_would_help():
    said = text(("nvme0n1", {"plp": composed.DENIED}))
    assert "not known, denied (nvme id-ctrl). To learn it: run as root" in said


def test_of_many_different_disks_the_rest_is_counted():
    said = text(*((f"sd{at}", {"plp": "unknown", "plp_evidence": (f"number {at}",)}) for at in range(25)))
    assert "5 more groups of disks: --json has them" in said
