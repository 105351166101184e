"""Stands in for Telegram, Slack, a webhook, GitHub and a mail server, on this machine alone.

    loopback_channels.py DIR

Writes the port of its HTTP server to DIR/http and that of its mail server to DIR/smtp, and what it gets to DIR/got, one
JSON object a line. While DIR/down exists, Telegram answers 503.
"""

import http.server
import json
import os
import socketserver
import sys
import threading

directory = sys.argv[1]
lock = threading.Lock()
issues = []


def note(what, **more):
    with lock, open(os.path.join(directory, "got"), "a", encoding="utf-8") as got:
        got.write(json.dumps({"channel": what, **more}) + "\n")


class Http(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def take(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = json.loads(raw) if raw else None
        if self.path.startswith("/bot"):
            if os.path.exists(os.path.join(directory, "down")):
                return self.answer(503, {})
            if self.path != "/bottelegram-token/sendMessage":
                return self.answer(401, {"ok": False, "description": "Unauthorized"})
            note("telegram", **body)
            return self.answer(200, {"ok": True})
        if self.path.startswith("/slack/"):
            note("slack", **body)
            return self.answer(200, {})
        if self.path.startswith("/hook"):
            note("webhook", signed="webhook-signature" in self.headers, **body)
            return self.answer(200, {})
        return self.github(body)

    def github(self, body):
        if self.headers.get("Authorization") != "Bearer github-token":
            return self.answer(401, {"message": "Bad credentials"})
        place = self.path.split("?")[0].split("/")[1:]
        if place[:4] != ["repos", "acme", "agents", "issues"]:
            return self.answer(404, {"message": "Not Found"})
        with lock:
            if len(place) == 4 and self.command == "GET":
                return self.answer(200, issues if self.path.endswith("page=1") else [])
            if len(place) == 4:
                number = len(issues) + 1
                issues.append({"number": number, "state": "open", "body": body["body"],
                               "html_url": f"http://localhost/issues/{number}"})
        if len(place) == 4:
            note("github", title=body["title"], body=body["body"])
            return self.answer(201, issues[-1])
        if place[-1] == "comments" and self.command == "POST":
            note("github comment", body=body["body"])
            return self.answer(201, {"id": 1})
        return self.answer(200, [] if place[-1] == "comments" else issues[int(place[4]) - 1])

    do_GET = do_POST = do_PATCH = take


class Smtp(socketserver.StreamRequestHandler):
    def handle(self):
        say = lambda text: self.wfile.write(text.encode() + b"\r\n")
        say("220 loopback")
        to, text, in_text = None, [], False
        for raw in self.rfile:
            line = raw.decode("utf-8", "replace").rstrip("\r\n")
            if in_text:
                if line == ".":
                    in_text = False
                    note("email", to=to, text="\n".join(text))
                    say("250 queued")
                else:
                    text.append(line)
            elif line.startswith("RCPT TO:"):
                to, text = line[8:], []
                say("250 ok")
            elif line == "DATA":
                in_text = True
                say("354 go on")
            elif line == "QUIT":
                say("221 bye")
                return
            else:
                say("250 ok")


servers = {
    "http": http.server.ThreadingHTTPServer(("127.0.0.1", 0), Http),
    "smtp": socketserver.ThreadingTCPServer(("127.0.0.1", 0), Smtp),
}
for name, server in servers.items():
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever).start()
    with open(os.path.join(directory, name + ".new"), "w", encoding="utf-8") as file:
        file.write(str(server.server_address[1]))
    os.rename(os.path.join(directory, name + ".new"), os.path.join(directory, name))
