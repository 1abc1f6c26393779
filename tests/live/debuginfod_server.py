# SPDX-License-Identifier: MIT
"""A small debuginfod server for tests, and a program whose debug file it has."""
import http.server
import shutil
import threading
import time

from live import DEMO, PFX, equal, run, skip

FILES = {}     # path of a request -> bytes
REQUESTS = []  # paths that were asked for
SLOW = threading.Event()  # answers begin, and go on when it is cleared


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        REQUESTS.append(self.path)
        data = FILES.get(self.path)
        self.send_response(200 if data else 404)
        self.send_header("Content-Length", str(len(data or b"")))
        self.end_headers()
        if not data:
            return
        if SLOW.is_set():
            self.wfile.write(data[:1000])
            self.wfile.flush()
            while SLOW.is_set():
                time.sleep(0.05)
            return
        self.wfile.write(data)

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


def serve():
    """Its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def make_program():
    """The demo as `program`, stripped, with `program.dbg` beside it. Its build id."""
    if not shutil.which("objcopy") or not shutil.which("strip"):
        skip("binutils are not installed")
    shutil.copy(DEMO, "program")
    for command in (["objcopy", "--only-keep-debug", "program", "program.dbg"],
                    ["strip", "program"]):
        equal(run(*command).returncode, 0, " ".join(command))
    return run(PFX, "buildid-list", "-i", "program").stdout.strip()
