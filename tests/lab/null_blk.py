"""The kernel's null_blk: disks of memory with the cache and the latency that a scenario wants."""

from pathlib import Path

from tests.lab.scenario import disks, run, settle, wait_for

_CONFIG = Path("/sys/kernel/config/nullb")
_SIZE_MIB = 512
_IN_MEMORY = {"size": _SIZE_MIB, "blocksize": 512, "memory_backed": 1}
_VOLATILE_CACHE = {"cache_size": 2 * _SIZE_MIB}
"""A cache that never fills. From a full one null_make_cache_space() moves pages away; where another thread holds all
of them and sleeps until it gets memory, it spins until that thread goes on, which on the guest's only processor it
never does (6.12.117: of eight swap storms over a cache of 8 MB two ended so)."""


def create(scenario, name, *, volatile_cache=False, **settings):
    """A disk of 512 MiB with these settings (completion_nsec, …); its block device."""
    run("modprobe", "null_blk", "nr_devices=0")
    folder = _CONFIG / name
    before = disks()
    folder.mkdir()
    cache = _VOLATILE_CACHE if volatile_cache else {}
    scenario.undo(folder.rmdir)
    for setting, value in (_IN_MEMORY | cache | settings).items():
        (folder / setting).write_text(str(value))
    (folder / "power").write_text("1")
    scenario.undo((folder / "power").write_text, "0")
    wait_for(f"null_blk {name}", lambda: disks() - before)
    settle()
    (made,) = disks() - before
    return made
