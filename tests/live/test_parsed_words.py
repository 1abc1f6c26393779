#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What public programs read of perf's output: the patterns of tests/clients/parsed.txt."""
import os
import sys

from live import KIT, PFX, WORK, need_recording

PARSED = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "clients/parsed")

need_recording()
os.execv(sys.executable, [sys.executable, PARSED, PFX, KIT, WORK])
