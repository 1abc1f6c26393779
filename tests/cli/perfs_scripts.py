# SPDX-License-Identifier: MIT
"""A recording with the tracepoints that perf's scripts are about, as a kernel would have written them."""
import script_world as world

KERNEL = 0xffffffff81000000
BUFFER = 0x7f0000001000
NAME = ("char name[16]", 16, 0)


def number(name, size=8, signed=0):
    return ("%s %s" % ({1: "bool", 2: "unsigned short", 4: "int", 8: "unsigned long"}[size], name), size, signed)


def enter(*names):
    return [("int __syscall_nr", 4, 1)] + [number(name) for name in names]


LEAVE = [("int __syscall_nr", 4, 1), ("long ret", 8, 1)]
SKB = [number("skbaddr"), number("len", 4), NAME]
ISOLATED = [number("start_pfn"), number("end_pfn"), number("nr_scanned"), number("nr_taken")]
ZONES = [number("zone_start"), number("migrate_pfn"), number("free_pfn"), number("zone_end"), number("sync", 1)]
VECTORS = '"%s", __print_symbolic(REC->vec, { 1, "TIMER" }, { 3, "NET_RX" })'
MADE = {
    304: ("irq", "softirq_entry", [number("vec", 4)], VECTORS),
    310: ("syscalls", "sys_enter_read", enter("fd", "buf", "count")),
    311: ("syscalls", "sys_exit_read", LEAVE),
    312: ("syscalls", "sys_enter_write", enter("fd", "buf", "count")),
    313: ("syscalls", "sys_exit_write", LEAVE),
    314: ("syscalls", "sys_enter_futex", enter("uaddr", "op", "val", "utime", "uaddr2", "val3")),
    315: ("syscalls", "sys_exit_futex", LEAVE),
    316: ("compaction", "mm_compaction_begin", ZONES),
    317: ("compaction", "mm_compaction_end", ZONES + [number("status", 4)]),
    318: ("compaction", "mm_compaction_migratepages", [number("nr_migrated"), number("nr_failed")]),
    319: ("compaction", "mm_compaction_isolate_migratepages", ISOLATED),
    320: ("compaction", "mm_compaction_isolate_freepages", ISOLATED),
    321: ("skb", "kfree_skb", [number("skbaddr"), number("location"), number("protocol", 2)]),
    322: ("skb", "consume_skb", [number("skbaddr")]),
    323: ("skb", "skb_copy_datagram_iovec", [number("skbaddr"), number("len", 4)]),
    324: ("net", "net_dev_queue", SKB),
    325: ("net", "net_dev_xmit", [number("skbaddr"), number("len", 4), number("rc", 4, 1), NAME]),
    326: ("net", "netif_receive_skb", SKB),
    327: ("net", "netif_rx", SKB),
    328: ("napi", "napi_poll", [number("napi"), NAME, number("work", 4), number("budget", 4)]),
    329: ("irq", "irq_handler_entry", [number("irq", 4), NAME]),
    330: ("irq", "irq_handler_exit", [number("irq", 4), number("ret", 4)]),
    331: ("irq", "softirq_exit", [number("vec", 4)], VECTORS),
    332: ("irq", "softirq_raise", [number("vec", 4)], VECTORS),
    334: ("powerpc", "hcall_entry", [number("opcode")]),
    335: ("powerpc", "hcall_exit", [number("opcode"), number("retval", 8, 1)]),
    336: ("workqueue", "workqueue_queue_work", [number("work"), number("function")]),
    337: ("workqueue", "workqueue_execute_start", [number("work"), number("function")]),
    338: ("workqueue", "workqueue_execute_end", [number("work"), number("function")]),
    339: ("kmem", "kmalloc", [number("call_site"), number("ptr"), number("bytes_req"), number("bytes_alloc"),
                             number("gfp_flags", 4)],
          '"%s", __print_flags(REC->gfp_flags, "|", { 1, "GFP_A" }, { 2, "GFP_B" })'),
    340: ("sched", "sched_migrate_task", [("char comm[16]", 16, 0), ("pid_t pid", 4, 1), number("prio", 4),
                                          number("orig_cpu", 4), number("dest_cpu", 4)]),
}
WAKEUP = [("char comm[16]", 16, 0), ("pid_t pid", 4, 1), number("prio", 4), number("success", 4),
          number("target_cpu", 4)]


def add_events():
    for key, row in MADE.items():
        field = row[2][0][0].split()[-1].split("[")[0]
        world.EVENTS[key] = row if len(row) > 3 else (*row, '"%%lx", REC->%s' % field)
    world.EVENTS[301] = ("sched", "sched_wakeup", WAKEUP, '"%s", REC->comm')  # as perf's scripts know it


def system_calls(w):
    for call, ret in ((0, 100), (0, -9), (1, -9), (1, -9), (9, -12)):
        w.trace(302, 10, call, (0, 0, 0, 0, 0, 0))
        w.trace(303, 10, call, ret)
    w.trace(302, 11, 9999, (0, 0, 0, 0, 0, 0))
    w.trace(303, 11, 9999, -38)
    for fd, count, ret in ((3, 4096, 100), (3, 4096, 0), (4, 10, -11), (3, 50, 50)):
        w.trace(310, 10, 0, fd, BUFFER, count)
        w.trace(311, 10, 0, ret)
    for pid, fd, count, ret in ((10, 1, 7, 7), (11, 1, 30, 30), (11, 2, 3, -32)):
        w.trace(312, pid, 1, fd, BUFFER, count)
        w.trace(313, pid, 1, ret)
    w.trace(314, 10, 202, 0x1000, 128, 0, 0, 0, 0)
    w.trace(314, 11, 202, 0x2000, 129, 0, 0, 0, 0)  # a wake
    w.trace(315, 11, 202, 1)
    w.trace(315, 10, 202, 0, after=5000)
    w.trace(314, 10, 202, 0x1000, 256, 0, 0, 0, 0)
    w.trace(315, 10, 202, 0, after=1500)


def compaction(w):
    for pid, after in ((10, 3000), (11, 2500), (10, 700)):
        w.trace(316, pid, 1, 2, 3, 4, 1)
        w.trace(319, pid, 1, 2, 100, 40)
        w.trace(320, pid, 1, 2, 300, 30)
        w.trace(318, pid, 25, 5)
        w.trace(317, pid, 1, 2, 3, 4, 1, 0, after=after)


def network(w):
    w.trace(304, 0, 1)  # a timer: only names the vectors
    for skb, size in ((0x100, 60), (0x200, 1500)):
        w.trace(329, 0, 24, "eth0")
        w.trace(332, 0, 3)
        w.trace(330, 0, 24, 1)
        w.trace(304, 0, 3, after=4000)
        w.trace(326, 0, skb, size, "eth0")
        w.trace(328, 0, 0x99, "eth0", 1, 64)
        w.trace(331, 0, 3)
    w.trace(323, 10, 0x100, 60, after=9000)
    w.trace(321, 11, 0x200, 0x1234, 8)
    for skb, size in ((0x300, 70), (0x400, 80), (0x500, 90)):
        w.trace(324, 10, skb, size, "eth0")
        w.trace(325, 10, skb, size, 0 if skb != 0x500 else 1, "eth0", after=2000)
    w.trace(322, 0, 0x300, after=3000)
    w.trace(321, 0, 0x400, 0x1300, 8)
    w.trace(321, 0, 0x500, 0x1234, 8)


def scheduling(w):
    w.trace(300, 0, "swapper/0", 0, 120, 0, "one", 10, 120)
    w.trace(301, 10, "two", 11, 120, 1, 0, after=3000)
    w.trace(300, 10, "one", 10, 120, 0, "two", 11, 120, after=5000)
    w.trace(340, 11, "one", 10, 120, 0, 1, after=1000)
    w.trace(300, 0, "swapper/1", 0, 120, 0, "one", 10, 120, after=1000, cpu=1)
    w.trace(300, 11, "two", 11, 120, 1, "swapper/0", 0, 120, after=7000)
    w.trace(301, 10, "two", 11, 120, 1, 0, after=4000)
    w.trace(300, 0, "swapper/0", 0, 120, 0, "two", 11, 120, after=2500)
    w.trace(300, 11, "two", 11, 120, 1, "swapper/0", 0, 120, after=500)
    w.trace(300, 10, "one", 10, 120, 1, "swapper/1", 0, 120, after=500, cpu=1)


def others(w):
    for opcode, after in ((4, 800), (4, 1200), (61440, 300), (1, 10)):
        w.trace(334, 10, opcode)
        w.trace(335, 10, opcode, 0, after=after)
    for work, function in ((0x10, 0x7000), (0x20, 0x8000)):
        w.trace(336, 10, work, function)
        w.trace(337, 11, work, function)
        w.trace(338, 11, work, function, after=9000)
    w.trace(339, 10, 0x1234, 0x5678, 100, 128, 3)


def write(path):
    """All of it, and a few samples of a clock with call chains."""
    add_events()
    w = world.World()
    w.comm(10, "one")
    w.comm(11, "two")
    for part in (system_calls, compaction, network, scheduling, others):
        part(w)
    w.write(path)


CLOCK = """event cpu-clock type=sw config=0 period=1 sample=identifier,ip,tid,time,cpu,period,callchain ids=1
feature arch str=x86_64
feature event_desc
mmap pid=-1 tid=0 addr=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 mode=kernel "[kernel.kallsyms]_text"
comm pid=10 tid=10 "one"
comm pid=11 tid=11 "two"
"""
COUNTS = """event cycles type=hw config=0 period=0 sample=identifier,ip,tid,time ids=5
event instructions type=hw config=1 period=0 sample=identifier,ip,tid,time ids=6
feature arch str=x86_64
feature event_desc
feature stat
thread_map 10:one
cpu_map cpus=0,1
stat_config entries=0,0,1,0,2,1
stat id=5 cpu=0 thread=0 val=1000 ena=10 run=10
stat id=6 cpu=0 thread=0 val=400 ena=10 run=10
stat id=5 cpu=1 thread=0 val=500 ena=10 run=10
stat id=6 cpu=1 thread=0 val=0 ena=10 run=10
stat_round type=0 time=123456789
stat id=5 cpu=0 thread=0 val=1030 ena=10 run=10
stat id=6 cpu=0 thread=0 val=460 ena=10 run=10
stat id=5 cpu=1 thread=0 val=501 ena=10 run=10
stat id=6 cpu=1 thread=0 val=2 ena=10 run=10
stat_round type=0 time=223456789
"""
BRANCHES = """event branches type=hw config=4 period=1 sample=identifier,ip,tid,time,addr,period,cpu ids=1
feature arch str=aarch64
feature event_desc
comm pid=1 tid=1 "branchy"
mmap2 pid=1 tid=1 addr=0x401000 len=0x1000 pgoff=0x1000 maj=8 min=1 ino=77 prot=5 flags=2 /no/such/bin/one
"""
PLACES = """event mem-loads type=raw config=0x1cd period=1 sample=identifier,ip,tid,time,addr,period,cpu,phys_addr ids=1
feature arch str=x86_64
feature event_desc
comm pid=1 tid=1 "loads"
"""


def write_others():
    """Recordings of other kinds, by the kit."""
    rows = ["sample event=cpu-clock id=1 ip=0x%x pid=%d tid=%d time=%d cpu=0 period=1 mode=kernel chain=kernel,0x%x,0x%x" %
            (KERNEL + ip, pid, pid, 1000 + i, KERNEL + ip, KERNEL + 0x210)
            for i, (pid, ip) in enumerate(((10, 0x110), (10, 0x110), (10, 0x310), (11, 0x110)))]
    world.write_rows("clock.data", CLOCK + "\n".join(rows))
    world.write_rows("counts.data", COUNTS)
    rows = ["sample event=branches id=1 ip=0x%x pid=1 tid=1 time=%d period=1 cpu=0 addr=0x%x" % (ip, time, to)
            for time, ip, to in ((1000, 0x401100, 0x401200), (2000, 0x401208, 0x401300), (3000, 0x401310, 0x1000),
                                 (4000, 0x401310, 0x401000))]
    world.write_rows("branches.data", BRANCHES + "\n".join(rows))
    rows = ["sample event=mem-loads id=1 ip=0x401000 pid=1 tid=1 time=%d period=1 cpu=0 addr=0x10 phys=0x%x" % (1000 + i, at)
            for i, at in enumerate((0x1234, 0x1300, 0xf0010, 0, 0x99999999, 0x200000))]
    world.write_rows("places.data", PLACES + "\n".join(rows))
