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
            page(4096, _4=b"S" * 20, _24=b"M" * 40, _64=b"F" * 8, _768=b"nqn".ljust(256, b"\0")),
            {"ver": (80, 83), "ctratt": (96, 99), "unvmcap_bytes": (296, 311), "vwc": (525, 525), "nwpc": (531, 531)}
            | {
                "tnvmcap_bytes": (280, 295),
                "awun": (526, 527),
                "awupf": (528, 529),
                "acwu": (532, 533),
                "sgls": (536, 539),
            },
        ),
        (
            nvme_logs.parse_nvme_smart_log,
            page(512, _232=bytes(280)),
            {"unsafe_shutdowns": (144, 159), "media_errors": (160, 175), "num_err_log_entries": (176, 191)}
            | {
                "warning_temp_time_minutes": (192, 195),
                "critical_comp_time_minutes": (196, 199),
                "percent_used": (5, 5),
            }
            | {"thm_temp1_trans_count": (216, 219), "thm_temp2_trans_count": (220, 223)}
            | {"thm_temp1_total_time_seconds": (224, 227), "thm_temp2_total_time_seconds": (228, 231)},
        ),
        (
            nvme_logs.parse_nvme_ocp_smart_log,
            page(512, _496=bytes.fromhex(nvme_logs.GUID)[::-1]),
            {"physical_media_written_bytes": (0, 15), "incomplete_shutdowns": (112, 115), "unaligned_io": (136, 143)}
            | {"capacitor_health": (128, 129), "plp_start_count": (160, 175), "endurance_estimate_bytes": (176, 191)},
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
