"""A PostgreSQL that hangs under a heeler-serve: SERVE STORE DATA WORK. How long clients wait, and what becomes of what they said."""
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import serve_schema

serve, store, data, work = sys.argv[1:]
PATH = work + "/socket"


class Client:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(PATH)
        self.lines = self.socket.makefile("rw")
        serve_schema.told(self.lines.readline())
        self.ask("hello", protocol="heeler", version=1)

    def ask(self, op, **keys):
        self.lines.write(json.dumps({"op": op, "id": op, **keys}) + "\n")
        self.lines.flush()
        for line in self.lines:
            message = serve_schema.told(line)
            if message.get("id") == op:
                return serve_schema.answered(op, message)
        raise AssertionError("heeler-serve has ended")


class Server:
    def __enter__(self):
        self.process = subprocess.Popen([serve, "--socket", PATH, "--store", store], stderr=subprocess.DEVNULL)
        while not os.path.exists(PATH):
            time.sleep(0.02)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        assert self.process.wait(60) == 0, "what was kept is stored at the end"


def all_of_postgres(number):
    with open(data + "/data/postmaster.pid") as file:
        first = int(file.readline())
    children = subprocess.run(["pgrep", "-P", str(first)], stdout=subprocess.PIPE, text=True).stdout.split()
    for process in [first, *map(int, children)]:
        os.kill(process, number)


with Server():
    one, two = Client(), Client()
    for client, run in ((one, "one"), (two, "two")):
        assert "ok" in client.ask("start", run=run)
    all_of_postgres(signal.SIGSTOP)
    began = time.monotonic()
    try:
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(one.ask("checkpoint", run="one", step=1, text="parser")))
        waiting.start()
        time.sleep(0.3)
        assert "ok" in two.ask("heartbeat", run="two")  # after the other's
        assert two.ask("status", run="two")["ok"]["status"] == "HEALTHY"
        assert two.ask("finish", run="two")["error"]["code"] == "lost"
        assert two.ask("start", run="new")["ok"]["not_stored"]
        waiting.join()
        took = time.monotonic() - began
        assert answers[0]["error"]["code"] == "lost", answers
        assert 5 < took < 60, took
    finally:
        all_of_postgres(signal.SIGCONT)
    while two.ask("checkpoint", run="new", step=1).get("error", {}).get("code") == "lost":
        assert time.monotonic() < began + 200
        time.sleep(0.2)

with Server():
    later = Client()
    assert later.ask("attach", run="one")["ok"]["found"]
    assert "parser" in later.ask("explain", run="one")["ok"]["text"], later.ask("explain", run="one")
    assert later.ask("attach", run="two")["error"]["code"] == "ended"
    assert later.ask("attach", run="new")["ok"]["found"]
