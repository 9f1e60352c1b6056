"""Eve, who has no rights but her own, and what a killed probe leaves in her directory."""

import json
import os
import signal
import traceback

from fsadvisor.measure.probe import scratch_record
from fsadvisor.measure.probe.scratch import descriptor_of, tree
from fsadvisor.measure.probe.scratch_record import PREFIX

EVE = 65533
CONTENT = "root's"


def in_child(act):
    """Do it in a process of its own; the signal that ended it, 0 where none did."""
    child = os.fork()
    if not child:
        status = 1
        try:
            act()
            status = 0
        except BaseException:  # noqa: BLE001 - told, and no test of the parent goes on in the child
            traceback.print_exc()
        finally:
            os._exit(status)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended <= 0
    return -ended


def become_eve():
    os.setgroups([])
    os.setgid(EVE)
    os.setuid(EVE)


def as_eve(act):
    assert in_child(lambda: (become_eve(), act())) == 0


def as_user(act):
    """As somebody with a state directory of their own."""
    if os.geteuid() == 0:
        as_eve(act)
    else:
        act()


LEFT = set()
"""Trees that were left, whose records are root's."""


def is_whole(folder):
    return [(folder / it).read_text() for it in ("dump.sql", "f000000", "deep/er/x")] == [CONTENT] * 3


def fill(inside):
    """What jobs put into a tree."""
    for name in ("file-0", "log-1", "f000012"):
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600, dir_fd=inside))
    os.mkdir("d3", 0o700, dir_fd=inside)
    os.close(os.open("d3/w3-000001", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600, dir_fd=inside))


def left_by_a_killed_probe(folder):
    def probe():
        with tree(folder) as made:
            fill(descriptor_of(made))
            os.kill(os.getpid(), signal.SIGKILL)

    assert in_child(probe) == signal.SIGKILL
    (left,) = (it for it in folder.iterdir() if it.name.startswith(PREFIX))
    LEFT.add(left.name)
    return left


def what_is_in(left):
    return {str(it.relative_to(left)) for it in left.rglob("*")}


FILLED = {"file-0", "log-1", "f000012", "d3", "d3/w3-000001"}


def edited(left, change):
    """Its record, as another probe would have written it."""
    record = scratch_record.state_directory() / left.name
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    assert len(lines) == 2
    for line in lines:
        change(line)
    record.write_text("".join(json.dumps(line) + "\n" for line in lines))
