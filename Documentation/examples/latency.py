#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shows the time between two tracepoints of a thread. usage: latency.py perf.data FIRST SECOND"""
import sys

import pfx

if len(sys.argv) != 4:
    sys.exit(__doc__)
path, first, second = sys.argv[1:]
begun, latencies = {}, []
for sample in pfx.open(path, symbols=False):
    if sample.event == first:
        begun[sample.tid] = sample.time
    elif sample.event == second and sample.tid in begun:
        latencies.append(sample.time - begun.pop(sample.tid))
latencies.sort()
print(f"{len(latencies)} times")
for percent in (50, 90, 99) if latencies else ():
    print(f"{percent} % within {latencies[(len(latencies) - 1) * percent // 100] / 1000:.1f} us")
