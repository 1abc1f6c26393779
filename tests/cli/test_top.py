#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pfx top: every option of perf top works or says why not, and combinations that are not possible are refused with a
sentence, most of them before anything is opened."""
import re
import shutil

from checks import PFX, check, finish, run

USAGE = 129
# Options that are refused, and the reason.
ABSENT = {
    "--objdump=x": "the screen has keys for what its code view shows",
    "--overwrite": "pfx reads all records before they are overwritten, and says what was lost",
    "--num-thread-synthesize=2": "one thread reads the processes; it takes some ms for a thousand",
}
# Options with invalid values, and the whole message.
WRONG = (
    (["-d", "0"], "'0' is not a number of seconds between refreshes\ngive a number from 1 to 86400"),
    (["-d", "soon"], "'soon' is not a number of seconds between refreshes\ngive a number from 1 to 86400"),
    (["-F", "99", "-c", "1000"], "a frequency (-F) and a count (-c) exclude each other"),
    (["-K", "-U"], "-K and -U exclude each other"),
    (["--stdio", "--tui"], "--stdio and --tui exclude each other"),
    (["--tui"], "--tui: "),
    (["--hierarchy", "--fields", "sym"], "--hierarchy makes a level of each key: it does not go with --fields"),
    (["-s", "comn"], "'comn' is not a key for -s"),
    (["-s", "parallelism"], "'parallelism' needs to know which threads ran: use 'pfx record --switch-events' and 'pfx "
                            "report'"),
    (["-s", "callchain_branch_abort"], "'callchain_branch_abort' needs the branches before samples: use 'pfx record "
                                       "-b' and 'pfx report --branch-history'"),
    (["--sym-annotate", "main", "--stdio"], "--sym-annotate shows code on the screen: it does not go with --stdio"),
    (["--switch-on", "nosuch", "-e", "dummy"], "--switch-on and --switch-off name events of -e: 'pfx top -e cpu-clock,"
                                               "sched:sched_switch --switch-on sched:sched_switch'"),
    (["-M", "gas"], "'gas' is not a syntax of instructions: att and intel are"),
    (["--percentage", "half"], "'half' is neither absolute nor relative"),
    (["--percent-limit", "much"], "'much' is not a percentage"),
    (["--ignore-callees", "("], "'(' is not a valid pattern for --ignore-callees"),
    (["--call-graph", "dwarf,graf"], "graf"),
    (["-b", "-j", "any_call"], "-b and -j exclude each other"),
    (["sleep", "1"], "'sleep' is not an option: top shows what runs, and starts nothing\nstart it beside, and name it "
                     "with -p"),
)


def refused():
    for option, reason in ABSENT.items():
        done = run(PFX, "top", option, timeout=60)
        check(done.returncode == USAGE and reason in done.stderr, f"top {option}: {done.returncode} {done.stderr}")
    for words, message in WRONG:
        done = run(PFX, "top", *words, timeout=60)
        check(done.returncode == USAGE and message in done.stderr, f"top {words}: {done.returncode} {done.stderr!r}")
        check(not done.stdout, f"top {words} prints {done.stdout!r}")


def no_target():
    done = run(PFX, "top", "--stdio", "-p", "999999999", timeout=60)
    check(done.returncode == 244 and "999999999" in done.stderr, f"no such process: {done.returncode} {done.stderr}")


def options_of_perf():
    """perf's own list, if it is here."""
    if not shutil.which("perf"):
        return
    done = run("perf", "top", "-h")
    theirs = set(re.findall(r"^ +(?:-\w, )?(--[a-z][\w-]*)", done.stdout + done.stderr, re.M))
    check(len(theirs) > 40, f"perf top -h lists {len(theirs)} options")
    for option in sorted(theirs):
        done = run(PFX, "top", f"{option}=1", "-d", "0", timeout=60)
        check(done.returncode == USAGE and "unknown option" not in done.stderr, f"top {option}: {done.stderr}")


refused()
no_target()
options_of_perf()
finish()
