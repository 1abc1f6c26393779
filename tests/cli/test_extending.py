# SPDX-License-Identifier: MIT
"""Documentation/extending.md: the steps of all pages are applied to a copy of the tree, which is
then built and must do what the pages promise. A step that no longer fits the tree fails."""
import os
import re
import shutil
import subprocess
import sys

from checks import FAILURES, check, finish

SOURCE = os.environ["PFX_SOURCE_DIR"]
COPY, BUILD = os.path.abspath("tree"), os.path.abspath("build")
TREE = ("arch", "cmd", "lib", "pmu-events", "scripts", "tests", "Documentation", "CMakeLists.txt",
        "CMakePresets.json", "LICENSE", "README.md", ".clang-format", ".gitignore")
PAGES = ("Add a CPU", "Add a sort key", "Add a script field", "Add a record type",
         "Add a subcommand", "Import the events of a CPU", "Add an export format")
TARGETS = ("pfx", "pfx-kit", "test_arch", "test_record")
# "New file `F`:" or "In `F`, after `LINE`:" at the end of a paragraph, then a block.
BLOCK = re.compile(r"(?m)^( *)```\w+\n((?:.*\n)*?)\1```$")
STEP = re.compile(r"(?:New file\s+`(?P<new>[^`]+)`|"
                  r"In\s+`(?P<path>[^`]+)`,\s+(?P<how>after|before|instead of)\s+"
                  r"`(?P<line>[^`]+)`):\s*$")
REGISTERS = "intr_abi=1 intr_regs=1,2,3,4,5,6,7,8,9,10"
RECORDING = f"""
event cycles type=hw period=1 sample=ip,tid,time,id,stream_id,callchain,regs_intr ids=5 regs_intr=0x3ff
feature arch str=csky
mmap2 pid=1 tid=2 addr=0x400000 len=0x1000 prot=5 flags=2 time=1 /bin/x
comm pid=1 tid=2 time=2 worker
mark value=7 time=3 begin
sample ip=0x400100 pid=1 tid=2 time=4 stream=77 chain=user,0x400100,0x400200,0x400300 {REGISTERS}
sample ip=0x400100 pid=1 tid=2 time=5 stream=78 chain=user,0x400100,0x400200 {REGISTERS}
sample ip=0x400100 pid=1 tid=2 time=6 stream=77 chain=user,0x400100,0x400200 {REGISTERS}
"""


def skip(reason):
    print(reason)
    sys.exit(77)


def words(line):
    return " ".join(line.split())


def without_indent(block, indent):
    """The lines of a block in a list; the text of empty lines is not indented."""
    return [line[len(indent):] if line.startswith(indent) else line.lstrip(" ")
            for line in block.split("\n")[:-1]]


def steps(page):
    """(what the step says, the lines of its block) of each step of a page."""
    end = 0
    for block in BLOCK.finditer(page):
        said = STEP.search(page[end:block.start()])
        check(said, f"a block that no step names: {block.group(2)[:60]!r}")
        if said:
            yield said.groupdict(), without_indent(block.group(2), block.group(1))
        end = block.end()


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def apply(title, said, block):
    """Change the copy as a step says; the file's name, or None where the step does not fit."""
    name = said["new"] or said["path"]
    path = os.path.join(COPY, name)
    if said["new"]:
        check(not os.path.exists(path), f"{title}: there is a file {name} already")
        write(path, block)
        return name
    if not os.path.exists(path):
        check(False, f"{title}: there is no file {name}")
        return None
    lines = read(path).split("\n")[:-1]
    found = [i for i, line in enumerate(lines) if words(line) == words(said["line"])]
    check(len(found) == 1, f"{title}: {len(found)} lines in {name} are `{said['line']}`, not one")
    if len(found) != 1:
        return None
    first = found[0] + (said["how"] == "after")
    lines[first:found[0] + (said["how"] != "before")] = block
    write(path, lines)
    return name


def copy_tree():
    for folder in (COPY, BUILD):
        shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(COPY)
    for name in TREE:
        source, to = os.path.join(SOURCE, name), os.path.join(COPY, name)
        if os.path.isdir(source):
            shutil.copytree(source, to, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, to)


def apply_pages():
    """The files that were changed."""
    guide = read(os.path.join(SOURCE, "Documentation/extending.md"))
    pages = dict(re.findall(r"(?ms)^## ([^\n]*)\n(.*?)(?=^## [A-Z]|\Z)", guide))
    check(tuple(pages) == PAGES, f"the pages are not those that this test checks: {tuple(pages)}")
    changed = set()
    for title, page in pages.items():
        found = list(steps(page))
        check(found, f"{title}: no steps")
        changed |= {apply(title, said, block) for said, block in found}
    return sorted(changed - {None})


def run(*command, **more):
    return subprocess.run(command, check=False, text=True, capture_output=True, **more)


def must(*command):
    """What it printed; the test ends where it fails."""
    done = run(*command)
    if done.returncode:
        print((done.stdout + done.stderr)[-4000:])
        check(False, f"{' '.join(command[:4])} fails")
        finish()
    return done.stdout


def build():
    """Without optional libraries, which no page needs."""
    must("cmake", "--preset", "plain", "-S", COPY, "-B", BUILD, "-DCMAKE_BUILD_TYPE=None",
         "-DPFX_TESTS=ON", *(["-G", "Ninja"] if shutil.which("ninja") else []))
    must("cmake", "--build", BUILD, "-j2", "--target", *TARGETS)


def shows(pattern, *command):
    """pfx prints what matches, and nothing went wrong."""
    done = run(os.path.join(BUILD, "cmd/pfx"), *command,
               env={**os.environ, "PFX_CONFIG": "/dev/null", "HOME": os.getcwd()})
    check(done.returncode == 0 and re.search(pattern, done.stdout, re.M),
          f"pfx {' '.join(command)} shows {pattern!r}:\n{done.stdout}{done.stderr}")


def check_promises():
    write("recording.txt", RECORDING.strip().split("\n"))
    must(os.path.join(BUILD, "tests/kit/pfx-kit"), "recording.txt", "new.data")
    shows(r"ORIG_A0:0x6\s+A0:0x7", "script", "-i", "new.data", "-F", "iregs")
    shows(r"66\.67%\s+77\b[^$]*33\.33%\s+78\b", "report", "-i", "new.data", "--stdio",
          "-g", "none", "--no-children", "-s", "stream")
    shows(r"^\s*worker\s+77\b", "script", "-i", "new.data", "-G", "-F", "comm,stream")
    shows(r'"stream":78', "script", "-i", "new.data", "--json")
    shows(r"PERF_RECORD_MARK value: 7 begin", "script", "-i", "new.data", "-D")
    shows(r"\A3\n\Z", "count", "-i", "new.data")
    shows(r"^ *count ", "help")
    shows(r"\A3\n\Z", "export", "depth", "-i", "new.data")
    os.environ["PFX_CPUID"] = "GenuineIntel-6-EF-1"
    shows(r"example\.cycles\n +\[Example, cycles\]", "list", "example.cycles")
    del os.environ["PFX_CPUID"]


def check_guards():
    """As a contributor would run them."""
    for name in ("arch", "record"):
        must(os.path.join(BUILD, f"tests/unit/test_{name}"))
    guards = [["check_docs", os.path.join(BUILD, "cmd/pfx")], ["check_format"]]
    if shutil.which("git"):
        must("git", "init", "-q", COPY)
        guards.append(["check_shape"])
    for guard, *arguments in guards:
        done = run(os.path.join(COPY, "scripts", guard), *arguments, cwd=COPY)
        check(done.returncode == 0, f"{guard} is content:\n{done.stdout}{done.stderr}")


def main():
    for tool in ("cmake", "cc"):
        if not shutil.which(tool):
            skip(f"there is no {tool}")
    copy_tree()
    changed = apply_pages()
    if FAILURES:
        finish()
    if shutil.which("clang-format"):
        must("clang-format", "-i", *(os.path.join(COPY, name) for name in changed
                                     if name.endswith((".c", ".h"))))
    build()
    check_promises()
    check_guards()
    finish()


main()
