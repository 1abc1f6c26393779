# SPDX-License-Identifier: MIT
"""pfx export html in Firefox: the ten recordings of test_page_browser.py, each view with the rows of pfx report; any name
is text; no message, no request."""
import os
import sys

import page_checks
from browsers import Firefox, Unusable
from checks import check, finish
from page_recordings import HOSTILE, LONG, TEN, golden_page, page_of, record, sample, write_kallsyms


def check_names(browser):
    write_kallsyms("hostile.syms", HOSTILE)
    record("hostile", [sample(i, (name,), HOSTILE, 2) for i, name in enumerate(HOSTILE)])
    page_of("hostile")
    path = os.path.abspath("hostile.html")
    browser.open(f"file://{path}#view=table")
    text = browser.evaluate("document.querySelector('table.functions').innerText")
    check("</script><b>" in text and "\\u202e" in text and LONG[:149] + "…" in text, f"hostile names: {text[:500]}")
    for view in browser.evaluate("pfx.views"):
        browser.evaluate(f"(pfx.app.set({{view: '{view}'}}), 1)")
        check(browser.evaluate("document.querySelectorAll('main b:not(.mono), main script').length") == 0, f"{view}: a name is not text")
    page_checks.check_quiet(browser, path)


def main():
    try:
        browser = Firefox()
    except Unusable as reason:
        print(f"SKIP: {reason}")
        sys.exit(77)
    with browser:
        for name in TEN:
            page_checks.check_page(browser, golden_page(name), f"{name}.data")
        check_names(browser)
    finish()


main()
