"""What the bench of terminals takes for an answer."""

import os

from tools.bench.explorer import started


def test_an_answer_is_a_picture_and_what_draws_nothing_before_it_is_none():
    """As in the explorer, which tells the pointer's shape some time before the place that Enter opens."""
    aside, late = r"\033]22;default\007", "read -r _ < /proc/self/stat; for each in $(seq 20000); do :; done"
    terminal = started(["/bin/sh", "-c", f"stty -echo; printf go; read x; printf '{aside}'; {late}; printf picture"])
    terminal.until(b"go")
    os.write(terminal.descriptor, b"\n")
    assert terminal.told(within_s=20.0, quiet_s=0.0).endswith(b"picture")
    terminal.end()
