# SPDX-License-Identifier: MIT
"""Recordings in several threads at once, through libpfx: four threads find what one finds. Built with ThreadSanitizer
(preset tsan), any race ends the program with an error, as the planted one shows. usage: test_threads.py PFX-THREADS
PFX-KIT [PFX], with PFX also on a recording of stack dumps, whose frames are real code."""
import os
import subprocess
import sys
import tempfile

RECORDING = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period,cpu,callchain
feature arch str=x86_64
mmap2 pid=-1 tid=0 addr=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 prot=5 misc=1 [kernel.kallsyms]_text
comm pid=7 tid=7 time=1 prog
"""
SAMPLE = ("sample ip=0x{0:x} pid=7 tid=7 cpu=1 time={1} period=10 misc=1 chain=kernel,0x{0:x},0xffffffff81000010,"
          "0xffffffff8100{2:04x}\n")


def call(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=False, **more)


def expect(good, what):
    if not good:
        print("FAIL:", what)
        sys.exit(1)


def make_recording(kit, name):
    rows = [SAMPLE.format(0xffffffff81000000 + i % 97 * 16, i + 10, i % 13 * 32) for i in range(300)]
    with open(f"{name}.txt", "w", encoding="utf-8") as file:
        file.write(RECORDING + "".join(rows) + "round\n")
    made = call(kit, f"{name}.txt", name)
    expect(made.returncode == 0, made.stderr)
    return name


def record(pfx):
    """Stack dumps of a program that this machine has, if it may record."""
    done = call(pfx, "record", "-q", "-F", "500", "-e", "cpu-clock:u", "--call-graph", "dwarf,4096", "-o", "dumps.data",
                sys.executable, "-c", "print(sum(hash(str(i)) for i in range(200000)))")
    return ["dumps.data"] if done.returncode == 0 else []


def read_at_once(program, paths):
    alone = [call(program, "1", path) for path in paths]
    done = call(program, "2", *paths, *paths, *paths, *paths)
    expect(done.returncode == 0, f"{done.returncode} {done.stderr[:3000]}")
    twice = [" ".join(str(int(word) * 2) for word in one.stdout.split()) for one in alone]
    expect(done.stdout.splitlines() == twice * 4, f"{done.stdout} {twice}")
    expect(all(int(one.stdout.split()[1]) > 0 and one.stdout.startswith("0 ") for one in alone), f"nothing read: {alone}")


def main():
    program, kit = map(os.path.abspath, sys.argv[1:3])
    pfx = [os.path.abspath(path) for path in sys.argv[3:]]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        paths = [make_recording(kit, "kit.data")]
        read_at_once(program, paths + (record(pfx[0]) if pfx else []))
        race = call(program, "race")
        if pfx:
            expect(race.returncode and "data race" in race.stderr, f"the planted race is not seen: {race}")
        os.chdir("/")
    print("no race was found" if pfx else "all threads found the same")


if __name__ == "__main__":
    main()
