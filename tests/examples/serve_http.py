"""heeler-serve --http: who is let in, what clients say and hear, how they go."""
import http.client
import json
import os
import socket
import subprocess
import tempfile
import time
import unittest

import serve_schema

SERVE = os.environ["HEELER_BIN"] + "/heeler-serve"
HELLO = {"op": "hello", "protocol": "heeler", "version": 1}
FAST = {"HEELER_INTERVAL_S": "1", "HEELER_VERIFY_AFTER_S": "2"}


class Stream:
    """A client: its stream, and what it posts."""

    def __init__(self, test):
        self.test, self.heard = test, []
        self.connection = http.client.HTTPConnection("127.0.0.1", test.port, timeout=100)
        self.connection.request("GET", "/client", headers=test.right)
        self.socket = self.connection.sock
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, self.answer.read()
        self.name = serve_schema.told(self.answer.readline())["client"]

    def post(self, *lines):
        return self.test.request("POST", "/client/" + self.name, "\n".join(map(json.dumps, lines)))[0]

    def hear(self, fits):
        for line in iter(self.answer.readline, b""):
            self.heard.append(serve_schema.told(line))
            if fits(self.heard[-1]):
                return self.heard[-1]
        raise AssertionError(self.heard)

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)  # the answer has it as well
        self.answer.close()
        self.connection.close()


class HttpTest(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.path = work.name + "/socket"
        self.server = subprocess.Popen([SERVE, "--socket", self.path, "--http", "0", "--store", "memory"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                       env=dict(os.environ, HEELER_PING_URL="", **FAST))
        self.addCleanup(self.end)
        self.port = int(self.server.stdout.readline().rsplit(":", 1)[1].strip("/\n"))
        self.token = self.server.stdout.readline().split()[1]
        self.right = {"Authorization": "Bearer " + self.token}

    def end(self):
        self.server.terminate()
        self.assertEqual(self.server.wait(100), 0)
        self.server.stdout.close()

    def request(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=100)
        try:
            connection.request(method, path, body, self.right if headers is None else headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def stream(self):
        stream = Stream(self)
        self.addCleanup(stream.connection.close)
        self.addCleanup(stream.answer.close)
        return stream

    def test_who_does_not_know_the_token_is_let_in_nowhere(self):
        client = self.stream()
        for wrong in ({}, {"Authorization": "Bearer " + self.token[:-1]}, {"Authorization": "Bearer " + self.token + "0"},
                      {"Authorization": "Bearer"}, {"Authorization": "Basic " + self.token},
                      {"Authorization": self.token}, {"X-Token": self.token}):
            for method, path in (("GET", "/client"), ("POST", "/client/" + client.name), ("GET", "/"), ("PUT", "/x"),
                                 ("GET", "/client?token=" + self.token)):
                status, said = self.request(method, path, json.dumps(HELLO) if method == "POST" else None, wrong)
                self.assertEqual(status, 401, (wrong, method, path))
                self.assertNotIn(self.token, said)
        client.post({"id": 1, **HELLO})
        client.hear(lambda line: "ok" in line)  # nobody else's hello came before

    def test_another_name_of_this_machine_is_refused(self):
        for more in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
            self.assertEqual(self.request("GET", "/client", headers={**self.right, **more})[0], 403)

    def test_a_loop_is_nudged(self):
        client = self.stream()
        self.assertEqual(client.hear(lambda line: True)["protocol"], "heeler")
        self.assertEqual(client.post({**HELLO, "verbs": ["inject"]}, {"id": 1, "op": "start", "run": "r"}), 204)
        self.assertEqual(client.hear(lambda line: "id" in line)["ok"]["run"], "r")
        for _ in range(8):
            client.post({"op": "tool_call", "run": "r", "name": "bash", "args": {"command": "make test"}},
                        {"op": "tool_result", "run": "r", "ok": False, "output": "2 tests failed"})
        asked = client.hear(lambda line: "ask" in line)
        client.post({"op": "answer", "ask": asked["ask"], "outcome": "done"})
        self.assertEqual(client.hear(lambda line: "action" in line)["outcome"], "done")

    def test_a_client_goes_with_its_stream(self):
        first = self.stream()
        first.post(HELLO, {"id": 1, "op": "start", "run": "r"})
        first.hear(lambda line: line.get("id") == 1)
        second = self.stream()
        second.post(HELLO, {"id": 1, "op": "attach", "run": "r"})
        self.assertEqual(second.hear(lambda line: "id" in line)["error"]["code"], "conflict")
        first.close()
        for _ in range(400):
            second.post({"id": 2, "op": "attach", "run": "r"})
            if "ok" in second.hear(lambda line: line.get("id") == 2):
                break
            time.sleep(0.25)
        self.assertTrue(second.heard[-1]["ok"]["found"])
        self.assertEqual(first.post({"op": "heartbeat", "run": "r"}), 404)
        self.assertEqual(self.request("POST", "/client/" + 32 * "0", "{}")[0], 404)
        self.assertEqual(self.request("POST", "/client/" + second.name, (5 << 20) * "x")[0], 413)

    def test_who_has_no_token_holds_up_nobody(self):
        strangers = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(120)]  # whom it would wait for, 5 s each
        for one in strangers:
            self.addCleanup(one.close)
            one.sendall(b"POST /client/0 HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX: " % self.port)
        began = time.monotonic()
        client = self.stream()
        client.post({"id": 1, **HELLO})
        client.hear(lambda line: "ok" in line)
        self.assertLess(time.monotonic() - began, 30)

    def test_a_stream_stays_while_nothing_is_told(self):
        client = self.stream()
        client.post({"id": 1, **HELLO})
        client.hear(lambda line: "ok" in line)
        time.sleep(7)
        client.post({"id": 2, "op": "describe"})
        client.hear(lambda line: line.get("id") == 2)

    def test_no_more_clients_than_there_are_threads(self):
        clients = [self.stream() for _ in range(32)]
        self.assertEqual(self.request("GET", "/client")[0], 503)
        clients[0].post({"id": 1, **HELLO})
        clients[0].hear(lambda line: "ok" in line)

    def test_options_that_make_no_sense(self):
        def ended(*options):
            return subprocess.run([SERVE, "--store", "memory", *options], stdin=subprocess.DEVNULL, timeout=100,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

        alone = ended("--http", "0")
        self.assertEqual(alone.returncode, 2)
        self.assertIn("--socket", alone.stderr)
        taken = ended("--http", str(self.port), "--socket", self.path + "2")
        self.assertEqual(taken.returncode, 69)
        self.assertIn("is taken", taken.stderr)
        self.assertFalse(os.path.exists(self.path + "2"))


if __name__ == "__main__":
    unittest.main()
