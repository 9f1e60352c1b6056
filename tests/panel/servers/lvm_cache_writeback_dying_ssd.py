"""An LVM cache in writeback mode on an NVMe drive that warns of its reliability, over RAID 6. The expert: uncache
(`lvconvert --splitcache` or `--uncache`) while it still answers; what is dirty in it is nowhere else.
"""

from tests.panel.servers import lvm_cache_writeback_on_one_ssd as one

FIRST = ("writeback-cache-failing layer:dm-0", "drive-failing disk:nvme0n1")
NEVER = ("writeback-cache-on-one-drive",)


def server():
    made = one.server()
    for asked, said in made.commands.items():
        if "nvme0n1" in asked:
            made.commands[asked] = said.replace('"critical_warning": 0', '"critical_warning": 4')
    return made
