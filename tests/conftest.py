"""Options of the suite."""

from hypothesis import settings

from tests.loops import clear_left, temporary

settings.register_profile("whatever the machine does besides", deadline=None)
settings.load_profile("whatever the machine does besides")


def pytest_addoption(parser):
    parser.addoption("--accept", action="store_true", help="write golden files anew; review the diff")


def pytest_sessionstart(session):
    if not hasattr(session.config, "workerinput"):
        clear_left(temporary())
