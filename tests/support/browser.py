"""A browser that nobody sees, as far as tests of pages need it: WebDriver over its HTTP interface."""
import base64
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"down": "\ue015", "up": "\ue013", "escape": "\ue00c", "tab": "\ue004", "enter": "\ue007"}


class Browser:
    """As much of WebDriver as is needed here."""

    def __init__(self, driver, browser, profile):
        self.base = "http://127.0.0.1:" + self.started(driver)
        arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,1000",
                     "--user-data-dir=" + profile]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        options = {"binary": browser, "args": arguments}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self.session = ""
        self.session = "/session/" + self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def started(self, driver):
        """Its port. On a busy machine another program may take the one that it has chosen."""
        for _ in range(3):
            self.driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                           text=True)
            for line in self.driver.stdout:
                if "started successfully on port" in line:
                    return line.rstrip(".\n").split()[-1]
            self.driver.wait()
        sys.exit("the driver did not start")

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + self.session + path, data, {"Content-Type": "application/json"},
                                         method=method)
        try:
            with urllib.request.urlopen(request, timeout=100) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def close(self):
        try:
            if self.session:
                self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()

    def open(self, url):
        self.ask("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def element(self, selector):
        return self.ask("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.when(lambda: self.ask("POST", f"/element/{self.element(selector)}/click", {}) is None, selector)

    def type(self, selector, text):
        self.ask("POST", f"/element/{self.element(selector)}/value", {"text": text})

    def replace(self, selector, text):
        self.ask("POST", f"/element/{self.element(selector)}/clear", {})
        self.type(selector, text)

    def choose(self, selector, value):
        self.click(f'{selector} option[value="{value}"]')

    def text(self, selector):
        return self.run("const e = document.querySelector(arguments[0]); return e && e.textContent;", selector)

    def there(self, selector):
        return self.run("const e = document.querySelector(arguments[0]);"
                        "return Boolean(e) && e.getClientRects().length > 0;", selector)

    def press(self, key):
        actions = [{"type": kind, "value": KEYS[key]} for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def resize(self, width, height):
        self.ask("POST", "/window/rect", {"width": width, "height": height})

    def prefers(self, scheme):
        """"light" or "dark"."""
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": media})

    def picture(self, file):
        with open(file, "wb") as picture:
            picture.write(base64.b64decode(self.ask("GET", "/screenshot")))

    def errors(self):
        return [line["message"] for line in self.ask("POST", "/se/log", {"type": "browser"}) if line["level"] == "SEVERE"]

    def when(self, condition, what, seconds=60):
        """Until it is so. What is not there yet, or is replaced just now, is looked for again."""
        end = time.monotonic() + seconds
        why = ""
        while time.monotonic() < end:
            try:
                if condition():
                    return
            except RuntimeError as error:
                why = str(error)
            time.sleep(0.1)
        raise AssertionError(f"not in time: {what} {why}")

    def sees(self, selector):
        self.when(lambda: self.there(selector), selector)

    def says(self, selector, text):
        self.when(lambda: text in (self.text(selector) or ""), f"{selector}: {text}")


def check(good, what):
    if not good:
        raise AssertionError(what)
