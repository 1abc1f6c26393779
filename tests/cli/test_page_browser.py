# SPDX-License-Identifier: MIT
"""pfx export html in Chromium: each view has the rows of pfx report, keys and links lead where they should, any name
is text, nothing is requested. test_page_firefox.py opens the same recordings in Firefox."""
import itertools
import json
import os
import re
import shutil
import sys

import page_checks
from annotating import build, make as make_recording, symbol
from browsers import Chromium, Unusable
from checks import INLINING_PROGRAM, PFX, check, finish, run
from libraries import built_in
from page_recordings import (EVENTS, HOSTILE, LONG, OFF_EVENTS, OLD_STACKS, OLDER, PLAIN, STACKS, TEN, golden_page, page_of, record,
                             sample, write_kallsyms)

CODE = 0x555555554000
SHOWN = "[...document.querySelectorAll('table.functions tbody th')].map(of => of.innerText)"
# Characters that are invisible or turn text around are written as their numbers.
VISIBLE = {c: f"\\u{c:04x}" for c in (0x2028, 0x2029, 0x202e)}


def address(name, fragment=""):
    return f"file://{os.getcwd()}/{name}.html#{fragment}"


def check_names(browser):
    write_kallsyms("hostile.syms", HOSTILE)
    record("hostile", [sample(i, (name,), HOSTILE, 2) for i, name in enumerate(HOSTILE)])
    page_of("hostile")
    browser.open(address("hostile", "view=table"))
    names = [LONG[:149] + "…" if of == LONG else of.translate(VISIBLE) for of in HOSTILE]
    check(sorted(browser.evaluate(SHOWN)) == sorted(names), f"hostile names: {browser.evaluate(SHOWN)}"[:600])
    for view in browser.evaluate("pfx.views"):
        browser.evaluate(f"pfx.app.set({{view: '{view}'}})")
        check(browser.evaluate("document.querySelectorAll('main b:not(.mono), main script').length") == 0, f"{view}: a name is not text")
    page_checks.check_quiet(browser, os.path.abspath("hostile.html"))


def check_long_names(browser):
    """Long names of C++ that begin alike are told apart wherever a function is listed."""
    inside = "ns::of<" + ",".join(f"std::map<int,std::vector<double>>{i}" for i in range(9)) + ">::"
    functions = [inside + "first(int,char)", inside + "second(int,char)"]
    write_kallsyms("templates.syms", functions)
    record("templates", [sample(i, functions[:1 + i % 2], functions, 2) for i in range(20)])
    page_of("templates")
    browser.open(address("templates"))
    for width in (1440, 1024, 500):
        browser.look(width, 900)
        for view, listed in (("sandwich", "select option"), ("overview", ".heavy-name .mono"), ("table", "table.functions tbody th")):
            browser.evaluate(f"pfx.app.set({{view: '{view}'}})")
            shown = browser.evaluate(f"[...document.querySelectorAll('main {listed}')].map(of => of.textContent)")
            check(sorted(shown) == ["ns::of::first", "ns::of::second"], f"long names in {view} at {width}: {shown}")
    browser.look(1400, 900)


def check_fragments(browser):
    for fragment in ("view=nosuch", "view=table&function=999&event=77&cpu=-3&from=x", "zoom=zz.%FF.0", "focus=(((&search=[", "%"):
        browser.open(address("plain", fragment))
        check(browser.evaluate("document.querySelectorAll('[role=tab][aria-selected=true]').length") == 1, fragment)
        check("cannot be shown" not in browser.evaluate("document.body.innerText"), fragment)
        page_checks.check_quiet(browser, os.path.abspath("plain.html"))
    browser.open(address("plain", "view=table&focus=middle&sort=name&order=up"))
    check(browser.evaluate(SHOWN) == ["leaf", "middle", "outer"], f"a link with a filter: {browser.evaluate(SHOWN)}")


def check_keys(browser):
    """A function is found, zoomed to and focused on with the keyboard alone, and Back returns."""
    browser.open(address("plain"))
    browser.press("2")
    browser.evaluate("(document.querySelector('main .flame').focus(), 1)")
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        browser.press(key)
    zoom = browser.evaluate("pfx.app.state.zoom")
    check(zoom, "Enter does not zoom to the frame that the arrows selected")
    browser.press("Backspace")
    check(browser.evaluate("pfx.app.state.zoom") != zoom, "Backspace does not zoom out")
    browser.press("f")
    focus = browser.evaluate("pfx.app.state.focus")
    check(focus, "f does not focus")
    browser.evaluate("history.back()")
    browser.wait("pfx.app.state.focus === ''")
    browser.press("/")
    for key in "lea":
        browser.press(key)
    browser.wait("/matched/.test(document.querySelector('#matched').innerText)")
    browser.evaluate("(document.activeElement.blur(), 1)")
    browser.press("4")
    check(browser.evaluate(SHOWN) == ["leaf"], f"the search in the table: {browser.evaluate(SHOWN)}")
    browser.evaluate("(document.querySelector('table.functions tbody th button').click(), 1)")
    check(browser.evaluate("pfx.app.state.view") == "sandwich", "a name in the table does not lead to its callers")


def check_mouse(browser):
    """A click on a frame zooms; a drag over the timeline selects a time."""
    browser.open(address("plain", "view=flame"))
    box = browser.evaluate("(({x, y, width}) => [x, y, width])(document.querySelector('main .flame').getBoundingClientRect())")
    browser.click(box[0] + box[2] / 4, box[1] + 30)
    check(browser.evaluate("pfx.app.state.zoom"), "a click on a frame does not zoom")
    check(browser.evaluate("document.querySelector('#crumbs').innerText").startswith("all"), "no breadcrumb of the zoom")
    x, y, width = browser.evaluate("(({x, y, width}) => [x, y, width])(document.querySelector('.strip-plot').getBoundingClientRect())")
    browser.drag(x + width * 0.25, y + 25, x + width * 0.75)
    share = browser.evaluate("pfx.app.total() / pfx.app.whole()")
    check(0.1 < share < 0.9, f"a drag over the timeline: {share} of the samples")


def check_narrow(browser):
    """Frames too narrow for a name cover their row, in the colours of their library and of the search."""
    functions = ["outer", *(f"narrow_{i}" for i in range(900))]
    write_kallsyms("narrow.syms", functions)
    record("narrow", [re.sub(r"period=\d+", "period=1000", sample(i, ("outer", name), functions, 2))
                      for i, name in enumerate(functions[1:])])
    page_of("narrow")
    browser.open(address("narrow", "view=flame"))
    row = ("(graph => [...graph.getContext('2d').getImageData(0, 50 * devicePixelRatio, graph.width, 1).data].reduce((seen, part, i, all) =>"
           "i % 4 ? seen : seen.add(all.slice(i, i + 4).join()), new Set()))(document.querySelector('main .flame canvas'))")
    colours = browser.evaluate(f"[...{row}]")
    check(len(colours) == 1 and colours[0].endswith(",255"), f"narrow frames of one library: {colours[:9]}")
    browser.evaluate("pfx.app.set({search: 'narrow_[0-9]$'})")
    marked = browser.evaluate(f"[...{row}]")
    rows = "document.querySelectorAll('table.functions tbody tr').length"
    first = browser.evaluate(f"(pfx.app.set({{view: 'table', search: ''}}), {rows})")
    check(first == 60, f"a table begins with the {first} rows that are in sight")
    browser.wait(f"{rows} === 250")
    names = browser.evaluate(SHOWN)
    listed = [line.split("\t")[4] for line in browser.evaluate("pfx.text('table')").split("\n")[1:251]]
    check(names == listed, f"rows that follow: {page_checks.differences(names, listed)}")
    check("255,176,0,255" in marked and any(of.endswith(",107") for of in marked), f"narrow frames that the search matches: {marked[:9]}")


def check_effort(browser):
    """A zoom draws the frames once, and computes nothing that is not shown; what it shows of a frame by itself is right."""
    browser.open(address("plain", "view=flame"))
    browser.evaluate("(document.querySelector('main .flame').focus(), window.drawn = 0, (clear => { CanvasRenderingContext2D.prototype.clearRect ="
                     "function (...box) { drawn += this.canvas.matches('.flame canvas:not(.marks)'); return clear.apply(this, box) } })"
                     "(CanvasRenderingContext2D.prototype.clearRect), 1)")
    for key in ("ArrowDown", "ArrowDown"):
        browser.press(key)
    browser.settle()
    browser.evaluate("(drawn = 0, 1)")
    browser.press("Enter")
    browser.settle()
    check(browser.evaluate("drawn") == 1, f"a zoom draws all frames {browser.evaluate('drawn')} times")
    check(browser.evaluate("'value' in Object.getOwnPropertyDescriptor(pfx.app.tree(), 'self')") is False, "a zoom sums up what all frames have by themselves")
    shown = browser.evaluate("(tree => [...tree.frame.keys()].filter(of => pfx.app.sumsText(tree, of)[1] !=="
                             "`self ${pfx.app.share(tree.self[of])} · ${pfx.app.weight(tree.self[of])}`))(pfx.app.tree())")
    check(shown == [], f"what frames have by themselves: {shown}")


def check_broken(browser):
    """A tooltip says what callers in no map are."""
    chains = [("0x401000", "0x1234"), ("0x402000", "0x77", "0x1")]
    write_kallsyms("broken.syms", PLAIN)
    record("broken", [f"sample ip={of[0]} pid=7 tid=7 time={1000000 + i} period=9 id=2 cpu=0 chain=user,{','.join(of)}\n"
                      for i, of in enumerate(chains)])
    page_of("broken")
    browser.open(address("broken", "view=flame"))
    lines = browser.evaluate("(app => app.describe(app.tree(), 1))(pfx.app)")
    check(lines[0] == "[broken chain]" and "no frame pointer" in lines[1], f"the tooltip of a broken chain: {lines}")


def check_lanes(browser):
    """A click on a thread of the timeline shows it alone, one with Shift adds another; CPUs are chosen in the same way."""
    browser.open(address("plain"))
    click = "(document.querySelectorAll('button.strip-label')[%d].dispatchEvent(new MouseEvent('click', {bubbles: true, shiftKey: %s})), 1)"
    whole = browser.evaluate("pfx.app.total()")
    browser.evaluate(click % (0, "false"))
    one = browser.evaluate("pfx.app.total()")
    check(0 < one < whole, f"one thread: {one} of {whole}")
    browser.evaluate(click % (1, "true"))
    check(browser.evaluate("pfx.app.total()") == whole, "both threads are not all samples")
    check(browser.evaluate("document.querySelectorAll('button.strip-label[aria-pressed=true]').length") == 2, "chosen threads are not marked")
    browser.evaluate("(pfx.app.set({thread: ''}), document.querySelector('.strip-lanes button').click(), 1)")
    browser.evaluate(click % (2, "false"))
    check(browser.evaluate("pfx.app.filter().cpu.length") == 1, "a click on a CPU does not choose it")
    check("CPU 2" in browser.evaluate("document.querySelector('#crumbs').innerText"), "no breadcrumb of the CPU")
    page_checks.check_quiet(browser, os.path.abspath("plain.html"))


def check_off_cpu(browser):
    """Time off the CPU is beside the time on it."""
    write_kallsyms("off.syms", PLAIN)
    record("off", [sample(i, STACKS[i % len(STACKS)], PLAIN, 1 + i % 2) for i in range(60)], OFF_EVENTS)
    page_of("off")
    page_checks.check_page(browser, os.path.abspath("off.html"), "off.data", "--kallsyms", "off.syms")
    browser.open(address("off"))
    expected = page_checks.report_rows("off.data", "--kallsyms", "off.syms")
    page_checks.check_other(browser, expected["offcpu-time"], "off-CPU time")
    browser.evaluate("(pfx.app.set({view: 'overview'}), 1)")
    check("Off the CPU" in browser.evaluate("document.querySelector('main').innerText"), "no off-CPU time on the overview")
    check(browser.evaluate("document.querySelectorAll('.strip-label').length") > 1, "no off-CPU time on the timeline")
    browser.evaluate("(pfx.app.set({from: 0, to: 10000}), 1)")
    some = browser.evaluate("pfx.app.pair().totals[1]")
    page_checks.check_quiet(browser, os.path.abspath("off.html"))
    record("end", [sample(i, STACKS[i % len(STACKS)], PLAIN, 1) for i in range(60)] + [sample(60, STACKS[i % len(STACKS)], PLAIN, 2) for i in range(9)],
           OFF_EVENTS)
    shutil.copy("off.syms", "end.syms")
    page_of("end")
    browser.open(address("end"))
    browser.evaluate("(pfx.app.set({view: 'table'}), 1)")
    whole = browser.evaluate("pfx.app.pair().totals[1]")
    check("Off" not in browser.evaluate("document.querySelector('.strip').innerText"), "off-CPU time that was written at the end is on the timeline")
    browser.evaluate("(pfx.app.set({from: 0, to: 10000, view: 'overview'}), 1)")
    check(some > 0 and browser.evaluate("pfx.app.pair().totals[1]") == whole, "a range of time leaves out off-CPU time that was written at the end")
    check("when is not recorded" in browser.evaluate("document.querySelector('main').innerText"), "why off-CPU time is that of the whole recording")
    page_checks.check_quiet(browser, os.path.abspath("end.html"))


def check_difference(browser):
    """Two recordings: the sums of both, their totals, what is new and gone in words; by Times and Old, too."""
    write_kallsyms("now.syms", OLDER)
    record("now", [sample(i, STACKS[i % len(STACKS)], OLDER, 2) for i in range(120)])
    record("before", [sample(i, OLD_STACKS[i % len(OLD_STACKS)], OLDER, 2) for i in range(100)])
    page_of("now", "--diff", "before.data")
    page_checks.check_page(browser, os.path.abspath("now.html"), "now.data", "--kallsyms", "now.syms")
    browser.open(address("now"))
    expected = page_checks.report_rows("before.data", "--kallsyms", "now.syms")["cycles"]
    expected = [((dso, name.replace("leaf.isra.0", "leaf")), values) for (dso, name), values in expected]
    page_checks.check_other(browser, expected, "the old recording")
    browser.open(address("now"))
    shown = browser.evaluate("document.querySelector('body').innerText")
    check("What changed" in shown and "gone" in shown and ", was " in shown, f"overview of a difference: {shown[:600]}")
    browser.press("4")
    shown = browser.evaluate("[...document.querySelectorAll('table.functions tbody tr')].map(of => of.innerText)")
    check(any("vanished" in of and "gone" in of for of in shown), f"table of a difference: {shown}")
    for state in ("basis: 'amount'", "widths: 'other'", "view: 'flame', stacks: 'callers'", "view: 'sandwich'"):
        browser.evaluate(f"(pfx.app.set({{{state}}}), 1)")
    check("change of total" in browser.evaluate("document.querySelector('main').innerText"), "callers of a difference")
    page_checks.check_quiet(browser, os.path.abspath("now.html"))


def printed(browser, width):
    """Of the flame graph when the page is printed: width and height of the canvas, height of what is around it, width of its
    place. A canvas in a box without height is cut off on paper."""
    browser.look(width, 900)
    browser.call("Emulation.setEmulatedMedia", media="print")
    browser.settle()
    shown = browser.evaluate("JSON.stringify((of => [of.width, of.height, document.querySelector('.flame-layers').offsetHeight, "
                             "document.querySelector('.flame').clientWidth])(document.querySelector('.flame canvas').getBoundingClientRect()))")
    browser.call("Emulation.setEmulatedMedia", media="")
    return json.loads(shown)


def check_cells(browser, what):
    """Numbers are shown whole, and so are the places in source files, with their lines."""
    cut = browser.evaluate("[...document.querySelectorAll('td.share, .functions td.place')].filter(of => of.scrollWidth > of.clientWidth).map(of => of.innerText)")
    check(not cut, f"{what}: cells are cut: {cut}")
    places = json.loads(browser.evaluate(
        "JSON.stringify([...document.querySelectorAll('.instructions td.place button')].map(of => [of.innerText, "
        "of.getBoundingClientRect().right - of.closest('td').getBoundingClientRect().right]))"))
    check(all(re.search(r":\d+$", text) and over <= 0 for text, over in places), f"{what}: a line of source is cut: {places[:5]}")
    if places:
        line = browser.evaluate("(of => of.getBoundingClientRect().right - of.closest('.code-pane').getBoundingClientRect().right)"
                                "(document.querySelector('.instructions td.place button'))")
        check(line <= 0 or "360" in what or "500" in what, f"{what}: lines begin beyond the pane")


def check_places(browser):
    """Of a path that is too long, the beginning is left out."""
    for file, line, shown in (("/usr/include/c++/12/bits/stl_algo.h", 1912, "…/12/bits/stl_algo.h:1912"), ("a.c", 7, "a.c:7"), ("dir/a.c", 0, "dir/a.c"),
                              ("/src/" + "long" * 20 + ".cc", 12345, "…onglonglonglong.cc:12345")):
        found = browser.evaluate("(() => { const { files, lines } = pfx.app.profile; const old = [files[0], lines[0]]; "
                                 f"[files[0], lines[0]] = [{json.dumps(file)}, {line}]; const place = pfx.app.place(0, 25); "
                                 "[files[0], lines[0]] = old; return place })()")
        check(found == shown, f"the place {file}:{line} in 25 characters: {found}")


def check_empty(browser):
    """Without samples, and without events, each view says so."""
    write_kallsyms("bare.syms", PLAIN)
    for events in (EVENTS, ""):
        record("bare", [], events)
        page_of("bare")
        browser.open(address("bare"))
        check("cannot be shown" not in browser.evaluate("document.body.innerText"), "a page without samples is not shown")
        for view in browser.evaluate("pfx.views"):
            browser.evaluate(f"(pfx.app.set({{view: '{view}'}}), pfx.app.set({{search: 'x'}}), pfx.app.set({{search: ''}}), 1)")
            check(browser.evaluate(f"pfx.text('{view}').length > 3"), f"{view} without samples")
        page_checks.check_quiet(browser, os.path.abspath("bare.html"))


def check_print(browser):
    """A page with dark colours is printed with light ones, and the graph with all rows, more than the screen has."""
    deep = [f"level{i}" for i in range(60)]
    write_kallsyms("deep.syms", deep)
    record("deep", [sample(i, deep, deep, 2) for i in range(4)])
    page_of("deep")
    browser.look(1000, 600, True)
    browser.open(address("deep", "view=flame"))
    browser.evaluate("(document.documentElement.dataset.theme = 'dark', 1)")
    browser.evaluate("(dispatchEvent(new Event('beforeprint')), 1)")
    browser.call("Emulation.setEmulatedMedia", media="print")
    ink = browser.evaluate("getComputedStyle(document.querySelector('#head h1')).color")
    check(ink == "rgb(28, 33, 38)", f"text on paper is {ink}")
    height = browser.evaluate("parseInt(document.querySelector('.flame canvas').style.height)")
    check(height >= 60 * 20, f"a printed graph of 61 rows is {height} pixels high")
    browser.call("Emulation.setEmulatedMedia", media="")
    browser.evaluate("(dispatchEvent(new Event('afterprint')), 1)")
    height = browser.evaluate("parseInt(document.querySelector('.flame canvas').style.height)")
    check(height < 600, f"after printing the graph is {height} pixels high on a screen of 600")
    browser.look(1400, 900)


def check_small(browser, name):
    """On small screens nothing but tables is wider than the page; on paper the flame graph is as wide as its place, and is there."""
    for view, width in itertools.product(browser.evaluate("pfx.views"), (360, 500, 1024)):
        browser.look(width, 800)
        browser.open(address(name, f"view={view}"))
        wider = browser.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        out = browser.evaluate("JSON.stringify([...document.querySelectorAll('body *')].filter(of => of.getBoundingClientRect().right > "
                               "document.documentElement.clientWidth + 1).map(of => of.tagName + '.' + of.className).slice(0, 9))")
        check(wider <= 0, f"{view} is {wider} pixels wider than a screen of {width}: {out}")
        check_cells(browser, f"{view} at {width}")
        strip = browser.evaluate("(([canvas, plot]) => canvas.right - plot.right)(['.strip canvas', '.strip-plot'].map(of => "
                                 "document.querySelector(of).getBoundingClientRect()))")
        check(strip <= 1, f"{view} at {width}: the timeline is {strip} pixels wider than its place")
    browser.look(1000, 900)
    browser.open(address(name, "view=flame"))
    width, height, around, room = printed(browser, 700)
    check(0 < width <= room and around >= height > 20, f"a printed flame graph of {width} times {height} pixels in {room} times {around}")
    browser.look(1400, 900)


def make_code(name, *words):
    """Samples in a function with another one inlined, and in its caller; and the page."""
    start, size = symbol("inlining", "outer")
    caller = symbol("inlining", "main")[0]
    text = f"""event cycles type=hw period=100 sample=ip,tid,time,id,period,callchain ids=1
event instructions type=hw config=1 period=100 sample=ip,tid,time,id,period,callchain ids=2
feature arch str={os.uname().machine}
comm pid=10 tid=10 inlining
mmap2 pid=10 tid=10 addr={CODE:#x} len=0x100000 pgoff=0 maj=8 min=1 ino=77 prot=5 flags=2 {os.path.abspath("inlining")}
"""
    for i in range(size):
        ip = CODE + start + i
        text += f"sample ip={ip:#x} pid=10 tid=10 time={1000 + i} id={1 + i % 2} period={100 + i} chain=user,{ip:#x},{CODE + caller + 4:#x}\n"
    make_recording(f"{name}.data", text + "round\n")
    done = run(PFX, "export", "html", "-i", f"{name}.data", "-o", f"{name}.html", *words)
    check(done.returncode == 0, f"export of {name}: {done.stderr}")


def check_code(browser):
    """Source lines and instructions; the button and the key that lead there; where a function is."""
    build("inlining", INLINING_PROGRAM, "-O1")
    make_code("bare")
    make_code("code", "--sources")
    with open("bare.html", encoding="utf-8") as file:
        check("sink += n" not in file.read(), "a page has source lines without --sources")
    page_checks.check_page(browser, os.path.abspath("bare.html"), "bare.data")
    page_checks.check_page(browser, os.path.abspath("code.html"), "code.data")
    browser.open(address("code", "view=flame"))
    check("the text of their source lines" in browser.evaluate("document.querySelector('#foot').innerText"), "what the page contains")
    lines = browser.evaluate("pfx.app.describe(pfx.app.tree(), [...pfx.app.tree().frame.keys()].find(i => pfx.app.label(pfx.app.tree(), i) === 'outer'))")
    check(any("inlining.c:4" in line for line in lines), f"the place of a function: {lines}")
    browser.evaluate("(document.querySelector('main .flame').focus(), 1)")
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "a"):
        browser.press(key)
    check(browser.evaluate("pfx.app.state.view") == "code", "a does not lead to the code")
    shown = browser.evaluate("document.querySelector('main').innerText")
    check("sink += n" in shown and "in inlined" in shown, f"code: {shown[:500]}")
    browser.evaluate("([...document.querySelectorAll('.code tbody tr')].find(row => row.innerText.includes('sink += n')).querySelector('button').click(), 1)")
    check(browser.evaluate("document.querySelectorAll('.code-pane:last-child tr.marked').length") > 1, "a line does not mark its instructions")
    page_checks.check_quiet(browser, os.path.abspath("code.html"))


def main():
    try:
        browser = Chromium()
    except Unusable as reason:
        print(f"SKIP: {reason}")
        sys.exit(77)
    with browser:
        for name in TEN:
            page_checks.check_page(browser, golden_page(name), f"{name}.data")
            views = browser.evaluate("pfx.views")
            check(("memory" in views) == (name == "memory-levels") and ("branches" in views) == (name == "branch-loops"), f"{name}: {views}")
            foot = browser.evaluate("document.querySelector('#foot').innerText")
            check(("addresses of data" in foot) == (name in ("memory-levels", "branch-loops")), f"{name}: what the page contains: {foot}")
            check(("instructions" in foot) == ("code" in views), f"{name}: what the page contains: {foot}")
        write_kallsyms("plain.syms", PLAIN)
        record("plain", [sample(i, STACKS[i % len(STACKS)], PLAIN, 2) for i in range(60)])
        page_of("plain")
        check_names(browser)
        check_long_names(browser)
        check_fragments(browser)
        check_keys(browser)
        check_mouse(browser)
        check_narrow(browser)
        check_effort(browser)
        check_broken(browser)
        check_lanes(browser)
        check_off_cpu(browser)
        check_difference(browser)
        if shutil.which("cc") and built_in("libdw") and built_in("capstone"):
            check_code(browser)
        check_places(browser)
        check_print(browser)
        check_empty(browser)
        check_small(browser, "code" if os.path.exists("code.html") else "plain")
    finish()


main()
