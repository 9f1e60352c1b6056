"""fsadvisor as a command with a bound on time and memory, and what it took of the latter."""

import json
import subprocess
import sys

from tests.command import SECONDS
from tests.paths import ROOT

MOST_MIB = 200
CPU_SECONDS = 200
"""A hundred times what is promised: the law is about what grows without end, on any machine and beside any load."""
CHILD = f"""
import re, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({CPU_SECONDS}, {CPU_SECONDS}))
from fsadvisor.__main__ import exit_status
try:
    status = exit_status()
finally:
    sys.stdout.flush()
    # ru_maxrss would count the process that this one was forked from.
    peak = re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())
    print("\\n" + peak[1], file=sys.stderr)
sys.exit(status)
"""


def bounded(*argv, **options):
    """Exit status and what it printed, within the bounds; nothing may be a bug of ours."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *map(str, argv)],
        cwd=ROOT,
        capture_output=True,
        timeout=SECONDS,
        check=False,
        stdin=subprocess.DEVNULL,
        **options,
    )
    said, _, peak = done.stderr.decode().rstrip("\n").rpartition("\n")
    assert peak.isdecimal(), f"no end within {CPU_SECONDS} s: {done.returncode} {done.stderr[-500:]}"
    assert int(peak) >> 10 < MOST_MIB, f"{int(peak) >> 10} MiB"
    assert done.returncode in (0, 1, 2, 5), said
    return done.returncode, done.stdout.decode(), said.strip()


def refused(*argv):
    """The one sentence of a refusal."""
    status, out, said = bounded(*argv)
    assert (status, out, said.count("\n")) == (2, "", 0), (status, out[:500], said[:500])
    return said


def audited(*argv):
    """The audit's JSON."""
    status, out, said = bounded(*argv, "--json")
    assert status in (0, 1, 5), said
    return json.loads(out)
