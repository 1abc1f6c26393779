# SPDX-License-Identifier: MIT
"""A BPF program with two functions, their names and source lines, loaded through bpf(2) without any library.

`python3 bpf.py ID SECONDS` runs the program ID for that much CPU time."""
import ctypes
import os
import platform
import struct
import sys
import time

NR_BPF = {"x86_64": 321, "aarch64": 280, "riscv64": 280, "s390x": 351, "ppc64le": 361}.get(platform.machine())
PROG_LOAD, TEST_RUN, PROG_GET_FD_BY_ID, GET_INFO, BTF_LOAD = 5, 10, 13, 15, 18
SOCKET_FILTER = 1
ATTR_SIZE = 144  # what the kernel does not know must be zero
PACKET = 64
NAMES = ("pfx_entry", "pfx_busy")
SOURCE = "busy.bpf.c"
# Instruction, line, its text
ENTRY_LINES = [(0, 7, "return pfx_busy();")]
BUSY_LINES = [(0, 11, "int count = 1;"), (1, 13, "\tcount = (count + 3) * 5;"), (1001, 14, "return count;")]


def bpf(command, attr):
    """The result, or the negative errno."""
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(attr, ATTR_SIZE)
    result = libc.syscall(ctypes.c_long(NR_BPF), ctypes.c_int(command), buffer, ctypes.c_uint(ATTR_SIZE))
    return result if result >= 0 else -ctypes.get_errno()


def address(buffer):
    return ctypes.addressof(buffer)


def strings():
    """The strings of the types, and the place of each."""
    found, places = b"\0", {}
    for text in ("int", *NAMES, SOURCE, *(text for _, _, text in ENTRY_LINES + BUSY_LINES)):
        places[text] = len(found)
        found += text.encode() + b"\0"
    return found, places


def types():
    """BTF: an int, a function without parameters that returns one, two functions of that type."""
    text, places = strings()
    body = struct.pack("=4I", 1, 1 << 24, 4, 1 << 24 | 32) + struct.pack("=3I", 0, 13 << 24, 1)
    for name in NAMES:
        body += struct.pack("=3I", places[name], 12 << 24, 2)
    return struct.pack("=HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(body), len(body), len(text)) + body + text


def lines(entry):
    """The source lines of the program, whose second function begins after @entry."""
    places = strings()[1]
    return b"".join(struct.pack("=4I", insn + base, places[SOURCE], places[text], line << 10 | 1)
                    for base, some in ((0, ENTRY_LINES), (len(entry) // 8, BUSY_LINES)) for insn, line, text in some)


def insn(code, dst=0, src=0, off=0, imm=0):
    regs = dst | src << 4 if sys.byteorder == "little" else dst << 4 | src
    return struct.pack("=BBhi", code, regs, off, imm)


def code():
    """The first function calls the second, which counts."""
    entry = insn(0x85, src=1, imm=1) + insn(0x95)
    busy = insn(0xb7, dst=0, imm=1) + 500 * (insn(0x07, dst=0, imm=3) + insn(0x27, dst=0, imm=5)) + insn(0x95)
    return entry, busy


def load():
    """A descriptor of the program, its id and the id of its types; or why there is none."""
    if NR_BPF is None:
        return None, "the number of bpf(2) is not known on this kind of CPU"
    btf = ctypes.create_string_buffer(types())
    btf_fd = bpf(BTF_LOAD, struct.pack("=QQII", address(btf), 0, len(types()), 0))
    if btf_fd < 0:
        return None, f"the kernel takes no types of BPF: {os.strerror(-btf_fd)}"
    entry, busy = code()
    program = ctypes.create_string_buffer(entry + busy)
    functions = ctypes.create_string_buffer(struct.pack("=4I", 0, 3, len(entry) // 8, 4))
    licence = ctypes.create_string_buffer(b"GPL")
    rows = ctypes.create_string_buffer(lines(entry))
    attr = struct.pack("=IIQQIIQII16sIIIIQIIQI", SOCKET_FILTER, (len(entry) + len(busy)) // 8, address(program),
                       address(licence), 0, 0, 0, 0, 0, b"pfx_entry", 0, 0, btf_fd, 8, address(functions), 2,
                       16, address(rows), len(ENTRY_LINES + BUSY_LINES))
    fd = bpf(PROG_LOAD, attr)
    os.close(btf_fd)
    if fd < 0:
        return None, f"the kernel takes no BPF program: {os.strerror(-fd)}"
    info = ctypes.create_string_buffer(232)
    bpf(GET_INFO, struct.pack("=IIQ", fd, 232, address(info)))
    return fd, struct.unpack_from("=I", info.raw, 4)[0]


def spend(program, seconds):
    fd = bpf(PROG_GET_FD_BY_ID, struct.pack("=I", program))
    if fd < 0:
        sys.exit(f"no program {program}: {os.strerror(-fd)}")
    packet = ctypes.create_string_buffer(PACKET)
    while time.process_time() < seconds:
        done = bpf(TEST_RUN, struct.pack("=IIIIQQI", fd, 0, PACKET, 0, address(packet), 0, 20000))
        if done < 0:
            sys.exit(f"the program does not run: {os.strerror(-done)}")


if __name__ == "__main__":
    spend(int(sys.argv[1]), float(sys.argv[2]))
