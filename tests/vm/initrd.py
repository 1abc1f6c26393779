# SPDX-License-Identifier: MIT
"""The archive that a guest boots from: files in cpio's "newc" form, written without root's help.
Knows where shared libraries and kernel modules are looked for, and nothing about pfx."""
import gzip
import os
import re
import stat
import subprocess

LIBRARY_FOLDERS = ("usr/lib/{}", "usr/lib", "usr/lib64")


class Initrd:
    def __init__(self, sysroot, triplet):
        self.sysroot = sysroot
        self.folders = [f.format(triplet) for f in LIBRARY_FOLDERS]
        self.entries = {}  # path -> (mode, bytes, device)
        for name in ("dev", "proc", "sys", "tmp", "out", "root"):
            self.folder(name)
        self.node("dev/console", 5, 1)

    def folder(self, path):
        if path and path not in self.entries:
            self.folder(os.path.dirname(path))
            self.entries[path] = (stat.S_IFDIR | 0o755, b"", (0, 0))

    def _put(self, path, mode, data, device=(0, 0)):
        self.folder(os.path.dirname(path))
        self.entries[path] = (mode, data, device)

    def node(self, path, major, minor):
        self._put(path, stat.S_IFCHR | 0o600, b"", (major, minor))

    def text(self, path, text):
        self._put(path, stat.S_IFREG | 0o755, text.encode())

    def link(self, path, target):
        self._put(path, stat.S_IFLNK | 0o777, target.encode())

    def file(self, path, source):
        with open(source, "rb") as f:
            self._put(path, stat.S_IFREG | 0o755, f.read())

    def program(self, path, source):
        """A program with the libraries that it needs and its interpreter."""
        self.file(path, source)
        dynamic = subprocess.run(["readelf", "-W", "-l", "-d", source], stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, text=True, check=True).stdout
        loader = re.search(r"interpreter: /(\S+?)\]", dynamic)
        if loader and loader.group(1) not in self.entries:
            self.program(loader.group(1), os.path.join(self.sysroot, loader.group(1)))
        for name in re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic):
            self._library(name)

    def _library(self, name):
        for folder in self.folders:
            path = os.path.join(folder, name)
            if path in self.entries:
                return
            if os.path.exists(os.path.join(self.sysroot, path)):
                self.program(path, os.path.join(self.sysroot, path))
                return
        raise SystemExit(f"the library '{name}' is not in '{self.sysroot}'")

    def modules(self, tree, names):
        """Kernel modules and what they depend on, in the order in which they are to be loaded."""
        found, order = {}, []
        for folder, _, files in os.walk(tree):
            for name in files:
                if name.endswith(".ko"):
                    found[name[:-3].replace("-", "_")] = os.path.join(folder, name)

        def add(name):
            if name in order or name not in found:
                return  # built in, where there is no file
            with open(found[name], "rb") as f:
                depends = re.search(rb"\0depends=([^\0]*)\0", f.read())
            for other in (depends.group(1).decode() if depends else "").split(","):
                add(other.replace("-", "_"))
            order.append(name)
            self.file(f"modules/{name}.ko", found[name])

        for name in names:
            add(name)
        return order

    def write(self, path):
        with gzip.open(path, "wb", compresslevel=1) as out:
            for number, (name, (mode, data, device)) in enumerate(self.entries.items(), 1):
                _entry(out, name, mode, data, (number, *device))
            _entry(out, "TRAILER!!!", 0, b"", (0, 0, 0))

    def spread(self, root):
        """The same files as a folder, for readers outside the guest."""
        for name, (mode, data, _) in self.entries.items():
            path = os.path.join(root, name)
            if stat.S_ISDIR(mode):
                os.makedirs(path, exist_ok=True)
            elif stat.S_ISREG(mode):
                with open(path, "wb") as f:
                    f.write(data)


def _entry(out, name, mode, data, numbers):
    inode, major, minor = numbers
    name = name.encode() + b"\0"
    fields = (inode, mode, 0, 0, 1, 0, len(data), 0, 0, major, minor, len(name), 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name
    out.write(head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4))
