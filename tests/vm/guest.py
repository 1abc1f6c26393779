# SPDX-License-Identifier: MIT
"""A guest: what it boots from, the script that it runs, and how its files come back. It needs no
network and no root here: the initrd is written by hand, and the results are a tar archive that the
guest puts on a bare disk."""
import glob
import os
import shutil
import subprocess
import tarfile
import time

from initrd import Initrd

DISK_SIZE = 512 << 20
BOOT_TIMEOUT = 3600
# What a machine is: Debian's kernel package, qemu's words, the modules for its disk, the console and
# words for the kernel
MACHINES = {
    "amd64": ("linux-image-cloud-amd64", "x86_64", ["-M", "q35", "-cpu", "max"],
              "virtio-blk-pci", ["virtio_pci", "virtio_blk"],
              "ttyS0 no_timer_check"),  # a busy host makes the timer look broken
    "arm64": ("linux-image-cloud-arm64", "aarch64",
              ["-M", "virt", "-cpu", "max,pmu=on,pauth-impdef=on"],
              "virtio-blk-pci", ["virtio_pci", "virtio_blk"], "ttyAMA0"),
    "s390x": ("linux-image-s390x", "s390x", ["-M", "s390-ccw-virtio"],
              "virtio-blk-ccw", ["virtio_blk"], "ttysclp0"),
}
INIT = """#!/bin/busybox sh
export PATH=/bin:/usr/bin HOME=/out/home LC_ALL=C
busybox mkdir -p /out/home
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tracefs tracefs /sys/kernel/tracing
# Emulated interrupts take long; the kernel is not to lower the rate of samples for that.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
for module in {modules}; do insmod /modules/$module.ko || echo "VM: no module $module"; done
echo "VM: up after $(cut -d' ' -f1 /proc/uptime) s, $(uname -r -m)"
cat /proc/kallsyms >/out/kallsyms
cd /out
sh /script
echo "VM: done after $(cut -d' ' -f1 /proc/uptime) s"
cd /
tar -c -f /dev/vda out || echo "VM: the results do not fit on the disk"
sync
poweroff -f
"""


class Guest:
    """A machine of one architecture with pfx in it."""

    def __init__(self, cross):
        self.cross = cross
        package, qemu, self.machine, self.disk, self.modules, self.console = MACHINES[cross.arch]
        self.qemu = shutil.which("qemu-system-" + qemu)
        if not self.qemu:
            raise SystemExit(f"'qemu-system-{qemu}' is missing: scripts/packages vm")
        self.kernel = cross.unpacked("kernel", lambda: [
            cross.debian.fetch_only(name) for name in cross.debian.names_behind(package)])
        self.initrd = Initrd(cross.sysroot, cross.libraries)
        self.initrd.file("bin/busybox", self._busybox())
        self.root = os.path.join(cross.folder, "root")
        self.out = os.path.join(cross.folder, "out")

    def _busybox(self):
        path = os.path.join(self.cross.sysroot, "bin", "busybox")
        if os.path.exists(path):
            return path
        root = self.cross.unpacked("tools", lambda: [self.cross.debian.fetch_only("busybox-static")])
        return os.path.join(root, "bin", "busybox")

    def more_modules(self, *names):
        """Puts modules in that the script loads itself; the paths, in the order to load them in."""
        tree = os.path.join(self.kernel, "lib", "modules")
        return [f"/modules/{name}.ko" for name in self.initrd.modules(tree, names)]

    def run(self, script):
        """Boots, runs the script in /out, brings /out back; shows what the guest says meanwhile."""
        modules = self.initrd.modules(os.path.join(self.kernel, "lib", "modules"), self.modules)
        self.initrd.text("init", INIT.format(modules=" ".join(modules)))
        self.initrd.text("script", script)
        files = {name: os.path.join(self.cross.folder, name) for name in ("initrd", "disk")}
        self.initrd.write(files["initrd"])
        for folder in (self.root, self.out):
            shutil.rmtree(folder, ignore_errors=True)
        self.initrd.spread(self.root)
        with open(files["disk"], "wb") as f:
            f.truncate(DISK_SIZE)
        begin = time.monotonic()
        self._boot(files)
        print(f"the guest ran for {time.monotonic() - begin:.0f} s")
        with tarfile.open(files["disk"]) as tar:
            tar.extractall(self.cross.folder)

    def _boot(self, files):
        image = glob.glob(os.path.join(self.kernel, "boot", "vmlinuz-*"))[0]
        argv = ["nice", "-n", "5", self.qemu, *self.machine, "-smp", "2", "-m", "1024", "-nographic",
                "-no-reboot", "-nic", "none", "-kernel", image, "-initrd", files["initrd"],
                "-append", f"console={self.console} quiet panic=-1",
                "-drive", f"file={files['disk']},format=raw,if=none,id=disk",
                "-device", f"{self.disk},drive=disk"]
        log = os.path.join(self.cross.folder, "console.log")
        with open(log, "wb") as out, subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out,
                                                      stderr=subprocess.STDOUT) as machine:
            try:
                machine.wait(BOOT_TIMEOUT)
            except subprocess.TimeoutExpired:
                machine.kill()
        with open(log, encoding="utf-8", errors="replace") as f:
            text = f.read()
        for line in text.splitlines():
            if "VM: " in line:
                print(line[line.index("VM: ") + 4:].strip())
        if "VM: done" not in text:
            raise SystemExit(f"the guest did not come to its end, see {log}")
