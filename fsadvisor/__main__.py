"""The entry point: answers --version at once, keeps every failure to one line and an exit code."""

from __future__ import annotations

import sys

from fsadvisor._version import __version__

INTERRUPTED = 130
OUR_BUG = 4


def main() -> int:
    """Run the command line and return its exit code."""
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"fsadvisor {__version__}\n")
        return 0
    import gc

    gc.disable()  # one short run whose objects make no cycles: the collector would walk a million of them and free none
    try:
        from fsadvisor import cli

        return cli.run(sys.argv[1:])
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last line of defence; a traceback would exit with 1, "findings"
        return _our_bug(error)


def _our_bug(error: Exception) -> int:
    """Say what failed and where, in a line; the whole trace only where it is asked for."""
    import os
    import traceback

    if os.environ.get("FSADVISOR_TRACEBACK"):
        traceback.print_exception(error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "?"
    sys.stderr.write(
        f"fsadvisor: a bug of ours: {type(error).__name__} at {place}\n"
        "fsadvisor: please report it with what FSADVISOR_TRACEBACK=1 fsadvisor … prints\n"
    )
    return OUR_BUG


if __name__ == "__main__":
    sys.exit(main())
