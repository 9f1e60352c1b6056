"""How worn a drive is, by whichever tool tells it."""

import json

import pytest
from msgspec.structs import replace

from fsadvisor.facts import Cause, Unknown
from fsadvisor.readers import nvme_logs, smartctl
from fsadvisor.readers.smartctl import SmartReport
from fsadvisor.survey.disk_tables import faulty_behind
from fsadvisor.survey.drive import Drive
from fsadvisor.survey.drive_health import health
from fsadvisor.survey.read_fact import value
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.panel.servers import emmc_at_its_end
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


def of_sata(*rows):
    table = [{"id": at, "name": name, "value": value, "raw": {"value": raw}} for at, name, value, raw in rows]
    report = {
        "smartctl": {},
        "device": {"protocol": "ATA"},
        "model_name": "X",
        "ata_smart_attributes": {"table": table},
    }
    return health(Drive(smart=smartctl.parse(json.dumps(report))))


@pytest.mark.parametrize("name", ["UDMA_CRC_Error_Count", "CRC_Error_Count", "SATA_CRC_Error_Count"])
def test_errors_of_the_link_count_by_each_makers_name(name):
    found = of_sata((199, name, 99, 4427)).link_errors
    assert (found.value, found.source) == (4427, f"smartctl {name}")


@pytest.mark.parametrize(
    ("name", "value", "counted"),
    [
        ("Reported_Uncorrect", 96, 4),
        ("Uncorrectable_Error_Cnt", 99, 4),
        ("Uncorrectable_Error_Cnt", 118, None),
    ],
)
def test_errors_that_were_not_corrected_count_by_each_makers_name_and_a_rate_does_not(name, value, counted):
    found = of_sata((187, name, value, 4)).media_errors
    assert counted == (None if isinstance(found, Unknown) else found.value)


def test_pending_sectors_of_intels_are_counted_and_those_of_cells_that_are_only_slow_are_not():
    assert of_sata((197, "Pending_Sector_Count", 100, 2)).pending_sectors.value == 2
    assert isinstance(of_sata((197, "Bogus_Current_Pend_Sect", 100, 2)).pending_sectors, Unknown)


@each(
    ("life", "used"),
    [
        ("0x01 0x01", 0),
        ("0x02 0x0a", 90),
        ("0x0b 0x03", 100),
        ("0x00 0x04", 30),
        ("0x00 0x00", None),
        ("0x0c 0x00", None),
        ("11 1", None),
        ("", None),
    ],
)
def test_an_emmc_tells_its_wear_in_tenths_of_the_flash_that_is_worn_most(life, used):
    found = next(it.scope["disk"] for it in survey(emmc_at_its_end.server(life), {}).subjects if it.kind == "disk")
    assert value(found.percentage_used) == used


@pytest.mark.parametrize(
    ("name", "left", "used"),
    [
        ("Media_Wearout_Indicator", 97, 3),
        ("Media_Wearout_Indicator", 2, 98),
        ("Wear_Leveling_Count", 1, 100),
        ("Wear_Leveling_Count", 0, None),
        ("Percent_Lifetime_Remain", 1, 99),
    ],
)
def test_an_ssd_whose_attribute_stands_at_its_least_has_used_all_of_its_endurance(name, left, used):
    assert value(of_sata((233, name, left, 0)).percentage_used) == used


SAS_SSD = SmartReport(model_name="HP VO0960JFDGU", firmware_version="HPD2", power_on_hours=31900)


@each(
    ("reports", "found"),
    [
        ([SAS_SSD], ("0: VO0960JFDGU HPD2: 36 days left",)),
        ([replace(SAS_SSD, power_on_hours=33000)], ("0: VO0960JFDGU HPD2: 0 days left",)),
        ([replace(SAS_SSD, power_on_hours=None)], ("0: VO0960JFDGU HPD2",)),
        ([replace(SAS_SSD, firmware_version="HPD8")], ()),
        ([replace(SAS_SSD, firmware_version=None)], None),
        ([replace(SAS_SSD, model_name=None)], None),
        ([replace(SAS_SSD, model_name=None), SAS_SSD], ("1: VO0960JFDGU HPD2: 36 days left",)),
        ([REFUSED], None),
        ([REFUSED, SAS_SSD], ("1: VO0960JFDGU HPD2: 36 days left",)),
        ([], ()),
    ],
)
def test_firmware_that_loses_data_is_found_behind_a_controller(reports, found):
    assert value(faulty_behind({str(number): it for number, it in enumerate(reports)})) == found
