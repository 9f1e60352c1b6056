"""Waits for an event, with an end so late that only what never comes misses it, on a slow and busy machine too."""

import time

END_S = 900


def comes_to(holds, within=END_S):
    """Whether something holds in the end, after so many seconds at the latest."""
    end = time.monotonic() + within
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
