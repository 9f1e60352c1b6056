"""What the tests have a worker do."""

import contextlib
import json
import os
from pathlib import Path

from fsadvisor.measure.probe import EngineError
from fsadvisor.measure.probe.disks import Way
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.probe.run import opened
from fsadvisor.measure.trial.mounting import enter
from fsadvisor.measure.trial.testbed import ScratchFilesystem, images, mounted_scratch
from tests.loops import mounts


def look(asked, tell, stop):
    """Make the filesystems that are asked for, tell what stands, and measure one window of a job on each."""
    wanted = json.loads(asked)
    folder = Path(wanted["folder"])
    forms = [
        ScratchFilesystem(**{key: tuple(it) if isinstance(it, list) else it for key, it in one.items()})
        for one in wanted["forms"]
    ]
    try:
        privacy = enter([folder, Path(__file__)])
        tell(json.dumps({"mounts": mounts()}).encode())
        with images(folder, len(forms), wanted["bytes"]) as parts, contextlib.ExitStack() as stack:
            found = [stack.enter_context(mounted_scratch(privacy, *pair)) for pair in zip(forms, parts, strict=True)]
            for one in found:
                with opened(JOBS["commit-fdatasync"], one.folder, Way.straight_to(one.loop)) as session:
                    window = session.window(0.2)
                tell(
                    json.dumps(
                        {
                            "loop": one.loop,
                            "dio": one.direct_io,
                            "cache": one.write_cache,
                            "options": one.options,
                            "mkfs": one.mkfs,
                            "operations": window.operations,
                            "flushes": window.disks.flushes,
                            "engine": session.engine,
                        }
                    ).encode()
                )
            while wanted.get("wait") and not stop.asked:
                os.sched_yield()
    except EngineError as error:
        tell(json.dumps({"error": str(error)}).encode())
