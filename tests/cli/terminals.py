# SPDX-License-Identifier: MIT
"""pfx on a terminal of tmux, which is pressed keys and whose screen is read; and a recording to look at, whose
code is the same on each machine."""
import fcntl
import os
import shutil
import subprocess
import sys
import termios
import time

from checks import KIT, PFX

PROGRAM = """	.text
	.globl _start
	.type main, @function
main:
	push %rbp
	mov %rsp, %rbp
	call work
	pop %rbp
	ret
	.size main, .-main
	.type work, @function
work:
	push %rbp
	mov $100, %ecx
1:	imul $3, %eax, %eax
	test $1, %al
	jz 2f
	add $7, %eax
2:	dec %ecx
	jnz 1b
	call leaf
	pop %rbp
	ret
	.size work, .-work
	.type leaf, @function
leaf:
	nop
	ret
	.size leaf, .-leaf
_start:	call main
"""
IN_MAIN, LEAF = 0x401009, 0x401026
HOT, WARM, CALL = 0x401011, 0x401014, 0x40101f  # in work: imul, test, the call of leaf
KERNEL, FAULT = 0xffffffffc0000000, 0xffffffffc0001000
LONG = "std::vector<std::pair<int, std::string>>::_M_realloc_insert<std::pair<int, std::string>>"
HEAD = f"""event cycles type=hw config=0 freq=1000 sample=ip,tid,time,cpu,period,callchain
event faults type=sw config=2 freq=1000 sample=ip,tid,time,cpu,period,callchain
feature hostname str=testhost
feature arch str=x86_64
comm pid=10 tid=10 "prog"
comm pid=10 tid=11 "worker"
mmap2 pid=10 tid=10 addr=0x401000 len=0x1000 pgoff=0x1000 maj=8 min=1 ino=77 prot=5 flags=2 "PROGRAM"
ksymbol addr={KERNEL:#x} len=0x1000 type=1 "entry"
ksymbol addr={FAULT:#x} len=0x1000 type=1 "{LONG}"
"""


# Numbers of poll, select, kill (in which it stops itself), clock_nanosleep, epoll_wait, pselect6, ppoll and epoll_pwait.
WAITING = ("7", "23", "62", "230", "232", "270", "271", "281")


def waits(pid, tty):
    """Whether a program has read all keys of a terminal and waits for more, or for time to pass."""
    try:
        with open(f"/proc/{pid}/syscall", encoding="ascii") as file:
            if file.read().split()[0] not in WAITING:
                return False
    except PermissionError:  # only root may know
        return True
    with open(os.open(tty, os.O_RDONLY | os.O_NOCTTY), "rb", buffering=0) as file:
        return fcntl.ioctl(file, termios.FIONREAD, bytes(4)) == bytes(4)


class Terminal:
    """A terminal in which @words run."""

    count = 0  # a server that ends may still have its name

    def __init__(self, words, size=(80, 24), term="xterm-256color", env=None):
        Terminal.count += 1
        self.name = f"pfx-test-{os.getpid()}-{Terminal.count}"
        full = {k: v for k, v in os.environ.items() if k not in ("TMUX", "NO_COLOR", "COLORFGBG", "COLORTERM")}
        full.update({"PFX_CONFIG": "/dev/null", "HOME": os.getcwd(), "LC_ALL": "C.UTF-8", "PFX_PAGER": "cat",
                     **(env or {})})
        settings = " ".join(f"{key}='{value}'" for key, value in
                            {"LC_ALL": full["LC_ALL"], "TERM": term, **(env or {})}.items())
        command = " ".join(f"'{word}'" for word in words)
        self.shell, self.tty = self.tmux(
            "-f", "/dev/null", "new-session", "-d", "-P", "-F", "#{pane_pid} #{pane_tty}",
            "-x", str(size[0]), "-y", str(size[1]),
            f"stty -a >before; env -u COLORTERM {settings} {command} 2>errors; echo \"exit $?\"; stty -a >after;"
            " echo done; exec sleep 60", env={**full, "LC_ALL": "C.UTF-8"}).split()

    def tmux(self, *words, env=None):
        done = subprocess.run(["tmux", "-u", "-L", self.name, *words], check=False, text=True, capture_output=True,
                              env=env, stdin=subprocess.DEVNULL)
        return done.stdout

    def screen(self, *words):
        return self.tmux("capture-pane", "-p", *words)

    def shows(self, texts):
        shown = self.screen()
        return all(text in shown for text in texts)

    def wait(self, *texts, seconds=60):
        """The screen with all @texts on it. What is drawn with them may come a moment later."""
        end = time.monotonic() + seconds
        while not self.shows(texts) and time.monotonic() < end:
            time.sleep(0.02)
        return self.still()

    def programs(self):
        """The shell, what runs in it, and so on."""
        found = [self.shell]
        while found[-1]:
            with open(f"/proc/{found[-1]}/task/{found[-1]}/children", encoding="ascii") as file:
                found.append(file.read().split(" ")[0])
        return found[:-1]

    def pid(self):
        """Of what runs in the shell."""
        return int(self.programs()[1])

    def waits(self):
        try:
            return waits(self.programs()[-1], self.tty)
        except OSError:  # a program has ended
            return False

    def still(self, seconds=20):
        """The screen, when the program waits and the screen does not change any more."""
        end = time.monotonic() + seconds
        before, now = None, (False, None)
        while (before != now or not now[0]) and time.monotonic() < end:
            time.sleep(0 if before is None else 0.06)
            before, now = now, (self.waits(), self.screen())
        return now[1]

    def press(self, *keys):
        for key in keys:
            self.tmux("send-keys", "--", key)
        return self.still()

    def close(self):
        self.tmux("kill-server")

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.close()


def build_program(source=PROGRAM):
    with open("prog.s", "w", encoding="ascii") as file:
        file.write(source)
    done = subprocess.run(["cc", "-g", "-nostdlib", "-static", "-no-pie", "-Wl,-Ttext=0x401000", "-Wl,--build-id=none",
                           "-o", "prog", "prog.s"], check=False, text=True, capture_output=True)
    if done.returncode:
        print(f"SKIP: no program for x86-64: {done.stderr}")
        sys.exit(77)


def sample(event, at, chain, tid, nanoseconds, cpu=0):
    mode = "kernel" if at >= KERNEL else "user"
    frames = [mode, *chain]
    if mode == "kernel":
        first_user = next((i for i, ip in enumerate(chain) if ip < KERNEL), len(chain))
        frames = ["kernel", *chain[:first_user], "user", *chain[first_user:]]
    words = ",".join(f if isinstance(f, str) else f"{f:#x}" for f in frames)
    return (f"sample event={event} ip={at:#x} pid=10 tid={tid} time={nanoseconds} cpu={cpu} period=1000 mode={mode} "
            f"chain={words}\n")


def record(path, places=(0, 0, 1, 2, 0)):
    """40 samples of two threads and two events, at the hot, the warm and the leaf's instruction."""
    text = HEAD.replace("PROGRAM", os.path.abspath("prog"))
    for i in range(40):
        tid, at = 10 + (i % 4 == 3), (HOT, WARM, LEAF)[places[i % 5]]
        chain = [LEAF, CALL + 5, IN_MAIN] if at == LEAF else [at, IN_MAIN]
        if i % 10 == 9:
            at, chain = FAULT + 16, [FAULT + 16, KERNEL + 8, WARM, IN_MAIN]
        text += sample(0, at, chain, tid, 1000000 + 1000000 * i, i % 2)
    text += sample(1, FAULT + 8, [FAULT + 8, WARM, IN_MAIN], 10, 50000000)
    with open(path + ".txt", "w", encoding="utf-8") as file:
        file.write(text + "round\n")
    subprocess.run([KIT, "--le", path + ".txt", path], check=True)


def need_tmux():
    if not shutil.which("tmux") or not shutil.which("cc"):
        print("SKIP: there is no tmux, or no C compiler")
        sys.exit(77)
    if "without ncurses" in subprocess.run([PFX, "report", "--tui"], check=False, text=True, capture_output=True,
                                           stdin=subprocess.DEVNULL).stderr:
        print("SKIP: this build has no screen")
        sys.exit(77)
