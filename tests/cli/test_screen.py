# SPDX-License-Identifier: MIT
"""What a terminal of 80 and of 200 columns shows: rules and padding end with it, names may be longer;
what goes into a file is as wide as ever. No line of stat ends with blanks."""
import fcntl
import os
import pty
import re
import signal
import struct
import tempfile
import termios

from checks import KIT, PFX, all_of_terminal, check, finish, run

LONG = "std::vector<std::pair<int,std::string>>::" + "_M_realloc_insert_" * 16
DESCRIPTION = f"""event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period,callchain
feature hostname str=testhost
feature arch str=x86_64
comm pid=10 tid=10 "prog"
ksymbol addr=0xffffffffc0000000 len=0x1000 type=1 "short"
ksymbol addr=0xffffffffc0001000 len=0x1000 type=1 "{LONG}"
"""
for kept in range(6):
    ip = 0xffffffffc0000010 + 0x1000 * (kept % 2)
    DESCRIPTION += (f"sample ip={ip:#x} pid=10 time={1000 + kept} period=1 mode=kernel "
                    f"chain=kernel,{ip:#x},{ip ^ 0x1000:#x}\n")
REPORTS = (["--no-children"], ["--children"], ["-s", "sym"], ["-s", "sym,dso"], ["-s", "dso,sym,comm"],
           ["-H", "-s", "comm,sym"], ["-g", "caller"], ["-n"], ["-s", "sym", "-w", "8,120"])


def on_terminal(width, *words, form="--stdio", **env):
    pid, fd = pty.fork()
    if pid == 0:
        full = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LESS", "NO_COLOR")}
        full.update({"PFX_CONFIG": "/dev/null", "HOME": os.getcwd(), "PFX_PAGER": "cat", "LC_ALL": "C",
                     "NO_COLOR": "1"}, **env)
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        os.execve(PFX, [PFX, *words[:1], *([form] if words[:1] == ("report",) else []), *words[1:]], full)
    shown = all_of_terminal(fd)
    os.waitpid(pid, 0)
    os.close(fd)
    return shown.split("\n")


def is_rule(line):
    return line.startswith("# ..")


def columns_at(line):
    return [match.start() for match in re.finditer(r"\.+", line)]


def test_report(width, words):
    lines = on_terminal(width, "report", "-i", "x.data", *words)
    rules = [line for line in lines if is_rule(line)]
    what = f"{width} columns, {words}"
    check(len(rules) == 1, f"{what}: {len(rules)} rules")
    if "-w" in words:
        check(len(rules[0]) > 120, f"{what}: the width that was asked for: {rules[0]!r}")
        return
    for line in lines:
        is_long = "_M_realloc_insert_" in line or "--header-only" in line  # the latter are perf's words
        check(len(line) <= width or is_long and line == line.rstrip(), f"{what}: too wide: {line!r}")
    check(any(LONG in line for line in lines), f"{what}: the long name is cut")
    check(len(rules[0]) > width - 24, f"{what}: the rule is too short: {rules[0]!r}")
    # what follows short names is below its heading
    if words == ["-s", "sym,dso"]:
        at = columns_at(rules[0])[-1]
        row = next(line for line in lines if "] short" in line)
        check(row[at - 2:].startswith("  short") and at < width, f"{what}: the second column: {row!r}")


def test_file():
    """Not on a terminal: rules as wide as names, as in perf."""
    done = run(PFX, "report", "-i", "x.data")
    rule = next(line for line in done.stdout.splitlines() if is_rule(line))
    check(len(rule) > len(LONG), f"in a file: {rule!r}")
    lines = on_terminal(80, "report", "-i", "x.data", "-t", "|")
    check(all(not line.endswith(" ") for line in lines if "_M_real" in line), "with a separator")


def test_blocks(width):
    """Blocks of code have columns of fixed widths, of which one gives way."""
    with open("description", "w", encoding="utf-8") as f:
        f.write("""event cycles type=hw config=0 sample=ip,tid,time,period,branch_stack branch=any,user
feature hostname str=testhost
feature arch str=x86_64
comm pid=10 tid=10 "prog"
ksymbol addr=0x400000 len=0x1000 type=1 "short"
sample ip=0x400010 pid=10 time=1000 period=1 branch=0x400020,0x400010,0x50001,0x400030,0x400010,0x50001
""")
    run(KIT, "--le", "description", "blocks.data")
    lines = on_terminal(width, "report", "-i", "blocks.data", "--total-cycles", "-b")
    rules = [line for line in lines if is_rule(line)]
    check(rules and len(rules[0]) <= max(width, 104), f"blocks at {width}: {rules}")


def test_without_ncurses():
    """A build without ncurses prints text on a terminal, and says why if it is asked for a screen."""
    refused = run(PFX, "report", "-i", "x.data", "--tui")
    check(refused.returncode == 129 and refused.stderr.startswith("pfx report: --tui: "), f"--tui: {refused}")
    if "without ncurses" in refused.stderr:
        check(any(is_rule(line) for line in on_terminal(80, "report", "-i", "x.data", form="--children")), "no text")


def test_read_once(*words):
    """A FIFO is shown as text: the screen reads a recording again for code and for other rows."""
    with open("x.data", "rb") as file:
        data = file.read()
    if not os.path.exists("fifo"):
        os.mkfifo("fifo")
    feeder = os.fork()
    if feeder == 0:
        with open("fifo", "wb") as fifo:
            fifo.write(data)
        os._exit(0)
    signal.alarm(300)
    lines = on_terminal(80, "report", "-i", "fifo", *words, form="--children")
    signal.alarm(0)
    os.waitpid(feeder, 0)
    check(any(is_rule(line) for line in lines), f"a FIFO: {lines[:5]}")


def test_program():
    for words in ((), ("help",), ("-h",)):
        for line in on_terminal(80, *words):
            check(len(line) <= 80, f"pfx {words}: {line!r}")


def test_stat():
    for words in (["-e", "task-clock,context-switches,page-faults"], ["-d"], ["-r", "2"], ["-A", "-a"],
                  ["-e", "no-such-pmu-is-here", "-e", "cs"], ["-e", "cycles,cs", "--metric-only"], ["-I", "1000"]):
        done = run(PFX, "stat", *words, "--", "true")
        for line in done.stderr.splitlines():
            check(line == line.rstrip(), f"stat {words}: blanks at the end of {line!r}")
    for width, wanted in ((80, 80), (200, 95)):
        lines = on_terminal(width, "stat", "-e", "task-clock,cs,cycles", "--", "true")
        check(any("CPUs utilized" in line for line in lines), f"stat at {width}: {lines}")
        check(max(map(len, lines)) <= wanted, f"stat at {width}: {lines}")
    at = {width: next(line.index("#") for line in on_terminal(width, "stat", "-e", "task-clock", "--", "true")
                      if "#" in line) for width in (80, 200)}
    check(at[80] < at[200] == 57, f"notes begin at {at}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("description", "w", encoding="utf-8") as f:
            f.write(DESCRIPTION)
        run(KIT, "--le", "description", "x.data")
        for width in (80, 200):
            for words in REPORTS:
                test_report(width, words)
            test_blocks(width)
        test_file()
        test_without_ncurses()
        test_read_once()
        test_read_once("-s", "pid,weight,sym")
        test_program()
        test_stat()
        os.chdir("/")


main()
finish()
