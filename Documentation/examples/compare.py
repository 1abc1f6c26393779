#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shows what changed between two recordings. usage: compare.py OLD NEW"""
import sys

import pfx

if len(sys.argv) != 3:
    sys.exit(__doc__)
old, new = (pfx.load(path, chains=False) for path in sys.argv[1:])
for row in new.diff(old)[:20]:
    change = (row.self_share - row.old_share) * 100
    print(f"{change:+7.2f} {row.state:8} {row.name}")
