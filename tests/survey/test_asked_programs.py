"""What a program says of itself is in force: a real PostgreSQL, and the answers of the others' clients."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from fsadvisor.facts import NOT_APPLICABLE, Cause, Known, Unknown
from fsadvisor.machine.live import LiveMachine
from fsadvisor.survey import effective_settings
from fsadvisor.survey.programs import PROGRAMS, RunningProgram
from fsadvisor.survey.services import settings_facts
from tests.told import ToldMachine
from tests.waiting import comes_to

BINARIES = Path("/usr/lib/postgresql/15/bin")


def running(name, directory, **more):
    program = next(it for it in PROGRAMS if it.name == name)
    return RunningProgram(program=program, directory=Known(str(directory), "told"), here=True, **more)


def told(commands):
    machine = ToldMachine(commands=commands)
    machine.asks_programs = True
    return machine


@pytest.fixture
def place_of_postgres():
    """Not in pytest's own folder, which another run on this machine closes to all but root when it starts."""
    with tempfile.TemporaryDirectory(prefix="fsadvisor-postgres-") as made:
        shutil.chown(made, "postgres", "postgres")
        yield Path(made)


@pytest.mark.long
@pytest.mark.skipif(not (BINARIES / "initdb").exists() or not shutil.which("runuser"), reason="PostgreSQL 15 and root")
def test_a_real_postgresql_tells_what_is_in_force_and_what_its_file_says_besides(place_of_postgres):
    place = place_of_postgres
    own = ("runuser", "-u", "postgres", "--")
    subprocess.run([*own, BINARIES / "initdb", "-D", place / "d", "-A", "trust"], check=True, capture_output=True)
    options = ("-c", "listen_addresses=", "-c", "fsync=off")
    server = [*own, BINARIES / "postgres", "-D", place / "d", "-k", place, *options]
    with subprocess.Popen(server, stderr=subprocess.DEVNULL) as process:
        try:
            ready = [*own, BINARIES / "pg_isready", "-q", "-h", place]
            assert comes_to(lambda: process.poll() is not None or subprocess.run(ready, check=False).returncode == 0)
            assert process.poll() is None, "it ended by itself"
            machine = LiveMachine(ask_programs=True)
            found = running("postgresql", place / "d", user="postgres")
            settings = effective_settings.asked(machine, found)
            assert settings["fsync"].value == "off"
            configured, in_force = settings_facts(machine, found), settings_facts(machine, found, settings)
        finally:
            process.terminate()
    assert configured["fsync"].value is True
    assert in_force["fsync"].value is False
    assert effective_settings.differences(configured, in_force).value == ("fsync: off in force, on in its files",)


def test_nobody_is_asked_unless_it_is_wished():
    assert isinstance(effective_settings.asked(ToldMachine(), running("redis", "/var/lib/redis")), Unknown)


def test_what_is_in_a_container_is_not_asked():
    found = RunningProgram(program=running("redis", "/x").program, directory=NOT_APPLICABLE, here=False)
    assert isinstance(effective_settings.asked(told({}), found), Unknown)


def test_redis_and_mysql_tell_names_and_values():
    answer = {"redis-cli --no-auth-warning CONFIG GET append*": "appendonly\nyes\nappendfsync\neverysec\n"}
    found = running("redis", "/var/lib/redis")
    settings = effective_settings.asked(told(answer), found)
    assert settings_facts(told(answer), found, settings)["appendonly"].value is True
    machine = told({})
    machine.run = lambda commands: [
        type("R", (), {"text": "innodb_flush_log_at_trx_commit\t2\n", "source": "mysql", "status": 0})()
        for _ in commands
    ]
    assert (
        effective_settings.asked(machine, running("mysql", "/var/lib/mysql"))["innodb_flush_log_at_trx_commit"].value
        == "2"
    )


def test_mysql_s_client_sends_a_server_no_file_of_root_s():
    asked = []
    machine = told({})
    machine.run = lambda commands: [asked.append(it) or Unknown(Cause.DENIED, "", "mysql") for it in commands]
    effective_settings.asked(machine, running("mysql", "/var/lib/mysql"))
    assert "--local-infile=0" in asked[0]


def test_who_is_not_let_in_knows_nothing():
    answer = {"redis-cli --no-auth-warning CONFIG GET append*": "NOAUTH Authentication required.\n\n"}
    assert isinstance(effective_settings.asked(told(answer), running("redis", "/var/lib/redis")), Unknown)
