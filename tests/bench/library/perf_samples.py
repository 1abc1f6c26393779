# SPDX-License-Identifier: MIT
"""The same as a script of perf script -s."""
COUNT = [0]


def process_event(event):
    COUNT[0] += bool(event["comm"] and event["sample"]["time"] and event["callchain"])


def trace_end():
    print(COUNT[0])
