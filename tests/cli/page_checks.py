# SPDX-License-Identifier: MIT
"""Checks of a page of pfx export html in a browser: each view shows rows, the rows equal those of pfx report, nothing
is written to the console, nothing but the page is requested."""
import json
import re

from checks import PFX, check, run


def texts(browser):
    """What each view shows, as lists of fields, and as people see it: the text of <main>."""
    shown = {}
    for view in browser.evaluate("pfx.views"):
        browser.evaluate(f"(document.querySelector('#tab-{view}').click(), 1)")
        rows = [line.split("\t") for line in browser.evaluate(f"pfx.text('{view}')").split("\n")]
        seen = browser.evaluate("document.querySelector('#main').innerText")
        chosen = browser.evaluate("document.querySelector('[role=tab][aria-selected=true]').dataset.view")
        check(chosen == view and seen.strip(), f"{view}: shows {chosen}, {seen[:200]!r}")
        shown[view] = rows
    return shown


def name_of(symbol):
    """Report pads addresses; some are without 0x."""
    return hex(int(symbol, 16)) if re.fullmatch(r"(0x)?[0-9a-f]{16}", symbol) else symbol


def report_rows(recording, *words):
    """By event: rows of ((binary, function), (self, total, samples)). Code without a symbol can have several rows."""
    done = run(PFX, "report", "--json", "-q", "--no-branch-stack", "-s", "dso,sym", "-i", recording, *words)
    check(done.returncode == 0, f"report of {recording}: {done.stderr}")
    tables = {}
    for table in json.loads(done.stdout)["tables"]:
        for i, event in enumerate(table["events"]):
            rows = tables.setdefault(event["name"], [])
            for row in table["rows"]:
                values = row["values"][i]
                sums = (values["period"], values.get("children_period", values["period"]), values["samples"])
                if any(sums):
                    rows.append(((row["keys"]["dso"], name_of(row["keys"]["symbol"])), sums))
    return tables


def flame_totals(rows):
    """Totals by name, each stack once, from rows of depth, samples, total, self, name."""
    totals, above = {}, []
    for depth, _, total, _, name in (row[:5] for row in rows[1:]):
        del above[int(depth):]
        if name not in above:
            totals[name] = totals.get(name, 0) + int(total)
        above.append(name)
    return totals


def differences(mine, theirs):
    return sorted(set(mine) ^ set(theirs))[:6]


def is_address(name):
    """A name of code without a symbol; the page joins addresses in no map that are roots of chains."""
    return name[:2] == "0x" or name == "[broken chain]"


def comparable(rows):
    """Report adds callers without a symbol up by their address in the binary, but shows the first one in memory."""
    return sorted((key, (values[0], values[2]) if is_address(key[1]) else values) for key, values in rows
                  if not is_address(key[1]) or values[2])


def check_functions(rows, expected, what):
    table = comparable(((row[3], row[4]), tuple(int(of) for of in row[:3])) for row in rows[1:] if any(map(int, row[:3])))
    mine = comparable(expected)
    check(table == mine, f"{what}: table, first differences: {differences(table, mine)}")


def check_overview(rows, expected, what):
    heavy = comparable((("", row[3]), tuple(int(of) for of in row[:3])) for row in rows[1:] if row[2] != "0")
    mine = comparable((("", name), values) for (_, name), values in expected if values[2])
    check(heavy == mine, f"{what}: overview, first differences: {differences(heavy, mine)}")


def check_graph(rows, expected, what):
    """Functions without a symbol can have two names, and equal names can be in several binaries."""
    names = [name for (_, name), _ in expected]
    mine = {(name, values[1]) for (_, name), values in expected if names.count(name) == 1 and not is_address(name)}
    totals = flame_totals(rows)
    theirs = {(name, totals.get(name, -1)) for name, _ in mine}
    check(mine == theirs, f"{what}: flame graph, first differences: {differences(mine, theirs)}")


def check_sandwich(rows, expected, what):
    """Both trees begin with the function, and have its total."""
    for title in ("callers", "callees"):
        at = rows.index([title])
        if rows[at + 2][4] == "all" and len(rows) > at + 3 and len(rows[at + 3]) >= 5:
            _, _, total, _, name = rows[at + 3][:5]
            mine = [values[1] for (_, of), values in expected if of == name]
            check(int(total) in mine or is_address(name), f"{what}: {title} of {name}: {total}, not {mine}")


def check_code(browser, expected, what):
    """The samples of the instructions of a function are its own, as are those of its lines, if all have one."""
    for function in browser.evaluate("pfx.app.profile.code.map(of => of.function)"):
        browser.evaluate(f"pfx.app.set({{function: {function}}})")
        parts = [[line.split("\t") for line in part.split("\n")] for part in browser.evaluate("pfx.text('code')").split("\n\n")]
        (_, name, note), rows = parts[0][0], parts[-1][1:]
        if note and not rows:
            continue
        sums = sum(int(row[0]) for row in rows), sum(int(row[1]) for row in rows)
        mine = [(values[0], values[2]) for (_, of), values in expected if of == name]
        check(sums in (mine or [(0, 0)]), f"{what}: code of {name}: {sums}, not {mine}")
        lines = sum(int(row[1]) for row in parts[0][2:])
        check(lines <= sums[1], f"{what}: lines of {name}: {lines} of {sums[1]} samples")
        shown = browser.evaluate("document.querySelectorAll('.code-pane:last-child tbody tr').length")
        check(shown == len(rows), f"{what}: {shown} rows of {len(rows)} instructions of {name}")


# Of the page's tables: the options of report that make the same.
TABLES = {"By level": ["--mem-mode", "-s", "mem,tlb,snoop,locked"],
          "By function and data": ["--mem-mode", "-s", "sym,dso,symbol_daddr,dso_daddr,mem"],
          "By function": ["-b", "-s", "symbol_from,symbol_to,dso_from,dso_to,mispredict"]}


def report_table(recording, event, words):
    """Of an event: a list of texts by title, period and samples for each row. Report has functions without their level."""
    done = run(PFX, "report", "--json", "-q", "-i", recording, *words)
    check(done.returncode == 0, f"report {words} of {recording}: {done.stderr}")
    for table in json.loads(done.stdout)["tables"]:
        if table["events"][0]["name"] == event:
            titles = {of["key"]: of["title"] for of in table["columns"]}
            return [({titles[key]: text for key, text in row["keys"].items() if key in titles},
                     row["values"][0]["period"], row["values"][0]["samples"]) for row in table["rows"]]
    return []


def check_tables(browser, recording, event, what):
    """Memory and branches, where the page has them: each row is one of report's, and as many as there are, up to 300."""
    index = browser.evaluate("pfx.app.state.event")
    for table in browser.evaluate("pfx.app.profile.tables.map(({title, event, columns, keys, count}) => ({title, event, columns, keys, count}))"):
        if table["event"] != index:
            continue
        rows = report_table(recording, event, [*TABLES[table["title"]], "-f"])
        check(table["count"] == min(300, len(rows)) > 0, f"{what}: {table['title']}: {table['count']} rows of {len(rows)}")
        mine = {tuple(re.sub(r"^\[.\] ", "", keys[title]) for title in table["columns"]) for keys, _, _ in rows}
        other = [keys for keys in table["keys"] if tuple(re.sub(r"^\[.\] ", "", of) for of in keys) not in mine]
        check(not other, f"{what}: {table['title']}: rows that report does not have: {other[:3]}, but {sorted(mine)[:3]}")
        sums = browser.evaluate(f"pfx.text('{'branches' if table['title'] == 'By function' else 'memory'}')")
        top = max(rows, key=lambda row: row[1])
        check(f"{top[1]}\t{top[2]}\t" in sums, f"{what}: {table['title']}: the heaviest row {top}")


def check_event(browser, expected, what):
    shown = texts(browser)
    check_functions(shown["table"], expected, what)
    check_overview(shown["overview"], expected, what)
    check_graph(shown["flame"], expected, what)
    check_sandwich(shown["sandwich"], expected, what)
    if "code" in shown:
        check_code(browser, expected, what)
    if "chart" in shown:
        names = {name for (_, name), _ in expected}
        check(all(row[3] in names or is_address(row[3]) for row in shown["chart"][1:] if len(row) > 1), f"{what}: chart")
        strip = browser.evaluate("pfx.strip()").split("\n")[1].split("\t")
        check(int(strip[0]) == sum(values[0] for _, values in expected), f"{what}: strip {strip}")
    return shown


def check_page(browser, page, recording, *words):
    """All events of a recording whose page is a file. Words are options of report that the page was made with."""
    browser.open(f"file://{page}")
    whole = report_rows(recording, *words)
    events = browser.evaluate("pfx.app.profile.events.map(of => of.role === 'old' ? null : of.name)")
    for i, event in enumerate(events):
        if event is None:
            continue
        browser.evaluate(f"(pfx.app.set({{event: {i}}}), 1)")
        check_event(browser, whole.get(event, []), f"{page} in {browser.name}, {event}")
        check_tables(browser, recording, event, f"{page} in {browser.name}, {event}")
    check_quiet(browser, page)


def other_rows(rows):
    """Of a table: binary, function, and the sums of the second event."""
    return [((row[3], row[4]), tuple(int(of) for of in row[5:8])) for row in rows[1:] if any(map(int, row[5:8]))]


def check_other(browser, expected, what):
    """The event that is shown beside the first one has the rows of its report in each view, as does the first."""
    browser.evaluate("(pfx.app.set({widths: 'both'}), 1)")
    shown = texts(browser)
    table = comparable(other_rows(shown["table"]))
    mine = comparable(expected)
    check(table == mine, f"{what}: table of the second event, first differences: {differences(table, mine)}")
    heavy = sum(int(row[4]) for row in shown["overview"][1:])
    check(heavy == sum(values[0] for _, values in expected), f"{what}: overview of the second event: {heavy}")
    totals = flame_totals([row[:1] + [None, row[6], None, row[4]] for row in shown["flame"]])
    for (_, name), (_, total, _) in expected:
        check(is_address(name) or totals.get(name) == total, f"{what}: {name} in the flame graph: {totals.get(name)}, not {total}")
    strip = browser.evaluate("pfx.strip()").split("\n")[2].split("\t")
    check(int(strip[0]) == heavy, f"{what}: strip of the second event: {strip}")


def check_quiet(browser, page):
    browser.settle()
    check(not browser.messages, f"{page} in {browser.name}: messages {browser.messages[:3]}")
    requests = [of for of in browser.requests if of.split("#")[0] not in (f"file://{page}", "about:blank")]
    check(not requests, f"{page} in {browser.name}: requests {requests[:3]}")
