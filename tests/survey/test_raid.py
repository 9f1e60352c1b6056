"""Who is told of an array's trouble."""

import pytest

from fsadvisor.facts import Cause, Known
from fsadvisor.survey import raid
from fsadvisor.survey.whole import survey
from tests.panel.servers import md_nobody_told


def mail(printed):
    server = md_nobody_told.server()
    server.commands[" ".join(raid.MD_MAIL)] = printed
    return next(it.scope["host"].md_mail for it in survey(server, {}).subjects if it.kind == "host")


@pytest.mark.parametrize(("printed", "told"), [("", False), ("/etc/mdadm.conf\n", True)])
def test_somebody_is_told_where_a_file_says_whom(printed, told):
    assert isinstance(mail(printed), Known)
    assert mail(printed).value is told


@pytest.mark.parametrize("printed", ["Usage: grep [OPTION]...\n", "\x00\x1b]0;", "/etc/mdadm.co"])
def test_what_is_no_name_of_a_file_does_not_say_that_nobody_is_told(printed):
    assert mail(printed).cause is Cause.UNREADABLE
