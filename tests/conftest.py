"""Options of the suite."""


def pytest_addoption(parser):
    parser.addoption("--accept", action="store_true", help="write golden files anew; review the diff")
