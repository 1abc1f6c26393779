#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws when each thread was sampled (needs numpy and matplotlib). usage: heat_map.py perf.data OUT.png"""
import sys

import numpy
import pfx
from matplotlib import pyplot

if len(sys.argv) != 3:
    sys.exit(__doc__)
profile = pfx.load(sys.argv[1], times=True)
time, tid = numpy.asarray(profile.column("time")), numpy.asarray(profile.column("tid"))
tids, thread = numpy.unique(tid, return_inverse=True)
seconds = (time - time.min()) / 1e9
pyplot.hist2d(seconds, thread, bins=[100, len(tids)], cmap="magma")
pyplot.yticks(range(len(tids)), tids)
pyplot.xlabel("seconds")
pyplot.savefig(sys.argv[2])
