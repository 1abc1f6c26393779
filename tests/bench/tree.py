# SPDX-License-Identifier: MIT
"""An interpreter with tall stacks: trees are built, walked and sorted by functions that call themselves,
for as many seconds of CPU time as the first argument says."""
import sys
import time


def build(depth, seed):
    if depth == 0:
        return seed % 97
    return [build(depth - 1, seed * 31 + i) for i in range(2)] if depth % 5 == 0 else [build(depth - 1, seed)]


def weigh(node):
    return node if isinstance(node, int) else sum(map(weigh, node))


def leaves(node):
    if isinstance(node, int):
        yield node
    else:
        for kid in node:
            yield from leaves(kid)


END = time.process_time() + float(sys.argv[1] if len(sys.argv) > 1 else 3)
TURN = 0
while time.process_time() < END:
    tree = build(20, TURN)
    TURN += weigh(tree) + len(sorted(leaves(tree), key=lambda leaf: -leaf))
print(TURN)
