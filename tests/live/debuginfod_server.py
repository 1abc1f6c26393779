# SPDX-License-Identifier: MIT
"""A small debuginfod server for tests, and a program whose debug file it has."""
import gzip
import http.server
import shutil
import threading
import time

from live import DEMO, PFX, equal, run, skip

FILES = {}     # path of a request -> bytes
REQUESTS = []  # paths that were asked for
STREAMS = {}   # path of a request -> function that answers it
SLOW = threading.Event()  # answers begin, and go on when it is cleared


GONE = threading.Event()  # the other side of a stream has ended it


def head(handler, **fields):
    handler.send_response(200)
    for name, value in fields.items():
        handler.send_header(name.replace("_", "-"), str(value))
    handler.end_headers()


def endless(handler):
    """An ELF file that has no end, of no length that is said."""
    head(handler)
    handler.wfile.write(contents("program.dbg"))
    while True:
        handler.wfile.write(bytes(1 << 16))


def bomb(handler):
    """A few packed bytes for a megabyte, again and again."""
    head(handler, Content_Encoding="gzip")
    piece = gzip.compress(bytes(1 << 24))
    while True:
        handler.wfile.write(piece)


def huge(handler):
    """A length beyond all limits, and then nothing."""
    head(handler, Content_Length=1 << 40)
    drip(handler, first=1)


def drip(handler, first=0):
    """A byte now and then, for ever."""
    if not first:
        head(handler)
    while True:
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(0.05)


def silent(handler):
    """Nothing at all, until the other side goes."""
    handler.connection.recv(1)
    GONE.set()


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        REQUESTS.append(self.path)
        if self.path in STREAMS:
            try:
                STREAMS[self.path](self)
            except (BrokenPipeError, ConnectionResetError):
                GONE.set()
            return
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
