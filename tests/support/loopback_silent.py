"""Stands in for a channel that takes every call and never answers, on this machine alone.

    loopback_silent.py DIR

Writes its port to DIR/http, and what is asked of it to DIR/asked. While DIR/down exists, it answers 503 at once; while
DIR/up exists, 200, and notes the body in DIR/got, one line each.
"""

import http.server
import os
import sys
import threading
import time

directory = sys.argv[1]
lock = threading.Lock()


def is_there(name):
    return os.path.exists(os.path.join(directory, name))


class Http(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        while True:
            time.sleep(3600)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with lock, open(os.path.join(directory, "asked"), "a", encoding="utf-8") as asked:
            asked.write(self.path + "\n")
        while not is_there("up") and not is_there("down"):
            time.sleep(3600)
        if is_there("up"):
            with lock, open(os.path.join(directory, "got"), "a", encoding="utf-8") as got:
                got.write(self.path + " " + body.decode().replace("\n", " ") + "\n")
        self.send_response(200 if is_there("up") else 503)
        self.send_header("Content-Length", "2")
        self.end_headers()
        try:
            self.wfile.write(b"{}")
        except OSError:
            pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Http)
with open(os.path.join(directory, "http.new"), "w", encoding="utf-8") as port:
    port.write(str(server.server_address[1]))
os.rename(os.path.join(directory, "http.new"), os.path.join(directory, "http"))
server.serve_forever()
