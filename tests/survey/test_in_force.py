"""What of a configuration is in force: a file that is newer than its program, a log that the file denies."""

import os
import subprocess
import time

import pytest

from fsadvisor.facts import Known, Unknown
from fsadvisor.machine.live import LiveMachine
from fsadvisor.survey.effective_settings import as_in_force, changed_since_start
from fsadvisor.survey.program_settings import redis_facts
from tests.told import ToldMachine


@pytest.mark.parametrize(("seconds", "changed"), [(-3600, False), (3600, True)])
def test_a_real_process_and_a_real_file(tmp_path, seconds, changed):
    file = tmp_path / "my.cnf"
    file.write_text("[mysqld]\n")
    with subprocess.Popen(["sleep", "60"]) as process:
        try:
            os.utime(file, (time.time() + seconds,) * 2)
            told = changed_since_start(LiveMachine(), process.pid, {str(file): None})
        finally:
            process.kill()
    assert told.value is changed


def test_what_set_persist_writes_is_in_force_at_once():
    assert isinstance(changed_since_start(ToldMachine(), 1, {"/var/lib/mysql/mysqld-auto.cnf": None}), Unknown)


def test_what_a_newer_file_says_is_not_in_force_and_what_the_command_line_says_is():
    facts = {
        "innodb_flush_method": Known("O_DIRECT", "/etc/my.cnf"),
        "innodb_flush_log_at_trx_commit": Known(2, "argument of mysql"),
        "server_version": Known("8.0", "mysqld --version"),
    }
    told = as_in_force("mysql", facts, Known(True, "/etc/my.cnf was changed"))
    assert isinstance(told["innodb_flush_method"], Unknown)
    assert "SHOW GLOBAL VARIABLES" in told["innodb_flush_method"].learn
    assert told["innodb_flush_log_at_trx_commit"].value == 2
    assert told["server_version"].value == "8.0"
    assert as_in_force("mysql", facts, Known(False, "stat")) == facts


@pytest.mark.parametrize("there", ["appendonlydir/appendonly.aof.manifest", "appendonly.aof"])
def test_a_redis_that_keeps_a_log_which_the_file_denies_was_told_otherwise(there):
    conf = {"/etc/redis/redis.conf": "dir /var/lib/redis\nappendonly no\n"}
    assert redis_facts(ToldMachine(files=conf), "/var/lib/redis")["appendonly"].value is False
    told = redis_facts(ToldMachine(files=conf | {f"/var/lib/redis/{there}": ""}), "/var/lib/redis")
    assert isinstance(told["appendonly"], Unknown)
    assert "redis-cli" in told["appendonly"].learn
