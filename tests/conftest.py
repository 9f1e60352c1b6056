"""Options of the suite, and what of it must not run side by side."""

import contextlib
import gc
import importlib
import os
import signal
from inspect import isfunction

import pytest
from hypothesis import HealthCheck, settings

from fsadvisor.__main__ import _OF_THE_CALLER
from fsadvisor.machine import packages
from tests.loops import clear_left, mounts_of_its_own, temporary
from tests.paths import CAPTURES, ROOT

# Tools that `make test` fetched come after the system's own.
os.environ["PATH"] = os.pathsep.join((os.environ["PATH"], *packages.fetched_folders()))

# No deadline and no look at how long it takes to make examples, whatever the machine does besides.
# The latter is `make long`'s; CI has 90 minutes for all, and draws other cases each time.
for profile, examples in (("few", 10), ("long", 50 if "CI" in os.environ else 200)):
    settings.register_profile(
        profile, deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=examples
    )
settings.load_profile("few")

# What the default run leaves out, as pyproject.toml says it.
LEFT_OUT = "not lab and not long"

# What leads Python or a tool elsewhere has us start anew as root, which tests/trust/test_environment.py tries.
for name in [it for it in os.environ if it.startswith(_OF_THE_CALLER)]:
    del os.environ[name]


def pytest_addoption(parser):
    parser.addoption("--accept", action="store_true", help="write golden files anew; review the diff")


@pytest.fixture
def accepting(request):
    """Whether golden files are written anew."""
    return request.config.getoption("--accept")


def pytest_configure():
    """A shell has what it runs in the background ignore Ctrl-C, and programs that we start would inherit that."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def pytest_report_header():
    if not CAPTURES.is_dir():
        return "captures: none of other people's machines are beside the project, so their few tests are left out"
    return None


def pytest_collection_modifyitems(config, items):
    """With --accept only what writes golden files: others would read them meanwhile."""
    left_out = {it for it in items if it.get_closest_marker("captures") and not CAPTURES.is_dir()}
    if config.getoption("--accept"):
        left_out.update(it for it in items if "accepting" not in it.fixturenames)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [it for it in items if it not in left_out]


def _is_part_of_all(config):
    """Whether this is a worker of a run of the whole suite, where nobody named a file or a test."""
    return hasattr(config, "workerinput") and config.args_source is pytest.Config.ArgsSource.TESTPATHS


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector, obj):
    """Without those of `make long`, which are a third of all, each worker is a fifth sooner at its first test."""
    if not _is_part_of_all(collector.config) or collector.config.option.markexpr != LEFT_OUT or not isfunction(obj):
        return None
    return [] if any(it.name in ("long", "lab") for it in getattr(obj, "pytestmark", ())) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    """Of the whole suite each worker imports a part of its own first: what one has compiled, no other compiles anew.

    In a new checkout all of them would compile each module at the same time. What fails is told when it is collected.
    """
    if not _is_part_of_all(session.config):
        return
    worker = session.config.workerinput
    number, workers = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
    files = sorted(it for it in ROOT.glob("tests/**/test_*.py") if it.parent != ROOT / "tests/lab")
    for file in files[len(files) * number // workers : len(files) * (number + 1) // workers]:
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


def pytest_collectstart():
    """What is collected stays: to look for garbage meanwhile is a tenth of it."""
    gc.disable()


def pytest_collection_finish():
    """Thousands of collected tests are not gone through again by the collector each time that one has made objects."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()


def pytest_sessionstart(session):
    if not hasattr(session.config, "workerinput"):
        clear_left(temporary())


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session):
    """The lock goes before the folder does, and the number of the folder stays taken.

    pytest removes the folder first, and after it the lock of whoever has taken the number meanwhile: for all others
    that session had ended, so they took its mounts, loop devices and folder away.
    """
    factory = session.config._tmp_path_factory
    factory._exit_stack.close()
    done = yield
    if factory._basetemp and not factory._given_basetemp:
        factory._basetemp.mkdir(exist_ok=True)  # empty; pytest keeps the last three
    return done


@pytest.fixture
def own_mounts():
    """For tests that unmount a filesystem and need it to be gone, or see only mounts of their own come and go."""
    with mounts_of_its_own():
        yield
