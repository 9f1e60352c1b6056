"""The HTML report in a real browser, headless Chromium: what it renders, what it prints, and that it loads nothing."""

import json
import re
import shutil
import subprocess

import pytest

from fsadvisor.report.as_html import as_html
from fsadvisor.rulebook.advise import advise
from tests.report import composed
from tests.waiting import END_S

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGV = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--enable-logging=stderr",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)  # fmt: skip
"""Its own requests, which have nothing to do with the page, find no host; the log has them all the same."""

NOBODY = "http://127.0.0.1:9/x.png"
SPOILT = f'<img src="{NOBODY}"><script>console.log("it ran")</script>'


pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(BROWSER is None, reason="Chromium is not installed (the package chromium)"),
]


@pytest.fixture(scope="module")
def document():
    storage = composed.busy()
    return "".join(as_html(storage, advise(storage, composed.rules()), composed.ABOUT))


def browsed(folder, document, *argv):
    """What the browser says of the page on stdout and on its console, and the addresses that it asked for."""
    page, log = folder / "page.html", folder / "net.json"
    page.write_text(document, encoding="utf-8")
    whole = [BROWSER, *ARGV, f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}", *argv, page.as_uri()]
    done = subprocess.run(whole, capture_output=True, text=True, timeout=END_S, check=True)
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    events = json.loads(log.read_text())["events"]
    return done.stdout, console, {event["params"]["url"] for event in events if "url" in event.get("params", ())}


def host(address):
    return re.match(r"\w+://([^/]*)", address)[1]


def test_the_page_is_rendered_with_its_sections_and_asks_for_nothing(tmp_path, document):
    seen, console, asked = browsed(tmp_path, document, "--dump-dom")
    assert "<title>Storage of example: 1 critical risk" in seen
    assert re.findall('<section id="([^"]*)"', seen) == ["findings", "power-loss", "not-told", "passed", "facts"]
    assert seen.count("<article") == 6
    assert console == []
    linked = {host(address) for address in re.findall(r'href="(https?://[^"]*)"', document)}
    assert linked
    assert linked.isdisjoint({host(address) for address in asked if not address.startswith("file:")})


def test_what_would_load_or_run_is_stopped_by_the_policy_and_this_test_would_see_it(tmp_path, document):
    spoilt = document.replace("<body>", f"<body>{SPOILT}")
    _, console, asked = browsed(tmp_path, spoilt, "--dump-dom")
    assert len(console) == 2
    assert all("Content Security Policy" in line for line in console)
    assert NOBODY not in asked
    bare = re.sub("<meta http-equiv[^>]*>", "", spoilt)
    _, console, asked = browsed(tmp_path, bare, "--dump-dom")
    assert "it ran" in console[0]
    assert NOBODY in asked


def test_it_prints_on_pages(tmp_path, document):
    out = tmp_path / "out.pdf"
    browsed(tmp_path, document, f"--print-to-pdf={out}", "--no-pdf-header-footer")
    printed = out.read_bytes()
    assert printed.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) > 3
