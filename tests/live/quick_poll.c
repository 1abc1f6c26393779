/* SPDX-License-Identifier: MIT */
/*
 * Loaded in front of perf: its recorder has a thread of its own that looks once a second whether it
 * is to end, so that each recording, however short, takes a second more. Here that second is short.
 * The programs that perf starts do not get this library.
 */
#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ITS_SECOND 1000 /* ms */
#define OURS       10

__attribute__((constructor)) static void keep_to_this_program(void)
{
	unsetenv("LD_PRELOAD");
}

int poll(struct pollfd *fds, nfds_t nr, int timeout)
{
	int ms = timeout == ITS_SECOND ? OURS : timeout;
	struct timespec time = {ms / 1000, ms % 1000 * 1000000l};

	return (int)syscall(SYS_ppoll, fds, nr, ms < 0 ? NULL : &time, NULL, 8);
}
