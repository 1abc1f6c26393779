#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""COMPRESSED records that other packers wrote: whatever frames zstd's tool makes, and however they are
cut into records, the samples are those of the records that were packed. Dictionaries are refused."""
import os
import shutil
import struct
import subprocess

from checks import KIT, PFX, check, finish, run

HEAD = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period
feature hostname str=testhost
feature compressed u32=0 u32=1 u32=1 u32=2 u32=528384
comm pid=10 tid=10 "packed"
mmap2 pid=10 tid=10 addr=0x400000 len=0x100000 maj=8 min=1 ino=77 prot=5 flags=2 /no/such/bin/packed
"""
SAMPLES = 3000
SIZE = 8 + 32  # of one sample


def build(order, text, name):
    with open("description", "w", encoding="utf-8") as f:
        f.write(text)
    subprocess.run([KIT, order, "description", name], check=True)


def script(name):
    return run(PFX, "script", "-F", "tid,time,ip,period", "-i", name)


def zstd(data, *words, sized=True):
    """A frame of the tool. The size of the content is in it only where the tool reads a file."""
    with open("content", "wb") as f:
        f.write(data)
    if sized:
        return subprocess.run(["zstd", "-qc", *words, "content"], check=True, stdout=subprocess.PIPE).stdout
    return subprocess.run(["zstd", "-qc", *words], input=data, check=True, stdout=subprocess.PIPE).stdout


def cut(data, size):
    return [data[at:at + size] for at in range(0, len(data), size)]


def frames(pieces, *words):
    return [zstd(piece, *words) for piece in pieces]


def skippable(size):
    return struct.pack("<II", 0x184D2A53, size) + bytes(size)


def forms(data):
    """Name and payloads of the COMPRESSED records."""
    whole = zstd(data, "--check")
    odd = cut(data, 7001)  # frames end within records
    several = frames(odd, "--check")
    return {
        "one frame": cut(whole, 60000),
        "a frame over many records": cut(whole, 100),
        "single bytes": cut(whole, 1)[:200] + cut(whole[200:], 1000),
        "no size of the content": cut(zstd(data, "--check", sized=False), 60000),
        "no checksum": cut(zstd(data, "--no-check"), 60000),
        "neither": cut(zstd(data, "--no-check", sized=False), 60000),
        "high level": cut(zstd(data, "-19"), 60000),
        "long windows": cut(zstd(data, "--long=27"), 60000),
        "a frame each": several,
        "several frames in a record": [b"".join(several)] if len(b"".join(several)) < 65000
                                      else [b"".join(several[:4]), *several[4:]],
        "frames over records": cut(b"".join(several), 777),
        "frames to be skipped": [skippable(5), *several[:1], skippable(0), *several[1:], skippable(900)],
        "skipped within records": cut(skippable(3000) + b"".join(f + skippable(11) for f in several), 777),
        "empty frames": [zstd(b""), *several[:2], zstd(b"", sized=False), *several[2:], zstd(b"")],
        "low level": cut(zstd(data, "--fast=5"), 60000),
    }


def compressed(payloads):
    return "".join(f"compressed bytes={payload.hex()}\n" for payload in payloads)


def one_order(order):
    lines = "".join(f"sample ip={0x401000 + 16 * (i % 999):#x} pid=10 tid=10 time={1000 + i} period={i % 7 + 1}\n"
                    for i in range(SAMPLES))
    build(order, HEAD + lines + "round\n", "plain.data")
    expected = script("plain.data")
    check(expected.returncode == 0 and expected.stdout.count("\n") == SAMPLES, f"plain: {expected.stderr}")
    with open("plain.data", "rb") as f:
        content = f.read()
    start, size = struct.unpack_from("<QQ" if order == "--le" else ">QQ", content, 40)
    rounds = 8
    data = content[start + size - rounds - SAMPLES * SIZE:start + size - rounds]
    for name, payloads in forms(data).items():
        build(order, HEAD + compressed(payloads) + "round\n", "packed.data")
        found = script("packed.data")
        check(found.stdout == expected.stdout and found.returncode == 0 and found.stderr == "",
              f"{order} {name}: exit code {found.returncode}, {found.stdout.count(chr(10))} samples, {found.stderr!r}")
    damaged(order, data)
    dictionary(order, data)


def damaged(order, data):
    """A checksum that is wrong is damage, and said."""
    packed = bytearray(zstd(data, "--check"))
    packed[-1] ^= 1
    build(order, HEAD + compressed(cut(bytes(packed), 60000)) + "round\n", "packed.data")
    found = script("packed.data")
    check("damaged in 1 place" in found.stderr, f"{order}: a wrong checksum: {found.stderr!r}")


def dictionary(order, data):
    """Its number is in the frame; the dictionary itself is nowhere."""
    os.makedirs("samples", exist_ok=True)
    for i, piece in enumerate(cut(data, 400)):
        with open(f"samples/{i}", "wb") as f:
            f.write(piece)
    subprocess.run(["zstd", "-q", "-f", "--train", "-r", "samples", "--maxdict=4096", "-o", "dictionary"],
                   check=True)
    packed = zstd(data, "-D", "dictionary")
    build(order, HEAD + compressed(cut(packed, 60000)) + "round\n", "packed.data")
    found = script("packed.data")
    check(found.returncode not in (0, 139) and "'packed.data': the compressed data at offset 0x" in found.stderr
          and "needs a dictionary" in found.stderr, f"{order}: {found.returncode} {found.stderr!r}")


def features(order):
    """Features of the header that make no sense are not told as records."""
    build(order, HEAD + "feature nrcpus u8=1\nround\n", "features.data")
    found = script("features.data")
    check("1 malformed header feature" in found.stderr and "malformed record" not in found.stderr,
          f"{order}: a malformed feature: {found.stderr!r}")


def main():
    features("--le")
    features("--be")
    if not shutil.which("zstd"):
        print("SKIP: zstd's tool is not installed")
        finish()
    one_order("--le")
    one_order("--be")
    finish()


main()
