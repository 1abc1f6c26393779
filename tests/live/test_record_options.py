# SPDX-License-Identifier: MIT
"""Every option of record has a test of its effect: its word is used in one of the live tests that look
at what was recorded. Tests of attributes and of refusals do not count."""
import ast
import glob
import os
import re

from live import PFX, check, finish, run

HERE = os.path.dirname(os.path.abspath(__file__))
OF_ACCEPTANCE = ("wrong_words", "refusals")  # functions that only see whether words are taken


def options():
    """Each option by its words, like ("-a", "--all-cpus")."""
    out = run(PFX, "record", "-h")
    found = re.findall(r"^ {4}(-\w, |    )?(--[\w-]+|(?<=, )|)", out.stdout + out.stderr, re.M)
    both = [tuple(word.strip(", ") for word in words if word.strip(", ")) for words in found]
    short = re.findall(r"^ {4}(-\w)(?: |$)", out.stdout + out.stderr, re.M)
    return [words for words in both if words] + [(word,) for word in short]


READERS = ("report", "script", "evlist", "inject", "buildid-list")
# There are no branches to record on most machines; attributes and refusals are compared all the same.
OF_HARDWARE = ("-j",)


class Words(ast.NodeVisitor):
    """The words of all strings of a test that may be a part of a command line."""

    def __init__(self):
        self.found = set()

    def visit_FunctionDef(self, node):  # pylint: disable=invalid-name
        if node.name not in OF_ACCEPTANCE:
            self.generic_visit(node)

    def visit_Call(self, node):  # pylint: disable=invalid-name
        words = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
        if not any(word in READERS for word in words):
            self.generic_visit(node)

    def visit_Expr(self, node):  # pylint: disable=invalid-name
        if not isinstance(node.value, ast.Constant):  # not what a docstring says
            self.generic_visit(node)

    def visit_Constant(self, node):  # pylint: disable=invalid-name
        if isinstance(node.value, str):
            for word in node.value.split():
                self.found.update(re.findall(r"^--[\w-]+|^-\w", word))


def words_of_tests():
    paths = glob.glob(os.path.join(HERE, "test_record_*.py"))
    words = Words()
    for path in paths + [os.path.join(HERE, "test_roundtrip.py")]:
        if "attrs" in path or path.endswith("test_record_options.py"):
            continue
        with open(path, encoding="utf-8") as f:
            words.visit(ast.parse(f.read()))
    return words.found


def main():
    used, found = words_of_tests(), options()
    check(len(found) > 70, f"{len(found)} options in the help")
    for words in found:
        forms = set(words) | {word.replace("--", "--no-", 1) for word in words}
        check(forms & used or set(words) & set(OF_HARDWARE), f"no test of what {' '.join(words)} does")
    print(f"{len(found)} options")
    finish()


main()
