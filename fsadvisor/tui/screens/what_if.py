"""To come."""

from fsadvisor.tui.place import Place


class WhatIf(Place):
    """To come."""

    NAME = "what if"
    MODE = "what_if"
