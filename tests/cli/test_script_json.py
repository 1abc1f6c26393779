# SPDX-License-Identifier: MIT
"""Every line of `pfx script --json` is what its schema says, for all descriptions of the golden
tests in both byte orders, and hostile names stay inside their strings."""
import glob
import os
import subprocess
import sys

from libraries import built_in

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from json_schema import Schema, parse  # noqa: E402

PFX, KIT, SOURCE = (os.environ[name] for name in ("PFX", "PFX_KIT", "PFX_SOURCE_DIR"))
FAILURES = []


def check(good, what):
    if not good:
        FAILURES.append(what)
        print(f"FAIL: {what}")


def lines_of(order, text, *options):
    with open("description", "w", encoding="utf-8") as f:
        f.write(text)
    subprocess.run([KIT, "--" + order, "description", "json.data"], check=True)
    done = subprocess.run([PFX, "script", "--json", *options, "-i", "json.data"], check=False,
                          capture_output=True, timeout=900)
    return done, [parse(line) for line in done.stdout.decode("utf-8").splitlines()]


def check_golden(schema):
    shown, has_zstd = 0, built_in("libzstd")
    for path in sorted(glob.glob(os.path.join(SOURCE, "tests/golden/*.txt"))):
        name = os.path.basename(path)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if "compress" in text and not has_zstd:
            continue
        if name.startswith("bad-") or name == "CMakeLists.txt" or "#each" in text:
            continue
        results = [lines_of(order, text, "--show-task-events", "--show-mmap-events",
                            "--show-lost-events") for order in ("le", "be")]
        for done, lines in results:
            shown += len(lines)
            for i, line in enumerate(lines):
                problem = schema.wrong(line)
                check(not problem, f"{name}:{i + 1}: {problem}")
        check(results[0][1] == results[1][1], f"{name}: equal in both byte orders")
    check(shown > 200, f"only {shown} lines")


HOSTILE = """event sched:x type=tracepoint config=1 sample=ip,tid,time,cpu,period,raw
event cycles type=hw config=0 sample=ip,tid,time,cpu,period,callchain
feature arch str=x86_64
feature event_desc
comm pid=1 tid=1 "},{\\":x"
mmap2 pid=1 tid=1 addr=0x400000 len=0x10000 maj=8 min=1 ino=77 prot=5 flags=2 "/no/\\"such\\",{[<b>"
sample event=cycles ip=0x400100 pid=1 tid=1 cpu=0 time=1000 period=1 chain=user,0x400100,0x400200
"""


def check_hostile(schema):
    for text in (HOSTILE, HOSTILE.replace('\\"', "'")):
        try:
            done, lines = lines_of("le", text)
        except subprocess.CalledProcessError:
            continue
        check(done.returncode == 0 and len(lines) == 2, f"hostile names: {done}")
        for line in lines:
            check(not schema.wrong(line), f"hostile names: {line}")
        check(any("{[<b>" in str(line.get("dso")) for line in lines), "the name is whole")
        return
    check(False, "the hostile recording was not made")


def main():
    schema = Schema("script")
    check(schema.wrong({"kind": "sample", "ip": 3}), "the schema says no to something")
    check_golden(schema)
    check_hostile(schema)
    sys.exit(1 if FAILURES else 0)


main()
