"""Looks at pages about runs in a browser: nothing complains, keys reach what happened, nothing hostile comes to life.

replay_page.py DRIVER BROWSER PAGE LONG_PAGE [SCREENSHOTS]: DRIVER speaks WebDriver for BROWSER; PAGE is a run that
loops and says hostile things, LONG_PAGE one of ten thousand events.
"""
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from browser import Browser, check  # noqa: E402

FOCUS = "const e = document.activeElement; return e && e.getAttribute('href') || '';"
OPEN = "return document.querySelector(arguments[0]).closest('details').open;"
COLOUR = "return getComputedStyle(document.body).backgroundColor;"
WIDTH = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth;"


def shows_what_happened(page):
    for lane in ("state", "calls", "verdict", "action", "alerts"):
        check(lane in page.text("svg"), f"the timeline has no lane {lane}")
    check("LOOP_DETECTED" in page.text(".events"), "no verdict")
    check(page.run("return document.querySelectorAll('rect.again').length") >= 3, "no repeated calls")
    check("times" in page.text(".legend"), "nothing says what is repeated")


def hostile_text_stays_text(page):
    check(page.run("return document.scripts.length + document.images.length + document.forms.length") == 0, "an element")
    check("<img src=x" in page.text("main"), "the text is gone")
    check(page.run("return document.title").startswith("Port <b>it</b>"), "the title")


def keys_reach_a_verdict(page):
    page.run("document.activeElement.blur(); window.scrollTo(0, 0);")
    for _ in range(60):
        page.press("tab")
        place = page.run(FOCUS)
        if place and page.run("return document.querySelector(arguments[0]).closest('details') !== null", place):
            break
    else:
        raise AssertionError("Tab reaches nothing that can be opened")
    check(not page.run(OPEN, place), "it is open before")
    page.press("enter")
    page.when(lambda: page.run(OPEN, place), f"{place} is opened")
    check(page.run("return document.querySelector(arguments[0]).matches(':target')", place), "it is not marked")


def fits(page, pictures):
    for width in (1280, 390):
        page.resize(width, 900)
        for scheme in ("light", "dark"):
            page.prefers(scheme)
            check(page.run(WIDTH), f"it is wider than {width} pixels")
            if pictures:
                page.picture(f"{pictures}/run-{width}-{scheme}.png")
    dark = page.run(COLOUR)
    page.prefers("light")
    check(page.run(COLOUR) != dark, "dark is as light as light")


def main():
    driver, browser, short, long = sys.argv[1:5]
    pictures = sys.argv[5] if len(sys.argv) > 5 else ""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        page = Browser(driver, browser, profile)
        try:
            page.open("file://" + os.path.abspath(short))
            shows_what_happened(page)
            hostile_text_stays_text(page)
            keys_reach_a_verdict(page)
            fits(page, pictures)
            began = time.monotonic()
            page.open("file://" + os.path.abspath(long))
            took = time.monotonic() - began
            marks = page.run("return document.querySelectorAll('svg rect').length")
            check(marks >= 5000, f"only {marks} calls are drawn")
            print(f"{marks} calls, {os.path.getsize(long) / 1e6:.1f} MB, there after {took:.2f} s")
            check(not page.errors(), f"the browser complains: {page.errors()}")
        finally:
            page.close()


main()
