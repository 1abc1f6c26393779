/* SPDX-License-Identifier: MIT */
/*
 * Loaded in front of a recorder: once the file of $STUCK_MARK exists, nothing that it writes by
 * pwritev() returns, as with a disk that hangs. Processes that it starts are not affected.
 */
/* Both names are to be there. */
#undef _FILE_OFFSET_BITS
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pid_t recorder;

__attribute__((constructor)) static void keep_to_this_program(void)
{
	unsetenv("LD_PRELOAD");
	recorder = getpid();
}

ssize_t pwritev64(int fd, const struct iovec *iov, int nr, off64_t offset)
{
	const char *mark = getenv("STUCK_MARK");

	while (mark && getpid() == recorder && access(mark, F_OK) == 0)
		usleep(1000);
	return syscall(SYS_pwritev, fd, iov, nr, offset, 0);
}

ssize_t pwritev(int fd, const struct iovec *iov, int nr, off_t offset)
{
	return pwritev64(fd, iov, nr, offset);
}
