"""What doctor says of memory: the machine's, and that of control groups."""

from fsadvisor.measure.now import Group
from fsadvisor.measure.now.answer import answer
from tests.cases import each
from tests.doctor.test_answer import RULES, program, told, window


def test_where_memory_is_free_no_pressure_is_the_machines_want_of_it():
    waits = {"memory_some": 0.53, "memory_available": 0.7}
    assert told(memory_free=0.05, **waits) == told(**waits) == ["memory-short"]
    assert told(memory_free=0.72, **waits) == []


def test_a_group_at_its_memory_limit_is_told_and_not_the_machine_which_has_memory_left():
    small = Group(path="/a.service", memory_some=0.7, memory_limit=40 << 20, memory_used=40 << 20)
    reads = program(7, "java", waiting=0.8, read_bytes=2e7, groups=("/a.service",))
    parts = {"groups": (small,), "programs": (reads,), "memory_some": 0.7}
    (found,) = answer(window(memory_available=0.6, **parts), RULES).found
    assert (found.verdict.rule.id, found.place) == ("group-short-of-memory", "memory limit 40 MiB")
    assert found.culprits == ("java (pid 7): reads 20.0 MB/s, waits in 80 % of the looks",)
    assert told(memory_available=0.03, **parts) == ["memory-short"]


@each(
    ("others", "machine", "available", "causes"),
    [
        # the group's wait is within what reading files past a limit costs, and most of the machine's
        ((), 0.22, 0.5, []),
        ((), 0.45, 0.5, ["memory-short"]),
        ((), 0.22, 0.05, ["memory-short"]),
        ((), 0.22, None, ["memory-short"]),
        (
            (Group(path="/a/one", memory_some=0.18, memory_limit=40 << 20, memory_used=40 << 20),),
            0.38,
            0.5,
            ["memory-short"],
        ),
        (
            (Group(path="/b", memory_some=0.18, memory_limit=40 << 20, memory_used=9 << 20, memory_hits=90),),
            0.38,
            0.5,
            [],
        ),
        (
            (Group(path="/b", memory_some=0.18, memory_limit=40 << 20, memory_used=9 << 20),),
            0.38,
            0.5,
            ["memory-short"],
        ),
    ],
)
def test_what_control_groups_at_their_limit_wait_is_not_the_machines_want_of_memory(others, machine, available, causes):
    small = Group(path="/a", memory_some=0.18, memory_limit=40 << 20, memory_used=40 << 20)
    assert told(groups=(small, *others), memory_some=machine, memory_available=available) == causes
