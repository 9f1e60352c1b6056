"""For which processor and C library an archive is, read from its files: what its name and its packages say."""

import platform
import struct
import sys
from pathlib import Path

import pytest

from tools.dist import elf

LOADERS = {
    ("x86_64", "glibc2.28"): (62, b"/lib64/ld-linux-x86-64.so.2\0\0GLIBC_2.2.5\0GLIBC_2.28\0GLIBC_2.9\0"),
    ("x86_64", "musl"): (62, b"/lib/ld-musl-x86_64.so.1\0"),
    ("aarch64", "glibc2.28"): (183, b"/lib/ld-linux-aarch64.so.1\0\0GLIBC_2.17\0GLIBC_2.28\0"),
    ("aarch64", "musl"): (183, b"/lib/ld-musl-aarch64.so.1\0"),
}


def program(folder, number, content):
    """A file that begins as such programs do."""
    file = folder / "python3.13"
    file.write_bytes(b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HH", 3, number) + content)
    return file


@pytest.mark.parametrize(("target", "made"), LOADERS.items(), ids=map("-".join, LOADERS))
def test_processor_and_c_library_are_read_from_the_program(tmp_path, target, made):
    file = program(tmp_path, *made)
    assert (elf.processor(file), elf.c_library([file])) == target


def test_a_module_that_asks_for_more_than_the_program_tells_the_oldest_glibc(tmp_path):
    file, module = program(tmp_path, *LOADERS["aarch64", "glibc2.28"]), tmp_path / "module.so"
    module.write_bytes(b"\0GLIBC_2.34\0")
    assert elf.c_library([file, module]) == "glibc2.34"


def test_what_no_archive_is_made_for_is_named(tmp_path):
    for content in (b"#!/bin/sh\n", b""):
        (tmp_path / "script").write_bytes(content)
        with pytest.raises(ValueError, match="script is no program for x86_64 or aarch64"):
            elf.processor(tmp_path / "script")
    with pytest.raises(ValueError, match="no program for"):
        elf.processor(program(tmp_path, 8, b""))


def test_wheels_ask_for_no_newer_c_library_than_the_interpreter():
    assert elf.wheels("x86_64", "musl") == ["musllinux_1_2_x86_64", "musllinux_1_1_x86_64"]
    found = elf.wheels("aarch64", "glibc2.28")
    assert found[0] == "manylinux_2_28_aarch64"
    assert found[-2:] == ["manylinux_2_17_aarch64", "manylinux2014_aarch64"]
    assert "manylinux_2_5_x86_64" in elf.wheels("x86_64", "glibc2.31")


@pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="no archive is made for this processor")
def test_this_python_is_for_this_machine():
    here = Path(sys.executable).resolve()
    assert elf.processor(here) == platform.machine()
    assert elf.c_library([here]).startswith(platform.libc_ver()[0] or "musl")
