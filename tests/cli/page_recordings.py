# SPDX-License-Identifier: MIT
"""Recordings for tests of pfx export html: kernel functions with any names, call chains of them, three events; and
their pages."""
import os
import re
import shutil
import sys

from checks import KIT, PFX, check, run

LONG = "long_" + "x" * 65000
HOSTILE = ["</script><b>", "two\u2028lines\u2029", "quo\"te's`&amp;", "turn\u202eed", "<!--<script>", LONG]
PLAIN = ["outer", "middle", "leaf", "other"]
# As an older build has them; one list, so that one table of symbols is right for both.
OLDER = [*PLAIN, "leaf.isra.0", "vanished"]
OLD_STACKS = [("outer", "middle", "leaf.isra.0"), ("outer", "vanished"), ("outer", "middle"), ("other",)]
BASE = 0xffffffff81000000
SAMPLE = "sample=ip,tid,time,period,id,cpu,callchain"
EVENTS = f"""feature cmdline u32=3 str=/usr/bin/pfx str=record str=/bin/prog
event instructions type=hw config=1 freq=1000 {SAMPLE} ids=1
event cycles type=hw config=0 freq=1000 {SAMPLE} ids=2
event branches type=hw config=4 freq=1000 {SAMPLE} ids=3
"""
START = f"""mmap2 pid=-1 tid=0 addr={BASE:#x} len=0x1000000 pgoff={BASE:#x} prot=5 misc=1 [kernel.kallsyms]_text
comm pid=7 tid=7 time=1 first
comm pid=7 tid=8 time=1 <b>&amp;
mmap2 pid=7 tid=7 addr=0x400000 len=0x10000 prot=5 time=1 /bin/prog
"""
# Functions from the caller to what it calls; "user" is code without a symbol.
STACKS = [("outer", "middle", "leaf"), ("outer", "leaf"), ("outer", "middle", "middle"), ("other",), ("user",),
          ("user", "outer", "other")]


# Descriptions of the golden tests: chains, several events, branch stacks, memory accesses, deferred and inlined frames,
# threads that start others.
TEN = ["chains", "two-events", "branch-loops", "memory-levels", "samples", "deferred", "fork-exec", "pointer-chains", "lbr",
       "reference"]


def golden_page(name):
    """A recording from such a description, and its page."""
    made = run(KIT, os.path.join(os.environ["PFX_SOURCE_DIR"], "tests/golden", f"{name}.txt"), f"{name}.data")
    check(made.returncode == 0, f"{name}: {made.stderr}")
    done = run(PFX, "export", "html", "-q", "-i", f"{name}.data", "-o", f"{name}.html")
    check(done.returncode == 0, f"export of {name}: {done.stderr}")
    return os.path.abspath(f"{name}.html")


def write_kallsyms(name, functions):
    symbols = ["_text", *functions, "_etext"]
    with open(name, "w", encoding="utf-8") as file:
        for i, symbol in enumerate(symbols):
            file.write(f"{BASE + i * 0x100:x} T {symbol}\n")


def sample(i, stack, functions, event):
    """A line of the kit: a stack of kernel functions, maybe on a user's."""
    kernel = [f"{BASE + (functions.index(of) + 1) * 0x100 + 0x10:#x}" for of in reversed(stack) if of != "user"]
    user = ["user", "0x401000"] if "user" in stack else []
    chain = ",".join((["kernel", *kernel] if kernel else []) + user)
    ip = kernel[0] if kernel else "0x401000"
    return (f"sample ip={ip} pid=7 tid={7 + i % 2} time={1000000 + i * 1000003} period={1000 + i * i} id={event} "
            f"cpu={i % 4} chain={chain}{' misc=1' if kernel else ''}\n")


# Time on the CPU, and off it.
OFF_EVENTS = f"""event cpu-clock type=sw config=0 period=1000000 {SAMPLE} ids=1
event offcpu-time type=sw config=10 period=1 {SAMPLE} ids=2
feature event_desc
"""


def record(name, lines, events=EVENTS):
    with open(f"{name}.txt", "w", encoding="utf-8") as file:
        file.write("".join([events, START, *lines, "round\n"]))
    made = run(KIT, f"{name}.txt", f"{name}.data")
    check(made.returncode == 0, f"{name}: {made.stderr}")


def page_of(name, *words):
    done = run(PFX, "export", "html", "--kallsyms", f"{name}.syms", "-i", f"{name}.data", "-o", f"{name}.html", *words)
    check(done.returncode == 0, f"export of {name}: {done.stderr}")


def need_node():
    node = shutil.which("node")
    match = re.match(r"v(\d+)\.", run(node, "--version").stdout) if node else None
    if not match or int(match.group(1)) < 18:
        print("SKIP: node (18 or newer) is not installed")
        sys.exit(77)
