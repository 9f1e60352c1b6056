"""Who is told of an array's trouble."""

from fsadvisor.facts import Cause, Known
from fsadvisor.survey import arrays
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.panel.servers import md_nobody_told


def mail(printed):
    server = md_nobody_told.server()
    server.commands[" ".join(arrays.MD_MAIL)] = printed
    return next(it.scope["host"].md_mail for it in survey(server, {}).subjects if it.kind == "host")


@each(
    ("printed", "told"),
    [
        ("/dev/null:0\n", False),
        ("/etc/mdadm.conf:0\n/dev/null:0\n", False),
        ("/etc/mdadm.conf:1\n/dev/null:0\n", True),
        ("/etc/mdadm/mdadm.conf:2\n/etc/mdadm.conf:0\n/dev/null:0\n", True),
    ],
)
def test_somebody_is_told_where_a_file_says_whom(printed, told):
    assert isinstance(mail(printed), Known)
    assert mail(printed).value is told


@each(
    "printed",
    [
        *("", "Usage: grep [OPTION]...\n", "\x00\x1b]0;", "/etc/mdadm.co", "/etc/mdadm.conf:1\n"),
        *("/etc/mdadm.conf:x\n/dev/null:0\n", "/etc/passwd:1\n/dev/null:0\n", "/dev/null:0\n/etc/mdadm.conf:0\n"),
    ],
)
def test_what_is_not_all_of_greps_answer_does_not_say_that_nobody_is_told(printed):
    assert mail(printed).cause is Cause.UNREADABLE
