# SPDX-License-Identifier: MIT
"""Debian's packages of another architecture, without a word to this machine's own package system:
apt works in a folder of its own with this machine's sources, and what it downloads is unpacked
there. Knows nothing about pfx."""
import os
import re
import subprocess


class Debian:
    """Packages of one architecture, kept in one folder."""

    def __init__(self, arch, folder):
        self.arch = arch
        self.root = os.path.join(folder, "apt")
        self.archives = os.path.join(self.root, "cache", "archives")
        for name in ("lists/partial", "cache/archives/partial", "empty"):
            os.makedirs(os.path.join(self.root, name), exist_ok=True)
        self.status = os.path.join(self.root, "status")
        with open(self.status, "w", encoding="utf-8"):
            pass  # nothing is installed, so every dependency is downloaded

    def _apt(self, program, *words, may_fail=False):
        options = {"APT::Architecture": self.arch, "APT::Architectures::": self.arch,
                   "APT::Install-Recommends": "false", "APT::Sandbox::User": "",
                   "Dir::State": self.root, "Dir::State::lists": os.path.join(self.root, "lists"),
                   "Dir::State::status": self.status, "Dir::Cache::archives": self.archives,
                   "Dir::Cache": os.path.join(self.root, "cache"), "Debug::NoLocking": "true",
                   "Dir::Etc::preferencesparts": os.path.join(self.root, "empty")}
        argv = [program]
        for key, value in options.items():
            argv += ["-o", f"{key}={value}"]
        done = subprocess.run(argv + list(words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)
        if done.returncode and not may_fail:
            raise SystemExit(f"{program} {' '.join(words)} failed for '{self.arch}':\n"
                             + done.stdout[-2000:])
        return done.stdout

    def update(self):
        """Fetches the lists. One of several sources may be out of order as long as there is libc."""
        said = self._apt("apt-get", "update", may_fail=True)
        libc = self._apt("apt-cache", "show", "libc6", may_fail=True)
        if not re.search(r"^Package: libc6$", libc, re.M):
            raise SystemExit(f"this machine's package sources have nothing for '{self.arch}'")
        for line in re.findall(r"^(?:E|W): .*", said, re.M):
            print(f"apt-get update for '{self.arch}': {line}")

    def names_behind(self, package):
        """The packages that another one stands for."""
        return re.findall(r"Depends: (\S+)", self._apt("apt-cache", "depends", package))

    def fetch(self, *packages):
        """Files of the packages and of all that they depend on."""
        words = ("install", "-y", "-q", *packages)
        wanted = set(re.findall(r"^Inst (\S+) ", self._apt("apt-get", "-s", *words), re.M))
        self._apt("apt-get", *words, "--download-only")
        return [os.path.join(self.archives, name) for name in sorted(os.listdir(self.archives))
                if name.endswith(".deb") and name.split("_")[0] in wanted]

    def fetch_only(self, package):
        """The file of a package, without what it depends on."""
        uri = self._apt("apt-get", "download", "--print-uris", package)
        name = re.search(r"^'[^']*' (\S+\.deb) ", uri, re.M).group(1)
        path = os.path.join(self.root, name)
        if not os.path.exists(path):
            here = os.getcwd()
            os.chdir(self.root)
            self._apt("apt-get", "download", package)
            os.chdir(here)
        return path


def unpack(files, root):
    """Unpacks packages into a root folder that has /lib in /usr/lib, with links that stay inside."""
    for name in ("bin", "sbin", "lib", "lib64", "lib32", "libx32"):
        os.makedirs(os.path.join(root, "usr", name), exist_ok=True)
        if not os.path.lexists(os.path.join(root, name)):
            os.symlink("usr/" + name, os.path.join(root, name))
    for file in files:
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", file], stdout=subprocess.PIPE) as deb:
            subprocess.run(["tar", "-x", "--keep-directory-symlink", "--no-same-owner", "-C", root],
                           stdin=deb.stdout, check=True)
        if deb.returncode:
            raise SystemExit(f"'{file}' could not be unpacked")
    _bend_links(root)


def _bend_links(root):
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = os.path.join(folder, name)
            if os.path.islink(path) and os.readlink(path).startswith("/"):
                inside = os.path.relpath(root + os.readlink(path), folder)
                os.remove(path)
                os.symlink(inside, path)
