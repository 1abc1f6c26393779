# SPDX-License-Identifier: MIT
# Small things that scripts need again and again.

# Scripts that import all names from here use these two modules, too.
import errno
import os

import syscall_names

NSECS_PER_SEC = 1000000000

FUTEX_WAIT = 0
FUTEX_WAKE = 1
FUTEX_PRIVATE_FLAG = 128
FUTEX_CLOCK_REALTIME = 256
FUTEX_CMD_MASK = ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)


def avg(total, n):
	return total / n


def nsecs(secs, nsecs):
	return secs * NSECS_PER_SEC + nsecs


def nsecs_secs(nsecs):
	return nsecs / NSECS_PER_SEC


def nsecs_nsecs(nsecs):
	return nsecs % NSECS_PER_SEC


def nsecs_str(nsecs):
	return "%5d.%09d" % (nsecs // NSECS_PER_SEC, nsecs % NSECS_PER_SEC)


def add_stats(dict, key, value):
	"""Keep (smallest, largest, average, number) of the values of a key."""
	if key not in dict:
		dict[key] = (value, value, value, 1)
		return
	low, high, average, count = dict[key]
	dict[key] = (min(low, value), max(high, value), (average + value) / 2, count + 1)


def clear_term():
	print("\x1b[H\x1b[2J")


def syscall_name(id):
	return syscall_names.name_of(id)


def strerror(nr):
	return errno.errorcode.get(abs(nr), "Unknown %d errno" % nr)
