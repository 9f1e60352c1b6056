"""Addresses of loopback for servers of tests: those of two runs of the suite, side by side, never meet."""

import itertools
import os

_PORTS = itertools.count(2300)
"""Below those that the kernel gives to whoever names none, 32768 to 60999."""


def own_address():
    """HOST:PORT that no other process of this machine is given: the host, of 127.0.0.0/8, is our own number."""
    number = os.getpid()
    return f"127.{number >> 16}.{number >> 8 & 0xFF}.{number & 0xFF}:{next(_PORTS)}"
