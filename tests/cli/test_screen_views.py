#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The screen in a terminal: each view at three sizes as in tests/cli/screens (PFX_UPDATE_SCREENS=1 writes them), kinds
of terminals, changes of its size, and what is left of the terminal when pfx ends in any way."""
import os
import re
import shutil
import signal
import subprocess
import time

import terminals
from checks import KIT, PFX, check, finish
from terminals import Terminal

SCREENS = os.path.join(os.environ["PFX_SOURCE_DIR"], "tests", "cli", "screens")
SIZES = ((80, 24), (120, 30), (200, 60))
VIEWS = {
    "table": (),
    "trees": ("e", "Down"),
    "menu": ("Down", "m"),
    "rows": ("b",),
    "lines": ("b", "7"),
    "keys": ("b", "8"),
    "flame": ("g", "Down", "Down"),
    "timeline": ("T", "Down", "Space", "Right", "Right"),
    "callers": ("Down", "w"),
    "code": ("/", "w", "o", "r", "k", "Enter", "a", "H"),
    "header": ("i",),
    "help": ("?",),
    "events": ("v",),
}
CHANGES = {
    "diff-table": (),
    "diff-trees": ("<", "Down", "e"),
    "diff-flame": ("g", "Down", "Down"),
    "diff-callers": ("w",),
    "diff-header": ("i",),
}
# Tables that a profile does not have: the recording, words of report, keys.
SHEETS = {
    "hierarchy": ("perf.data", ("--hierarchy", "-s", "comm,dso,sym"), ("e",)),
    "fields": ("perf.data", ("-F", "overhead,overhead_us,sample,comm,sym"), ("Enter",)),
    "weights": ("perf.data", ("-s", "weight,sym", "--no-children"), ("Down", "Enter", "Enter")),
    "sorted": ("perf.data", ("-F", "overhead,sample,comm,sym"), ("<", "Down", "d", "F", "V")),
    "tree-sorted": ("perf.data", ("--hierarchy", "-s", "comm,dso,sym"), (">", "e", "Down", "t")),
    "other-keys": ("perf.data", (), ("b", "9", "C-u", "weight,sym", "Enter", "o", "e")),
    "branches": ("branches.data", (), ("Down",)),
    "blocks": ("blocks.data", ("--total-cycles",), (">", ">", ">", ">", "Down")),
    "samples": ("perf.data", ("--samples", "3", "--no-children"), ("m", "5")),
    "memory": ("memory.data", ("--mem-mode", "-s", "mem,sym,symbol_daddr"), ("Down",)),
}
BLOCKS = """event cycles type=hw config=0 sample=ip,tid,time,period,branch_stack branch=any,user
feature branch_stack
feature arch str=x86_64
comm pid=10 tid=10 "prog"
ksymbol addr=0x400000 len=0x1000 type=1 "short"
ksymbol addr=0x402000 len=0x1000 type=1 "longer"
sample ip=0x400010 pid=10 time=1000 period=1 branch=0x400020,0x400010,0x50001,0x400030,0x400010,0x50001
sample ip=0x402010 pid=10 time=1000 period=1 branch=0x402020,0x402010,0x90001,0x402030,0x402010,0x90001
"""
TIMES = re.compile(r"local-period|captured on|^header|(data|feat) (offset|size)|missing features")  # or places
REPORT = (PFX, "report", "-i", "perf.data")
DIFF = (PFX, "diff", "--tui", "old.data", "perf.data")


def compare(name, shown):
    path = os.path.join(SCREENS, name)
    if os.environ.get("PFX_UPDATE_SCREENS"):
        os.makedirs(SCREENS, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(shown)
    with open(path, encoding="utf-8") as file:
        wanted = file.read()
    check(shown == wanted, f"{name}:\n{shown}")


def test_views():
    for size in SIZES:
        for name, keys in (*VIEWS.items(), *CHANGES.items()):
            with Terminal(DIFF if name in CHANGES else REPORT, size) as terminal:
                terminal.wait("q quit")
                shown = terminal.press(*keys)
                compare(f"{name}-{size[0]}x{size[1]}", "\n".join(
                    line for line in shown.split("\n") if not TIMES.search(line)))


def test_sheets():
    for name, golden in (("branches", "branch-keys"), ("memory", "memory-keys")):
        text = os.path.join(os.environ["PFX_SOURCE_DIR"], "tests", "golden", golden + ".txt")
        subprocess.run([KIT, "--le", text, name + ".data"], check=True)
    with open("blocks.txt", "w", encoding="utf-8") as file:
        file.write(BLOCKS)
    subprocess.run([KIT, "--le", "blocks.txt", "blocks.data"], check=True)
    for name, (data, words, keys) in SHEETS.items():
        for size in SIZES:
            with Terminal((PFX, "report", "-i", data, *words), size) as terminal:
                terminal.wait("q quit")
                compare(f"{name}-{size[0]}x{size[1]}", terminal.press(*keys))


def test_trees():
    """As in perf, rows of libraries and lines have call trees."""
    for keys in ("dso", "comm,dso", "srcline"):
        with Terminal((*REPORT, "-s", keys)) as terminal:
            terminal.wait("q quit")
            shown = terminal.press("e")
            check("work" in shown and "no call tree" not in shown, f"-s {keys}: {shown!r}")


def test_graph_words():
    """Call graphs of forms that profiles do not have are those of the text report."""
    for words, wanted in (("none", "[.] work"), ("count", "--2--"), ("fractal", "--66.67%--leaf"), ("graph,0,1", "---")):
        with Terminal((*REPORT, "-g", words)) as terminal:
            terminal.wait("q quit")
            shown = terminal.press("E")
            check("Table by comm,dso,symbol" in shown and wanted in shown, f"-g {words}: {shown!r}")
    with Terminal((*REPORT, "-g", "callee")) as terminal:
        terminal.wait("q quit")
        shown = terminal.press("o")
        check("Table of functions" in shown and "call trees show callees" in shown, f"-g callee: {shown!r}")


def ends(terminal, how, code):
    """pfx ended with this exit code, and the terminal is as before."""
    shown = terminal.wait("done")
    check(f"exit {code}" in shown, f"{how}: {shown!r}")
    check("Table of" not in shown, f"{how}: the screen is left behind: {shown!r}")
    with open("before", encoding="utf-8") as before, open("after", encoding="utf-8") as after:
        check(before.read() == after.read(), f"{how}: other settings of the terminal")


def test_ends():
    for keys, how in ((("q",), "q"), (("C-c",), "Ctrl-C")):
        with Terminal(REPORT) as terminal:
            terminal.wait("Table of functions")
            terminal.press(*keys)
            ends(terminal, how, 0)
    for signo, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGSEGV, 139)):
        with Terminal(REPORT) as terminal:
            terminal.wait("Table of functions")
            os.kill(terminal.pid(), signo)
            ends(terminal, f"signal {signo}", code)


def test_closed():
    terminal = Terminal(REPORT)
    terminal.wait("Table of functions")
    pid = terminal.pid()
    terminal.close()
    for _ in range(200):
        if not os.path.exists(f"/proc/{pid}"):
            return
        time.sleep(0.05)
    check(False, "pfx runs on when its terminal is closed")
    os.kill(pid, signal.SIGKILL)


def test_kinds():
    for term, env in (("linux", {}), ("screen", {}), ("xterm", {}), ("vt100", {}), ("xterm-256color", {"NO_COLOR": "1"}),
                      ("xterm-256color", {"COLORTERM": "truecolor"}), ("xterm-256color", {"COLORFGBG": "0;15"}),
                      ("xterm-256color", {"LC_ALL": "C"})):
        with Terminal(REPORT, term=term, env=env) as terminal:
            shown = terminal.wait("[.] work")
            check("[.] work" in shown, f"{term} {env}: {shown!r}")
            terminal.press("g")
            terminal.wait("Flame graph")
            shown = terminal.still()
            check("Flame graph" in shown and "main" in shown, f"{term} {env}: {shown!r}")
            if "LC_ALL" in env:
                check(shown.isascii(), f"{env}: {shown!r}")
            if "NO_COLOR" in env:
                codes = terminal.screen("-e")
                check("[38" not in codes and "[48" not in codes, f"{env}: colours in {codes!r}")
    for term, words in (("dumb", "cannot move its cursor"), ("no-such-kind", "is unknown")):
        with Terminal(REPORT, size=(100, 50), term=term) as terminal:
            shown = terminal.wait("done")
            check("---main" in shown, f"{term}: {shown!r}")
            with open("errors", encoding="utf-8") as errors:
                check(words in errors.read(), f"{term}: no reason")


def test_sizes():
    with Terminal(REPORT, (120, 30)) as terminal:
        terminal.wait("Table of functions")
        for i in range(60):
            if i % 15 == 0:
                terminal.press("gTwi"[i // 15])
            terminal.tmux("resize-window", "-x", str(5 + i * 37 % 150), "-y", str(2 + i * 23 % 50))
        terminal.tmux("resize-window", "-x", "120", "-y", "30")
        terminal.press("?")
        words = ("Keys of the view 'Header'", "q header")
        shown = terminal.wait(*words)  # tmux tells sizes late, one after another
        check(all(word in shown for word in words), f"after 60 sizes: {shown!r}")


def test_called():
    """From code to a function that it calls and that has no samples, and back; to code that only calls."""
    terminals.record("cold.data", (0, 0, 1, 0, 1))
    with Terminal((PFX, "report", "-i", "cold.data"), (100, 24), term="screen-256color") as terminal:
        terminal.wait("Table of functions")
        shown = terminal.press("/", "m", "a", "i", "n", "Enter", "a")
        check("Code of main" in shown and "callq work" in shown and "71.43" not in shown, f"only calls: {shown!r}")
        check("no instruction has samples" in terminal.press("H"), "no hottest instruction")
        shown = terminal.press("/", "q", " ", "w", "o", "r", "k", "Enter", "Enter")
        check("Code of work" in shown and "callq leaf" in shown, f"the called function: {shown!r}")
        shown = terminal.press("/", "q", " ", "l", "e", "a", "f", "Enter", "Enter")
        check("Code of leaf" in shown and "nop" in shown and "has no samples of its own" in shown,
              f"a function without samples: {shown!r}")
        check("Code of work" in terminal.press("End", "Enter"), "a return leads back")
        check("Code of leaf" in terminal.press("Enter"), "to the call")
        check("leaf.annotation" in terminal.press("P"), "its text is written")
        check("the function has no samples" in terminal.press("w"), "it has no callers")
        for height in (5, 40):  # the end on a low screen, then a high one
            terminal.press("End")
            terminal.tmux("resize-window", "-x", "100", "-y", str(height))
            terminal.still()
        check("nop" in terminal.still(), "the first instruction is on a higher screen")
        check("Code of work" in terminal.press("BSpace"), "back")
        shown = terminal.press("BSpace")
        check("Code of main" in shown, f"back again: {shown!r}")
        check("Code of work" in terminal.press("]", "]", "BSpace"), "forward and back")


def test_code_keys():
    """Steps to hot instructions begin at cold ones, too; n goes on in the direction of the search."""
    with Terminal(REPORT, (100, 40), term="screen-256color") as terminal:
        terminal.wait("q quit")
        shown = terminal.press("/", "w", "o", "r", "k", "Enter", "a")
        check("Code of work" in shown, f"no code: {shown!r}")
        shown = terminal.screen("-e")
        terminal.press("H")
        check(terminal.screen("-e") == shown, "code opens at the hottest instruction")
        shown = terminal.press("Home", "Down", "Tab")
        check("Code of work" in shown and "has samples" not in shown, f"a step from a cold instruction: {shown!r}")
        check("began again" not in terminal.press("End", "?", "a", "d", "d", "Enter"), "the last match")
        check("began again" not in terminal.press("n"), "the match before it")
        check("began again at the other end" in terminal.press("n"), "no match before that")


def test_annotate():
    """As in perf, annotate ends when its code is left; the table is another view of it."""
    for words in ((), ("work",)):
        for key in ("q", "C-c", "Escape"):
            with Terminal((PFX, "annotate", "-i", "perf.data", *words)) as terminal:
                check("Code of" in terminal.wait("q quit"), f"annotate {words}: the way out")
                terminal.press(key)
                ends(terminal, f"annotate {words}, {key}", 0)
    with Terminal((PFX, "annotate", "-i", "perf.data")) as terminal:
        terminal.wait("q quit")
        check("Table of functions" in terminal.press("a"), "annotate: the table")
        check("Code of" in terminal.press("q"), "annotate: back to the code")


CALLER = """	.text
	.globl _start
	.type _start, @function
_start:
	nop
	call far@plt
	ret
	.size _start, .-_start
"""
SLOT_OF_ARM64 = "adrp x16, :got:far\n	ldr x16, [x16, :got_lo12:far]\n	blr x16"
FAR = """	.text
	.globl far
	.type far, @function
far:
	nop
	ret
	.size far, .-far
"""


def code_of(path):
    """The offset in the file, the address and the size of what is code."""
    lines = subprocess.run(["readelf", "-lW", path], check=True, text=True, capture_output=True).stdout.splitlines()
    words = next(line.split() for line in lines if " LOAD " in line and " R E " in line)
    return int(words[1], 16), int(words[2], 16), int(words[4], 16)


def test_called_elsewhere(call="call far@plt", cc="cc", arch="x86_64"):
    """From code to a function of a library that no sample is in, and back."""
    for name, source, words in (("far.so", FAR, ["-shared"]), ("caller", CALLER, ["-no-pie", "far.so", "-Wl,-z,lazy"])):
        source = source.replace("call far@plt", call).replace("@function", "%function")
        with open(name + ".s", "w", encoding="ascii") as file:
            file.write(source)
        subprocess.run([cc, "-nostdlib", "-Wl,--build-id=none", "-o", name, name + ".s", *words], check=True)
    text = f"""event cycles type=hw config=0 freq=1000 sample=ip,tid,time,period
feature arch str={arch}
comm pid=10 tid=10 "caller"
"""
    base = 0x7f0000000000
    for name, at in (("caller", 0), ("far.so", base)):
        offset, address, size = code_of(name)
        text += (f"mmap2 pid=10 tid=10 addr={address + at:#x} len={(size + 4095) // 4096 * 4096:#x} pgoff={offset:#x} maj=8"
                 f" min=1 ino=77 prot=5 flags=2 \"{os.path.abspath(name)}\"\n")
    start = next(line.split()[0] for line in subprocess.run(["nm", "caller"], check=True, text=True, capture_output=True)
                 .stdout.splitlines() if line.endswith(" _start"))
    for i in range(10):
        text += f"sample event=0 ip=0x{start} pid=10 tid=10 time={1000000 * i} period=1000 mode=user\n"
    with open("far.txt", "w", encoding="utf-8") as file:
        file.write(text + "round\n")
    subprocess.run([KIT, "--le", "far.txt", "far.data"], check=True)
    with Terminal((PFX, "report", "-i", "far.data"), (100, 24)) as terminal:
        terminal.wait("Table of functions")
        shown = terminal.press("a")
        check("Code of _start" in shown and ("far@plt" in shown) == ("plt" in call), f"the caller: {shown!r}")
        shown = terminal.press("/", *call.split("\n")[-1].split()[0], "Enter", "Enter")
        check("Code of far" in shown and "far.so" in shown and "has no samples" in shown, f"in a library: {shown!r}")
        check("Code of _start" in terminal.press("BSpace"), "back from a library")


def test_forms():
    """A stream that was saved in a file."""
    subprocess.run([KIT, "--le", "--pipe", "perf.data.txt", "pipe.data"], check=True)
    with Terminal((PFX, "report", "-i", "pipe.data")) as terminal:
        terminal.wait("Table of functions")
        shown = terminal.press("a", "H")
        check("Code of work" in shown and "71.43" in shown, f"a stream in a file: {shown!r}")


def test_interrupted():
    """Ctrl-C while the recording is read shows what was read so far."""
    with Terminal(REPORT, env={"LD_PRELOAD": os.environ["PFX_INTERRUPT"]}) as terminal:
        shown = terminal.wait("interrupted")
        check("reading was interrupted: this is what was read" in shown and "Table of" in shown, f"Ctrl-C: {shown!r}")
        terminal.press("q")
        ends(terminal, "after Ctrl-C", 0)


def test_suspend():
    with Terminal(("bash", "-c", "exec bash --norc -i 2>&1"), (100, 24)) as terminal:
        terminal.still()
        terminal.press(" ".join(REPORT), "Enter")
        terminal.wait("Table of functions")
        terminal.press("C-z")
        check("Stopped" in terminal.wait("Stopped"), "Ctrl-Z stops")
        terminal.press("fg", "Enter")
        check("Table of functions" in terminal.wait("Table of functions"), "fg shows the screen again")
        terminal.press("q")


def test_settings():
    with open("settings", "w", encoding="ascii") as file:
        file.write("[tui]\nreport = no\n")
    with Terminal(REPORT, (100, 50), env={"PFX_CONFIG": "settings"}) as terminal:
        check("---main" in terminal.wait("done"), "tui.report = no prints text")
    with Terminal((*REPORT, "--tui"), (100, 50), env={"PFX_CONFIG": "settings"}) as terminal:
        check("Table of functions" in terminal.wait("Table of"), "--tui insists")
    for words in ("--stdio", "--stats", "--header-only", "--tasks", "--mmaps", "-D", "--json"):
        with Terminal((*REPORT, words), (100, 50)) as terminal:
            check("exit 0" in terminal.wait("done"), f"{words} prints text")


def main():
    terminals.need_tmux()
    terminals.build_program()
    terminals.record("perf.data")
    terminals.record("old.data", (1, 0, 1, 2, 2))
    test_views()
    test_sheets()
    test_trees()
    test_graph_words()
    test_ends()
    test_closed()
    test_kinds()
    test_sizes()
    test_called()
    test_code_keys()
    test_annotate()
    test_called_elsewhere()
    test_called_elsewhere("call *far@GOTPCREL(%rip)")
    if shutil.which("aarch64-linux-gnu-gcc"):
        test_called_elsewhere(SLOT_OF_ARM64, "aarch64-linux-gnu-gcc", "aarch64")
    test_forms()
    test_interrupted()
    test_suspend()
    test_settings()
    finish()


main()
