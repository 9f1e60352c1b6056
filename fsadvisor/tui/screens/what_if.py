"""To come."""

from fsadvisor.tui.place import Place


class WhatIf(Place):
    """To come."""

    MODE = "what_if"
