# SPDX-License-Identifier: MIT
"""Small x86_64 programs of words, for golden tests: code, symbols, source lines and an inlined function,
as DWARF 4. Nothing is compiled, so that the text of tests is the same everywhere."""
import struct

TEXT, TEXT_AT = 0x401000, 0x1000  # address and offset in the file of the code
SECTIONS = ["", ".text", ".debug_abbrev", ".debug_info", ".debug_line", ".strtab", ".symtab", ".shstrtab"]
ABBREVIATIONS = bytes([1, 0x11, 1, 0x03, 8, 0x1b, 8, 0x10, 0x17, 0x11, 1, 0x12, 7, 0, 0,  # a unit
                       2, 0x2e, 1, 0x03, 8, 0x11, 1, 0x12, 7, 0, 0,                       # a function
                       3, 0x2e, 0, 0x03, 8, 0x20, 0x0b, 0, 0,                             # one to be inlined
                       4, 0x1d, 0, 0x31, 0x13, 0x11, 1, 0x12, 7, 0x58, 0x0b, 0x59, 0x0b, 0, 0,  # where it was
                       0])


class SmallElf:
    def __init__(self):
        self.code, self.symbols, self.lines, self.inlined = b"", [], [], []
        self.source = "/src/none.c"

    def take(self, line):
        """One line of the description: `code HEX`, `symbol NAME OFFSET SIZE`, `source PATH`,
        `line OFFSET LINE`, `inlined NAME OFFSET SIZE CALL_LINE`."""
        verb, *words = line.split()
        if verb == "code":
            self.code += bytes.fromhex("".join(words))
        elif verb == "symbol":
            self.symbols.append((words[0], int(words[1], 0), int(words[2], 0)))
        elif verb == "source":
            self.source = words[0]
        elif verb == "line":
            self.lines.append((int(words[0], 0), int(words[1])))
        elif verb == "inlined":
            self.inlined.append((words[0], int(words[1], 0), int(words[2], 0), int(words[3])))
        else:
            raise ValueError(f"'{verb}' is not a part of a program")

    def info(self):
        def place(offset, size):
            return struct.pack("<QQ", TEXT + offset, size)

        folder, _, name = self.source.rpartition("/")
        head = 11  # of the unit, in bytes, from the start of the section
        unit = b"\x01" + name.encode() + b"\0" + folder.encode() + b"\0" + struct.pack("<I", 0)
        unit += place(0, len(self.code))
        origins = {}
        for called, *_ in self.inlined:
            origins[called] = head + len(unit)
            unit += b"\x03" + called.encode() + b"\0\x03"
        for function, start, size in self.symbols:
            unit += b"\x02" + function.encode() + b"\0" + place(start, size)
            for called, at, length, line in self.inlined:
                if start <= at < start + size:
                    unit += b"\x04" + struct.pack("<I", origins[called]) + place(at, length) + bytes([1, line])
            unit += b"\0"
        unit += b"\0"
        return struct.pack("<IHIB", 7 + len(unit), 4, 0, 8) + unit

    def line_program(self):
        folder, _, name = self.source.rpartition("/")
        rest = bytes([1, 1, 1, 0xfb, 14, 13]) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1])
        rest += folder.encode() + b"\0\0" + name.encode() + b"\0\x01\0\0\0"
        rows, last = b"", 1
        for offset, line in self.lines:
            step = line - last
            rows += b"\0\x09\x02" + struct.pack("<Q", TEXT + offset) + b"\x03" + bytes([step & 0x7f]) + b"\x01"
            last = line
        rows += b"\0\x09\x02" + struct.pack("<Q", TEXT + len(self.code)) + b"\0\x01\x01"
        body = struct.pack("<HI", 4, len(rest)) + rest + rows
        return struct.pack("<I", len(body)) + body

    def symbol_table(self):
        names, rows = b"\0", bytes(24)
        for name, start, size in self.symbols:
            rows += struct.pack("<IBBHQQ", len(names), 0x12, 0, 1, TEXT + start, size)
            names += name.encode() + b"\0"
        return names, rows

    def image(self):
        names, rows = self.symbol_table()
        titles = b"\0".join(name.encode() for name in SECTIONS) + b"\0"
        parts = [b"", self.code, ABBREVIATIONS, self.info(), self.line_program(), names, rows, titles]
        body, headers, at = b"", b"", TEXT_AT
        for i, (name, part) in enumerate(zip(SECTIONS, parts)):
            kind = {"": 0, ".strtab": 3, ".symtab": 2, ".shstrtab": 3}.get(name, 1)
            headers += struct.pack("<IIQQQQIIQQ", titles.index(name.encode() + b"\0") if name else 0, kind,
                                   6 if i == 1 else 0, TEXT if i == 1 else 0, at if i else 0, len(part),
                                   5 if kind == 2 else 0, 1 if kind == 2 else 0, 1, 24 if kind == 2 else 0)
            padded = part + bytes(-len(part) % 16)
            body, at = body + padded, at + len(padded)
        head = b"\x7fELF\x02\x01\x01" + bytes(9)
        head += struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, TEXT, 64, at, 0, 64, 56, 1, 64, len(SECTIONS), 7)
        head += struct.pack("<IIQQQQQQ", 1, 5, TEXT_AT, TEXT, TEXT, len(self.code), len(self.code), 0x1000)
        return head + bytes(TEXT_AT - len(head)) + body + headers
