# SPDX-License-Identifier: MIT
"""Recordings of pfx and perf: read them, and ask where the time went.

    import pfx

    for sample in pfx.open("perf.data"):
        print(sample.comm, sample.time, [frame.symbol for frame in sample.frames])

    profile = pfx.load("perf.data")
    for row in profile.table()[:10]:
        print(f"{row.self_share:7.2%} {row.name}")
"""
from ._pfx import Column, Error, Frame, Profile, Recording, Row, Sample, __version__, load, open, record

__all__ = ["Column", "Error", "Frame", "Profile", "Recording", "Row", "Sample", "load", "open", "record"]
