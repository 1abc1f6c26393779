/* SPDX-License-Identifier: MIT */
/*
 * Loaded in front of perf, which spends most of a short run waiting for the kernel. Its recorder
 * has a thread of its own that looks once a second whether it is to end, so that each recording,
 * however short, takes a second more: here that second is short. And each run reads /proc/kallsyms
 * up to ten times, which the kernel writes anew for every reader: here a copy, PFX_KALLSYMS, is
 * read instead. The programs that perf starts do not get this library.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ITS_SECOND 1000 /* ms */
#define OURS       10

static const char *copy; /* of what root sees */

__attribute__((constructor)) static void keep_to_this_program(void)
{
	const char *path = getenv("PFX_KALLSYMS");

	if (path && !geteuid())
		copy = strdup(path);
	unsetenv("PFX_KALLSYMS");
	unsetenv("LD_PRELOAD");
}

int poll(struct pollfd *fds, nfds_t nr, int timeout)
{
	int ms = timeout == ITS_SECOND ? OURS : timeout;
	struct timespec time = {ms / 1000, ms % 1000 * 1000000l};

	return (int)syscall(SYS_ppoll, fds, nr, ms < 0 ? NULL : &time, NULL, 8);
}

/* As perf is, this is built for large files: its name is open64. */
int open(const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = va_arg(arguments, mode_t);
	va_end(arguments);
	if (copy && !strcmp(path, "/proc/kallsyms"))
		path = copy;
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
