"""That no tool of a look at the machine makes a disk flush, and that what the tools say is the same."""

import os
import subprocess
import sys

import pytest

from fsadvisor.machine.runner import Runner
from fsadvisor.readers import ext4_reports

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the filter needs root")

EACH_SYNC_OF_A_PIPE = """
import os
for call in (os.fsync, os.fdatasync):
    try:
        call(os.pipe()[1])
        print("nothing")
    except OSError as error:
        print(error.errno)
"""
OPTIONS = {
    "as it comes": (),
    "64 bits and checksums": ("-O", "64bit,metadata_csum"),
    "neither": ("-O", "^64bit,^metadata_csum,^extent"),
    "clusters": ("-O", "bigalloc", "-C", "65536"),
    "without a journal": ("-O", "^has_journal", "-L", "web [red]"),
    "stripes and a fast commit": ("-E", "stride=16,stripe_width=64", "-O", "fast_commit"),
    "blocks of 1 KiB": ("-b", "1024", "-I", "128"),
}


def test_a_tool_that_syncs_does_nothing_by_it(tmp_path):
    tool = tmp_path / "syncs"
    tool.write_text(f"#!{sys.executable}\n{EACH_SYNC_OF_A_PIPE}")
    tool.chmod(0o755)
    assert subprocess.run([tool], capture_output=True, text=True).stdout == "22\n22\n", "a pipe can't be synced"
    assert Runner(folders=(str(tmp_path),)).run([("syncs",)])[0].text == "nothing\nnothing\n"
    assert subprocess.run([tool], capture_output=True, text=True).stdout == "22\n22\n", "this process may sync on"


def dumped(image):
    """What dumpe2fs says without any filter, at the machine's own time."""
    here = {name: value for name, value in os.environ.items() if name != "TZ"}
    return subprocess.run(ext4_reports.dumpe2fs_argv(str(image)), capture_output=True, text=True, env=here).stdout


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_dumpe2fs_says_the_same_whether_or_not_it_may_sync(tmp_path, options):
    image = tmp_path / "image"
    subprocess.run(["mkfs.ext4", "-q", *options, image, "64M"], check=True, capture_output=True)
    answer = Runner().run([ext4_reports.dumpe2fs_argv(str(image))])[0].text
    assert answer == dumped(image)
    assert ext4_reports.parse_dumpe2fs(answer).features


def test_an_outer_journal_is_told_whether_or_not_dumpe2fs_may_sync(tmp_path):
    journal = tmp_path / "journal"
    subprocess.run(["mke2fs", "-q", "-F", "-O", "journal_dev", "-b", "4096", journal, "16M"], check=True)
    assert Runner().run([ext4_reports.dumpe2fs_argv(str(journal))])[0].text == dumped(journal)
