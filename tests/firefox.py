"""Firefox for tests, without geckodriver, which Debian does not have: its own protocol, Marionette,
is JSON with a length before it."""
import json, pathlib, shutil, socket, subprocess, tempfile, time

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox:
    """A headless browser that runs scripts in a page."""

    def __init__(self, width=1300, height=900):
        self.profile = tempfile.TemporaryDirectory()
        port = free_port()
        (pathlib.Path(self.profile.name) / "user.js").write_text(
            f'user_pref("marionette.port", {port});\n'
            'user_pref("browser.shell.checkDefaultBrowser", false);\n'
            'user_pref("datareporting.policy.dataSubmissionEnabled", false);\n'
            'user_pref("app.update.enabled", false);\n'
            'user_pref("ui.prefersReducedMotion", 1);\n')
        self.process = subprocess.Popen(
            [PROGRAM, "--headless", "--marionette", "--remote-allow-system-access", "--no-remote",
             "--profile", self.profile.name, "--window-size", f"{width},{height}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.socket = connect(port)
        self.number = 0
        self.receive()  # it greets
        self.ask("WebDriver:NewSession", {"capabilities": {}})

    def receive(self):
        length = b""
        while not length.endswith(b":"):
            byte = self.socket.recv(1)
            if byte == b"":
                raise ConnectionError("Firefox is gone")
            length += byte
        text = b""
        while len(text) < int(length[:-1]):
            text += self.socket.recv(int(length[:-1]) - len(text))
        return json.loads(text)

    def ask(self, command, parameters):
        self.number += 1
        text = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(str(len(text)).encode() + b":" + text)
        _, _, error, result = self.receive()
        if error is not None:
            raise RuntimeError(f"{command}: {error['error']}: {error['message']}")
        return result

    def open(self, path):
        self.ask("WebDriver:Navigate", {"url": "about:blank"})
        self.ask("WebDriver:Navigate", {"url": path.resolve().as_uri()})
        self.wait("return document.documentElement.dataset.ready === 'yes'")

    def run(self, script, *arguments):
        return self.ask("WebDriver:ExecuteScript",
                        {"script": script, "args": list(arguments)})["value"]

    def wait(self, script, *arguments, seconds=30):
        end = time.monotonic() + seconds
        while not (found := self.run(script, *arguments)):
            if time.monotonic() > end:
                raise TimeoutError(script)
            time.sleep(0.05)
        return found

    def complaints(self):
        """Errors and warnings about pages from disk, from the browser's own console."""
        self.ask("Marionette:SetContext", {"value": "chrome"})
        try:
            return self.run("""
                return Services.console.getMessageArray().filter((message) =>
                  message instanceof Ci.nsIScriptError && message.sourceName.startsWith("file:"))
                  .map((message) => message.errorMessage);""")
        finally:
            self.ask("Marionette:SetContext", {"value": "content"})

    def close(self):
        try:
            self.ask("Marionette:Quit", {"flags": ["eForceQuit"]})
            self.process.wait(20)
        except Exception:
            self.process.kill()
            self.process.wait()
        self.socket.close()
        self.profile.cleanup()


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def connect(port, seconds=60):
    end = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=60)
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
