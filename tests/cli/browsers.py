# SPDX-License-Identifier: MIT
"""Browsers that tests open pages in: Chromium through the pipe of its debugging protocol, Firefox through
Marionette. Both have the same methods. What a page writes to the console, and what it requests, is kept."""
import base64
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PATIENCE = 60
READY = "document.documentElement?.dataset.ready === 'yes'"


class Unusable(Exception):
    """There is no such browser, or it does not start here."""


class Browser:
    """What both have in common: a process of its own group and a folder, which close() removes."""

    def __init__(self, program, words, **more):
        self.folder = tempfile.mkdtemp(prefix="pfx-browser-")
        path = shutil.which(program)
        if not path:
            raise Unusable(f"{program} is not installed")
        words = [word.replace("FOLDER", self.folder) for word in words]
        self.prepare()
        with open(os.path.join(self.folder, "stdout"), "wb") as stdout:
            self.process = subprocess.Popen(
                [path, *words], stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.DEVNULL,
                start_new_session=True, env={**os.environ, "HOME": self.folder}, **more)

    def prepare(self):
        """Before it starts."""

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def wait(self, condition, patience=PATIENCE):
        """Until an expression of the page is true."""
        end = time.monotonic() + patience
        while not self.evaluate(condition):
            if time.monotonic() > end:
                raise AssertionError(f"{condition} is not true after {patience} s")
            time.sleep(0.02)

    def open(self, url):
        """A page, until it shows its profile. Returns what evaluate() does for its start."""
        self.messages.clear()
        self.requests.clear()
        self.navigate(url)
        self.wait(READY)

    def screenshot(self, name):
        with open(name, "wb") as file:
            file.write(base64.b64decode(self.picture()))


class Chromium(Browser):
    """One tab. Messages have a zero byte at their end; the browser reads from 3 and writes to 4."""

    name = "chromium"

    def __init__(self):
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()
        self.buffer, self.last, self.session = b"", 0, None
        self.messages, self.requests = [], []
        words = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
                 "--disable-background-networking", "--disable-component-update", "--disable-extensions",
                 "--disable-dev-shm-usage", "--user-data-dir=FOLDER", "--remote-debugging-pipe", "about:blank"]
        redirect = f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}'
        try:
            if not shutil.which("chromium"):
                raise Unusable("chromium is not installed")
            super().__init__("sh", ["-c", redirect, shutil.which("chromium"), *words], pass_fds=(to_browser, from_browser))
        finally:
            os.close(to_browser)
            os.close(from_browser)
        try:
            self.begin()
        except (AssertionError, OSError) as error:
            self.close()
            raise Unusable(f"chromium does not start: {error}") from error

    def begin(self):
        end = time.monotonic() + PATIENCE
        pages = []
        while not pages and time.monotonic() < end:
            targets = self.call("Target.getTargets")["targetInfos"]
            pages = [of["targetId"] for of in targets if of["type"] == "page"]
        if not pages:
            raise AssertionError("it has no page")
        self.session = self.call("Target.attachToTarget", targetId=pages[0], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        super().close()
        os.close(self.write_end)
        os.close(self.read_end)

    def read_message(self):
        while b"\0" not in self.buffer:
            if not select.select([self.read_end], [], [], PATIENCE)[0]:
                raise AssertionError(f"{self.name} does not answer")
            more = os.read(self.read_end, 1 << 20)
            if not more:
                raise AssertionError(f"{self.name} ended")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def take_event(self, message):
        method, params = message.get("method", ""), message.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.messages.append(" ".join(str(of.get("value", of.get("description"))) for of in params["args"]))
        elif method == "Runtime.exceptionThrown":
            self.messages.append(json.dumps(params["exceptionDetails"])[:500])
        elif method == "Log.entryAdded":
            self.messages.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def call(self, method, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read_message()
            if answer.get("id") == self.last:
                break
            self.take_event(answer)
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']}")
        return answer["result"]

    def navigate(self, url):
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)

    def evaluate(self, expression):
        """The value of an expression of the page, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression[:100]}: {json.dumps(answer['exceptionDetails'])[:500]}")
        return answer["result"].get("value")

    def settle(self):
        """Brings messages and requests up to date."""
        self.evaluate("new Promise(done => setTimeout(done, 50))")

    def look(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def picture(self):
        return self.call("Page.captureScreenshot")["data"]

    def press(self, key):
        """A key as the keyboard sends it, 'a' or 'ArrowDown'."""
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)

    def mouse(self, kind, x, y):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def click(self, x, y):
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def drag(self, x, y, to):
        self.mouse("mousePressed", x, y)
        for step in range(1, 5):
            self.mouse("mouseMoved", x + (to - x) * step / 4, y)
        self.mouse("mouseReleased", to, y)


# In the window of Firefox itself: notes what pages request.
OBSERVE = """
window.pfxRequests = [];
window.pfxObserver = {observe(subject) {
    const channel = subject.QueryInterface(Ci.nsIChannel);
    if (channel.loadInfo.browsingContext) window.pfxRequests.push(channel.URI.spec) }};
Services.obs.addObserver(window.pfxObserver, 'http-on-opening-request');
"""
FORGET = """
Services.console.reset();
window.pfxRequests = []
"""
MESSAGES = """
return Services.console.getMessageArray().map(of => {
    try { return of.QueryInterface(Ci.nsIScriptError).sourceName.startsWith('file:') ? of.errorMessage : '' } catch { return '' }
}).filter(Boolean)
"""


class Firefox(Browser):
    """One tab. Messages are their length, a colon, and a JSON list."""

    name = "firefox"

    def __init__(self):
        super().__init__("firefox-esr", ["--headless", "--no-remote", "--marionette",
                                         "--remote-allow-system-access", "--profile", "FOLDER"])
        self.buffer, self.last, self.socket, self.read = b"", 0, None, 0
        self.messages, self.requests = [], []
        try:
            self.begin()
        except (AssertionError, OSError, ValueError) as error:
            self.close()
            raise Unusable(f"firefox does not start: {error}") from error

    def begin(self):
        port = os.path.join(self.folder, "MarionetteActivePort")
        end = time.monotonic() + PATIENCE
        while not (os.path.exists(port) and os.path.getsize(port)):
            if time.monotonic() > end or self.process.poll() is not None:
                raise AssertionError("no port")
            time.sleep(0.05)
        with open(port, encoding="ascii") as file:
            self.socket = socket.create_connection(("127.0.0.1", int(file.read())), PATIENCE)
        self.read_message()
        self.call("WebDriver:NewSession", capabilities={"alwaysMatch": {"acceptInsecureCerts": True}})
        self.in_browser(OBSERVE)

    def close(self):
        if self.socket:
            self.socket.close()
        super().close()

    def read_message(self):
        while True:
            length, colon, rest = self.buffer.partition(b":")
            if colon and len(rest) >= int(length):
                self.buffer = rest[int(length):]
                return json.loads(rest[:int(length)])
            more = self.socket.recv(1 << 20)
            if not more:
                raise AssertionError(f"{self.name} ended")
            self.buffer += more

    def call(self, method, **params):
        self.last += 1
        text = json.dumps([0, self.last, method, params])
        self.socket.sendall(f"{len(text.encode())}:{text}".encode())
        _, _, error, result = self.read_message()
        if error:
            raise AssertionError(f"{method}: {error.get('message', '')[:500]}")
        return result

    def in_browser(self, script, *arguments):
        """Runs a script with the rights of the browser itself."""
        self.call("Marionette:SetContext", value="chrome")
        try:
            return self.call("WebDriver:ExecuteScript", script=script, args=list(arguments))["value"]
        finally:
            self.call("Marionette:SetContext", value="content")

    def prepare(self):
        """What pages write to the console goes to the standard output: no other place has it from all processes."""
        with open(os.path.join(self.folder, "user.js"), "w", encoding="ascii") as file:
            file.write('user_pref("devtools.console.stdout.content", true);\n')

    def said(self):
        """What pages have written to the console since the last call."""
        with open(os.path.join(self.folder, "stdout"), encoding="utf-8", errors="replace") as file:
            file.seek(self.read)
            text = file.read()
            self.read = file.tell()
        # What the browser itself says begins with the name of a module.
        return [line for line in text.split("\n") if re.match(r"console\.\w+: (?!\w+: )", line)]

    def navigate(self, url):
        self.in_browser(FORGET)
        self.said()
        self.call("WebDriver:Navigate", url="about:blank")
        self.call("WebDriver:Navigate", url=url)

    def evaluate(self, expression):
        return self.call("WebDriver:ExecuteScript", script=f"return (async () => ({expression}))()", args=[])["value"]

    def settle(self):
        time.sleep(0.1)  # messages of the page's process arrive after what it answers
        self.messages[:] = self.in_browser(MESSAGES) + self.said()
        self.requests[:] = self.in_browser("return window.pfxRequests")

    def look(self, width, height, dark=False):
        self.in_browser("Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', arguments[0])", 0 if dark else 1)
        self.call("WebDriver:SetWindowRect", width=width, height=height)

    def picture(self):
        return self.call("WebDriver:TakeScreenshot", full=False)["value"]
