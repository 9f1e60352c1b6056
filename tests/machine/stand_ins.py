"""Tools that behave badly, as small shell scripts in a folder of their own."""

TOOLS = {
    "sleeper": "exec sleep 100",
    "stubborn": "trap '' TERM INT HUP; while :; do sleep 100; done",
    "garbage": r"printf '\377\376\000{[\n'",
    "halfway": "printf '{\"blockdevices\": [{'; exit 3",
    "parent": "sleep 100 & echo hello",
    "torrent": "head -c 5242880 /dev/zero",
    "endless": "exec cat /dev/zero",
    "grumbler": "while :; do echo moan >&2; done",
    "wailing": "exec cat /dev/zero >&2",
    "half_dead": "[ $1 = well ] || exec sleep 100; echo fine",
    "complainer": "echo 'no such device' >&2; exit 2",
    "closer": "exec >&- 2>&-; sleep 100",
    "refused": "echo 'open failed: Permission denied' >&2; exit 1",
    "chatty": "echo 'Permission denied' >&2; echo useful",
    "environment": "env; cat; echo tty=$(tty); pwd",
    "counted": 'echo run >> "$0.runs"; echo done',
    "arguments": 'for argument; do echo "[$argument]"; done',
}


def write_tools(folder):
    """Write all of them and return the folders in which a runner shall look."""
    for name, body in TOOLS.items():
        tool = folder / name
        tool.write_text(f"#!/bin/sh\n{body}\n")
        tool.chmod(0o755)
    (folder / "binary_rubbish").write_bytes(b"\x7fELF nothing")
    (folder / "binary_rubbish").chmod(0o755)
    (folder / "not_executable").write_text("#!/bin/sh\n")
    return (str(folder), "/usr/sbin", "/usr/bin", "/bin")
