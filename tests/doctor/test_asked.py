"""What a person asks the doctor about is answered first, in his own words."""

import msgspec
import pytest

from fsadvisor.measure.now import Device
from tests.command import fsadvisor
from tests.doctor.test_answer import place, program, window

WAITS = program(
    7, "mysqld", unit="mysql.service", waiting=0.9, syncing=0.8, running=0.1, write_bytes=2e6, function="folio_wait_bit"
)
SEEN = window(
    io_some=0.9,
    filesystems=(place(available=0),),
    programs=(WAITS,),
    devices=(Device(name="sdb", writes=90.0, write_ms=5.0, busy=0.4, queue=0.5),),
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    file = tmp_path_factory.mktemp("asked") / "one.jsonl"
    file.write_bytes(msgspec.json.encode(SEEN) + b"\n")
    return str(file)


OWN_SIDE = (
    "mysqld (pid 7, mysql.service): waited in state D in 90 %, in a sync in 80 %, ran in 10 % of the looks; "
    "mostly in folio_wait_bit; wrote 2.0 MB/s"
)
PLACE = "/srv (ext4): 0 % free; sdb 90 requests/s of 5.0 ms, busy 40 %, queue 0.5"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("OSError: [Errno 28] No space left on device", "filesystem-full: yes: /srv: 0 bytes free (0 %): ENOSPC (1.)"),
        ("full", "`fsadvisor doctor full PATH`"),
        ("full disk", "filesystem-full: yes"),
        ("slow fsync", "program-waits-for-commits: yes: mysqld"),
        ("iowait", "now: I/O pressure 90 %; sdb 90 requests/s of 5.0 ms, busy 40 %, queue 0.5"),
        (
            "device is frozen",
            "not filesystem-frozen on /srv: threads that waited all the time to begin a write: 0 (threshold: 1 or more",
        ),
        ("mysqld", OWN_SIDE),
        ("mysql", OWN_SIDE),
        ("mysql.service", OWN_SIDE),
        ("7", OWN_SIDE),
        ("sdb", "Of what was asked: - sdb 90 requests/s of 5.0 ms"),
        ("nginx.service", "nginx.service: it neither waited in state D nor ran"),
        ("9", "pid 9: it neither waited in state D nor ran"),
    ],
)
def test_what_was_asked_stands_below_the_answer(kept, words, says):
    told = " ".join(fsadvisor("doctor", *words.split(), "--on", kept).stdout.decode().split())
    before, _, after = told.partition("Of what was asked")
    assert says in f"Of what was asked{after.partition(' seen: ')[0]}"
    assert "ENOSPC." in before


def test_of_words_that_lead_nowhere_it_is_said(kept):
    plain, asked = (fsadvisor("doctor", *words, "--on", kept).stdout.decode() for words in ((), ("qzjxv",)))
    said = "Of what was asked (qzjxv):\n  - no subject here and no symptom is known by these words; "
    assert said in asked
    assert "Of what was asked" not in plain
