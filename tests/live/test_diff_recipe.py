# SPDX-License-Identifier: MIT
"""The script for continuous integration in pfx-diff(1) runs as it is printed there: it passes a program that did not
change, and ends with 2 for one whose function became slower."""
import os
import re
import subprocess

from live import PFX, check, equal, finish, skip

SOURCE = os.environ["PFX_SOURCE_DIR"]
PROGRAM = """
volatile unsigned long sink;
__attribute__((noinline)) void parse_line(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void other(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink ^= i; }
int main(void) { for (int i = 0; i < 4000; i++) { parse_line(TIMES); other(10000); } return 0; }
"""


def printed(text, first, last):
    """The lines of the page, from one to another, without roff."""
    lines = text.split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith(first))
    found = []
    for line in lines[start:]:
        found.append(line.replace("\\-", "-").replace("\\e", "\\"))
        if line.startswith(last):
            return "\n".join(found) + "\n"
    raise AssertionError(f"'{last}' does not follow '{first}'")


def build(name, times):
    with open("prog.c", "w", encoding="utf-8") as file:
        file.write(PROGRAM.replace("TIMES", times))
    done = subprocess.run(["cc", "-O1", "-fno-omit-frame-pointer", "-o", name, "prog.c"], check=False)
    if done.returncode:
        skip("no C compiler")


def main():
    with open(os.path.join(SOURCE, "Documentation/pfx-diff.1"), encoding="utf-8") as file:
        page = file.read()
    os.makedirs("ci")
    with open("ci/compare.sh", "w", encoding="utf-8") as file:
        file.write(printed(page, "# ci/compare.sh", "exit $code"))
    with open("ci/rules", "w", encoding="utf-8") as file:
        file.write(printed(page, "# what a change must not do", "total:parse"))
    build("old", "10000")
    build("new", "40000")
    env = {**os.environ, "PATH": f"{os.path.dirname(PFX)}:{os.environ['PATH']}"}
    for new, code, said in (("./new", 2, r"\* broken: `self > \+10%`: `parse_line"), ("./old", 0, r"\*\*All 2 rules kept\*\*")):
        # one of twenty pairs of runs of the same program may differ by more than its interval; three in a row may not
        for _ in range(3):
            done = subprocess.run(["sh", "ci/compare.sh", "./old", new], env=env, capture_output=True, text=True, check=False)
            if code or done.returncode != 2:
                break
        if done.returncode == 255 and "permission" in done.stderr.lower():
            skip("cannot record here")
        equal(done.returncode, code, f"{new}: {done.stdout} {done.stderr}")
        check(re.search(said, done.stdout), f"{new}: {done.stdout}")
    check("- run: sh ci/compare.sh" in page.replace("\\-", "-") and page.count("ci/compare.sh") >= 3, "the recipes use it")
    finish()


if __name__ == "__main__":
    main()
