#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The screen of pfx top in a terminal, watching a program whose functions are known: each view at three sizes as in
tests/cli/screens (PFX_UPDATE_SCREENS=1 writes them), without its numbers; kinds of terminals; what is left of the
terminal when pfx ends."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["PFX_SOURCE_DIR"], "tests", "cli"))
import terminals  # noqa: E402
from checks import PFX, check, finish, run  # noqa: E402
from terminals import Terminal  # noqa: E402

SCREENS = os.path.join(os.environ["PFX_SOURCE_DIR"], "tests", "cli", "screens")
SIZES = ((80, 24), (120, 30), (200, 60))
# Its keys, a text that it has, and the keys back to the table.
VIEWS = {
    "table": ((), "Table of", ()),
    "events": (("v",), "Events", ("Escape",)),
    "flame": (("g",), "Flame graph", ("q",)),
    "timeline": (("T",), "Timeline", ("q",)),
    "callers": (("w",), "Callers and callees", ("q",)),
    "code": (("a",), "Code of", ("q",)),
    "help": (("?",), "one row up", ("q",)),
    "trees": (("e",), "- [.]", ()),
}
# work() takes three times as long as leaf(), which it calls; main() takes nothing itself.
PROGRAM = """	.text
	.globl _start
	.type _start, @function
_start:
	xor %ebp, %ebp
	call main
	hlt
	.size _start, .-_start
	.type main, @function
main:
	push %rbp
	mov %rsp, %rbp
1:	call work
	jmp 1b
	.size main, .-main
	.type work, @function
work:
	push %rbp
	mov %rsp, %rbp
	mov $300000, %ecx
1:	imul $3, %eax, %eax
	dec %ecx
	jnz 1b
	call leaf
	pop %rbp
	ret
	.size work, .-work
	.type leaf, @function
leaf:
	push %rbp
	mov %rsp, %rbp
	mov $100000, %ecx
1:	imul $5, %eax, %eax
	dec %ecx
	jnz 1b
	pop %rbp
	ret
	.size leaf, .-leaf
"""


def without_strays(shown):
    """Without the few samples of the first and last instructions of functions: main() has no row of its own, and the
    chains that lack a frame no branch, which lets the only other one be drawn as one of several."""
    shown = re.sub(r"\n *[\d.]+% +0\.\d+% .*", "\n", shown)
    shown = re.sub(r"(\[\.\] \w+\n +\|\n +)-+\d[\d.]*%--(?=\w)", r"\1---", shown)  # of a row
    shown, lone = re.subn(r"\n +\|\n( +)-+\d[\d.]*%--(?=\w)", r"\n\1", shown)  # of a frame
    if lone:
        shown, keys = shown.rstrip("\n").rsplit("\n", 1)
        shown += lone * "\n" + "\n" + keys
    return shown


def without_numbers(shown):
    """Numbers, and cells that stand for them, differ from run to run; names, headings and keys do not."""
    shown = without_strays(shown)
    shown = re.sub(r"▏(?!\w)", "", shown)
    lines = []
    for line in shown.split("\n"):
        line = re.sub(r"(?<=: )\d.*(?=frozen)|(?<=\[local-period\]).*", "", line)  # rates; a path
        line = re.sub(r"[+-]?\b\d+(\.\d+)?[KMG%]?(?![\w:])|(?<=\()\d+|(?<= )0x[0-9a-f]+", "#", line)
        line = re.sub(r"(?<=\)) +[-.:=+*#@ ]+$", "", line)  # a lane
        lines.append(re.sub(r"^# (?=[│└┌]|\w+l? |retq$)", "", re.sub(r" +", " ", line).strip()))
    return "\n".join(lines).strip("\n") + "\n"


def compare(name, shown):
    path = os.path.join(SCREENS, name)
    shown = without_numbers(shown)
    if os.environ.get("PFX_UPDATE_SCREENS"):
        with open(path, "w", encoding="utf-8") as file:
            file.write(shown)
    with open(path, encoding="utf-8") as file:
        wanted = file.read()
    check(shown == wanted, f"{name}:\n{shown}")


def top(pid, *words):
    return (PFX, "top", "-K", "-g", "--no-children", "-d", "1", "--percent-limit", "8", "-e", "cpu-clock:ppp", "-F", "2000", "-p", str(pid), *words)


def freeze(terminal):
    """When there are so many samples that a few of main() are below the limit."""
    end = time.monotonic() + 60
    while not re.search(r"ppp: [\d.]+K ", terminal.screen()) and time.monotonic() < end:
        time.sleep(0.05)
    terminal.press("Z")
    terminal.wait("frozen  ")
    terminal.press("Down", "Up")


def test_views(pid):
    """Frozen, with samples of all functions."""
    for size in SIZES:
        with Terminal(top(pid), size) as terminal:
            check("leaf" in terminal.wait("[.] leaf"), f"no samples: {terminal.screen()}")
            freeze(terminal)
            for name, (keys, text, back) in VIEWS.items():
                terminal.wait("q quit")
                terminal.press(*keys)
                terminal.wait(text)
                compare(f"top-{name}-{size[0]}x{size[1]}", terminal.still())
                terminal.press(*back)
                terminal.wait("Table of")


# Rows and columns that are made as text, and the keys before they are compared.
SHEETS = {
    "hierarchy": (("--hierarchy",), ("e",)),
    "fields": (("--fields", "overhead,sample,sym"), ()),
    "widths": (("-w", "0,30"), ()),
    "weights": (("-s", "comm,weight,sym"), ("Enter",)),
}


def test_sheets(pid):
    for name, (words, keys) in SHEETS.items():
        for size in SIZES[:2 if name == "hierarchy" else 1]:
            with Terminal(top(pid, *words), size) as terminal:
                terminal.wait("% ", "leaf" if name in ("fields", "widths") else "prog")
                freeze(terminal)
                terminal.press(*keys)
                compare(f"top-{name}-{size[0]}x{size[1]}", terminal.still())


def test_limits(pid):
    """-E and -f on the screen, rows without call chains, the direction of call trees."""
    with Terminal((PFX, "top", "-E", "1", "-n", "-d", "1", "-p", str(pid))) as terminal:
        shown = terminal.wait("[.] work")
        check("leaf" not in shown and "Samples" in shown, f"-E 1 -n: {shown!r}")
        check("have no call chains; option -g takes them" in terminal.press("+"), "+ without call chains")
    for order, sign in (("callee", "+ [.] leaf"), ("caller", "  [.] leaf")):
        with Terminal((PFX, "top", "--call-graph", f"fp,{order}", "-K", "-d", "1", "-p", str(pid))) as terminal:
            check(sign in terminal.wait("[.] leaf"), f"--call-graph {order}: {terminal.screen()}")
    with Terminal((PFX, "top", "-f", "1000000", "-d", "1", "-p", str(pid))) as terminal:
        check("all rows are below the limits" in terminal.wait("all rows are"), "-f")


def rows(shown):
    """Without the title and the last line."""
    return shown.split("\n")[1:-2]


def test_stopped(pid):
    """While events are stopped, refreshes change nothing, and z acts later."""
    with Terminal(top(pid)) as terminal:
        terminal.wait("[.] leaf")
        before = rows(terminal.press("f"))
        check("stopped  " in terminal.screen(), f"f: {terminal.screen()}")
        for key, mark in (("z", True), ("z", False)):
            check(("[z]" in terminal.press(key)) == mark, f"f {key}: {terminal.screen()}")
            check(rows(terminal.wait("stopped  0/s")) == before, f"f {key}: {before} {terminal.screen()}")
        terminal.press("T")
        terminal.wait("Timeline")
        terminal.press("q")
        check(rows(terminal.wait("Table of")) == before, f"f T q: {before} {terminal.screen()}")
        terminal.press("f")
        terminal.wait("[.] leaf")
        check("stopped" not in terminal.screen(), f"f f: {terminal.screen()}")


def selected(terminal):
    """The lines with the cursor."""
    return [line for line in terminal.screen("-e").split("\n") if re.search(r"\x1b\[(\d+;)*7m", line)]


def first_row(terminal, text, seconds=60):
    end = time.monotonic() + seconds
    while text not in terminal.screen().split("\n")[2] and time.monotonic() < end:
        time.sleep(0.05)
    return terminal.still()


def test_order():
    """When another row becomes the first one, it is in sight, and the cursor is on it. Elsewhere, the cursor follows its
    row."""
    shutil.copy("prog", "other")
    with subprocess.Popen(["./prog"]) as one, subprocess.Popen(["./other"]) as two:
        try:
            two.send_signal(signal.SIGSTOP)
            with Terminal((PFX, "top", "-d", "1", "-s", "comm", "-p", f"{one.pid},{two.pid}")) as terminal:
                terminal.wait(" prog")
                terminal.press("Down", "Up")
                one.send_signal(signal.SIGSTOP)
                two.send_signal(signal.SIGCONT)
                compare("top-order-80x24", "\n".join(rows(first_row(terminal, " other"))))
                check("other" in "".join(selected(terminal)), f"order: {selected(terminal)}")
                terminal.press("Down")
                check("prog" in "".join(selected(terminal)), f"order, Down: {selected(terminal)}")
                two.send_signal(signal.SIGSTOP)
                one.send_signal(signal.SIGCONT)
                first_row(terminal, " prog")
                check("prog" in "".join(selected(terminal)), f"order, followed: {selected(terminal)}")
        finally:
            one.kill()
            two.kill()


def test_resize(pid):
    """Another size of the terminal shows at once, before the next refresh and without a key."""
    with Terminal((PFX, "top", "-d", "1000", "-p", str(pid))) as terminal:
        terminal.wait("Table of")
        terminal.press("Down")
        terminal.tmux("resize-window", "-x", "120", "-y", "30")
        shown = terminal.wait("Samples")
        check("Samples" in shown and "q quit" in shown.split("\n")[29], f"resized: {shown}")


def test_open_stays(pid):
    """What is open is open after refreshes, too."""
    with Terminal(top(pid)) as terminal:
        terminal.wait("[.] leaf")
        opened = terminal.press("E").count("- [.]")
        check(opened >= 2, f"E: {terminal.screen()}")
        for _ in range(2):
            title = terminal.screen().split("\n", 1)[0]
            end = time.monotonic() + 20
            while terminal.screen().split("\n", 1)[0] == title and time.monotonic() < end:
                time.sleep(0.05)
        check(terminal.still().count("- [.]") == opened, f"E and refreshes: {terminal.screen()}")


def test_kinds(pid):
    for term in ("linux", "screen", "xterm-256color"):
        with Terminal(top(pid), term=term) as terminal:
            shown = terminal.wait("[.] work")
            check("[.] work" in shown, f"{term}: {shown!r}")
    with Terminal(top(pid, "--tui"), term="dumb", size=(100, 50)) as terminal:
        shown = terminal.wait("done")
        with open("errors", encoding="utf-8") as errors:
            check("cannot move its cursor" in errors.read(), f"dumb: {shown}")


def test_ends(pid):
    for signo, code in ((None, 0), (signal.SIGTERM, 0), (signal.SIGINT, 0), (signal.SIGSEGV, 139)):
        with Terminal(top(pid)) as terminal:
            terminal.wait("[.] work")
            if signo:
                os.kill(terminal.pid(), signo)
            else:
                terminal.press("q")
            shown = terminal.wait("done")
            check(f"exit {code}" in shown and "Table of" not in shown, f"{signo}: {shown!r}")
            with open("before", encoding="utf-8") as before, open("after", encoding="utf-8") as after:
                check(before.read() == after.read(), f"{signo}: other settings of the terminal")


def main():
    terminals.need_tmux()
    if run(PFX, "record", "-o", "probe.data", "--", "true").returncode:
        print("SKIP: recording is not possible here")
        sys.exit(77)
    terminals.build_program(PROGRAM)
    with subprocess.Popen(["./prog"]) as program:
        try:
            test_views(program.pid)
            test_sheets(program.pid)
            test_limits(program.pid)
            test_stopped(program.pid)
            test_open_stays(program.pid)
            test_resize(program.pid)
            test_order()
            test_kinds(program.pid)
            test_ends(program.pid)
        finally:
            program.kill()
    finish()


main()
