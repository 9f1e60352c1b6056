"""The kernel's null_blk: disks of memory with the cache and the latency that a scenario wants."""

from pathlib import Path

from tests.lab.scenario import disks, run, settle, wait_for

_CONFIG = Path("/sys/kernel/config/nullb")


def create(scenario, name, **settings):
    """A disk with these settings (cache_size in MB, completion_nsec, …); its block device."""
    run("modprobe", "null_blk", "nr_devices=0")
    folder = _CONFIG / name
    before = disks()
    folder.mkdir()
    scenario.undo(folder.rmdir)
    for setting, value in ({"size": 512, "blocksize": 512, "memory_backed": 1} | settings).items():
        (folder / setting).write_text(str(value))
    (folder / "power").write_text("1")
    scenario.undo((folder / "power").write_text, "0")
    wait_for(f"null_blk {name}", lambda: disks() - before)
    settle()
    (made,) = disks() - before
    return made
