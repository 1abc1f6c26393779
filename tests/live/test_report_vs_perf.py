# SPDX-License-Identifier: MIT
"""pfx report prints what perf report --stdio 6.1 prints, byte for byte, on recordings made by perf."""
import difflib
import os
import re
import shutil

from live import (DEMO, KIT, PERF, PFX, WORK, check, check_json, equal, finish, in_parallel, need_perf, part_of,
                  record_by_perf,
                  record_to, run, skip)

CLOCK = ["-F", "997", "-e", "cpu-clock"]
BOTH = f"./work 0.4 & {DEMO} 0.4 >/dev/null & ls >/dev/null; wait"
RECORDINGS = {
    "flat": [*CLOCK, "--", "./work", "0.4"],
    "chain": [*CLOCK, "-g", "--", "./work", "0.4"],
    "user": ["-F", "997", "-e", "cpu-clock:u", "-g", "--", "./work", "0.4"],
    "all": [*CLOCK, "-g", "-a", "--kernel-callchains", "--", "sh", "-c", BOTH],
    "wide": [*CLOCK, "-a", "--", "sh", "-c", BOTH],
    "two": ["-e", "cpu-clock,page-faults,dummy", "--", "./work", "0.3"],
    "twochain": ["-g", "-e", "cpu-clock,page-faults", "--", "./work", "0.3"],
    "group": ["-e", "{cpu-clock,page-faults}", "--", "./work", "0.3"],
    "groupchain": ["-g", "-e", "{cpu-clock,page-faults}", "--", "./work", "0.3"],
    "sums": ["-s", "-e", "cpu-clock,page-faults", "--", "./work", "0.3"],
    "trace": ["-e", "sched:sched_switch", "-a", "--", "sh", "-c", BOTH],
    "tracechain": ["-g", "-e", "sched:sched_switch", "-a", "--kernel-callchains", "--", "sh", "-c",
                   BOTH],
    "exits": ["-e", "syscalls:sys_exit_openat", "--", "./work", "0.1"],
    "bare": [*CLOCK, "--", "./bare", "0.3"],
}

# Every line is compared for every recording that is named in front of it.
LINES = """
* :
* : -n
* : --no-children
* : -s comm
* : -s dso
* : -s sym
* : -s pid,sym
* : -s +cpu
* : --stats
* : --header-only -I
flat wide two group : -n --show-total-period
flat wide two group : -q
flat wide two : -t,
flat wide : -t | -n -s pid,cpu,comm,dso
flat : -t ; -s symbol_size,comm
wide : -t ; -s socket,cpu,comm
flat two : -s trace
flat wide : -w 5,10,15,20
flat wide : --percent-limit 1
flat wide : -s sym,overhead
flat wide : -F overhead,sample,period,comm,sym
flat wide : -F overhead_children,sym
flat wide : -s sym -F overhead
flat wide : -F comm,overhead -n
flat wide : -F +sample,sym
flat wide : -F overhead_guest_sys,overhead_guest_us,comm
flat wide group : --show-cpu-utilization -s comm
flat two : -d work
flat : -d work,[kernel.kallsyms]
flat : -d work --percentage relative
flat : -S both,mix
flat : -S nosuch
flat wide two : -c nosuch
wide : -c work
wide : -c work,ls --percentage relative
wide : -C 0 -s comm
wide : -C 0-1 -s cpu
wide : --tid 0
flat wide : -U
flat wide : -s symbol
flat wide : -s socket,cpu
flat wide : -s time,comm
flat wide : -s time --time-quantum 10ms --ns
flat : -s addr
flat : -s local_weight,weight,transaction,code_page_size
flat wide : -s comm,cgroup
flat : -s comm,cgroup_id
flat wide : -s +time
flat wide : --symbol-filter mi
flat wide : add
user : -p deep -g none
user : -p both -s sym -g none -x
user : -p mi.* -g none --no-children
user chain : -s parent -g none
chain : -p deep|read -s parent,sym -g none
chain : -p deep|read -s parent -g none --no-children
user : --ignore-callees deep --no-children
exits : -s ret
exits : -s ret,sym
exits : --raw-trace
bare : -s srcline
bare : -s srcfile,sym
trace : -s next_pid
trace : -s prev_comm,next_pid/raw
trace : -s sched_switch.*
trace : -s trace_fields
trace : -s prev_comm,next_prio -t|
trace : -s prev_state,next_prio --raw-trace
trace : --hierarchy -s prev_comm,next_prio
trace : -s comm,next_comm -F +sample
tracechain : -s next_prio,comm -g none
flat wide group chain : --hierarchy
flat wide group : --hierarchy -s comm,sym -n
wide : --hierarchy --percent-limit 60
groupchain : -s sym -g none
groupchain : -s sym -g none --group-sort-idx 1
two : --group
two group : --group-sort-idx 1 --group
twochain : -s comm --switch-on page-faults -g none
flat wide : --time 10%-20%
flat : --time 10%/2
flat wide : --time 10%-20%,30%-40%
flat : --time 10%/2,10%/4 -s time
flat wide : -w 0,0,5 -s comm,dso,sym
flat : -n -w 8,4,8,8
flat : -s symbol_size
flat wide group : -F overhead,ipc_null,comm
flat group : -F overhead,comm,ipc_null -w 0,4,3
flat : -s symbol,comm -w 9,5,4,3
flat : -s srcfile
user : -s srcfile,comm -g none --no-children
trace tracechain : --raw-trace -g none
trace : --raw-trace -s trace,comm
flat wide : --ignore-vmlinux
user chain : --inline -g none
flat : -s comm,symbol_size -n
flat wide : --pid 1
wide : -s cpu,time --time-quantum 50ms
wide : -s pid -n --show-cpu-utilization
two : --group -F overhead,sample,comm
two : --tasks -q
flat : --stats -q
trace : -s prev_comm,prev_state
trace : -F sample,comm
chain : --hierarchy -s comm,dso,sym -g none
chain : --ns -s time -g none --no-children
chain : -s dso -g graph,0.5,callee,function,count --no-children
chain : -g graph,10,5,caller,function,percent
chain : --no-call-graph
flat : --header
flat : --mmaps
flat chain : --stdio-color always
flat two : --socket-filter 0
flat two : --socket-filter 0 -c work -n
group : --no-group -s comm
flat : -m
flat chain : -x -s sym -g none
flat wide : --demangle-kernel
flat : --no-itrace
two : --skip-empty
two : --no-skip-empty
two : --no-skip-empty -s pid,cpu -n
sums : -T -s comm
sums : -T --pretty normal -q
user : -s srcline,symbol -g none --no-children
chain user all twochain tracechain : -g none
chain user all tracechain : -g flat --no-children
chain user all : -g flat
chain user all : -g folded
chain user all tracechain : -g folded --no-children
chain user all : -g fractal
chain user all : -g fractal --no-children
chain user : -g fractal,count
chain user : -g fractal,5,3,callee
chain user all : -g caller,count
chain user all : -g callee
chain user all tracechain : -G --no-children
chain user all : -g graph,5,2
chain user : -g graph,0.5,callee,function,period
chain user : -g flat,count,2,3
chain user : -g folded,period
chain user all : -g graph,0
user all : --no-children -g graph,0
user : -g graph,0,callee
chain user : -s comm --no-children
chain user all : -s dso --no-children
chain user : --max-stack 3
chain user : --max-stack 3 --no-children
chain user : -U
chain user all : --percent-limit 5
chain user : -t, -g folded
chain all : -s pid,sym -g none
chain all : -g none -F comm,overhead_children,overhead,sample
user chain : main -g none
user chain : --symbol-filter both
user chain : --symbol-filter both --no-children
flat wide : --hierarchy -s pid,sym
flat chain : --hierarchy -s sym,symbol_size
flat : --hierarchy -s pid,addr
flat group : --hierarchy -t| -n
flat : -s socket -w 10
user chain : -w 10,20,30
flat : -c nosuch -s time,weight,addr
group : -F overhead_guest_sys,overhead_guest_us,comm
group : --group-sort-idx 3
group : --hierarchy --group-sort-idx 1
group : --hierarchy --group-sort-idx 3
twochain : -s sym,dso -F +period
"""

# Settings of perf's configuration, that of a recording with some options.
SETTINGS = """
group : report.group = no : -s comm
two : report.skip-empty = no : -s dso
flat : report.percent-limit = 5 : -s sym
flat : report.sort_order = dso,comm : -n
flat : hist.percentage = relative : -d work -s sym
chain : report.children = no : -g none
chain : call-graph.print-type = fractal : --no-children
chain : call-graph.order = caller : --no-children
chain : call-graph.threshold = 20 : --no-children
"""

# What this machine cannot record, made by the kit: branch stacks, and accesses to memory.
MADE_LINES = """
branches :
branches : -n -t|
branches : -s dso_from,dso_to
branches : -s addr_from
branches : -s addr_to,addr_from
branches : -s comm,dso_to,addr_to
branches : -s cycles,comm
branches : -s in_tx,abort,comm
branches : -s comm --percent-limit 20
branches : --hierarchy -s dso_from,comm
branches : -c other -n
branches : --show-cpu-utilization
branches : -w 6,7,8,8,8,8
branches : --no-branch-stack
branches : --no-branch-stack -s comm,dso,sym -n
memory : --mem-mode -s symbol_daddr,dso_daddr
memory-levels : --mem-mode -s +cpu
memory-levels : --mem-mode -s +symbol
memory : --mem-mode -s tlb,locked,blocked,snoop
memory : --mem-mode -s dcacheline,phys_daddr
memory : --mem-mode -s local_weight,weight
memory : --mem-mode -s data_page_size,symbol_iaddr
memory : --mem-mode -s comm --percentage relative -d work
memory : -s local_weight,weight,ins_lat,local_ins_lat
memory : -s transaction
memory : -s code_page_size
memory : -s time,cgroup
memory : -s symbol_size,comm
memory : --mem-mode --socket-filter 0 -s comm,sym
memory : --mem-mode -s comm,dso_daddr -w 0,3,3
memory-levels : --mem-mode -s dso_daddr,tlb
memory-levels : --mem-mode -s dso_daddr
memory-levels : --mem-mode
memory-levels : --mem-mode -s dcacheline
memory-levels : --mem-mode -s dcacheline,sym
"""

# perf fails here too: one sentence, exit code 129.
REFUSED = ["-s comm,simbol", "-F overhaed", "-g fractle", "-g graph,0.5,2,3", "--pid x", "-t .",
           "-s symbol_from", "-s mem", "-s comm,no.field", "--time-quantum x",
           "-p (", "--percentage total", "--pretty x", "--stdio-color blue", "--nonsense", "-C x",
           "--group-sort-idx 1"]


# What the line behind the sentence begins with: the words with a caret, or a near name.
HINTS = {"-p|a(b": "a(b\n ^ ", "--time|1,2 3,4z": "1,2 3,4z\n      ^ ",
         "--time-quantum|10mz": "10mz\n  ^ ", "-s|comm,smybol": "comm,smybol\n     ^ ",
         "-C|0,1-x": "0,1-x\n    ^ for", "--pid|12,x1": "12,x1\n   ^ for",
         "--tid|12,1y": "12,1y\n   ^ for", "-w|8,1x,30": "8,1x,30\n   ^ for",
         "--parallelism|1,8-4": "1,8-4\n    ^ for",
         "--percentage|relatve": "did you mean 'relative'?",
         "-g|graph,calle,graphh": "graph,calle,graphh\n            ^ "}


def describe_branches():
    """Stacks of branches between a few places of two programs, with cycles."""
    rows = ["event cycles type=hw freq=4000 sample=ip,tid,time,period,branch_stack,cpu branch=any,user",
            "feature arch str=x86_64", "feature branch_stack", 'comm pid=10 tid=10 "one"',
            'comm pid=11 tid=11 "other"']
    for pid, name in ((10, "one"), (11, "other")):
        rows += [f"mmap2 pid={pid} tid={pid} addr={addr:#x} len=0x10000 maj=8 min=1 ino={ino} "
                 f"prot=5 flags=2 /no/such/bin/{file}"
                 for addr, ino, file in ((0x400000, 77 + pid, name), (0x7f0000000000, 78, "lib.so"))]
    seed = 1
    for i in range(40):
        branches = []
        for k in range(6):
            seed = (seed * 1103515245 + 12345) % 2**31
            ends = [0x400000 + (seed >> 8) % 5 * 0x40, 0x7f0000000000 + (seed >> 12) % 3 * 0x80]
            flags = 2 | (seed >> 20) % 4 << 4 | (seed >> 24) % 2 << 2
            branches.append(f"{ends[k % 2]:#x},{ends[(k + seed // 512) % 2]:#x},{flags:#x}")
        rows.append(f"sample ip=0x400000 pid={10 + i % 2} tid={10 + i % 2} time={1000 + i} period=100 "
                    f"cpu=0 branch={','.join(branches)}")
    return "\n".join(rows + ["round", ""])


def make():
    """The recordings of MADE_LINES."""
    golden = os.path.join(os.path.dirname(__file__), "..", "golden")
    shutil.copy(f"{golden}/memory-keys.txt", "memory.txt")
    shutil.copy(f"{golden}/memory-levels.txt", "memory-levels.txt")
    with open("branches.txt", "w", encoding="ascii") as file:
        file.write(describe_branches())
    for name in ("memory", "memory-levels", "branches"):
        done = run(KIT, "--le", f"{name}.txt", f"{name}.data")
        equal(done.returncode, 0, f"pfx-kit {name}: {done.stderr}")


def lines(text, made):
    for nr, line in enumerate(text.strip().split("\n")):
        names, options = line.split(" :")
        names = [name for name in (names.split() if names != "*" else RECORDINGS) if name in made]
        for name in part_of(names, nr, 5):
            yield name, options.split()


def record():
    made = {name for name, options in RECORDINGS.items() if record_by_perf(name, options)}
    if not made:
        skip("perf cannot record here")
    return made


def without_deep_bars(row):
    """perf keeps the bars of a graph in 32 bits: behind 31 levels it draws wrong ones."""
    level = len(row) - len(row.lstrip(" |"))
    return row[:level].replace("|", " ") + row[level:] if level > 12 + 11 * 31 else row


def text_of(done):
    """Without perf's tip of the day. perf knows some entries of a procedure linkage table without
    the function's name, and cuts 'perf-exec' off where that is not the thread's last name."""
    text = re.sub(r"\n#\n# \((?:Tip: |Cannot load tips).*\)\n#\n", "\n", done.stdout)
    text = re.sub(r"[\w.*@]+@plt\b", "@plt", text).replace("[...] (inlined)", "[...]")
    text = re.sub(r"perf-exe?\b( *)(?= )", r"perf-exec\1", text)
    if max(map(len, text.split("\n"))) > 12 + 11 * 31:
        text = "\n".join(map(without_deep_bars, text.split("\n")))
    return with_sorted_unresolved(text)


UNRESOLVED = re.compile(r"^ *\d+\.\d+%.*\[\S\] (?:0x[0-9a-f]{16}|0{16})\b")


def with_sorted_unresolved(text):
    """Unresolved rows of equal weight stand in perf's table as they came, where they lie in different
    binaries and the binary is no key, or in none (what a wrong frame pointer led to); pfx puts them by
    address."""
    rows, start = text.split("\n"), None
    for i, row in enumerate(rows + [""]):
        if UNRESOLVED.match(row):
            start = i if start is None else start
        elif start is not None:
            rows[start:i] = sorted(rows[start:i])
            start = None
    return "\n".join(rows)


def same_but_for_names(ours, theirs):
    """Where names of a procedure linkage table or of a column differ, so do widths and ties."""
    def squeeze(text):
        rows = [re.sub(r"\.{3,}", "...", re.sub(" +", " ", row)).strip() for row in
                text.split("\n")]
        return [row for row in rows if "@plt" not in row and "] _init" not in row]
    odd = "@plt" in ours or "@plt" in theirs or "perf-exec" in theirs
    return odd and squeeze(ours) == squeeze(theirs)


HEAVY = re.compile(r"^ +(\d+\.\d\d)%(?: +\d+\.\d\d%)?(.*\S)")


def same_heavy_rows(ours, theirs):
    """A recording of the whole system holds programs that nobody chose, some without symbols; where
    their rows of equal weight stand among each other depends in perf on how they met. All rows that
    weigh something must be there, whatever their order; some that are equal perf has twice."""
    def weights(text):
        found = {}
        for row in filter(None, map(HEAVY.match, text.split("\n"))):
            words = " ".join(row.group(2).split())
            total, nr = found.get(words, (0, 0))
            found[words] = total + float(row.group(1)), nr + 1
        return found
    one, other = weights(ours), weights(theirs)
    pairs = [(one.get(row, (0, 0)), other.get(row, (0, 0))) for row in one.keys() | other.keys()]
    # each row is rounded
    return all(abs(mine - his) < 0.05 + 0.005 * (nr + his_nr)
               for (mine, nr), (his, his_nr) in pairs if max(mine, his) >= 2)


# A function of a stripped program, which is one row here and many in perf's table: perf's own program,
# which records, is one.
NAMELESS = re.compile(r"\[\.\] \[([^\[\]\s+]+)")  # columns may be cut
BARE = re.compile(r"\] 0x[0-9a-f]{16}")


def with_names(ours, theirs):
    """Both without the rows about programs that have functions without names."""
    programs = set(NAMELESS.findall(ours))

    def is_kept(line):
        words = [word for word in re.split(r"[\s,|]+", line) if len(word) > 2]
        return not BARE.search(line) and not NAMELESS.search(line) and not any(
            word.startswith(program) or program.startswith(word) for word in words for program in programs)

    return ("\n".join(filter(is_kept, text.split("\n"))) for text in (ours, theirs))


def compare(name, options):
    argv = ["report", "--stdio", "-i", f"{name}.data", *options]
    theirs, ours = run(PERF, *argv), run(PFX, *argv)
    what = " ".join(argv)
    equal(ours.returncode, theirs.returncode, f"{what}: exit code ({ours.stderr.strip()[:200]})")
    one, other = text_of(ours), text_of(theirs)
    if one == other or same_but_for_names(one, other):
        return
    if "-a" in RECORDINGS.get(name, ()) and same_heavy_rows(*with_names(one, other)):
        return
    diff = difflib.unified_diff(other.split("\n"), one.split("\n"), "perf", "pfx", n=0, lineterm="")
    check(False, f"{what}\n" + "\n".join(list(diff)[:12]))


def check_settings(made):
    """perf's configuration is read, and means the same."""
    for i, line in enumerate(SETTINGS.strip().split("\n")):
        name, setting, options = (part.strip() for part in line.split(" : "))
        if name not in made:
            continue
        section, setting = setting.split(".", 1)
        with open(f"settings.{i}", "w", encoding="ascii") as file:
            file.write(f"[{section}]\n\t{setting}\n")
        words = f"report --stdio -i {name}.data {options}"
        theirs, ours, without = (run("sh", "-c", f"unset PFX_CONFIG; PERF_CONFIG={config} {tool} {words}")
                                 for config, tool in ((f"settings.{i}", PERF), (f"settings.{i}", PFX),
                                                      ("/dev/null", PFX)))
        one, other = text_of(ours), text_of(theirs)
        check(one == other or same_but_for_names(one, other), f"{section}.{setting}: {options}")
        check(ours.stdout != without.stdout, f"{section}.{setting} changes nothing")


def check_refused():
    for words in REFUSED:
        done = run(PFX, "report", "-i", "flat.data", *words.split())
        equal(done.returncode, 129, f"report {words}")
        equal(done.stdout, "", f"report {words}: output")
        check(1 <= done.stderr.count("\n") <= 3, f"report {words}: {done.stderr!r}")
    for words, hint in HINTS.items():
        done = run(PFX, "report", "-i", "flat.data", *words.split("|"))
        check(done.stderr.split("\n", 1)[1].startswith(hint), f"report {words}: {done.stderr!r}")
    done = run(PFX, "report", "-i", "flat.data", "--tui")
    equal((done.returncode, done.stdout), (129, ""), "report --tui")
    equal(done.stderr, "pfx report: --tui: standard input is not a terminal\n", "report --tui")
    argv = ["report", "--stdio", "-i", "nothing.data"]
    equal(run(PFX, *argv).returncode, run(PERF, *argv).returncode, "no such file")


def check_odd():
    done = run(PFX, "report", "-i", "flat.data", "-g")
    equal(done.returncode, 0, "-g without chains")
    check("call chains" in done.stderr, f"-g without chains: {done.stderr!r}")
    check("Overhead" in done.stdout, "-g without chains: the flat table")
    run(PERF, "record", "-q", "-o", "empty.data", "-e", "page-faults:u", "-c", "1000000000", "true")
    ours, theirs = (run(tool, "report", "--stdio", "-i", "empty.data") for tool in (PFX, PERF))
    equal(ours.returncode, theirs.returncode, "no samples")
    equal(ours.stdout, theirs.stdout, "no samples: output")
    check("'empty.data' has no samples" in ours.stderr, f"no samples: {ours.stderr!r}")
    full = run("sh", "-c", f"{PFX} report -i flat.data >/dev/full")
    equal(full.returncode, 255, "a full disk")
    head = run("sh", "-c", f"{PFX} report -i flat.data | head -1")
    equal((head.stdout.count("\n"), head.stderr), (1, ""), "a reader that leaves")


def check_pipe():
    record_to(PERF, "pipe.data", "-q", *CLOCK, "--", "./work", "0.3", stream=True)
    theirs = run("sh", "-c", f"cat pipe.data | {PERF} report --stdio -i -")
    for how in ("cat pipe.data | PFX report", "cat pipe.data | PFX report -i -",
                "PFX report -i - < pipe.data", "PFX report -i pipe.data"):
        ours = run("sh", "-c", how.replace("PFX", PFX))
        one, other = text_of(ours), text_of(theirs)
        check(one == other or same_but_for_names(one, other), f"{how}: {ours.stderr[:200]!r}")


def main():
    need_perf()
    shutil.copy(WORK, "work")
    if shutil.which("strip"):
        # Without unwind information, too: pfx would name functions by it, which perf does not.
        run("strip", "-R", ".note.gnu.build-id", "-R", ".eh_frame", "-R", ".eh_frame_hdr", "-o", "bare", "work")
    made = record()
    make()
    jobs = [*lines(LINES, made), *lines(MADE_LINES, ("branches", "memory", "memory-levels"))]
    in_parallel(compare, jobs)
    for name in [*made, "branches", "memory", "memory-levels"]:
        check_json(f"{name}.data")
    if "flat" in made:
        check_refused()
        check_odd()
        check_settings(made)
        check_pipe()
    different = {" ".join(options) for _, options in jobs}
    check(len(different) >= 60, f"only {len(different)} command lines differ")
    print(f"{len(jobs)} command lines compared, {len(different)} different ones")
    finish()


main()
