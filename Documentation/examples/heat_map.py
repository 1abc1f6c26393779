#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws when each thread was sampled: heat_map.py perf.data OUT.png (needs numpy and matplotlib)."""
import sys

import matplotlib
import numpy
import pfx

matplotlib.use("Agg")
from matplotlib import pyplot

profile = pfx.load(sys.argv[1], times=True)
time, tid = numpy.asarray(profile.column("time")), numpy.asarray(profile.column("tid"))
tids, thread = numpy.unique(tid, return_inverse=True)
seconds = (time - time.min()) / 1e9
pyplot.hist2d(seconds, thread, bins=[100, len(tids)], cmap="magma")
pyplot.yticks(range(len(tids)), tids)
pyplot.xlabel("seconds")
pyplot.savefig(sys.argv[2])
