# SPDX-License-Identifier: MIT
"""Builds pfx for another architecture: a sysroot of Debian's packages, a tool chain file for CMake,
and a program that runs the result under qemu's user mode emulation where that is installed."""
import os
import shutil
import subprocess
import sys

from debian import Debian, unpack

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIBRARIES = ("libc6-dev", "libelf-dev", "libdw-dev", "libzstd-dev", "libunwind-dev",
             "libcapstone-dev", "libiberty-dev", "liblzma-dev", "zlib1g-dev",
             "libcmocka-dev", "busybox-static")
# Debian's name, the GNU triplet, CMake's name of the processor, qemu's name of it
ARCHS = {
    "amd64": ("x86_64-linux-gnu", "x86_64", "x86_64"),
    "arm64": ("aarch64-linux-gnu", "aarch64", "aarch64"),
    "armhf": ("arm-linux-gnueabihf", "arm", "arm"),
    "i386": ("i686-linux-gnu", "i686", "i386"),
    "ppc64el": ("powerpc64le-linux-gnu", "ppc64le", "ppc64le"),
    "s390x": ("s390x-linux-gnu", "s390x", "s390x"),
}
TOOLCHAIN = """set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR {processor})
set(CMAKE_C_COMPILER {triplet}-gcc)
set(CMAKE_SYSROOT {sysroot})
set(CMAKE_LIBRARY_ARCHITECTURE {libraries})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,{sysroot}/usr/lib/{libraries}")
set(ENV{{PKG_CONFIG_SYSROOT_DIR}} {sysroot})
set(ENV{{PKG_CONFIG_LIBDIR}} {sysroot}/usr/lib/{libraries}/pkgconfig:{sysroot}/usr/share/pkgconfig)
{emulator}"""


class Cross:
    """What there is for one architecture below build/vm/ARCH."""

    def __init__(self, arch):
        if arch not in ARCHS:
            raise SystemExit(f"unknown architecture '{arch}'; there are: {' '.join(ARCHS)}")
        self.arch = arch
        self.triplet, self.processor, self.emulated = ARCHS[arch]
        self.big_endian = arch == "s390x"
        # Debian keeps libraries of i386 under the triplet's older name.
        self.libraries = self.triplet.replace("i686", "i386")
        self.folder = os.path.join(SOURCE, "build", "vm", arch)
        self.sysroot = os.path.join(self.folder, "sysroot")
        self.build = os.path.join(self.folder, "pfx")
        self.compiler = self.triplet + "-gcc"
        os.makedirs(self.folder, exist_ok=True)
        self._debian = None

    @property
    def debian(self):
        """The packages; the lists are fetched at the first need."""
        if not self._debian:
            self._debian = Debian(self.arch, self.folder)
            self._debian.update()
        return self._debian

    def unpacked(self, folder, packages):
        """A folder with packages and what they need; made once."""
        root = os.path.join(self.folder, folder)
        if not os.path.exists(root + ".done"):
            shutil.rmtree(root, ignore_errors=True)
            unpack(packages(), root)
            with open(root + ".done", "w", encoding="utf-8"):
                pass
        return root

    def compile(self, werror):
        """Configures and builds; the output goes to a log."""
        if not shutil.which(self.compiler):
            raise SystemExit(f"'{self.compiler}' is missing: scripts/packages vm, or install "
                             f"gcc-{self.triplet.replace('_', '-')}")
        self.unpacked("sysroot", lambda: self.debian.fetch(*LIBRARIES))
        toolchain = os.path.join(self.folder, "toolchain.cmake")
        with open(toolchain, "w", encoding="utf-8") as f:
            f.write(TOOLCHAIN.format(processor=self.processor, triplet=self.triplet,
                                     sysroot=self.sysroot, libraries=self.libraries,
                                     emulator=self._emulator_line()))
        log = os.path.join(self.folder, "build.log")
        with open(log, "w", encoding="utf-8") as out:
            for argv in (["cmake", "-S", SOURCE, "-B", self.build, "-G", "Ninja",
                          f"-DCMAKE_TOOLCHAIN_FILE={toolchain}",
                          f"-DPFX_WERROR={'ON' if werror else 'OFF'}"],
                         ["cmake", "--build", self.build]):
                if subprocess.run(argv, stdout=out, stderr=out, check=False).returncode:
                    raise SystemExit(f"the build for '{self.arch}' failed, see {log}")

    def as_built(self, pfx):
        """In place of compile() where this machine is one of that architecture: the program as it is
        built already, with the libraries of this system."""
        if os.uname().machine != self.processor:
            raise SystemExit(f"this machine is no '{self.arch}': leave --as-built out")
        self.sysroot = "/"
        self.build = os.path.dirname(os.path.dirname(os.path.abspath(pfx)))

    def emulator(self):
        """The words in front of a program of that architecture, or none."""
        program = shutil.which("qemu-" + self.emulated)
        return [program, "-L", self.sysroot] if program else []

    def _emulator_line(self):
        words = ";".join(self.emulator())
        return f"set(CMAKE_CROSSCOMPILING_EMULATOR \"{words}\")\n" if words else ""

    def wrapper(self, program):
        """A script that runs a program of the build under emulation."""
        path = os.path.join(self.folder, os.path.basename(program) + ".sh")
        with open(path, "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\nexec " + " ".join(self.emulator()) + f" {program} \"$@\"\n")
        os.chmod(path, 0o755)
        return path

    def tests(self):
        """Unit, fuzz replay and golden tests under user mode emulation; True when all pass."""
        if not self.emulator():
            print("SKIP: qemu's user mode emulation is not installed")
            return True
        # qemu hands priority inheriting futexes to a host of the other byte order as they are.
        left_out = ["-E", "test_queue"] if self.big_endian else []
        good = not subprocess.run(["ctest", "--test-dir", self.build, "-R", "^(unit|fuzz)",
                                   "--timeout", "900", "--output-on-failure", *left_out],
                                  check=False).returncode
        pfx, kit = (self.wrapper(os.path.join(self.build, *p)) for p in
                    (("cmd", "pfx"), ("tests", "kit", "pfx-kit")))
        golden = os.path.join(SOURCE, "tests", "golden", "run")
        return not subprocess.run([sys.executable, golden, "--pfx", pfx, "--kit", kit],
                                  check=False).returncode and good
