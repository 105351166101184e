"""Drives heeler-task-tree's page in a browser: set a watch, let the tree stop, have it reviewed, see it restored; see that
a person is told where the reviewer cannot be woken.

task_tree_browser.py DRIVER BROWSER URL PROGRAM TOKEN [SCREENSHOTS]: DRIVER speaks WebDriver for BROWSER; a tracker with the
sample tree listens at URL; PROGRAM is heeler-task-tree, which also plays the reviewer, with TOKEN.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from browser import Browser, check  # noqa: E402


def row(issue):
    return f'#tree [data-issue="{issue}"]'


def set_watch(page):
    page.click(row("SHOP"))
    page.says("#detail-id", "SHOP")
    page.click("#set-watchdog")
    page.sees("#watch-dialog[open]")
    check(not page.there("#watch-remove"), "a watch that is not there could be removed")
    page.choose("#watch-agent", "reviewer")
    page.type("#watch-instructions", "No payment without a test. <b>&</b>")
    page.click("#watch-save")
    page.says("#watch-name", "reviewer")
    page.says("#watch-preview", "No payment without a test. <b>&</b>")
    page.says("#watch-verdict", "live")
    page.says("#inner", "does not count")
    page.sees('#audit [data-kind="issue.watchdog_created"]')


def edit_watch(page):
    page.click("#edit-watchdog")
    page.sees("#watch-dialog[open]")
    page.press("escape")
    page.when(lambda: not page.there("#watch-dialog"), "Escape closes the dialog")
    page.click("#edit-watchdog")
    check(page.text("#watch-save") == "Update", "it is there already")
    page.replace("#watch-instructions", "Look at PAY first.")
    page.click("#watch-save")
    page.says("#watch-preview", "Look at PAY first.")
    page.sees('#audit [data-kind="issue.watchdog_updated"]')


def stop(page):
    for issue, result in (("CART", "evidence: 14 tests"), ("PAY", "it looks good"), ("MAIL", "evidence: it arrived")):
        page.click(row(issue))
        page.says("#detail-id", issue)
        page.when(lambda: not page.there("#inner"), "a leaf counts")
        page.sees(f"{row(issue)}[data-state=live]")
        page.click("#start-run")
        page.sees("#end-run")
        page.type("#comment", result)
        page.click("#comment-form button")
        page.says("#comments", result)
        page.choose("#status", "done")
        page.sees(f"{row(issue)}[data-status=done]")
        page.click("#end-run")
        page.sees(f"{row(issue)}[data-state=stopped]")


def review(page, reviewer):
    page.click(row("SHOP"))
    page.sees("#open-review")
    page.says("#watch-verdict", "review_live")
    page.sees('#audit [data-kind="issue.task_watchdog_triggered"]')
    page.click("#open-review")
    page.says("#origin-badge", "Watchdog review")
    page.says("#origin-link", "SHOP")
    page.says("#comments", "Stopped leaves")
    page.sees('#tree [data-badge="origin"]')
    subprocess.run(reviewer, check=True, timeout=100)


def restored(page):
    page.sees(f"{row('PAY')}[data-status=todo][data-state=live]")
    page.sees(f"{row('CART')}[data-status=done]")
    page.click("#origin-link")
    page.says("#detail-id", "SHOP")
    page.says("#watch-verdict", "live")
    page.when(lambda: not page.there("#open-review"), "the review is over")
    mutation = '#audit [data-kind="issue.task_watchdog_mutation"]'
    page.sees(mutation)
    for label in ("watchdogId", "sourceIssueId", "watchdogIssueId", "runId", "stopFingerprint"):
        page.sees(f'{mutation} [data-label="{label}"]')


def keyboard(page):
    page.click(row("SHOP"))
    page.press("down")
    page.says("#detail-id", "CART")
    page.press("down")
    page.says("#detail-id", "PAY")
    page.press("up")
    page.says("#detail-id", "CART")
    check(page.run("return document.activeElement.dataset.issue") == "CART", "the focus follows")


def hostile_title(page):
    title = '<img src=x onerror="document.title=1"> & "quotes"'
    page.click(row("SHOP"))
    page.click("#new-child")
    page.sees("#new-dialog[open]")
    page.click("#new-save")
    page.says("#new-error", "title")
    page.type("#new-name", title)
    page.click("#new-save")
    page.says("#detail-title", title)
    page.says("#tree [aria-selected=true] .title", title)
    check(page.run("return document.title") == "heeler task tree", "a title became HTML")
    check(not page.run("return document.images.length"), "a title became HTML")


def remove_watch(page):
    page.click(row("SHOP"))
    page.click("#edit-watchdog")
    page.click("#watch-remove")
    page.sees("#set-watchdog")
    page.sees('#audit [data-kind="issue.watchdog_removed"]')


def refuse(url):
    """A tree whose reviewer is paused when it stops: the tracker refuses to wake it, at once, then 1 and 3 min later."""
    place, _, token = url.partition("/#")

    def ask(method, path, body):
        request = urllib.request.Request(place + path, json.dumps(body).encode(), {"Authorization": "Bearer " + token},
                                         method=method)
        with urllib.request.urlopen(request, timeout=100) as answer:
            return json.load(answer)

    ask("PUT", "/api/agents/tired", {"tenant": "acme", "status": "active"})
    ask("POST", "/api/issues", {"id": "REFUSED", "title": "its reviewer is paused", "tenant": "acme"})
    ask("POST", "/api/issues", {"id": "LEAF", "title": "it is worked on", "parentId": "REFUSED", "assigneeAgentId": "coder"})
    ask("PUT", "/api/issues/REFUSED/watchdog", {"agentId": "tired"})
    ask("PUT", "/api/agents/tired", {"tenant": "acme", "status": "paused"})
    run = ask("POST", "/api/runs", {"issueId": "LEAF", "agentId": "coder"})["runId"]
    ask("PATCH", "/api/issues/LEAF", {"status": "done"})
    ask("PATCH", f"/api/runs/{run}", {"status": "succeeded"})


def refused(page):
    page.click(row("REFUSED"))
    page.says("#detail-id", "REFUSED")
    page.when(lambda: "with a person now" in page.text("#detail"), "a person is told that the tracker refuses", 240)
    check(page.run("return document.querySelectorAll('#detail .pill.bad').length") == 1, "it does not stand out")


def main():
    driver, browser, url, program, token = sys.argv[1:6]
    pictures = sys.argv[6] if len(sys.argv) > 6 else ""
    reviewer = [program, "--reviewer", url.split("/#")[0], "--once"]
    os.environ["HEELER_TASK_TREE_TOKEN"] = token
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        page = Browser(driver, browser, profile)
        try:
            refuse(url)
            page.open(url.split("/#")[0])
            page.says("#message", "it has your token")
            page.open(url)
            page.sees(row("SHOP"))
            check(page.run("return location.href") == url.split("#")[0], "the token stays in the address")
            for step in (set_watch, edit_watch, stop, lambda p: review(p, reviewer), restored, keyboard, hostile_title,
                         remove_watch, refused):
                step(page)
                if pictures:
                    page.picture(f"{pictures}/{time.monotonic_ns()}.png")
            # A request that is refused is an error to the browser as well; the page shows it.
            errors = [line for line in page.errors() if "400 (Bad Request)" not in line and "401 (Unauthorized)" not in line]
            check(not errors, f"the browser complains: {errors}")
        finally:
            page.close()


main()
