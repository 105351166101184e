"""Stands in for a dead man's switch and for systemd's socket.

    loopback_alive.py DIR

Writes the port of its HTTP server to DIR/http, each request to DIR/pings and each datagram that comes to the socket
DIR/notify to DIR/notified, one a line. While DIR/down exists, the switch answers 503.
"""

import http.server
import os
import socket
import sys
import threading

directory = sys.argv[1]


def note(where, line):
    with open(os.path.join(directory, where), "a", encoding="utf-8") as file:
        file.write(line + "\n")


class Switch(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        note("pings", self.path)
        self.send_response(503 if os.path.exists(os.path.join(directory, "down")) else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()


def notified():
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(os.path.join(directory, "notify"))
    while True:
        note("notified", manager.recv(4096).decode())


threading.Thread(target=notified, daemon=True).start()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Switch)
with open(os.path.join(directory, "http.new"), "w", encoding="utf-8") as place:
    place.write(str(server.server_address[1]))
os.rename(os.path.join(directory, "http.new"), os.path.join(directory, "http"))
server.serve_forever()
