# SPDX-License-Identifier: MIT
"""pfx script --json tells the same as the text of perf script about a recording of this machine."""
import json
import re

from live import DEMO, PERF, PFX, check, equal, finish, need_perf, record_to, run, skip

EVENTS = "cpu-clock,sched:sched_switch,sched:sched_process_exec"
LINE = re.compile(r"^(.*?) +(-?\d+)/(-?\d+) +(?:\[(\d+)\] +)?([\d.]+): +(\d+) +(\S+): *(.*)$")


def main():
    need_perf()
    done = record_to(PERF, "json.data", "-e", EVENTS, "--", "sh", "-c",
               f"ls >/dev/null; {DEMO} 0.2 >/dev/null")
    if done.returncode:
        skip("perf cannot record here")
    text = run(PERF, "script", "--ns", "-i", "json.data", "-F",
               "sw:comm,pid,tid,time,period,event,ip,sym", "-F", "trace:comm,pid,tid,cpu,time,"
               "period,event,trace").stdout.strip().split("\n")
    ours = run(PFX, "script", "--json", "-i", "json.data").stdout
    lines = [json.loads(line) for line in ours.strip().split("\n")]
    equal(lines[0]["schema"], "pfx.script/1", "the schema")
    equal(len(lines) - 1, len(text), "as many samples")
    kinds = set()
    for line, words in zip(lines[1:], text):
        comm, pid, tid, cpu, time, period, event, rest = LINE.match(words).groups()
        kinds.add(event)
        equal([line[k] for k in ("pid", "tid", "period")], [int(pid), int(tid), int(period)], words)
        equal(line.get("cpu"), cpu and int(cpu), words)
        equal([line["comm"], line["event"], line["time"]],
              [comm.strip(), event, int(time.replace(".", ""))], words)
        if event == "sched:sched_switch":
            fields = line["fields"]
            for name in ("prev_comm", "prev_pid", "prev_prio", "next_comm", "next_pid", "next_prio"):
                check(f"{name}={fields[name]}" in rest, f"{name}: {words}")
        elif event == "sched:sched_process_exec":
            check(f"filename={line['fields']['filename']} " in rest, words)
        else:
            equal(int(line["ip"], 16), int(rest.split()[0], 16), words)
    check({"sched:sched_switch", "sched:sched_process_exec"} <= kinds, f"kinds: {kinds}")
    finish()


main()
