"""How worn a drive is, by whichever tool tells it."""

from fsadvisor.facts import Cause, Unknown
from fsadvisor.readers import nvme_logs, smartctl
from fsadvisor.survey.drive import Drive
from fsadvisor.survey.drive_health import health
from tests.paths import FIXTURES

OUTPUTS = FIXTURES / "outputs"
REFUSED = Unknown(Cause.NO_TOOL, "install nvme-cli")
WORN = (
    '{"critical_warning": 1, "avail_spare": 3, "spare_thresh": 10, "percent_used": 104, "media_errors": 7,'
    ' "unsafe_shutdowns": 2}'
)
BY_SMARTCTL = (
    '{"smartctl": {}, "device": {"protocol": "NVMe"}, "model_name": "X", "nvme_smart_health_information_log":'
    ' {"critical_warning": 0, "percentage_used": 12, "available_spare": 99, "unsafe_shutdowns": 1}}'
)


def test_nvme_tells_wear_spare_and_errors():
    found = health(Drive(smart_log=nvme_logs.parse_nvme_smart_log(WORN), ocp=REFUSED))
    assert (found.percentage_used.value, found.available_spare_percent.value) == (104, 3)
    assert (found.available_spare_threshold_percent.value, found.media_errors.value) == (10, 7)
    assert found.incomplete_shutdowns is REFUSED


def test_where_nvme_cli_is_missing_smartctl_tells_the_same():
    found = health(Drive(smart_log=REFUSED, ocp=REFUSED, smart=smartctl.parse(BY_SMARTCTL)))
    assert (found.percentage_used.value, found.unsafe_shutdowns.value) == (12, 1)
    assert isinstance(found.media_errors, Unknown)


def test_the_ocp_page_counts_saves_and_those_left_unfinished():
    page = nvme_logs.parse_nvme_ocp_smart_log((OUTPUTS / "nvme_ocp_smart_log" / "json-v1-2.16.out").read_text())
    found = health(Drive(smart_log=REFUSED, ocp=page))
    assert (found.incomplete_shutdowns.value, found.plp_starts.value) == (5, 7)


def test_a_disk_that_answers_no_tool_has_no_such_counts():
    assert all(getattr(health(Drive()), name).cause is Cause.NOT_APPLICABLE for name in ("media_errors", "plp_starts"))
