# SPDX-License-Identifier: MIT
"""The same samples walked by rows, by libunwind and by libdw, frame by frame. Where one of the
three goes on and another stops, the common part must be equal; what one of them cannot do at all is
said at the variant. Samples taken while a frame is made or taken down are few, and there one of the
libraries may guess: one chain in a hundred may differ."""
import os
import shutil

from live import PFX, check, equal, finish, need_recording, record_enough, run, skip

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
COMMON = ["-O2", "-fomit-frame-pointer", "-g"]
OTHERS = ("libunwind", "libdw")
VARIANTS = [  # name, source, flags, what perf record is told, who takes part
    ("pie", "unwind.c", ["-fPIE", "-pie", "-pthread"], "dwarf,16384", OTHERS),
    ("fixed", "unwind.c", ["-fno-pie", "-no-pie", "-pthread"], "dwarf,16384", OTHERS),
    ("lazy", "unwind.c", ["-Wl,-z,lazy", "-fcf-protection=full", "-pthread"], "dwarf,16384", OTHERS),
    ("plain", "unwind.c", ["-O0", "-pthread"], "dwarf,16384", OTHERS),
    # These have no .eh_frame_hdr.
    ("static", "unwind.c", ["-static", "-pthread"], "dwarf,16384", OTHERS),
    ("bare", "unwind.c", ["-Wl,--no-eh-frame-hdr", "-pthread"], "dwarf,16384", OTHERS),
    ("cpp", "unwind.cpp", [], "dwarf,16384", OTHERS),
    ("load", "unwind_load.c", ["-ldl"], "dwarf,8192", OTHERS),
]
MAX_STACK = "4096"


def build(name, source, flags):
    compiler = shutil.which("g++" if source.endswith(".cpp") else "gcc")
    if not compiler:
        return None
    made = run(compiler, *COMMON, "-o", name, os.path.join(HERE, source), *flags)
    return f"./{name}" if made.returncode == 0 else None


def chains(data, style):
    done = run(PFX, "script", "--no-inline", "--unwind-style", style, "--max-stack", MAX_STACK,
               "-F", "ip,sym,dso", "-i", data)
    equal(done.returncode, 0, f"{data}: {style}: {done.stderr.strip()}")
    return [[" ".join(line.split()) for line in text.split("\n") if line.strip()]
            for text in done.stdout.split("\n\n") if text.strip()]


def compare(name, style, ours, theirs):
    equal(len(ours), len(theirs), f"{name}: {style}: samples with a chain")
    differ, shorter = [], 0
    for one, other in zip(ours, theirs):
        common = min(len(one), len(other))
        if one[:common] != other[:common]:
            differ.append((one, other))
        shorter += len(one) < len(other)
    check(len(differ) * 100 <= len(ours),
          f"{name}: {style}: {len(differ)} of {len(ours)} chains differ, the first {differ[:1]}")
    check(shorter * 100 <= len(ours), f"{name}: {style} goes on in {shorter} of {len(ours)} chains")
    equal_length = sum(len(a) == len(b) for a, b in zip(ours, theirs))
    check(sum(len(c) for c in theirs) * 2 > sum(len(c) for c in ours),
          f"{name}: {style} finds less than half of the frames")
    print(f"{name}: {style}: {len(ours)} chains, {len(differ)} differ, "
          f"{equal_length} of the same length")


def main():
    need_recording()
    if "no libunwind" in run(PFX, "script", "--unwind-style", "libunwind", "-i",
                             "probe.data").stderr:
        skip("built without libunwind")
    plugin = run("gcc", *COMMON, "-shared", "-fPIC", "-o", "plugin.so",
                 os.path.join(HERE, "unwind_plugin.c")) if shutil.which("gcc") else None
    built = 0
    for name, source, flags, how, others in VARIANTS:
        program = build(name, source, flags)
        if not program or (name == "load" and plugin.returncode):
            print(f"{name}: cannot be built here")
            continue
        built += 1
        data = f"{name}.data"
        record_enough(data, 20, "-e", "cpu-clock", "--call-graph", how,
                      command=[program, *(["./plugin.so"] if name == "load" else [])])
        ours = chains(data, "rows")
        for style in others:
            compare(name, style, ours, chains(data, style))
        if name == "load":
            check(any("plugin_call" in frame for c in ours for frame in c), "no chain by the plugin")
            check(any(len(c) > 100 for c in ours), "no deep chain")
    if not built:
        skip("there is no compiler")
    wrong = run(PFX, "report", "--unwind-style", "guess", "-i", "none.data")
    check("is not one of rows, libunwind, libdw" in wrong.stderr, f"a wrong style: {wrong.stderr!r}")
    finish()


main()
