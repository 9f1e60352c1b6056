"""What a piece of work costs in operations: the same on a slow machine, and beside other work."""

import sys


def calls(work):
    """How many functions a piece of work calls."""
    count = 0

    def called(_, event, __):
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def steps(work):
    """How many instructions of the interpreter a piece of work runs through: loops that call nothing count, too."""
    count = 0

    def traced(frame, event, _):
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
