#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The time between two tracepoints of a thread: latency.py perf.data FIRST SECOND."""
import sys

import pfx

first, second = sys.argv[2], sys.argv[3]
begun, latencies = {}, []
with pfx.open(sys.argv[1], symbols=False) as recording:
    for sample in recording:
        if sample.event == first:
            begun[sample.tid] = sample.time
        elif sample.event == second and sample.tid in begun:
            latencies.append(sample.time - begun.pop(sample.tid))
latencies.sort()
print(f"{len(latencies)} times")
for percent in (50, 90, 99) if latencies else ():
    print(f"{percent} % within {latencies[(len(latencies) - 1) * percent // 100] / 1000:.1f} us")
