"""A real browser, driven over the WebDriver protocol with nothing but the standard library."""

import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
DRIVER = shutil.which("chromedriver")
SWITCHES = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
_PATIENCE_S = 60


class Browser:
    """One window."""

    def __init__(self, profile):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self._base = f"http://127.0.0.1:{port}"
        self._process = subprocess.Popen(
            [DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        options = {
            "binary": CHROMIUM,
            "args": [*SWITCHES, f"--user-data-dir={profile}"],
        }
        capabilities = {
            "alwaysMatch": {
                "goog:chromeOptions": options,
                "goog:loggingPrefs": {"browser": "ALL"},
            }
        }
        self._await_driver()
        session = self._call("POST", "/session", {"capabilities": capabilities})
        self._session = f"/session/{session['sessionId']}"

    def close(self):
        try:
            self._call("DELETE", self._session)
        finally:
            self._process.terminate()
            self._process.wait()

    def open(self, url):
        # A new fragment alone loads nothing anew.
        self._do("POST", "/url", {"url": "about:blank"})
        self._do("POST", "/url", {"url": url})

    def resize(self, width, height):
        """Emulate a screen of this size; a real window cannot be as narrow as a phone."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self._do(
            "POST",
            "/goog/cdp/execute",
            {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics},
        )

    def run(self, script, *arguments):
        return self._do("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def click(self, selector):
        self._do("POST", f"/element/{self._find(selector)}/click", {})

    def type(self, selector, text):
        self._do("POST", f"/element/{self._find(selector)}/value", {"text": text})

    def press(self, key):
        self.type("body", key)

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).innerText", selector)

    def texts(self, selector):
        return self.run(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText)",
            selector,
        )

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def until(self, script, *arguments):
        """Wait until a script returns something true."""
        end = time.monotonic() + _PATIENCE_S
        while not (found := self.run(script, *arguments)):
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.05)
        return found

    def complaints(self):
        """Return what the console says of errors, refusals of the page's policy among them."""
        entries = self._do("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]

    def _find(self, selector):
        found = self._do("POST", "/element", {"using": "css selector", "value": selector})
        return found[ELEMENT]

    def _do(self, method, path, body=None):
        return self._call(method, self._session + path, body)

    def _call(self, method, path, body=None):
        request = urllib.request.Request(
            self._base + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=_PATIENCE_S) as reply:
                return json.loads(reply.read())["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from None

    def _await_driver(self):
        end = time.monotonic() + _PATIENCE_S
        while True:
            try:
                if self._call("GET", "/status")["ready"]:
                    return
            except urllib.error.URLError:
                assert time.monotonic() < end, "chromedriver does not answer"
            time.sleep(0.05)
