"""Drives heeler-github-tree: github_tree.py PROGRAM DIRECTORY, an empty one."""
import json
import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from github_stand_in import GitHub  # noqa: E402

program, work = sys.argv[1], pathlib.Path(sys.argv[2])
failures = 0


def check(good, what):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what)


def run(arguments, token=GitHub.TOKEN):
    environment = {name: value for name, value in os.environ.items() if name != "GITHUB_TOKEN"}
    if token is not None:
        environment["GITHUB_TOKEN"] = token
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=100, env=environment)
    check(GitHub.TOKEN not in done.stdout + done.stderr, f"the token is shown: {done}")
    return done


def look(github, *more, root=1, status=0, **how):
    done = run(["--api", github.url, "--repo", github.repository, "--issue", str(root), "--reviewer", "reviewer", "--once",
                *more], **how)
    check(done.returncode == status, f"{more}: status {done.returncode}, not {status}: {done.stdout} {done.stderr}")
    return done


def shop(store=True):
    """A root with three issues below it, all of them closed long ago, and its options."""
    github = GitHub()
    root = github.add("Open a shop", labels=["In review"])
    for title in ("Cart", "Pay", "Mail"):
        github.close_issue(github.add(title, root, "coder"))
    return github, ["--store", str(work / f"{github.url[17:]}.db"), "--agent", "coder"] if store else []


def usage():
    print("== bad arguments")
    good = ["--repo", "acme/shop", "--issue", "1", "--reviewer", "reviewer"]
    for arguments, said in ((good[2:], "--repo"), (["--repo", "acme"] + good[2:], "OWNER/NAME"),
                            (["--repo", "a/b/c"] + good[2:], "OWNER/NAME"), (good[:2] + ["--issue", "0"] + good[4:], "--issue"),
                            (good + ["--api", "http://evil.example"], "https://"), (good + ["--grace", "0"], "--grace"),
                            (good + ["--notify", "pigeon"], "--notify"),
                            (good + ["--every", "x"], "--every"), (good + ["--every", "10ms"], "--every")):
        done = run(arguments)
        check(done.returncode == 2 and said in done.stderr, f"{arguments}: {done}")
    for token in (None, "", "two words"):
        done = run(good, token)
        check(done.returncode == 2 and "GITHUB_TOKEN" in done.stderr, f"token {token!r}: {done}")


def sees():
    print("== what it sees")
    github, _ = shop(store=False)
    github.label(2, add=["heeler:run"])
    check("#1: live: #2" in look(github).stdout, "a run")
    github.issues[2]["updated_at"] = "2020-01-01T00:00:00Z"  # whoever was at work is gone
    check("#1: review" in look(github).stdout and len(github.reviews()) == 1, "a run that shows no sign of life")
    github.close()

    github, _ = shop(store=False)
    github.add("New", 2, "coder", age=10)
    check("pending_first_run: #5" in look(github, "--agent", "coder").stdout, "an issue below a sub-issue, and new")
    check("pending_first_run" not in look(github, "--agent", "coder", "--grace", "1s").stdout, "the grace is over")
    github.close()

    print("== another repository, pages, pull requests, blockers")
    github, _ = shop(store=False)
    github.set(4, repository_url="https://api.github.com/repos/acme/other")
    look(github)
    check('"acme/other#4"' in github.reviews()[0]["comments"][1], "an issue of another repository")
    github.close()
    github = GitHub()
    github.add("Everything")
    for number in range(2, 232):
        github.close_issue(github.add(f"Part {number}", 1))
    github.set(3, pull_request={"url": "https://api.github.com/repos/acme/shop/pulls/3"})
    github.blockers[5] = [6]
    github.set(6, state="open", state_reason=None)
    told = look(github).stdout
    check("stopped leaves: 229" in told, f"not all pages: {told}")
    check(github.count("GET .*/issues/5/dependencies/blocked_by") > 0 and github.count("/dependencies/") < 20, "blockers")
    github.close()


def does():
    print("== a stop: one review, one wake")
    github, store = shop()
    told = look(github, *store, "--instructions", "Look at Pay first.").stdout
    made = github.reviews()
    check(len(made) == 1 and "#1: review_live, stopped leaves: 3, review #5 is open, woken 1 times" in told, f"{told} {made}")
    review = made[0]
    check(github.parents[5] == 1 and review["assignees"] == ["reviewer"] and review["state"] == "open", f"{review}")
    check(set(review["labels"]) == {"heeler:review", "heeler:wake"} and len(review["comments"]) == 2, f"{review}")
    check("task_watchdog_stopped_subtree" in review["comments"][1] and "Look at Pay first." in review["comments"][1], "the wake")
    brief = json.loads(re.search(r"^`{3,}text\n(.*?)\n`{3,}$", review["comments"][1], re.M | re.S)[1])
    has = brief["capabilities"]
    check(has["operations"] == ["status", "assign", "block", "create_child", "comment"], f"what GitHub has: {has}")
    check({"resolve_interaction", "monitor"} < set(has["deniedOperations"]) and "batch" not in has, f"what it has not: {has}")
    allowed, _, denied = brief["mandate"].partition("\nDenied:\n")
    for absent in ("resolve_interaction", "monitor", "batch"):
        check(absent not in allowed, f"the mandate asks for {absent}")
    check("- `monitor`" in denied and "Look at Pay first." in allowed, f"{brief['mandate']}")
    before = len(github.asked)
    told = look(github, *store, "--instructions", "Look at Pay first.").stdout
    check("woken 1 times" in told and len(github.reviews()) == 1 and len(review["comments"]) == 2, f"asked again: {told}")
    check(not [each for each in github.asked[before:] if not each.startswith("GET")], "something was changed")
    github.label(5, add=["heeler:run"], remove=["heeler:wake"])
    check("review_live" in look(github, *store, "--instructions", "Look at Pay first.").stdout, "the reviewer is at work")

    print("== restored, and stopped again")
    same = [*store, "--instructions", "Look at Pay first."]
    github.set(3, state="open", state_reason="reopened")
    github.label(3, add=["heeler:wake"])
    github.label(5, add=["heeler:restored"], remove=["heeler:run"])
    github.close_issue(5)
    check("#1: live: #3" in look(github, *same).stdout, "it moves")
    github.label(3, remove=["heeler:wake"])
    github.close_issue(3)
    told = look(github, *same).stdout
    review = github.reviews()[0]
    check("woken 2 times" in told and len(github.reviews()) == 1 and review["state"] == "open", f"{told} {review}")
    check(set(review["labels"]) == {"heeler:review", "heeler:wake"} and len(review["comments"]) == 4, f"{review}")

    print("== legitimate")
    github.label(5, remove=["heeler:wake"])
    github.close_issue(5)
    check("already_reviewed" in look(github, *same).stdout, "reviewed")
    check("already_reviewed" in look(github, *same).stdout and len(review["comments"]) == 4, "left alone")
    github.close_issue(2, "not_planned")
    check("woken 3 times" in look(github, *same).stdout, "another stop")
    github.close()


def given_up():
    print("== restored in vain: a start is nobody's decision")
    github, store = shop()
    look(github, *store)
    for attempt in 1, 2, 3:
        github.label(5, add=["heeler:restored"], remove=["heeler:wake"])
        github.close_issue(5)
        told = look(github, *store).stdout
    check("a person has to look" in told and "next: the tree is left alone" in told, f"people are told: {told}")
    told = look(github, *store).stdout
    check("woken 3 times, a person has to look" in told and " escalation " not in told, f"begun anew by a start: {told}")
    told = look(github, *store, "--instructions", "Look at Pay.").stdout
    check("woken 4 times" in told and "a person" not in told, f"set anew: {told}")
    github.close()


def in_between():
    print("== answers that are lost, in between")
    for lost in ("POST .*/issues$", "POST .*/sub_issues", "POST .*/issues/5/comments", "POST .*/labels", "GET .*/issues/5/comments"):
        for effective in (True, False):
            github, store = shop()
            github.answer_next(lost, 502, effective=effective)
            for _ in range(5):
                done = run(["--api", github.url, "--repo", "acme/shop", "--issue", "1", "--reviewer", "reviewer", "--once", *store])
                if done.returncode == 0 and "woken 1 times" in done.stdout:
                    break
                time.sleep(0.5)
            made = github.reviews()
            check(len(made) == 1, f"{lost} {effective}: {len(made)} reviews")
            check(github.parents.get(5) == 1 and "heeler:wake" in made[0]["labels"], f"{lost} {effective}: {made} {done}")
            check(len(made[0]["comments"]) == 2, f"{lost} {effective}: {len(made[0]['comments'])} comments")
            github.close()


def refused():
    print("== what GitHub refuses, in a sentence")
    github, store = shop()
    for said, how in (("GITHUB_TOKEN is wrong", {"token": "ghp_another"}), ("no such thing", {"root": 99})):
        done = look(github, *store, status=1, **how)
        check(said in done.stderr and done.stderr.count("\n") == 1, f"{said}: {done.stderr}")
    github.collaborators.remove("reviewer")
    done = look(github, *store, status=1)
    check("`reviewer` can be given no issue of acme/shop" in done.stderr, f"{done.stderr}")
    github.close()
    done = look(github, *store, status=1)
    check("no answer" in done.stderr, f"{done.stderr}")

    print("== limits")
    github, store = shop()
    github.answer_next("GET", 502)
    process = subprocess.Popen([program, "--api", github.url, "--repo", "acme/shop", "--issue", "1", "--reviewer", "reviewer",
                                "--every", "1s", *store], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "GITHUB_TOKEN": GitHub.TOKEN})
    try:
        within("it is woken", lambda: github.reviews() and "heeler:wake" in github.reviews()[0]["labels"])
        github.answer_next("GET", 403, {"Retry-After": "3"}, "You have exceeded a secondary rate limit")
        within("it is refused", lambda: not github.next)
        before = github.refused_at
        within("it goes on", lambda: len(github.asked) > before)
        check(github.when[before] - github.when[before - 1] > 2.9, f"asked meanwhile: {github.asked[before:]}")
        github.answer_next("GET", 429, {}, "API rate limit exceeded")
        within("it asks for how long", lambda: github.count("GET /rate_limit") == 1)
        before = len(github.asked)
        time.sleep(2.5)
        check(len(github.asked) == before, f"asked meanwhile: {github.asked[before:]}")
    finally:
        process.terminate()
        out, err = process.communicate(timeout=100)
    check(process.returncode == 0, f"ended with {process.returncode}")
    check("asked too much" in err and "502" in err and err.count("\n") <= 4, f"{err}")
    check(GitHub.TOKEN not in out + err, "the token is shown")
    github.close()


def within(what, condition):
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            return check(False, f"not in time: {what}")
        time.sleep(0.05)


for part in (usage, sees, does, given_up, in_between, refused):
    part()
if failures:
    sys.exit(f"{failures} checks failed")
print("ok")
