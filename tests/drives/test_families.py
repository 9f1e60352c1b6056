"""The drive table: what it says of models, and that it holds together."""

import re

import pytest

from fsadvisor.drives import families, find
from tests.cases import each


@each(
    ("model", "verdict"),
    [
        ("SAMSUNG MZQL23T8HCLS-00A07", "claimed"),
        ("MZWLR3T8HBLSAD3", "claimed"),
        ("Samsung SSD 990 PRO 2TB", "absent"),
        ("INTEL SSDPE2KX040T8", "claimed"),
        ("SSDPE2KX020T8L", "claimed"),
        ("INTEL SSDPEKKA512G8", "absent"),
        ("SOLIDIGM SSDSC2KB960GZ", "claimed"),
        ("INTEL SSDSC2KW256G8", "absent"),
        ("Micron_7450_MTFDKCC3T8TFR", "claimed"),
        ("MTFDHBA480TDF", "claimed"),
        ("MTFDHBA1T0TDV-1AZ1AABHA", "absent"),
        ("Crucial_CT500MX200SSD1", "partial"),
        ("CT1000MX500SSD1", "partial"),
        ("KINGSTON SEDC500M960G", "claimed"),
        ("KINGSTON SEDC450R480G", "absent"),
        ("KIOXIA KCMYDRUG3T84", "claimed"),
        ("KXG60ZNV512G TOSHIBA", "absent"),
        ("TOSHIBA KPM5XMUG400G", "claimed"),
        ("HGST HUSMR3280ASS200", "claimed"),
        ("Dell Express Flash NVMe P4610 3.2TB SFF", "claimed"),
        ("Dell Ent NVMe AGN RI U.2 3.84TB", "claimed"),
        ("Dell Ent NVMe XYZ 1TB", "oem"),
        ("VK000240GWSRQ", "oem"),
        ("Amazon Elastic Block Store", "cloud"),
        ("INTEL SSDPE21D480GA", "unknown"),
        ("INTEL SSDPED1D480GA", "unknown"),
        ("SuperMicro SSD", "absent"),
        ("SATADOM-SL 3IE3 V2", "unknown"),
        ("SATA SSD", "absent"),
        ("PCIe SSD", "absent"),
        ("WDC  WDS500G1R0A-68A4W0", "absent"),
        ("Seagate IronWolf ZA500NM10002-2ZG101", "absent"),
        ("Seagate IronWolfPro ZA3840NX10001-2ZH104", "claimed"),
        ("Synology SAT5200-480G", "claimed"),
        ("VK003840GWSXL", "claimed"),
        ("VK001920GXAWN", "claimed"),
        ("MO000800KYDZK", "claimed"),
        ("VO0960JFDGU", "claimed"),
        ("VK000960GWTTB", "oem"),
        ("THNSF8200CCSE", "unknown"),
        ("SD88SA024SA0 SUN24G", "unknown"),
        ("MTFDDAK200MAN-1S1AA", "claimed"),
        ("MTFDDAK256MAR-1K1AA  90Y8644 90Y8647IBM", "unknown"),
        ("MTFDDAK256MAM-1K1", "absent"),
    ],
)
def test_a_model_is_known_by_its_family(model, verdict):
    assert find(model).verdict == verdict


@each("model", ["", "X", "ST4000NM0033", "HUH721212ALN604", "MZVL61T9HBL1", "x" * 10_000])
def test_a_model_of_no_row_has_no_family(model):
    assert find(model) is None or find(model).verdict != "claimed"


@pytest.mark.parametrize("model", ["TOSHIBA MK1002TSKB", "TOSHIBA MK5065GSXF", "MK1661GSYG"])
def test_a_hard_disk_of_toshibas_is_no_number_of_hpes(model):
    assert find(model) is None


def test_the_families_that_lost_flushed_data_are_marked():
    assert {row.model.pattern for row in families() if row.lossy} == {"^SHGP31", "^Sabrent"}


def test_confidence_is_high_only_where_a_source_was_read():
    assert find("SAMSUNG MZ7KM480HAHP-00005").confidence == "high"
    assert find("SAMSUNG MZ7KH480HAHQ-00005").confidence == "medium"


def test_every_pattern_starts_at_the_start_and_every_word_is_explained():
    for row in families():
        assert all(part.startswith("^") for part in re.split(r"\|(?=\^)", row.model.pattern)), row.name
        assert row.verdict in ("claimed", "partial", "absent", "unknown", "oem", "cloud")
        assert all(row.sources)
