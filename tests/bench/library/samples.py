# SPDX-License-Identifier: MIT
"""All samples of a recording by libpfx: one by one, or as columns. usage: samples.py samples|columns FILE"""
import sys

import pfx

if sys.argv[1] == "samples":
    count = 0
    for sample in pfx.open(sys.argv[2]):
        count += bool(sample.comm and sample.time and sample.frames)
else:
    profile = pfx.load(sys.argv[2], times=True)
    columns = [profile.column(name) for name in ("time", "tid", "cpu", "event", "period", "stack")]
    count = len(columns[0])
print(count)
