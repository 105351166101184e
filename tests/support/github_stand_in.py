"""As much of GitHub's REST API as a tree of issues needs, in this process: issues, sub-issues, dependencies, comments,
labels, assignees, pages, limits. A test changes what is there, or what is answered next."""
import datetime
import http.server
import json
import re
import threading
import time
import urllib.parse


def moment(age=0):
    then = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=age)
    return then.strftime("%Y-%m-%dT%H:%M:%SZ")


class GitHub:
    TOKEN = "ghp_only_of_this_test"

    def __init__(self, repository="acme/shop", collaborators=("ada", "coder", "reviewer")):
        self.repository, self.collaborators = repository, set(collaborators)
        self.lock = threading.RLock()
        self.issues, self.parents, self.blockers = {}, {}, {}
        self.asked, self.when = [], []  # "GET /repos/...", in seconds of a clock
        self.refused_at = 0  # how many had been asked when `next` was last answered
        self.next = []  # (pattern of "GET /path", status, headers, body, whether it takes effect): answered once
        stand_in = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length) or b"null")
                status, headers, text = stand_in.answer(self.command, self.path, self.headers, body)
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, value)
                data = b"" if status == 204 else text.encode()
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PATCH = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    # --- what a test does ---

    def add(self, title, parent=None, assignee=None, labels=(), age=3600):
        with self.lock:
            number = len(self.issues) + 1
            self.issues[number] = {"number": number, "id": 9000 + number, "title": title, "body": "", "state": "open",
                                   "state_reason": None, "labels": list(labels), "assignees": [assignee] if assignee else [],
                                   "comments": [], "created_at": moment(age), "updated_at": moment(age)}
            if parent:
                self.parents[number] = parent
            return number

    def set(self, number, **what):
        with self.lock:
            self.issues[number].update(updated_at=moment(), **what)

    def close_issue(self, number, reason="completed"):
        self.set(number, state="closed", state_reason=reason)

    def label(self, number, add=(), remove=()):
        with self.lock:
            labels = [each for each in self.issues[number]["labels"] if each not in remove]
            self.set(number, labels=labels + [each for each in add if each not in labels])

    def reviews(self):
        with self.lock:
            return [issue for issue in self.issues.values() if "heeler:review" in issue["labels"]]

    def count(self, pattern):
        with self.lock:
            return len([each for each in self.asked if re.search(pattern, each)])

    def answer_next(self, pattern, status, headers=None, message="", effective=False, times=1):
        with self.lock:
            self.next += [(pattern, status, headers or {}, json.dumps({"message": message}), effective)] * times

    # --- what GitHub does ---

    def shown(self, issue):
        number = issue["number"]
        children = [each for each, parent in self.parents.items() if parent == number]
        url = f"{self.url}/repos/{self.repository}"
        return {"repository_url": url, **issue, "url": f"{url}/issues/{number}",
                "labels": [{"name": name} for name in issue["labels"]], "comments": len(issue["comments"]),
                "assignees": [{"login": login, "type": "Bot" if login.endswith("[bot]") else "User"} for login in issue["assignees"]],
                "sub_issues_summary": {"total": len(children), "completed": 0, "percent_completed": 0},
                "issue_dependencies_summary": {"blocked_by": len(self.blockers.get(number, [])), "blocking": 0}}

    def answer(self, method, path, headers, body):
        with self.lock:
            self.asked.append(f"{method} {path}")
            self.when.append(time.monotonic())
            for at, (pattern, status, more, text, effective) in enumerate(self.next):
                if re.search(pattern, f"{method} {path}"):
                    del self.next[at]
                    self.refused_at = len(self.asked)
                    if effective:
                        self.act(method, path, body)
                    return status, more, text
            if headers.get("Authorization") != "Bearer " + self.TOKEN:
                return 401, {}, json.dumps({"message": "Bad credentials"})
            if not headers.get("User-Agent") or "json" not in headers.get("Accept", ""):
                return 403, {}, json.dumps({"message": "Request forbidden by administrative rules"})
            status, answer = self.act(method, path, body)
            return status, {}, json.dumps(answer)

    def paged(self, everything, query):
        size, page = int(query.get("per_page", 30)), int(query.get("page", 1))
        return 200, everything[size * (page - 1):size * page]

    def act(self, method, path, body):
        path, _, text = path.partition("?")
        query = dict(urllib.parse.parse_qsl(text))
        missing = 404, {"message": "Not Found"}
        if path == "/rate_limit":
            reset = int(datetime.datetime.now().timestamp()) + 1800
            return 200, {"resources": {"core": {"limit": 5000, "remaining": 0, "reset": reset}}}
        base = f"/repos/{self.repository}"
        if not path.startswith(base + "/"):
            return missing
        parts = path[len(base) + 1:].split("/")
        if parts[0] == "assignees" and len(parts) == 2:
            return (204, None) if parts[1] in self.collaborators else missing
        if parts == ["issues"]:
            return self.list(query) if method == "GET" else self.create(body)
        if parts[0] != "issues" or not parts[1].isdigit() or int(parts[1]) not in self.issues:
            return missing
        return self.act_on(method, self.issues[int(parts[1])], parts[2:], query, body) or missing

    def list(self, query):
        wanted = [label for label in query.get("labels", "").split(",") if label]
        state = query.get("state", "open")
        found = [each for each in self.issues.values() if set(wanted) <= set(each["labels"]) and state in ("all", each["state"])]
        return self.paged([self.shown(each) for each in reversed(found)], query)

    def create(self, body):
        if not set(body.get("assignees", [])) <= self.collaborators:
            return 422, {"message": "Validation Failed"}
        number = self.add(body["title"], labels=body.get("labels", []), age=0)
        self.issues[number].update(body=body.get("body", ""), assignees=body.get("assignees", []))
        return 201, self.shown(self.issues[number])

    def act_on(self, method, issue, rest, query, body):
        number = issue["number"]
        if rest == []:
            if method == "PATCH":
                changed = {name: value for name, value in body.items() if name in ("state", "body", "labels", "assignees")}
                self.set(number, **changed)
                if changed.get("state") == "open":
                    issue["state_reason"] = "reopened"
            return 200, self.shown(issue)
        if rest == ["comments"]:
            if method == "GET":
                return self.paged([{"id": at + 1, "body": text} for at, text in enumerate(issue["comments"])], query)
            self.set(number, comments=issue["comments"] + [body["body"]])
            return 201, {"id": len(issue["comments"])}
        if rest == ["labels"]:
            self.label(number, add=body["labels"])
            return 200, [{"name": name} for name in issue["labels"]]
        if rest == ["dependencies", "blocked_by"]:
            return self.paged([self.shown(self.issues[each]) for each in self.blockers.get(number, [])], query)
        if rest == ["sub_issues"] and method == "GET":
            return self.paged([self.shown(self.issues[each]) for each, up in self.parents.items() if up == number], query)
        if rest == ["sub_issues"]:
            child = body["sub_issue_id"] - 9000
            if child not in self.issues:
                return 404, {"message": "The provided sub-issue does not exist"}
            if child in self.parents and not body.get("replace_parent"):
                return 422, {"message": "Sub issue may only have one parent"}
            self.parents[child] = number
            return 201, self.shown(issue)
        return None
