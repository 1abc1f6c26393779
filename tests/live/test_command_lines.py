#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A tenth of the command lines of tests/clients/lines: pfx as `perf` beside perf 6.1."""
import os
import sys

from live import KIT, PFX, WORK, need_recording

LINES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "clients/lines")

need_recording()
os.execv(sys.executable, [sys.executable, LINES, "--some", PFX, KIT, WORK])
