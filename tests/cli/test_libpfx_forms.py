# SPDX-License-Identifier: MIT
"""The door for reading takes what pfx reads: files, pipes, directories, streams in files, compressed and packed ones, both
byte orders, archives; with the filters and time ranges of pfx. Stack dumps of another machine are unwound."""
import gzip
import json
import os
import shutil
import subprocess
import sys

from checks import KIT, PFX, check, finish, run

BUILD = os.path.dirname(os.path.dirname(os.environ["PFX"]))
SOURCE = os.environ["PFX_SOURCE_DIR"]
HEAD = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period,cpu
feature hostname str=box
feature arch str=x86_64
comm pid=7 tid=7 time=1 one
comm pid=8 tid=9 time=1 two
"""
ROWS = [(7, 7, 0), (8, 9, 1), (7, 7, 2), (8, 9, 3), (7, 7, 1), (8, 9, 2)]
MADE = HEAD + "".join(f"sample ip=0x10 pid={pid} tid={tid} cpu={cpu} time={100 * i + 100} period={i + 1}\n"
                      for i, (pid, tid, cpu) in enumerate(ROWS)) + "round\n"
ALL = [[pid, tid, cpu, 100 * i + 100, i + 1] for i, (pid, tid, cpu) in enumerate(ROWS)]
SCRIPT = ("import json, sys, pfx\n"
          "with pfx.open(sys.argv[1], **json.loads(sys.argv[2])) as recording:\n"
          "    print(json.dumps([[s.pid, s.tid, s.cpu, s.time, s.period] for s in recording]))\n")
CHAINS = ("import sys, pfx\n"
          "for s in pfx.open(sys.argv[1]):\n"
          "    print(s.pid, *(f'{f.ip:x}' for f in s.frames))\n")
FILTERS = [  # options of the door, and of pfx script
    ({"comms": "two"}, ("--comms", "two")),
    ({"pids": "7"}, ("--pid", "7")),
    ({"tids": "9"}, ("--tid", "9")),
    ({"cpus": "0,2-3"}, ("--cpu", "0,2-3")),
    ({"from_ns": 200, "to_ns": 400}, ("--time", "0.000000200,0.000000400")),
    ({"from_ns": 500}, ("--time", "0.000000500,")),
    ({"comms": "one", "cpus": "1-2", "to_ns": 500}, ("--comms", "one", "--cpu", "1-2", "--time", ",0.000000500")),
]


def python(code, *words, **more):
    return subprocess.run([sys.executable, "-B", "-c", code, *words], capture_output=True, check=False,
                          env={**os.environ, "PYTHONPATH": f"{BUILD}/lib/python"}, **more)


def read(path, options=None, **more):
    done = python(SCRIPT, path, json.dumps(options or {}), **more)
    check(done.returncode == 0, f"{path}: {done.stderr.decode()[-1000:]}")
    return json.loads(done.stdout or "[]")


def make(name, *words):
    if os.path.isdir(name):
        shutil.rmtree(name)
    done = run(KIT, *words, "made.txt", name)
    check(done.returncode == 0, f"{name}: {done.stderr}")
    return name


def forms():
    for name, words in (("little.data", ()), ("big.data", ("--be",)), ("stream.data", ("--pipe",)),
                        ("big-stream.data", ("--be", "--pipe")), ("folder.data", ("--dir",))):
        check(read(make(name, *words)) == ALL, f"{name} reads otherwise")
    for name in ("little.data", "stream.data"):
        with open(name, "rb") as file:
            check(read("-", stdin=file) == ALL, f"{name} as standard input")
        with open(name, "rb") as file:
            data = file.read()
        check(read("-", input=data) == ALL, f"{name} through a pipe")
        with gzip.open(f"{name}.gz", "wb") as file:
            file.write(data)
        check(read(f"{name}.gz") == ALL, f"{name} packed")
    done = run(PFX, "archive", "-i", "little.data", "-o", "little.tar")
    packed = [name for name in os.listdir(".") if name.startswith("little") and ".tar" in name]
    check(done.returncode == 0 and packed, f"archive: {done.stderr}")
    for name in packed:
        check(read(name) == ALL, f"{name} reads otherwise")


def filters():
    for options, words in FILTERS:
        mine = read("little.data", options)
        shown = run(PFX, "script", "-i", "little.data", "--ns", "-F", "pid,tid,cpu,time,period", *words)
        theirs = [line.split() for line in shown.stdout.splitlines()]
        check(0 < len(mine) < len(ALL) and [row[4] for row in mine] == [int(row[-1]) for row in theirs],
              f"{options}: {mine} {shown.stdout} {shown.stderr}")
    bad = python(SCRIPT, "little.data", '{"cpus": "x"}')
    check(b"'x'" in bad.stderr and b"list of CPUs" in bad.stderr, f"malformed CPUs: {bad.stderr}")


def dumps():
    done = run(KIT, f"{SOURCE}/tests/golden/arm64-signed.txt", "arm64.data")
    check(done.returncode == 0, done.stderr)
    chains = python(CHAINS, "arm64.data").stdout.decode().splitlines()
    shown = run(PFX, "script", "-i", "arm64.data", "-F", "pid,ip").stdout.split("\n\n")
    theirs = [" ".join(line.split()[0] for line in part.splitlines()) for part in shown if part.strip()]
    check(len(chains) == 4 and chains == theirs and max(len(line.split()) for line in chains) > 2, f"{chains} {theirs}")


def main():
    if not os.path.exists(f"{BUILD}/lib/python/pfx/_pfx.abi3.so"):
        print("SKIP: pfx is built without Python")
        sys.exit(77)
    with open("made.txt", "w", encoding="utf-8") as file:
        file.write(MADE)
    forms()
    filters()
    dumps()
    finish()


if __name__ == "__main__":
    main()
