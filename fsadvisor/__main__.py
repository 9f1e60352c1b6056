"""The entry point: answers --version and --help at once, keeps every failure to one line and an exit code."""

from __future__ import annotations

import errno
import io
import os
import sys

from fsadvisor import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import NoReturn

    from _typeshed import ReadableBuffer as Buffer

INTERRUPTED = 130
USAGE = 2
OUR_BUG = 4

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib loads slowly
_AGAIN = "import sys; sys.path.append(sys.argv[1]); sys.argv[:2] = ['fsadvisor']\n"
_AGAIN += "from fsadvisor.__main__ import main; sys.exit(main())"
_OF_THE_CALLER = ("PYTHON", "LD_", "GLIBC_", "GCONV_", "OPENSSL_", "SSLKEYLOGFILE", "FIO_", "TEXTUAL")
"""How the variables begin that lead Python, the loader of libraries, OpenSSL's of modules or a tool elsewhere."""
_HARMLESS = {"PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "PYTHONHASHSEED", "PYTHONSAFEPATH", "PYTHONNOUSERSITE"}
_WORDS = {"map segment": "memory", "allocate memory": "memory", "Too many open files": "open files"}
"""Of the loader of libraries."""
_HELP_COLUMNS = 80
_LEAST_OPEN = 64
"""Eight tools side by side take five each at most, and the program some of its own."""
_NONE_LEFT = {errno.ENOMEM: "memory", errno.EMFILE: "open files", errno.ENFILE: "open files"}


def main() -> int:
    """Run the command line and end at once: to take every object apart takes as long as to load a hundred modules.

    Where threads have to be waited for, the exit code is returned, and the interpreter ends as it does.
    """
    status = exit_status()
    threading = sys.modules.get("threading")
    if threading is None or sum(not thread.daemon for thread in threading.enumerate()) == 1:
        if sys.stderr is not None:
            sys.stderr.flush()
        os._exit(status)
    return status


def exit_status() -> int:
    """Run the command line and return its exit code; all is written by then, or why not is said."""
    try:
        status = _run()
    except SystemExit as asked:  # argparse's, after a help or a mistake
        status = int(asked.code or 0)
    return status if sys.stdout is None else _written(status)


def _written(status: int, text: bytes = b"") -> int:
    """The interpreter's own end would print a traceback."""
    try:
        sys.stdout.buffer.write(text)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            sys.stderr.write(f"fsadvisor: standard output: {error.strerror}\n")
            return USAGE
    return status


class _Narration(io.FileIO):
    """Standard error: where it takes no more, as a log on a full disk, what is said there is lost, and nothing else."""

    def write(self, text: Buffer, /) -> int:
        """All of it, as far as anybody is told."""
        try:
            return super().write(text)
        except OSError:
            return memoryview(text).nbytes


def _run() -> int:
    _take_streams()
    if sys.stdout is None:
        sys.stderr.write("fsadvisor: standard output is closed; send it to a file or to /dev/null\n")
        return USAGE
    if os.geteuid() == 0:
        _without_the_caller()
    if text := _ready_text(sys.argv[1:]):
        return _written(0, text)
    import gc

    gc.disable()  # one short run whose objects make no cycles: the collector would walk a million of them and free none
    try:
        _let_open_enough()
        cli = _loaded()
        died = _in_threads_too()
        status = cli.run(sys.argv[1:])
        return OUR_BUG if died else status
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last line of defence; a traceback would exit with 1, "findings"
        if what := _too_little(error):
            _give_up(what)
        try:
            return _our_bug(error)
        except MemoryError:
            _give_up("memory")


def _loaded() -> ModuleType:
    """The commands. Ctrl-C ends us meanwhile: msgspec reads where nothing is when Python raises within its classes."""
    import signal

    heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heeded:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from fsadvisor import late_modules

    late_modules.load_late()
    late_modules.load_msgspec()
    from fsadvisor import cli

    if heeded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return cli


def _ready_text(argv: list[str]) -> bytes:
    if argv == ["--version"]:
        return f"fsadvisor {__version__}\n".encode()
    return _help() if argv in (["--help"], ["-h"]) else b""


def _help() -> bytes:
    """What `make docs` wrote for 80 columns; b'' where there are fewer or it is not there: argparse makes it then."""
    if sys.stdout.isatty() and os.get_terminal_size(sys.stdout.fileno()).columns < _HELP_COLUMNS:
        return b""
    for name in ("fsadvisor/_help.txt", "docs/help.txt"):
        try:
            with open(os.path.join(_HERE, name), "rb") as opened:  # noqa: PTH118, PTH123 - pathlib loads slowly
                return opened.read()
        except OSError:
            continue
    return b""


def _take_streams() -> None:
    if sys.stdin is None or sys.stderr is None:
        try:
            _fill_up()
        except OSError as error:
            _give_up(_too_little(error) or "open files")
    elif (begun := sys.__stderr__) is not None and sys.stderr is begun:
        said = io.BufferedWriter(_Narration(2, "w", closefd=False))
        sys.stderr = io.TextIOWrapper(said, begun.encoding, "backslashreplace", line_buffering=True)


def _fill_up() -> None:
    """Nothing that is opened later may pass for standard input or error."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115, PTH123 - whoever asks a person finds none
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123 - for as long as we run


def _without_the_caller() -> None:
    """What root runs takes no code, no library and no tool from where the caller's environment or directory says.

    Python and the loader of libraries heeded the environment before us: where there was anything, we begin anew.
    """
    strange = [name for name in os.environ if name.startswith(_OF_THE_CALLER) and name not in _HARMLESS]
    for name in strange:
        del os.environ[name]
    os.environ["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    if strange and sys.executable:
        os.execv(sys.executable, [sys.executable, "-I", "-c", _AGAIN, _HERE, *sys.argv[1:]])  # noqa: S606
    if not sys.flags.isolated:
        working = _working_directory()
        sys.path[:] = [folder for folder in sys.path if folder == _HERE or not _is_the_caller_s(folder, working)]


def _working_directory() -> str:
    """'' where it is gone, and nothing can be in it."""
    try:
        return os.getcwd()  # noqa: PTH109 - pathlib loads slowly
    except OSError:
        return ""


def _is_the_caller_s(folder: str, working: str) -> bool:
    """Whether it is the working directory, or what Python takes for the user's own by the HOME of another."""
    try:
        user = getattr(sys.modules.get("site"), "USER_SITE", None)
        return folder in ("", working) or (folder == user and os.stat(folder).st_uid != 0)  # noqa: PTH116
    except OSError:
        return True


def _let_open_enough() -> None:
    """With fewer, half of the answers would be that there are too many open files. Raises OSError."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= hard < _LEAST_OPEN:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    if 0 <= soft < _LEAST_OPEN:
        resource.setrlimit(resource.RLIMIT_NOFILE, (_LEAST_OPEN, hard))


def _too_little(error: BaseException | None) -> str:
    """What there was no more of, though each program needs it; '' where that is not why it failed."""
    if isinstance(error, MemoryError) or (isinstance(error, SystemError) and "without exception set" in str(error)):
        return "memory"  # the latter is what an import that has none left may say
    if isinstance(error, OSError):
        return _NONE_LEFT.get(error.errno or 0, "")
    if isinstance(error, RuntimeError) and "new thread" in str(error):
        return "threads, or memory for them"
    if isinstance(error, ImportError):
        return next((what for part, what in _WORDS.items() if part in str(error)), "")
    return ""


def _give_up(what: str) -> NoReturn:
    """At once: the interpreter's own end waits for threads, and needs what there is none of."""
    try:
        os.write(2, f"fsadvisor: too little to run with: no more {what} may be had (see `ulimit -a`)\n".encode())
    finally:
        os._exit(USAGE)  # where standard error is closed, too


def _in_threads_too() -> list[str]:
    """A thread that dies of it, or that can't even begin, would be waited for. Returns those that die of a bug."""
    import threading

    told_of_others = sys.unraisablehook
    died: list[str] = []

    def in_thread(failed: threading.ExceptHookArgs) -> None:
        if what := _too_little(failed.exc_value):
            _give_up(what)
        if isinstance(failed.exc_value, Exception):
            died.append(failed.exc_type.__name__)
            _our_bug(failed.exc_value)

    def elsewhere(failed: sys.UnraisableHookArgs) -> None:
        if what := _too_little(failed.exc_value):
            _give_up(what)
        told_of_others(failed)

    threading.excepthook, sys.unraisablehook = in_thread, elsewhere
    return died


def _our_bug(error: Exception) -> int:
    """Say what failed and where, in a line; the whole trace only where it is asked for."""
    import traceback

    if os.environ.get("FSADVISOR_TRACEBACK"):
        traceback.print_exception(error)
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "?"
    sys.stderr.write(
        f"fsadvisor: a bug of ours: {type(error).__name__} at {where}\n"
        "fsadvisor: please report it with what FSADVISOR_TRACEBACK=1 fsadvisor … prints\n"
    )
    return OUR_BUG


if __name__ == "__main__":
    sys.exit(main())
