"""Where in the binary pages of an NVMe drive each number stands, and how they are asked for."""

import pytest

from fsadvisor.readers import nvme_identify, nvme_logs


def page(size, **told):
    """A page of bytes that differ from their neighbours, but for what is told."""
    made = bytearray(at * 7 % 251 for at in range(size))
    for at, content in told.items():
        made[int(at[1:]) : int(at[1:]) + len(content)] = content
    return bytes(made)


@pytest.mark.parametrize(
    ("reader", "raw", "first_and_last"),
    [
        (
            nvme_identify.parse_nvme_id_ctrl,
            page(4096, _4=b"S" * 20, _24=b"M" * 40),
            {"wctemp_kelvin": (266, 267), "vwc": (525, 525)},
        ),
        (
            nvme_logs.parse_nvme_smart_log,
            page(512, _232=bytes(280)),
            {"critical_warning": (0, 0), "temperature_kelvin": (1, 2), "percent_used": (5, 5)}
            | {"data_units_written": (48, 63), "power_on_hours": (128, 143)}
            | {"unsafe_shutdowns": (144, 159), "media_errors": (160, 175)},
        ),
        (
            nvme_logs.parse_nvme_ocp_smart_log,
            page(512, _496=bytes.fromhex(nvme_logs.GUID)[::-1]),
            {"physical_media_written_bytes": (0, 15), "incomplete_shutdowns": (112, 115)}
            | {"capacitor_health": (128, 129), "plp_start_count": (160, 175)},
        ),
    ],
    ids=["id-ctrl", "smart-log", "ocp"],
)
def test_each_number_is_read_from_the_bytes_that_the_specification_gives_it(reader, raw, first_and_last):
    record = reader(raw.decode("utf-8", "surrogateescape"))
    expected = {name: int.from_bytes(raw[at : last + 1], "little") for name, (at, last) in first_and_last.items()}
    assert {name: getattr(record, name, None) for name in expected} == expected


@pytest.mark.parametrize(
    ("argv", "words"), [(nvme_identify.id_ctrl_argv, ("id", "ctrl")), (nvme_logs.smart_log_argv, ("log", "smart"))]
)
def test_a_tool_without_the_old_names_is_asked_by_the_new_ones(argv, words):
    assert argv("/dev/nvme0", since_3=True)[:4] == ("nvme", *words, "/dev/nvme0")
