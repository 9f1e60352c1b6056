"""The start of fsadvisor.pyz, packed as its __main__.py. Python 2.7 must be able to read the part before the import."""

import sys

if sys.version_info < (3, 11):
    sys.stderr.write(
        "fsadvisor.pyz needs Python 3.11 or later, and %s is %d.%d: name a newer one, or take the archive that brings"
        " its own Python\n" % (sys.executable, sys.version_info[0], sys.version_info[1])
    )
    sys.exit(2)

import os  # noqa: E402 - after what older ones can do
import shutil  # noqa: E402
import signal  # noqa: E402
import tempfile  # noqa: E402
import zipfile  # noqa: E402

from fsadvisor import __main__ as program  # noqa: E402 - from the zip, which is enough for --version

PLACES = ("/dev/shm", "/run", "/tmp", "/var/tmp")  # noqa: S108 - a directory of our own is made there


def main():
    """Unpack into a private directory, run there, and take it away: a process waits, however the other one ends."""
    if os.geteuid() == 0 and not sys.flags.isolated:
        _alone()
    if sys.argv[1:] in (["--version"], ["--help"], ["-h"]) and program._ready_text(sys.argv[1:]):
        return program.main()
    place = _unpacked()
    if not place:
        tried = ", ".join(_places())
        sys.stderr.write("fsadvisor: no place to unpack for as long as it runs: none of %s takes files\n" % tried)
        return 2
    sys.stdout.flush()
    child = os.fork()
    if not child:
        return _run(place)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda seen, _: os.kill(child, seen))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal tells both
    try:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return status if status >= 0 else 128 - status


def _alone():
    """As root, no code and no library from where the caller says: __main__ of the program says why."""
    for name in list(os.environ):
        if name.startswith(program._OF_THE_CALLER) and name not in program._HARMLESS:
            del os.environ[name]
    os.execv(sys.executable, [sys.executable, "-I", sys.path[0]] + sys.argv[1:])


def _places():
    own = [os.environ.get("XDG_RUNTIME_DIR"), os.environ.get("TMPDIR")] if os.geteuid() else []
    return [place for place in own + list(PLACES) if place]


def _unpacked():
    for place in _places():
        try:
            made = tempfile.mkdtemp(prefix="fsadvisor-", dir=place)
        except OSError:
            continue
        try:
            with zipfile.ZipFile(sys.path[0]) as packed:
                packed.extractall(made, [name for name in packed.namelist() if name != "__main__.py"])
        except OSError:
            shutil.rmtree(made, ignore_errors=True)
            continue
        return made
    return ""


def _run(place):
    sys.dont_write_bytecode = True
    sys.path[0] = place
    sys.modules["textual"] = None  # one that a distribution has may be too old
    for name in [name for name in sys.modules if name.partition(".")[0] == "fsadvisor"]:
        del sys.modules[name]
    from fsadvisor import __main__ as unpacked

    return unpacked.main()


sys.exit(main())
