"""The kernel's counters, its version and command line, settings, limits and inode flags."""

import tarfile

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.readers import block_files, file_attributes, host_files, system_counters
from fsadvisor.version import Version
from tests.cases import each
from tests.paths import CAPTURES, FIXTURES, needs_captures

OUTPUTS = FIXTURES / "outputs"


@each(("fields", "discards", "flushes"), [(11, None, None), (15, 12, None), (17, 12, 16), (19, 12, 16)])
def test_counters_that_a_kernel_does_not_have_are_unknown_and_not_zero(fields, discards, flushes):
    record = block_files.parse_block_stat(" ".join(str(n) for n in range(1, fields + 1)))
    assert (record.discards, record.flushes) == (discards, flushes)


@each("fields", [0, 10, 12, 13, 14, 16])
def test_a_number_of_counters_that_no_kernel_prints_is_refused(fields):
    assert isinstance(block_files.parse_block_stat(" ".join(["1"] * fields)), Unknown)


def test_sectors_are_512_bytes_whatever_the_disk_says():
    assert block_files.parse_block_stat("1 0 8 0 0 0 16 0 0 0 0").read_bytes == 4096


def test_one_bad_line_of_diskstats_does_not_hide_the_others():
    record = block_files.parse_diskstats("8 0 sda 1 0 8 0 0 0 16 0 0 0 0\n8 1 sda1 1 0 8\n")
    assert [(device.maj_min, device.name) for device in record.devices] == [("8:0", "sda")]
    assert record.unread == ("8 1 sda1 1 0 8",)


def test_a_machine_without_disks_has_no_counters():
    assert block_files.parse_diskstats("").devices == ()


def test_a_resource_without_a_full_line_is_not_at_zero():
    record = system_counters.parse_pressure("some avg10=1.00 avg60=2.00 avg300=3.00 total=4\n")
    assert record.some == system_counters.Stall(avg10_percent=1.0, avg60_percent=2.0, total_us=4)
    assert record.full is None


def test_meminfo_counts_pages_of_no_size_and_kib_apart():
    record = system_counters.parse_meminfo("MemTotal: 2 kB\nMemAvailable: 3\nDirty:\t4 kB\nbroken\n")
    assert (record.mem_total_bytes, record.mem_available_bytes, record.dirty_bytes) == (2048, None, 4096)


@each(
    ("text", "version"),
    [
        ("6.18.44\n", (6, 18, 44)),
        ("5.14.0-427.el9.x86_64", (5, 14, 0)),
        ("6.1.0-rc3", (6, 1, 0)),
        ("7.2-rc1+", (7, 2, 0)),
        ("2.6.32-754.el6.x86_64", (2, 6, 32)),
        ("Linux version 4.19.0-26-amd64 (x@y) (gcc 8.3.0) #1 SMP", (4, 19, 0)),
        ("Linux somehost 5.10.223+ #1 SMP", (5, 10, 223)),
        ("6.1.0-arch1", (6, 1, 0)),
    ],
)
def test_kernel_releases_compare_as_numbers(text, version):
    record = host_files.parse_kernel_version(text)
    assert record.version == Version(*version)


@each("text", ["", "6", "six.one", "FreeBSD 14.1", "6.\u0661.0"])
def test_what_is_no_kernel_release_is_refused(text):
    assert isinstance(host_files.parse_kernel_version(text), Unknown)


def test_boot_parameters_keep_quoted_blanks_and_equals_signs():
    record = host_files.parse_kernel_cmdline('root=UUID=1-2 rootflags="data=writeback,a b" "x=1 2" ro y="unclosed z')
    assert record.get("root") == "UUID=1-2"
    assert record.get("rootflags") == "data=writeback,a b"
    assert record.get("x") == "1 2"
    assert record.get("y") == "unclosed z"
    assert record.get("ro") is None


def test_a_boot_parameter_is_found_with_dash_and_underscore_and_the_last_one_counts():
    record = host_files.parse_kernel_cmdline("nvme-core.multipath=N nvme_core.multipath=Y console=a console=b")
    assert record.get("nvme_core.multipath") == "Y"
    assert record.values("console") == ("a", "b")


def test_what_follows_two_dashes_is_for_init():
    record = host_files.parse_kernel_cmdline("quiet -- rootflags=nobarrier")
    assert record.get("rootflags") is None


def test_a_complaint_is_no_command_line():
    assert host_files.parse_kernel_cmdline("cat: /proc/cmdline: Permission denied\n").cause is Cause.DENIED


def test_an_empty_io_max_sets_no_limits_and_another_file_is_refused():
    assert block_files.parse_io_max("").limited == ()
    assert isinstance(block_files.parse_io_max("8:0 target=75000\n"), Unknown)


@each(
    ("text", "active"),
    [
        ("[mq-deadline] kyber none\n", "mq-deadline"),
        ("none\n", "none"),
        ("[none] kyber\n", "none"),
        ("noop [cfq]", "cfq"),
    ],
)
def test_the_scheduler_in_brackets_is_active_and_a_lone_none_is_too(text, active):
    assert block_files.parse_scheduler(text).active == active


@each("text", ["", "mq-deadline kyber", "[a] [b]", "mq-deadline", "none", "cat: x: Permission denied"])
def test_a_list_without_one_active_scheduler_is_refused(text):
    assert isinstance(block_files.parse_scheduler(text), Unknown)


@each(("text", "kind"), [("none", "none"), ("kvm", "vm"), ("podman", "container"), ("cloud-hypervisor", None)])
def test_virtualization_is_told_by_kind_and_a_new_word_has_none(text, kind):
    assert host_files.parse_detect_virt(f"{text}\n").kind == kind


def test_an_empty_answer_is_not_bare_metal():
    assert isinstance(host_files.parse_detect_virt(""), Unknown)


@pytest.mark.parametrize("text", ["0x800000", "800000", "0x00800000\n"])
def test_nocow_is_read_with_and_without_a_prefix(text):
    assert file_attributes.parse_fsflags(text).nocow


def test_other_flags_are_not_that_of_nocow():
    assert not file_attributes.parse_fsflags("0x80000010").nocow


@each("text", ["", "-1", "0x100000000", "nocow"])
def test_what_is_no_flag_word_is_refused(text):
    assert isinstance(file_attributes.parse_fsflags(text), Unknown)


@needs_captures
def test_captured_counters_of_a_named_disk_are_those_of_its_line():
    text = (CAPTURES / "node_exporter/diskstats").read_text()
    record = block_files.parse_diskstats(text)
    assert len(record.devices) == len(text.splitlines())
    sda = next(device for device in record.devices if device.name == "sda")
    assert (sda.counters.reads, sda.counters.write_bytes) == (25354637, 505697032 * 512)
    assert sda.counters.flushes is None


@needs_captures
@pytest.mark.parametrize(
    ("name", "parse"), [("stat", block_files.parse_block_stat), ("queue/scheduler", block_files.parse_scheduler)]
)
def test_every_block_attribute_of_the_captured_machines_is_read(name, parse):
    read = 0
    for path in CAPTURES.glob("util-linux/lsblk-dumps/*.tar.xz"):
        with tarfile.open(path) as archive:
            for member in archive.getmembers():
                if member.isfile() and "/block/" in member.name and member.name.endswith(f"/{name}"):
                    text = archive.extractfile(member).read().decode()
                    assert not isinstance(parse(text), Unknown), (member.name, text)
                    read += 1
    assert read


@each("key", ["rbps", "wbps", "riops", "wiops"])
def test_each_limit_of_io_max_alone_makes_a_line_of_it(key):
    assert block_files.parse_io_max(f"8:0 {key}=7\n").limited == ("8:0",)


def test_a_line_of_io_max_without_a_device_number_is_passed_over():
    assert block_files.parse_io_max("8:0 rbps=7\nsda rbps=7\n").limited == ("8:0",)


def test_each_counter_stands_in_its_field():
    record = block_files.parse_block_stat(" ".join(str(n) for n in range(1, 18)))
    assert (record.discards, record.discard_bytes) == (12, 14 * 512)
    assert (record.discard_ms, record.flushes, record.flush_ms) == (15, 16, 17)
    old = block_files.parse_block_stat(" ".join(str(n) for n in range(1, 12)))
    assert (old.weighted_io_ms, old.discards, old.discard_bytes, old.flush_ms) == (11, None, None, None)
