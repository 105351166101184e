#!/usr/bin/env bash
# heeler-task-tree over HTTP: what a watch sees and does, what a reviewer may and may not, requests that make no sense,
# and a server that is killed and started again.
set -uo pipefail

bin=${HEELER_BIN:?the directory of the built examples}
program=$bin/heeler-task-tree
[ -x "$program" ] || { echo "not built: $program"; exit 1; }
command -v python3 >/dev/null || { echo "python3 is not installed: skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 - "$program" "$work" "$(cd "$(dirname "$0")/../.." && pwd)" <<'PYTHON'
import atexit
import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.parse

program, work, sources = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
failures = 0
PERSON = {"as": "operator"}


def fail(what):
    global failures
    failures += 1
    print("FAILED:", what)


def check(good, what):
    if not good:
        fail(what)


def as_run(run, agent="reviewer"):
    return {"as": agent, "X-Actor-Run": run}


class Server:
    """A tracker of its own; its files outlive it."""

    def __init__(self, name, *options):
        self.directory = work / name
        self.directory.mkdir(exist_ok=True)
        self.options = options
        self.errors = open(self.directory / "err", "a+")
        self.start()

    def start(self):
        self.process = subprocess.Popen([program, str(self.directory), "--port", "0", *self.options], text=True,
                                        stdout=subprocess.PIPE, stderr=self.errors)
        atexit.register(self.process.kill)  # whatever happens; nothing happens to one that has ended
        self.tokens = {}
        for line in self.process.stdout:
            self.url, sharp, self.tokens["operator"] = line.strip().partition("/#")
            if sharp:
                break
            name, _, token = line.removeprefix("token of ").strip().partition(": ")
            self.tokens[name.removeprefix("acme/")] = token
        check(self.url.startswith("http://127.0.0.1:"), f"no URL: {self.url}")
        self.port = int(self.url.rsplit(":", 1)[1]) if self.url else 0

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        check(self.process.wait(100) == 0, f"ended with {self.process.returncode}")
        self.errors.seek(0)
        said = self.errors.read()
        check(not said, f"it complains: {said}")

    def headers(self, who):
        """`as` names whose token is sent; the rest is sent as it is."""
        token = {"Authorization": "Bearer " + self.tokens[who["as"]]} if "as" in who else {}
        return {**token, **{name: value for name, value in who.items() if name != "as"}}

    def raw(self, method, path, body=None, headers=PERSON):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=100)
        try:
            connection.request(method, path, body, self.headers(headers))
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def ask(self, method, path, body=None, who=PERSON):
        """Status and JSON."""
        text = None if body is None else json.dumps(body)
        status, answer = self.raw(method, path, text, who)
        return status, json.loads(answer)

    def expect(self, wanted, method, path, body=None, who=PERSON):
        status, answer = self.ask(method, path, body, who)
        check(status == wanted, f"{method} {path} {body} as {who}: {status}, not {wanted}: {answer}")
        check(status < 400 or isinstance(answer.get("error"), str), f"{method} {path}: no sentence: {answer}")
        return answer

    def issue(self, name, rest=""):
        return "/api/issues/" + urllib.parse.quote(name, safe="") + rest

    # --- short for what many tests do ---

    def agents(self, *names, tenant="acme"):
        for name in names:
            made = self.expect(200, "PUT", f"/api/agents/{name}", {"tenant": tenant, "status": "active"})
            self.tokens[name] = made["token"]

    def create(self, name, parent=None, tenant="acme", **more):
        body = {"id": name, "title": name, **more}
        body.update({"parentId": parent} if parent else {"tenant": tenant})
        return self.expect(201, "POST", "/api/issues", body)

    def watch(self, name):
        return self.expect(200, "GET", self.issue(name, "/watchdog"))

    def arm(self, name, agent="reviewer", wanted=200, who=PERSON, **more):
        return self.expect(wanted, "PUT", self.issue(name, "/watchdog"), {"agentId": agent, **more}, who)

    def set_status(self, name, status, wanted=200, who=PERSON, **more):
        return self.expect(wanted, "PATCH", self.issue(name), {"status": status, **more}, who)

    def comment(self, name, text, wanted=201, who=PERSON):
        return self.expect(wanted, "POST", self.issue(name, "/comments"), {"text": text}, who)

    def start_run(self, name, agent):
        return self.expect(201, "POST", "/api/runs", {"issueId": name, "agentId": agent}, {"as": agent})["runId"]

    def end_run(self, run, status="succeeded"):
        self.expect(200, "PATCH", f"/api/runs/{run}", {"status": status})

    def exists(self, name):
        return self.ask("GET", self.issue(name))[0] == 200

    def audit(self, kind=None):
        return [row for row in self.expect(200, "GET", "/api/audit")["rows"] if kind in (None, row["kind"])]

    def wakes(self, agent="reviewer", tenant="acme"):
        return self.expect(200, "GET", f"/api/wakes?tenant={tenant}&agent={agent}")["wakes"]

    def reviews(self, name):
        issues = self.expect(200, "GET", "/api/tree")["issues"]
        return [issue for issue in issues if issue["isReview"] and issue["originId"] == name]

    def tree(self, root):
        """A root with two leaves, B and C, that have been worked on and rest; watched; its review is asked for."""
        self.create(root)
        for leaf in ("B", "C"):
            self.create(root + leaf, root, assigneeAgentId="coder")
        self.arm(root)
        for leaf in ("B", "C"):
            run = self.start_run(root + leaf, "coder")
            self.set_status(root + leaf, "done")
            self.end_run(run)
        review = self.watch(root)["openReviewId"]
        check(review, f"{root}: no review")
        return review

    def reviewed(self, root):
        """The same with a reviewer at work: its run."""
        review = self.tree(root)
        return review, as_run(self.start_run(review, "reviewer"))


def within(what, condition):
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            return fail(f"not in time: {what}")
        time.sleep(0.05)


def options():
    print("== bad arguments, help, demo")
    for arguments in ([], ["/nowhere"], [str(work), "--port", "99999"], [str(work), "--every", "x"], [str(work), "--every", "10ms"], ["--demo", str(work)],
                      [str(work), "--notify", "pigeon"], ["--demo", "--notify", "slack"],
                      ["--once"], ["--reviewer", "http://127.0.0.1:1"]):
        status = subprocess.run([program, *arguments], capture_output=True, timeout=100).returncode
        check(status == 2, f"{arguments}: status {status}")
    zero = subprocess.run([program, str(work), "--grace", "0"], capture_output=True, text=True, timeout=100)
    check(zero.returncode == 2 and "--grace" in zero.stderr and "more than 0" in zero.stderr, f"--grace 0: {zero}")
    told = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=100).stdout
    for file in re.findall(r"examples/[a-z_/]+\.[a-z]+", told):
        check('"/api/' in (pathlib.Path(sources) / file).read_text(), f"{file} has no routes")
    check("examples/task_tree/" in told, "--help names no file")
    done = subprocess.run([program, "--demo"], capture_output=True, text=True, timeout=100)
    check(done.returncode == 0, f"--demo: {done.returncode} {done.stderr}")
    for text in ("PAY: reopened", "finished REVIEW-7: restored", "finished REVIEW-7: legitimate", "SHOP rests"):
        check(text in done.stdout, f"--demo does not say '{text}': {done.stdout}")
    busy = Server("busy")
    same = subprocess.run([program, str(busy.directory), "--port", str(busy.port)], capture_output=True, timeout=100)
    check(same.returncode == 1, "two servers share a port")
    busy.stop()


def configuration(server):
    print("== set, change, read, remove")
    server.create("T1")
    check(server.watch("T1") is None, "nobody set it")
    check(server.expect(200, "DELETE", server.issue("T1", "/watchdog")) is None, "there was none to remove")
    first = server.arm("T1", instructions="  look well  ")
    check(first["instructions"] == "look well" and first["preview"] == "look well", f"instructions: {first}")
    check(server.arm("T1", instructions="look well")["revision"] == first["revision"], "nothing changed")
    second = server.arm("T1", instructions="   ")
    check(second["instructions"] is None and second["revision"] == first["revision"] + 1, f"changed: {second}")
    listed = [each for each in server.expect(200, "GET", "/api/tree")["issues"] if each["id"] == "T1"]
    check(listed[0]["watch"]["agentId"] == "reviewer", "the tree shows it")
    check(server.expect(200, "DELETE", server.issue("T1", "/watchdog"))["agentId"] == "reviewer", "removed")
    check(server.watch("T1") is None, "it is removed")
    again = server.arm("T1")
    check(again["watchdogId"] == first["watchdogId"] and again["revision"] > second["revision"], "the same row")
    for kind, count in (("created", 2), ("updated", 1), ("removed", 1)):
        rows = [row for row in server.audit("issue.watchdog_" + kind) if row["labels"]["sourceIssueId"] == "T1"]
        check(len(rows) == count, f"{kind}: {len(rows)}")
        check(all(row["labels"]["actor"] == "user operator" for row in rows), "who did it")

    print("== 12 at once")
    server.create("T2")
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        put = lambda _: server.ask("PUT", server.issue("T2", "/watchdog"), {"agentId": "reviewer"})
        answers = list(pool.map(put, range(12)))
    check(all(status == 200 for status, _ in answers), f"{[status for status, _ in answers]}")
    check(len({json.dumps([body["watchdogId"], body["revision"]]) for _, body in answers}) == 1, "one row")
    check(len([row for row in server.audit("issue.watchdog_created") if row["labels"]["sourceIssueId"] == "T2"]) == 1,
          "created once")

    print("== with the issue, or not at all")
    made = server.create("T3", watchdog={"agentId": "reviewer", "instructions": "all of it"})
    check(made["watch"]["instructions"] == "all of it", f"{made}")
    for agent, status in (("nobody", 404), ("sleeper", 409), ("", 400)):
        body = {"id": "T3x", "title": "x", "tenant": "acme", "watchdog": {"agentId": agent}}
        server.expect(status, "POST", "/api/issues", body)
        check(not server.exists("T3x"), f"{agent}: something was left")

    print("== who cannot review")
    server.create("T9")
    for status in ("paused", "terminated", "pending_approval", "budget_blocked"):
        server.expect(200, "PUT", "/api/agents/idler", {"tenant": "acme", "status": status})
        server.arm("T9", "idler", 409)
    server.arm("T9", "nobody", 404)
    server.arm("T9", "stranger", 404)  # of the other tenant
    server.expect(404, "PUT", server.issue("T404", "/watchdog"), {"agentId": "reviewer"})
    server.expect(404, "GET", server.issue("T404", "/watchdog"))
    server.expect(404, "DELETE", server.issue("T404", "/watchdog"))
    check(server.watch("T9") is None, "nothing was stored")


def half():
    print("== a watch that cannot be stored")
    server = Server("half", "--sample")
    body = {"id": "T3", "title": "x", "tenant": "acme", "assigneeAgentId": "coder", "watchdog": {"agentId": "reviewer"}}
    known = sqlite3.connect(server.directory / "watchdog.db", timeout=60, isolation_level=None)
    known.execute("BEGIN IMMEDIATE")
    server.expect(503, "POST", "/api/issues", body)
    known.execute("ROLLBACK")
    known.close()
    check(not server.exists("T3") and '"T3"' not in json.dumps(server.expect(200, "GET", "/api/tree")), "half of it is there")
    check(not [wake for wake in server.wakes("coder") if wake["issueId"] == "T3"], "somebody was woken for it")
    check(server.expect(201, "POST", "/api/issues", body)["watch"]["agentId"] == "reviewer", "it can be tried again")
    server.errors.truncate(0)  # it may have said that its store was busy
    server.stop()


def scope(server):
    print("== what a reviewer may change")
    server.create("OUT")
    server.create("OUTchild", "OUT")
    server.create("FOREIGN", tenant="other")
    review, me = server.reviewed("S")
    server.comment("SB", "not enough", who=me)
    server.expect(200, "PATCH", server.issue(review), {"status": "in_progress"}, me)
    server.comment(review, "at work", who=me)
    server.expect(403, "POST", "/api/issues", {"id": "Sx", "title": "x", "parentId": review}, me)
    server.expect(403, "POST", "/api/issues", {"id": "Sx", "title": "x", "tenant": "acme"}, me)
    server.expect(403, "POST", "/api/issues", {"id": "Sx", "title": "x", "parentId": "OUT"}, me)
    server.expect(403, "POST", "/api/issues", {"id": "Sx", "title": "x", "parentId": "FOREIGN"}, me)
    server.expect(403, "POST", "/api/issues",
                  {"id": "Sx", "title": "x", "parentId": "S", "watchdog": {"agentId": "reviewer"}}, me)
    check(not server.exists("Sx"), "what was denied is there")
    for name in ("OUT", "OUTchild", "FOREIGN", "T404"):
        server.set_status(name, "done", 403, me)
        server.comment(name, "x", 403, me)
    check(server.expect(200, "GET", server.issue("OUT"))["comments"] == [], "what was denied is there")
    server.arm("SB", wanted=403, who=me)
    server.arm("S", wanted=403, who=me)
    server.arm("OUT", wanted=403, who=me)
    server.expect(403, "DELETE", server.issue("S", "/watchdog"), None, me)
    check(server.watch("S") is not None, "it is still watched")
    server.expect(403, "POST", "/api/runs", {"issueId": "SB", "agentId": "reviewer"}, me)
    server.expect(403, "PATCH", f"/api/runs/{me['X-Actor-Run']}", {"status": "succeeded"}, me)
    server.expect(403, "PUT", "/api/agents/coder", {"tenant": "acme", "status": "paused"}, me)
    server.expect(403, "POST", server.issue("SB", "/interactions"), {"kind": "x", "text": "x"}, me)
    server.expect(403, "POST", server.issue("SB", "/approvals"), {"text": "x"}, me)
    denied = server.audit("issue.task_watchdog_mutation_denied")
    check(any(row["labels"]["sourceIssueId"] == "S" and row["labels"]["runId"] == me["X-Actor-Run"] and
              row["labels"]["watchdogIssueId"] == review and row["labels"]["stopFingerprint"] for row in denied), "labels")
    server.expect(201, "POST", "/api/issues", {"id": "Snew", "title": "more", "parentId": "SC"}, me)
    time.sleep(0.01)  # until then it waits for its first run, and the review is stale
    server.expect(201, "POST", server.issue("Snew", "/blockers"), {"blockerId": "SB"}, me)
    server.expect(403, "POST", server.issue("Snew", "/blockers"), {"blockerId": "FOREIGN"}, me)
    server.expect(404, "POST", server.issue("Snew", "/blockers"), {"blockerId": "T404"}, me)
    server.expect(200, "DELETE", server.issue("Snew", "/blockers/SB"), None, me)
    for status in ("done", "cancelled"):
        for name in ("S", "SB"):
            server.set_status(name, status, 403, me)
    for agent in ("sleeper", "stranger", "nobody"):
        server.expect(403, "PATCH", server.issue("SB"), {"assigneeAgentId": agent}, me)
    server.set_status(review, "done", who=me, disposition="legitimate")
    check(server.watch("S")["openReviewId"] is None, "the review is over")
    server.end_run(me["X-Actor-Run"])

    print("== who is not who it says")
    server.comment("SB", "x", 403, as_run(me["X-Actor-Run"], "coder"))
    server.comment("SB", "x", 403, me)
    server.comment("SB", "x", 404, as_run("run-404"))
    server.comment("SB", "x", 403, {"as": "coder"})
    server.comment("SB", "x", 401, {})
    server.comment("SB", "x", 401, {"Authorization": "Bearer " + "0" * 64})
    server.comment("SB", "x", 401, {"Authorization": server.tokens["operator"]})
    server.comment("SB", "x", 403, {"as": "coder", "X-Actor-User": "ada"})
    run = server.start_run("SB", "coder")
    server.comment("SB", "by its own agent", who=as_run(run, "coder"))
    server.comment("FOREIGN", "x", 403, as_run(run, "coder"))
    server.end_run(run)
    server.comment("SB", "x", 403, as_run(run, "coder"))


def outside(server):
    print("== who reads")
    for path in ("/api/tree", "/api/audit", "/api/wakes?tenant=acme&agent=reviewer", server.issue("S"), server.issue("S", "/watchdog")):
        server.expect(401, "GET", path, who={})
        server.expect(401, "GET", path, who={"X-Actor-User": "ada"})
    stranger = {"as": "stranger"}
    server.expect(404, "GET", server.issue("S"), who=stranger)
    server.expect(404, "GET", server.issue("S", "/watchdog"), who=stranger)
    server.expect(403, "GET", "/api/audit", who=stranger)
    tree = server.expect(200, "GET", "/api/tree", who=stranger)
    check({each["tenant"] for each in tree["issues"] + tree["agents"]} == {"other"}, f"another tenant's: {tree}")
    payload = server.expect(200, "GET", "/api/wakes?tenant=acme&agent=reviewer", who={"as": "coder"})
    check(all(wake["key"].startswith("dispatch") for wake in payload["wakes"]), "another agent's wakes")
    check((server.directory / "tokens.key").stat().st_mode & 0o077 == 0, "others can read the key")

    print("== no way out of a review")
    review, me = server.reviewed("E")
    out = {"as": "reviewer"}  # the reviewer without its run
    start = lambda wanted, name, who, agent="reviewer": server.expect(
        wanted, "POST", "/api/runs", {"issueId": name, "agentId": agent}, who)
    start(403, "OUT", out)
    start(403, "EB", out)
    start(403, "EB", out, "coder")
    server.expect(200, "PATCH", server.issue("OUTchild"), {"assigneeAgentId": "reviewer"})
    start(403, "OUTchild", out)  # it is given to it, but the review goes on
    start(403, "OUTchild", {"as": "coder"})
    start(403, "FOREIGN", out)
    server.expect(403, "PATCH", server.issue("EB"), {"assigneeAgentId": "reviewer"}, me)  # or it ends it as its worker
    server.expect(403, "POST", "/api/issues", {"id": "Ex", "title": "x", "parentId": "E", "assigneeAgentId": "reviewer"}, me)
    server.expect(403, "PATCH", f"/api/runs/{me['X-Actor-Run']}", {"status": "succeeded"}, {"as": "coder"})
    server.comment("EB", "x", 403, as_run(me["X-Actor-Run"], "coder"))
    server.end_run(me["X-Actor-Run"])

    print("== from one issue to another")
    run = as_run(server.start_run("OUTchild", "reviewer"))
    server.comment("OUTchild", "mine", who=run)
    server.expect(201, "POST", "/api/issues", {"id": "OUTbelow", "title": "x", "parentId": "OUTchild"}, run)
    server.comment("OUTbelow", "below mine", who=run)
    for body in ({"tenant": "acme"}, {"tenant": "other"}, {"parentId": "OUT"}, {"parentId": "E"},
                 {"parentId": "OUTchild", "watchdog": {"agentId": "reviewer"}}):
        server.expect(403, "POST", "/api/issues", {"id": "Ex", "title": "x", **body}, run)
    check(not server.exists("Ex"), "what was denied is there")
    for name in ("EB", "E", "OUT", review, "FOREIGN"):
        server.set_status(name, "cancelled", 403, run)
        server.comment(name, "x", 403, run)
        server.arm(name, wanted=403, who=run)
        server.expect(403, "DELETE", server.issue(name, "/watchdog"), None, run)
    server.arm("OUTchild", wanted=403, who=run)
    server.expect(403, "POST", "/api/batch", {"requestId": "1", "ops": [{"op": "status", "target": "EB", "status": "todo"}]}, run)
    server.end_run(run["X-Actor-Run"])
    server.expect(200, "PATCH", server.issue("OUTchild"), {"assigneeUserId": "ada"})

    print("== a worker inside the watched tree")
    server.expect(200, "PATCH", server.issue("E"), {"assigneeAgentId": "coder"})
    run = as_run(server.start_run("E", "coder"), "coder")
    server.comment("EB", "below", who=run)
    server.set_status(review, "done", 403, run, disposition="legitimate")
    server.expect(403, "DELETE", server.issue("E", "/watchdog"), None, run)
    server.arm("EB", "coder", 403, run)
    check(server.watch("E") is not None and server.expect(200, "GET", server.issue(review))["status"] != "done", "it moved its limits")
    server.end_run(run["X-Actor-Run"])
    server.expect(200, "PATCH", server.issue("E"), {"assigneeAgentId": ""})


def slow(server):
    print("== clients that are slow")
    stopped = threading.Event()
    clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(400)]
    for client in clients:
        client.sendall(b"POST /api/issues HTTP/1.1\r\nHost: 127.0.0.1\r\n")

    def drip():
        while not stopped.wait(0.5):
            for client in clients[::3]:  # the others say nothing more
                try:
                    client.sendall(b"X")
                except OSError:
                    pass  # it was let go

    dripping = threading.Thread(target=drip)
    dripping.start()
    longest = 0
    for _ in range(20):
        began = time.monotonic()
        server.expect(200, "GET", "/api/tree")
        longest = max(longest, time.monotonic() - began)
        time.sleep(0.1)
    stopped.set()
    dripping.join()
    for client in clients:
        client.close()
    check(longest < 20, f"others waited {longest:.1f} s for them")
    late = socket.create_connection(("127.0.0.1", server.port), 100)
    late.sendall(b"GET / HTTP/1.1\r\n")
    check(late.recv(100).startswith(b"HTTP/1.1 408 "), "a client that says nothing more is not let go")


def waits(server):
    print("== what only people answer")
    server.create("I")
    server.create("IB", "I", assigneeAgentId="coder")
    ask = lambda name, kind, **more: server.expect(201, "POST", server.issue(name, "/interactions"),
                                                   {"kind": kind, "text": "?", **more})["interactions"][-1]["id"]
    confirm = lambda name, about: ask(name, "request_confirmation", about=about)
    plan, human, outside = confirm("IB", "plan"), ask("IB", "budget"), confirm("OUT", "plan")
    spending = confirm("IB", "spending")
    for more in {}, {"about": ""}:
        answer = server.expect(400, "POST", server.issue("IB", "/interactions"),
                               {"kind": "request_confirmation", "text": "may I spend 10k?", **more})
        check("'about'" in answer["error"], f"what it is about: {answer}")
    approval = server.expect(201, "POST", server.issue("IB", "/approvals"), {"text": "spend"})["approvals"][0]["id"]
    server.arm("I")
    run = server.start_run("IB", "coder")
    server.set_status("IB", "in_review")
    server.end_run(run)
    review = server.watch("I")["openReviewId"]
    check("Pending waits: 4" in server.expect(200, "GET", server.issue(review))["comments"][0]["text"], "four waits")
    me = as_run(server.start_run(review, "reviewer"))
    resolve = lambda status, name, wait, who=me: server.expect(
        status, "POST", server.issue(name, f"/interactions/{wait}/resolve"), {"answer": "accepted"}, who)
    resolve(403, "IB", human)
    resolve(403, "IB", spending)
    resolve(403, "OUT", outside)
    resolve(403, "IB", "ASK-404")
    decide = lambda status, who: server.expect(status, "POST", server.issue("IB", f"/approvals/{approval}/decide"),
                                               {"decision": "approved"}, who)
    decide(403, me)
    server.set_status("IB", "done", 403, me)  # an approval decides about it
    resolve(200, "IB", plan)
    resolve(403, "IB", plan)
    resolve(200, "IB", human, PERSON)
    resolve(409, "IB", human, PERSON)
    other = server.start_run("IB", "coder")
    resolve(403, "IB", spending, as_run(other, "coder"))
    server.end_run(other)
    resolve(200, "IB", spending, PERSON)
    resolve(404, "IB", "ASK-404", PERSON)
    decide(200, PERSON)
    decide(409, PERSON)


def capabilities(server):
    print("== whatever a reviewer is offered, it can do")
    review = server.tree("L")
    offered = [wake["payload"] for wake in server.wakes() if wake["issueId"] == review][0]["capabilities"]["operations"]
    me = as_run(server.start_run(review, "reviewer"))
    for op in offered:
        status, answer = server.ask("POST", "/api/batch", {"requestId": op, "ops": [{"op": op, "target": "T404"}]}, me)
        check(status >= 400 and "no operation" not in answer["error"], f"{op}: {status} {answer}")
    look = lambda status, name, after, who=me: server.expect(status, "PUT", server.issue(name, "/monitor"),
                                                             {"after": after}, who)
    for after in ("0s", "soon", "", "1000d"):
        look(400, "LB", after)
    look(403, "OUT", "1h")
    look(404, "T404", "1h", PERSON)
    check(look(200, "LB", "1h")["hasMonitor"] and look(200, "LB", "2h")["hasMonitor"], "set, and moved")
    server.comment("LC", "the tree is as it was", who=me)
    server.set_status(review, "in_review", who=me)
    look(200, review, "1h")
    server.end_run(me["X-Actor-Run"])
    check(server.watch("L")["verdict"] == "review_open", f"the review waits for that look: {server.watch('L')}")
    server.arm(review, wanted=400)
    check(server.watch(review) is None, "a review is watched")


def by_themselves():
    print("== another look, work that is left, and what blocks")
    server = Server("themselves", "--grace", "1ms", "--every", "1s")
    server.agents("coder", "reviewer")
    woken = lambda name, why, agent="coder": [wake for wake in server.wakes(agent) if wake["issueId"] == name and
                                              wake["payload"]["wakeReason"] == why]
    run_on = lambda name: server.start_run(name, "coder")
    server.create("M", assigneeAgentId="coder")
    run = run_on("M")
    server.set_status("M", "in_review")
    server.end_run(run)
    server.expect(200, "PUT", server.issue("M", "/monitor"), {"after": "1s"})
    within("looked at again", lambda: woken("M", "monitor"))
    check(not server.expect(200, "GET", server.issue("M"))["hasMonitor"], "once")

    server.create("O", assigneeAgentId="coder")
    server.end_run(run_on("O"), "failed")
    within("taken up", lambda: woken("O", "orphan_recovery"))
    server.end_run(run_on("O"), "failed")
    within("blocked", lambda: server.expect(200, "GET", server.issue("O"))["status"] == "blocked")

    server.create("X")
    review, me = server.reviewed("R")
    server.expect(201, "POST", server.issue("RB", "/blockers"), {"blockerId": "X"}, me)
    server.set_status("RB", "blocked", who=me)
    server.end_run(me["X-Actor-Run"], "failed")
    within("the review is taken up", lambda: woken(review, "task_watchdog_stopped_subtree", "reviewer"))
    me = as_run(server.start_run(review, "reviewer"))
    server.comment("RB", "it waits for X", who=me)
    server.set_status(review, "done", who=me, disposition="legitimate")
    server.end_run(me["X-Actor-Run"])
    check(server.watch("R")["verdict"] == "already_reviewed", f"{server.watch('R')}")
    before = server.watch("R")["triggers"]
    server.set_status("X", "done")
    within("the blocker is gone", lambda: server.watch("R")["triggers"] == before + 1)
    kept = [row for row in server.audit() if row["kind"].startswith("issue.orphan_recovery")]
    server.kill()
    server.start()
    shown = server.audit()
    check(kept and all(row in shown for row in kept), f"the feed keeps what is over: {kept}")
    server.stop()

    print("== what blocks is elsewhere")
    server = Server("blocker", "--grace", "1ms", "--every", "10m")  # the next look of its own is far away
    server.agents("coder", "reviewer")
    server.create("X")
    review, me = server.reviewed("R")
    server.expect(201, "POST", server.issue("RB", "/blockers"), {"blockerId": "X"}, me)
    server.set_status("RB", "blocked", who=me)
    before = server.watch("R")["stopFingerprint"]
    server.set_status("X", "done")
    within("it is looked at", lambda: server.watch("R")["stopFingerprint"] != before)
    server.stop()

    print("== a run that says nothing")
    told = work / "told"
    person = work / "person"
    person.write_text(f"#!/bin/sh\ncat >>'{told}'\n")
    person.chmod(0o755)
    server = Server("silent", "--silence", "2s", "--every", "1s", "--notify", f"command:{person}")
    server.agents("coder")
    server.create("S", assigneeAgentId="coder")
    me = as_run(server.start_run("S", "coder"), "coder")
    within("people are told", lambda: server.audit("alert.run.unhealthy"))
    row = server.audit("alert.run.unhealthy")[0]
    check(me["X-Actor-Run"] in row["labels"]["summary"], "of which run")
    check((row["issueId"], row["labels"].get("task"), row["labels"].get("agent")) == ("S", "S", "coder"), f"on which task: {row}")
    check("; you can end the run" in row["labels"]["next"], f"what comes next: {row}")
    server.comment("S", "at work", who=me)
    within("it is over", lambda: server.audit("alert.run.recovered"))
    within("a channel is told as well", lambda: '"kind":"run.recovered"' in told.read_text())
    before = told.read_text().partition('"kind":"run.recovered"')[0]  # it may be silent again by now
    check(before.count('"kind":"run.unhealthy"') == 1, f"once: {before}")
    server.end_run(me["X-Actor-Run"])
    server.stop()


def freshness(server):
    print("== what others changed")
    review, me = server.reviewed("F")
    server.set_status("FB", "in_review")
    answer = server.expect(409, "POST", "/api/issues", {"id": "Fx", "title": "x", "parentId": "F"}, me)
    check(not server.exists("Fx"), "what was denied is there")
    check(answer["details"]["currentState"] == "stopped" and "stale" in answer["error"], f"{answer}")
    server.comment(review, "somebody else was faster", who=me)
    server.set_status(review, "cancelled", who=me)
    review, me = server.reviewed("G")
    run = server.start_run("GB", "coder")
    check(server.set_status("GC", "todo", 409, me)["details"]["currentState"] == "live", "it moves")
    server.end_run(run)

    print("== what it changed itself")
    review, me = server.reviewed("H")
    server.set_status("HB", "in_review", who=me)
    server.set_status("HC", "in_review", who=me)
    server.set_status("HB", "todo", who=me)  # wakes its agent
    server.comment("HB", "go on", who=me)
    answer = server.set_status("HC", "todo", 409, me)  # the tree moves: comments only
    check("one batch" in answer["error"], f"no way out is named: {answer}")
    server.set_status(review, "done", who=me, disposition="restored")
    check(server.watch("H")["verdict"] == "live", "restored")

    print("== what the tracker refused is no leave for what others did")
    review, me = server.reviewed("M")
    server.expect(400, "POST", server.issue("MB", "/blockers"), {"blockerId": "MB"}, me)
    server.comment("MB", "it cannot wait for itself", who=me)
    server.expect(200, "PATCH", server.issue("MB"), {"assigneeUserId": "ada"})
    server.set_status("MB", "in_review")
    answer = server.set_status("MB", "todo", 409, me)
    check(answer["details"]["changedByOthers"] == ["MB"], f"{answer}")
    server.set_status(review, "cancelled", who=me)

    print("== what made no difference is no leave for what others did")
    server.create("QX")
    server.create("Q")
    server.create("QB", "Q")
    server.create("QC", "Q")
    server.expect(201, "POST", server.issue("QB", "/blockers"), {"blockerId": "QX"})
    server.arm("Q")
    me = as_run(server.start_run(server.watch("Q")["openReviewId"], "reviewer"))
    server.expect(201, "POST", server.issue("QB", "/blockers"), {"blockerId": "QX"}, me)
    server.comment("QB", "it waits already", who=me)
    server.expect(200, "DELETE", server.issue("QB", "/blockers/QX"))
    answer = server.set_status("QC", "in_review", 409, me)
    check(answer["details"]["changedByOthers"] == ["QB"], f"{answer}")

    print("== a run without a right to it")
    review, me = server.reviewed("J")
    server.expect(200, "DELETE", server.issue("J", "/watchdog"))
    server.comment("JB", "x", 403, me)
    server.comment(review, "x", 403, me)
    server.comment("JB", "x", 403, {**me, "X-Actor-User": "ada", "X-Actor-Agent": ""})
    check(server.expect(200, "GET", server.issue("JB"))["comments"] == [], "what was denied is there")
    server.arm("J")
    server.end_run(me["X-Actor-Run"])
    server.comment("JB", "x", 403, me)


def batches(server):
    print("== all or nothing, once")
    review, me = server.reviewed("K")
    batch = lambda status, request, ops, who=me: server.expect(status, "POST", "/api/batch",
                                                               {"requestId": request, "ops": ops}, who)
    op = lambda name, target, **more: {"op": name, "target": target, **more}
    reopen = [op("status", "KB", status="todo"), op("status", "KC", status="todo")]
    batch(400, "1", reopen + [op("comment", "KB", text="x")] * 2)
    batch(400, "1", [])
    batch(400, "", reopen)
    batch(400, "1", [op("fly", "KB")])
    batch(403, "2", [op("status", "KB", status="todo"), op("status", "OUT", status="todo")])
    batch(404, "3", [op("status", "KB", status="todo"), op("block", "KB", blockerId="T404")])
    check(server.expect(200, "GET", server.issue("KB"))["status"] == "done", "the first of them was carried out")
    first = batch(200, "4", reopen + [{"op": "create_child", "id": "Knew", "parentId": "KB", "title": "more"}])
    check(first["ids"] == ["KB", "KC", "Knew"], f"{first}")
    comments = len(server.audit())
    again = batch(200, "4", reopen)
    check(again["allowed"] and again["ids"] == [] and len(server.audit()) == comments, "it was carried out again")
    batch(409, "5", [op("comment", "KB", text="one more")])
    server.set_status(review, "done", who=me, disposition="restored")
    check(server.watch("K")["verdict"] == "live", "restored")


def stops(server):
    print("== stop, review, restore")
    check(server.create("N", assigneeAgentId="coder")["live"], "its agent is woken")
    server.arm("N")
    check(server.watch("N")["verdict"] == "live" and not server.reviews("N"), "nothing to review yet")
    review = server.tree("R")
    status = server.watch("R")
    check((status["verdict"], status["triggers"], status["attempt"]) == ("review_live", 1, 1), f"{status}")
    made = server.reviews("R")
    check([each["id"] for each in made] == [review] and made[0]["parentId"] == "R" and
          made[0]["assigneeAgentId"] == "reviewer" and made[0]["status"] == "todo", f"{made}")
    woken = [wake for wake in server.wakes() if wake["issueId"] == review]
    check(len(woken) == 1, f"woken {len(woken)} times")
    payload = woken[0]["payload"]
    check(payload["wakeReason"] == "task_watchdog_stopped_subtree" and payload["watchedIssueId"] == "R" and
          payload["stopFingerprint"] == status["stopFingerprint"] and payload["mandate"] and
          [leaf["id"] for leaf in payload["leaves"]] == ["RB", "RC"], "the payload")
    server.comment("RB", "evidence: it is there")
    check(server.watch("R")["triggers"] == 1, "a comment is no news")
    rows = lambda kind: [row for row in server.audit(kind) if row["labels"]["sourceIssueId"] == "R"]
    check(len(rows("issue.task_watchdog_triggered")) == 1, "triggered once")

    print("== the scripted reviewer")
    other = Server("reviewed", "--sample", "--grace", "1ms")
    other.arm("SHOP")
    for issue in ("CART", "PAY", "MAIL"):
        run = other.start_run(issue, "coder")
        other.comment(issue, "evidence: yes" if issue == "CART" else "trust me")
        other.set_status(issue, "done")
        other.end_run(run)
    once = lambda: subprocess.run([program, "--reviewer", other.url, "--once"], capture_output=True, text=True, timeout=100,
                                  env={**os.environ, "HEELER_TASK_TREE_TOKEN": other.tokens["reviewer"]})
    done = once()
    check(done.returncode == 0 and "restored" in done.stdout, f"{done}")
    states = {each["id"]: each["status"] for each in other.expect(200, "GET", "/api/tree")["issues"]}
    check((states["CART"], states["PAY"], states["MAIL"]) == ("done", "todo", "todo"), f"{states}")
    for issue in ("PAY", "MAIL"):
        run = other.start_run(issue, "coder")
        other.comment(issue, "evidence: now it is tested")
        other.set_status(issue, "done")
        other.end_run(run)
    check(other.watch("SHOP")["attempt"] == 2, "the same stop again")
    done = once()
    check(done.returncode == 0 and "legitimate" in done.stdout, f"{done}")
    check(other.watch("SHOP")["verdict"] == "already_reviewed", f"{other.watch('SHOP')}")
    reviewed = len(other.audit("issue.task_watchdog_fingerprint_reviewed"))
    check(reviewed == 1, f"reviewed {reviewed} times")
    other.stop()

    print("== restored in vain, three times")
    review = server.tree("V")
    for attempt in (1, 2, 3):
        check(server.watch("V")["attempt"] == attempt, f"attempt {attempt}: {server.watch('V')}")
        run = server.start_run(review, "reviewer")
        server.set_status(review, "done", who=as_run(run), disposition="restored")
        server.end_run(run)
    alerts = lambda: [row for row in server.audit("alert.escalation") if row["labels"].get("watched") == "V"]
    check(len(alerts()) == 1 and server.watch("V")["escalated"], f"{alerts()} {server.watch('V')}")
    status, feed = server.raw("GET", "/api/audit")
    pairs = lambda read: check(len({key for key, _ in read}) == len(read), f"a name twice: {read}") or dict(read)
    json.loads(feed, object_pairs_hook=pairs)
    told = alerts()[0]["labels"]
    check("needs a person" in told["summary"] and told["next"].startswith("the tree is left alone") and "then" not in told and
          review in told["next"] and [each["attempt"] for each in told["history"]] == [1, 2, 3], f"what comes next: {told}")
    page = server.raw("GET", "/", None, {})[1]
    check(all(f"{name}: '" in page.split("labelNames = {")[1].split("}")[0] for name in ("stopped", "done", "next")),
          "the page does not show what comes next")
    server.comment("VB", "no news")
    server.set_status("V", "in_review")
    check(len(alerts()) == 1 and len(server.reviews("V")) == 1, "said once")

    print("== a review that somebody else made first")
    server.create("W")
    server.create("WB", "W", assigneeAgentId="coder")
    server.arm("W")
    with sqlite3.connect(server.directory / "tracker.db", timeout=60) as database:
        database.execute("INSERT INTO issues VALUES ('W-REVIEW', 'acme', 'W', 'mine', 'done', 'task_watchdog', 'W', '', '', '',"
                         " '', 0, 1)")
    database.close()
    run = server.start_run("WB", "coder")
    server.set_status("WB", "blocked")
    server.end_run(run)
    made = server.reviews("W")
    check([(each["id"], each["status"]) for each in made] == [("W-REVIEW", "todo")], f"{made}")
    check(server.watch("W")["openReviewId"] == "W-REVIEW", "adopted")

    print("== a reviewer that cannot be woken")
    server.create("P")
    server.create("PB", "P", assigneeAgentId="coder")
    server.agents("tired")
    server.arm("P", "tired")
    server.expect(200, "PUT", "/api/agents/tired", {"tenant": "acme", "status": "paused"})
    run = server.start_run("PB", "coder")
    server.set_status("PB", "done")
    server.end_run(run)
    check(not server.wakes("tired") and server.watch("P")["openReviewId"], f"{server.watch('P')}")
    server.arm("P")
    check([wake for wake in server.wakes() if wake["issueId"] == server.watch("P")["openReviewId"]],
          f"another reviewer waits for what the first was refused: {server.watch('P')}")


def nonsense(server):
    print("== requests that make no sense")
    post = lambda text, path="/api/issues": server.raw("POST", path, text)
    for text in ("{", "[]", "null", "\"x\"", "{\"title\":1,\"tenant\":\"acme\"}", "{\"title\":\"x\"}", "{\"tenant\":\"acme\"}",
                 "{\"title\":\" \",\"tenant\":\"acme\"}", "{\"title\":\"x\",\"tenant\":\"a/b\"}", "[" * 5000, "{}", "",
                 "{\"title\":\"x\",\"tenant\":\"acme\",\"id\":\"a/b\"}", "{\"title\":\"x\",\"tenant\":\"acme\",\"id\":\"a\\nb\"}",
                 "{\"title\":\"x\",\"tenant\":\"acme\",\"watchdog\":3}", "{\"title\":\"x\",\"tenant\":\"acme\",\"id\":\"" +
                 "x" * 65 + "\"}", b"{\"title\":\"\xff\",\"tenant\":\"acme\"}"):
        status, answer = post(text)
        check(status == 400 and json.loads(answer)["error"], f"{text[:60]}: {status} {answer}")
    check(post(json.dumps({"title": "x" * 501, "tenant": "acme"}))[0] == 413, "a title that is too long")
    check(post("x" * 300_000)[0] == 413, "a body that is too large")
    server.expect(404, "GET", "/api/nothing")
    server.expect(404, "POST", "/api/issues", {"title": "x", "parentId": "T404"})
    server.expect(409, "POST", "/api/issues", {"id": "T1", "title": "x", "tenant": "acme"})
    server.set_status("T1", "flying", 400)
    server.set_status("T1", "done", 400, disposition="perhaps")
    server.expect(400, "PATCH", server.issue("T1"), {})
    server.expect(400, "PATCH", server.issue("T1"), {"status": "done", "assigneeAgentId": "coder"})
    server.expect(404, "PATCH", server.issue("T1"), {"assigneeAgentId": "nobody"})
    server.expect(409, "PATCH", server.issue("T1"), {"assigneeAgentId": "sleeper"})
    server.expect(400, "POST", server.issue("T1", "/blockers"), {"blockerId": "T1"})
    server.expect(404, "DELETE", server.issue("T1", "/blockers/T2"))
    server.expect(404, "PATCH", "/api/runs/run-404", {"status": "failed"})
    server.expect(400, "PUT", server.issue("T1", "/watchdog"), {})
    server.expect(400, "PUT", server.issue("T1", "/watchdog"), {"agentId": 7})
    check(server.raw("GET", "/", None, {"Host": "evil.example"})[0] == 403, "another name for this host")
    check(server.raw("GET", "/", None, {"Host": "127.0.0.1:1"})[0] == 403, "another port of this host")
    check(server.raw("GET", "/", None, {"Origin": "http://evil.example"})[0] == 403, "a page of somebody else")
    check(server.raw("DELETE", server.issue("T1", "/watchdog"), None, {})[0] == 401, "nobody acts")

    print("== names that mean something elsewhere")
    for name in ("it's", 'say "no"', "<b>&amp;", "a;DROP TABLE issues", "%2e%2e", "über ☃", "a b", "?x=1#y", "'); --"):
        made = server.create(name, title=f"<img src=x onerror=alert(1)> {name}")
        check(made["id"] == name and made["title"].startswith("<img"), f"{made}")
        server.create(name + "-child", name)
        server.comment(name, f"</script><b>{name}")
        check(server.arm(name, instructions=name)["preview"] == name, f"{name}: {server.watch(name)}")
        check(server.watch(name)["verdict"] in ("pending_first_run", "stopped", "review_live"), f"{server.watch(name)}")
        check(server.expect(200, "GET", server.issue(name))["comments"][0]["text"] == f"</script><b>{name}", name)
    status, page = server.raw("GET", "/", None, {})
    check(status == 200 and "innerHTML" not in page and "<script nonce=" in page and "http://" not in page.lower(), "the page")


def killed():
    print("== killed and started again")
    server = Server("killed", "--sample", "--grace", "1ms")
    server.arm("SHOP", instructions="kept")
    for issue in ("CART", "PAY"):
        run = server.start_run(issue, "coder")
        server.set_status(issue, "done")
        server.end_run(run)
    run = server.start_run("MAIL", "coder")
    server.kill()
    with sqlite3.connect(server.directory / "tracker.db", timeout=60) as database:
        database.execute("UPDATE runs SET status = 'succeeded' WHERE id = ?", (run,))
    database.close()
    server.start()
    status = server.watch("SHOP")
    check(status["instructions"] == "kept" and status["triggers"] == 1, f"it was noticed: {status}")
    check(len(server.reviews("SHOP")) == 1 and len(server.wakes()) == 1, "one review, one wake")
    before = len(server.audit())
    server.kill()
    server.start()
    check(server.watch("SHOP")["triggers"] == 1 and len(server.wakes()) == 1, "nobody is woken again")
    check(len(server.audit()) == before, "the feed is the same")

    server.agents("coder", "reviewer")
    _, me = server.reviewed("Z")
    server.set_status("ZB", "in_review", who=me)
    server.kill()
    server.start()
    server.set_status("ZC", "in_review", who=me)  # its own change is its own still
    server.set_status("ZB", "done")
    server.comment("ZC", "x", 409, me)

    print("== killed in the middle of it")
    for round in range(8):
        root = f"X{round}"
        server.create(root)
        server.create(root + "B", root, assigneeAgentId="coder")
        server.arm(root)
        run = server.start_run(root + "B", "coder")
        server.set_status(root + "B", "done")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            def end():
                try:
                    server.raw("PATCH", f"/api/runs/{run}", '{"status":"succeeded"}')
                except (OSError, http.client.HTTPException):
                    pass  # it was killed
            ending = pool.submit(end)
            time.sleep(0.003 * round)
            server.kill()
            ending.result()
        server.start()
        if any(each["live"] for each in server.expect(200, "GET", "/api/tree")["issues"] if each["id"] == root + "B"):
            server.end_run(run)  # it was killed before it heard of it
        review = server.reviews(root)
        check(len(review) == 1 and server.watch(root)["triggers"] == 1, f"{root}: {server.watch(root)}")
        wakes = [wake for wake in server.wakes() if review and wake["issueId"] == review[0]["id"]]
        check(len(wakes) == 1, f"{root}: woken {len(wakes)} times")
        comments = server.expect(200, "GET", server.issue(review[0]["id"]))["comments"] if review else []
        check(len(comments) == 1, f"{root}: {len(comments)} comments")
    server.stop()

    print("== killed between what was done and what is known of it")
    server = Server("between", "--grace", "5s", "--every", "1s")
    server.agents("coder", "reviewer")
    server.create("Y")
    server.arm("Y")
    issues = sqlite3.connect(server.directory / "tracker.db", timeout=60, isolation_level=None)
    known = sqlite3.connect(server.directory / "watchdog.db", timeout=60, isolation_level=None)
    ask = lambda database, question: database.execute(question).fetchone()[0]
    issues.execute("BEGIN IMMEDIATE")  # the review waits for this
    within("it is intended", lambda: ask(known, "SELECT count(*) FROM actions WHERE kind = 'review'"))
    known.execute("BEGIN IMMEDIATE")  # and its outcome for this
    issues.execute("ROLLBACK")
    within("it is done", lambda: ask(issues, "SELECT count(*) FROM orders WHERE issue <> ''"))
    server.kill()
    server.errors.truncate(0)  # it may have said that its store was busy
    known.execute("ROLLBACK")
    check(ask(known, "SELECT outcome FROM actions WHERE kind = 'review'") == "intended", "its outcome is known")
    issues.close()
    known.close()
    server.start()
    within("woken", server.wakes)
    review = server.reviews("Y")
    check(len(review) == 1, f"{server.watch('Y')} {review}")
    within("the badge", lambda: server.watch("Y")["openReviewId"] == review[0]["id"])
    run = server.start_run(review[0]["id"], "reviewer")
    server.set_status(review[0]["id"], "done", who=as_run(run), disposition="legitimate")
    server.end_run(run)
    check(server.watch("Y")["verdict"] == "already_reviewed", f"{server.watch('Y')}")
    server.stop()

    print("== time passes")
    server = Server("grace", "--grace", "5s", "--every", "1s")
    server.agents("coder", "reviewer")
    server.create("Q")
    server.arm("Q")
    check(server.watch("Q")["verdict"] == "pending_first_run" and not server.reviews("Q"), f"{server.watch('Q')}")
    within("the grace is over", lambda: server.reviews("Q"))
    server.stop()


options()
server = Server("main", "--grace", "1ms")
server.agents("coder", "reviewer", "sleeper")
server.agents("stranger", tenant="other")
server.expect(200, "PUT", "/api/agents/sleeper", {"tenant": "acme", "status": "paused"})
for part in (configuration, scope, outside, slow, waits, capabilities, freshness, batches, stops, nonsense):
    part(server)
server.stop()
half()
by_themselves()
killed()
if failures:
    sys.exit(f"{failures} checks failed")
print("ok")
PYTHON
