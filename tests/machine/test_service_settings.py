"""What leaves the machine of configuration files and arguments."""

from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.machine.redaction import KEPT, settings_about_storage, settings_in_arguments, tells_all
from tests.cases import each


def kept(text, path="/etc/x.conf"):
    header, *lines = settings_about_storage(path, text).splitlines()
    assert header.startswith("# settings kept: ")
    return lines


@each(
    ("line", "left"),
    [
        ("fsync = off   # the password is hunter2", ["fsync = off"]),
        ("Fsync off", ["Fsync off"]),
        ("include_dir 'conf.d'\r", ["include_dir 'conf.d'"]),
        ("innodb-flush-method=O_DIRECT", ["innodb-flush-method=O_DIRECT"]),
        ("  loose_skip-innodb-doublewrite", []),
        ("skip-innodb-doublewrite", ["skip-innodb-doublewrite"]),
        ("!includedir /etc/mysql/conf.d/", ["!includedir /etc/mysql/conf.d/"]),
        ("[mysqld] hunter2", ["[mysqld]"]),
        ("appendfsync everysec", ["appendfsync everysec"]),
        ("password = hunter2", []),
        ("primary_conninfo = 'host=x password=hunter2 fsync=off'", []),
        ("# fsync = off", []),
        ("requirepass fsync", []),
        ("", []),
    ],
)
def test_only_settings_about_storage_are_left_of_a_file(line, left):
    assert kept(line) == left


def test_persisted_variables_of_mysql_become_lines():
    text = '{"Version": 2, "mysql_static_variables": {"innodb_flush_method": {"Value": "nosync", "Metadata": {"User": "x"}}, "report_password": {"Value": "hunter2"}}}'  # noqa: E501
    assert kept(text, "/var/lib/mysql/mysqld-auto.cnf") == ["[mysqld]", "innodb_flush_method = nosync"]


@given(st.text())
def test_no_word_of_a_line_that_sets_something_else_is_left(secret):
    assert kept("admin_token = " + secret.replace("\n", "")) == []


@given(st.text(), st.sampled_from(["/x.conf", "/mysqld-auto.cnf"]))
def test_any_text_can_be_reduced_and_reducing_it_again_changes_nothing(text, path):
    once = settings_about_storage(path, text)
    assert tells_all(once)
    assert settings_about_storage("/x.conf", once.partition("\n")[2]) == once


def test_a_text_that_was_reduced_to_fewer_names_does_not_tell_all():
    fewer = " ".join(sorted(KEPT - {"fsync"}))
    assert not tells_all(f"# settings kept: {fewer}\n")
    assert not tells_all("fsync = on\n")


@each(
    ("arguments", "settings"),
    [
        (
            ["-D", "/d", "-c", "config_file=/etc/p.conf", "-cfsync=off"],
            [["config_file", "/etc/p.conf"], ["fsync", "off"]],
        ),
        (["-F"], [["fsync", "off"]]),
        (["--innodb-flush-method=nosync", "--password=hunter2"], [["innodb_flush_method", "nosync"]]),
        (["--skip-innodb-doublewrite", "--port=1"], [["skip_innodb_doublewrite", None]]),
        (["--data-dir", "/d", "--unsafe-no-fsync"], [["data_dir", "/d"], ["unsafe_no_fsync", None]]),
        (["--password", "fsync=off", "-c"], []),
    ],
)
def test_only_settings_about_storage_are_left_of_arguments(arguments, settings):
    assert settings_in_arguments(["program", *arguments]) == settings


@given(st.lists(st.text()))
def test_any_arguments_can_be_looked_through(arguments):
    assert all(name.lower() == name for name, _ in settings_in_arguments(arguments))
