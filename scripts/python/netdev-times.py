# SPDX-License-Identifier: MIT
# description: the way of packets through the kernel, with times: received and sent
# args: [tx] [rx] [dev=] [debug]
# record: -e net:net_dev_xmit -e net:net_dev_queue -e net:netif_receive_skb -e net:netif_rx -e skb:consume_skb -e skb:kfree_skb -e skb:skb_copy_datagram_iovec -e napi:napi_poll -e irq:irq_handler_entry -e irq:irq_handler_exit -e irq:softirq_entry -e irq:softirq_exit -e irq:softirq_raise
import sys
from collections import OrderedDict

from Core import symbol_str
from Util import NSECS_PER_SEC, nsecs
from counting import refuse_options

KEPT = 65536  # packets that are followed at once in each stage; older ones are given up
NO_LINE = "         |"
WAITS = "         |            |"

words = sys.argv[1:]
refuse_options(words, "netdev-times")
shows_sent = "tx" in words or "rx" not in words
shows_received = "rx" in words or "tx" not in words
device = next((word[4:] for word in reversed(words) if word.startswith("dev=")), None)


class Stage:
	"""Packets that wait for their next event, by the address of their buffer. An address may come again:
	the newest packet of an address is found first."""

	def __init__(self):
		self.packets = OrderedDict()  # address: packets, the newest last
		self.number = self.overflow = 0

	def put(self, packet):
		address = packet["skb"]
		self.packets.setdefault(address, []).append(packet)
		self.packets.move_to_end(address)
		self.number += 1
		if self.number > KEPT:
			self._drop_oldest()

	def _drop_oldest(self):
		address = next(iter(self.packets))
		self._take(address, 0)
		self.overflow += 1

	def _take(self, address, at):
		packets = self.packets[address]
		packet = packets.pop(at)
		if not packets:
			del self.packets[address]
		self.number -= 1
		return packet

	def take(self, address):
		return self._take(address, -1) if address in self.packets else None


queued, sent, received = Stage(), Stage(), Stage()
freed = []           # packets that were sent and freed
hunks = []           # rounds of receiving
interrupts = {}      # CPU: interrupts that run, or that raised NET_RX
receiving = {}       # CPU: (since when, events) while NET_RX runs
events = []          # (time, function, arguments): perf's files may be out of order across CPUs


def at_end(function):
	"""Handlers keep their events, since a file may have them out of order."""
	def keep(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
			common_callchain, *fields):
		events.append((nsecs(common_secs, common_nsecs), len(events), function,
			(common_cpu, common_pid, common_comm) + fields))
	return keep


def of_receiving(function):
	"""The same for softirqs: only NET_RX."""
	keep = at_end(function)

	def choose(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
			common_callchain, vec):
		if symbol_str("irq__softirq_entry", "vec", vec) == "NET_RX":
			keep(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
				common_callchain)
	return choose


# --- receiving ---

@at_end
def irq__irq_handler_entry(time, cpu, pid, comm, irq, name, *rest):
	interrupts.setdefault(cpu, []).append({"irq": irq, "name": name, "cpu": cpu, "time": time})


@at_end
def irq__irq_handler_exit(time, cpu, pid, comm, irq, *rest):
	if not interrupts.get(cpu):
		return
	interrupt = interrupts[cpu].pop()
	if irq == interrupt["irq"] and "events" in interrupt:
		interrupts[cpu].append(interrupt)


def note(cpu, event):
	"""An event within the interrupt that runs."""
	if interrupts.get(cpu):
		interrupts[cpu][-1].setdefault("events", []).append(event)


@of_receiving
def irq__softirq_raise(time, cpu, pid, comm):
	note(cpu, ("raise", time, 0))


@of_receiving
def irq__softirq_entry(time, cpu, pid, comm):
	receiving[cpu] = (time, [])


@of_receiving
def irq__softirq_exit(time, cpu, pid, comm):
	raised, round_of = interrupts.pop(cpu, []), receiving.pop(cpu, None)
	if raised and round_of:
		hunks.append((raised, round_of[0], round_of[1]))


@at_end
def net__netif_rx(time, cpu, pid, comm, skbaddr, *rest):
	note(cpu, ("netif_rx", time, skbaddr))


@at_end
def napi__napi_poll(time, cpu, pid, comm, napi, dev_name, *rest):
	if cpu in receiving:
		receiving[cpu][1].append({"kind": "poll", "time": time, "dev": dev_name})


@at_end
def net__netif_receive_skb(time, cpu, pid, comm, skbaddr, skblen, dev_name):
	if cpu in receiving:
		packet = {"kind": "packet", "time": time, "skb": skbaddr, "len": skblen, "end": None}
		receiving[cpu][1].append(packet)
		received.put(packet)


# --- sending, and the end of packets ---

@at_end
def net__net_dev_queue(time, cpu, pid, comm, skbaddr, skblen, dev_name):
	queued.put({"dev": dev_name, "skb": skbaddr, "len": skblen, "queued": time})


@at_end
def net__net_dev_xmit(time, cpu, pid, comm, skbaddr, skblen, rc, dev_name):
	packet = queued.take(skbaddr) if rc == 0 else None
	if packet:
		packet["sent"] = time
		sent.put(packet)


def free(time, skbaddr):
	packet = sent.take(skbaddr)
	if packet:
		packet["freed"] = time
		freed.append(packet)
	return packet


@at_end
def skb__consume_skb(time, cpu, pid, comm, skbaddr, *rest):
	free(time, skbaddr)


@at_end
def skb__kfree_skb(time, cpu, pid, comm, skbaddr, *fields):
	if queued.take(skbaddr) or free(time, skbaddr):
		return
	packet = received.take(skbaddr)
	if packet:  # the place comes first, whatever else a kernel has
		packet["end"] = ("kfree_skb", time, fields[0])


@at_end
def skb__skb_copy_datagram_iovec(time, cpu, pid, comm, skbaddr, skblen):
	packet = received.take(skbaddr)
	if packet:
		packet["end"] = ("copy", time, (pid, comm))


# --- output ---

def msec(since, until):
	return (until - since) / 1000000.0


def show_packet(base, packet):
	print("         |---netif_receive_skb(+%.3fmsec skb=%x len=%d)" % (msec(base, packet["time"]),
		packet["skb"], packet["len"]))
	if packet["end"]:
		how, time, what = packet["end"]
		print(WAITS)
		if how == "copy":
			print("         |      skb_copy_datagram_iovec(+%.3fmsec %d:%s)" % ((msec(base, time),) + what))
		else:
			print("         |      kfree_skb(+%.3fmsec location=%x)" % (msec(base, time), what))
	print(NO_LINE)


def show_hunk(raised, entered, within):
	if device is not None and not any(device in interrupt["name"] for interrupt in raised):
		return
	base = raised[0]["time"]
	print("%d.%06dsec cpu=%d" % (base // NSECS_PER_SEC, base % NSECS_PER_SEC / 1000, raised[0]["cpu"]))
	for interrupt in raised:
		print("  irq_entry(+%.3fmsec irq=%d:%s)" % (msec(base, interrupt["time"]), interrupt["irq"],
			interrupt["name"]))
		print(NO_LINE)
		for kind, time, skb in interrupt.get("events", ()):
			if kind == "netif_rx":
				print("         |---netif_rx(+%.3fmsec skb=%x)" % (msec(base, time), skb))
				print(NO_LINE)
	print("  softirq_entry(+%.3fmsec)" % msec(base, entered))
	print(NO_LINE)
	for number, event in enumerate(within, 1):
		if event["kind"] == "packet":
			show_packet(base, event)
			continue
		print("  napi_poll_exit(+%.3fmsec %s)" % (msec(base, event["time"]), event["dev"]))
		print("" if number == len(within) else NO_LINE)


def show_sent(packet):
	if device is not None and device not in packet["dev"]:
		return
	print("%7s %5d %6d.%06dsec %12.3fmsec      %12.3fmsec" % (packet["dev"], packet["len"],
		packet["queued"] // NSECS_PER_SEC, packet["queued"] % NSECS_PER_SEC / 1000,
		msec(packet["queued"], packet["sent"]), msec(packet["sent"], packet["freed"])))


def trace_end():
	events.sort(key=lambda event: event[:2])
	for time, _, function, fields in events:
		function(time, *fields)
	for hunk in hunks if shows_received else ():
		show_hunk(*hunk)
	if shows_sent:
		print("   dev    len      Qdisc               netdevice             free")
		for packet in freed:
			show_sent(packet)
	if "debug" in words:
		print("debug buffer status")
		print("-" * 28)
		for name, stage in (("xmit Qdisc", queued), ("xmit netdevice", sent), ("receive", received)):
			print("%s:remain:%d overflow:%d" % (name, stage.number, stage.overflow))
