/* SPDX-License-Identifier: MIT */
/*
 * A process that outlives a killed recorder. It shares the recorder's memory and thus the ring
 * buffers, blocks on a pipe, and costs no CPU time. If the recorder dies unexpectedly, it appends
 * the bytes that the queue's thread did not write, and the rest of the ring buffers, to the file.
 * Without it the recorder empties its ring buffers more often.
 *
 * The process also shares the recorder's thread-local storage: while the recorder lives it only
 * waits; later it neither allocates nor takes a lock, because a dead thread may hold that lock.
 */
#include "record/file/rescue.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/io.h"
#include "event/record.h"
#include "record/file/reserve.h"

#define STACK_BYTES (256u << 10)
#define CLOSE_LIMIT 1024 /* without close_range() */
/* Not the recorder's name, so that `killall` of recorders does not kill it. */
#define RESCUE_COMM "record-rescue"
#define PATIENCE_MS 1000 /* after dismissal it exits at once */
#define DISMISSED   1    /* the byte in the pipe: the recorder wrote everything */

static void close_range_of(unsigned first, unsigned last)
{
	if (first > last)
		return;
#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, last, 0) == 0)
		return;
#endif
	for (; first <= last && first < CLOSE_LIMIT; first++)
		close((int)first);
}

/* Close the inherited descriptors: counters, pipes, the terminal. The ring buffers stay mapped. */
static void close_others(int one, int other)
{
	unsigned low = (unsigned)(one < other ? one : other);
	unsigned high = (unsigned)(one < other ? other : one);

	if (low)
		close_range_of(0, low - 1);
	close_range_of(low + 1, high - 1);
	close_range_of(high + 1, ~0u);
}

static int append_ring(struct pfx_rescue *rescue, struct pfx_ring *ring, uint64_t *ret_bytes)
{
	uint64_t waiting = pfx_ring_catch_up(ring), start = ring->tail & (ring->size - 1);
	uint64_t first = ring->size - start < waiting ? ring->size - start : waiting;
	struct iovec pieces[] = {{ring->data + start, first}, {ring->data, waiting - first}};
	int rc = pfx_writer_appendv(rescue->writer, pieces, 2, NULL);

	if (rc >= 0)
		pfx_ring_release(ring);
	*ret_bytes += waiting;
	return rc;
}

/* The bytes of the rest that are in the file: compressed bytes are there as a whole, or not. */
static size_t written_of(const struct pfx_rescue *rescue, const struct pfx_queue_rest *rest)
{
	uint64_t done;

	if (!rest->is_begun)
		return 0;
	done = pfx_writer_offset(rescue->writer) - rest->begin;
	if (rescue->is_packed)
		return done ? rest->size : 0;
	return done < rest->size ? done : rest->size;
}

static int append_queue(struct pfx_rescue *rescue, uint64_t *ret_bytes)
{
	struct pfx_queue *queue = *rescue->out ? pfx_output_queue_of(*rescue->out, 0) : NULL;
	struct pfx_queue_rest rest = {0};
	size_t done;
	int rc = 0;

	if (!queue)
		return 0;
	pfx_drain_settle(rescue->drain);
	while (rc >= 0 && pfx_queue_next_rest(queue, &rest)) {
		done = written_of(rescue, &rest);
		*ret_bytes += rest.size - done;
		if (done < rest.size)
			rc = pfx_writer_append(rescue->writer, rest.data + done, rest.size - done,
					       NULL);
	}
	return rc;
}

static void append_all(struct pfx_rescue *rescue)
{
	const struct {
		uint32_t type;
		uint16_t misc, size;
	} round = {PFX_RECORD_FINISHED_ROUND, 0, sizeof(round)};
	uint64_t bytes = 0;
	size_t i;

	pfx_reserve_release(rescue->reserve_fd);
	if (pfx_writer_catch_up(rescue->writer) < 0 || append_queue(rescue, &bytes) < 0)
		return;
	for (i = 0; i < rescue->rings->list.nr; i++)
		if (append_ring(rescue, &rescue->rings->list.at[i], &bytes) < 0)
			return;
	if (bytes && rescue->has_rounds)
		pfx_writer_append(rescue->writer, &round, sizeof(round), NULL);
	else
		pfx_writer_refresh(rescue->writer, NULL);
}

static int run_rescue(void *context)
{
	struct pfx_rescue *rescue = context;
	struct sched_param param = {.sched_priority = 1};
	int pipe_fd = rescue->read_fd;
	char byte = 0;

	setsid();
	/* If this process is stopped when the recorder dies, the signal continues it. */
	prctl(PR_SET_PDEATHSIG, SIGCONT);
	prctl(PR_SET_NAME, RESCUE_COMM);
	/* A reader may open the file right after the recorder was killed. */
	sched_setscheduler(0, SCHED_FIFO, &param);
	/* Closes its copy of the other pipe: the recorder waits for that. */
	close_others(pipe_fd, pfx_writer_fd(rescue->writer));
	/* The system call itself: the C library's read() changes thread-local state. */
	if (syscall(SYS_read, pipe_fd, &byte, 1) == 0)
		append_all(rescue);
	syscall(SYS_exit_group, 0);
	return 0;
}

/* Signals are blocked from its first instruction on. */
static pid_t start_process(struct pfx_rescue *rescue)
{
	sigset_t all, old;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = clone(run_rescue, (char *)rescue->stack + STACK_BYTES, CLONE_VM | SIGCHLD, rescue);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return pid;
}

static void close_pipe(int *fds)
{
	close(fds[0]);
	close(fds[1]);
}

void pfx_rescue_start(struct pfx_rescue *rescue)
{
	int life[2], ready[2];
	char byte;

	if (pipe2(life, O_CLOEXEC) < 0)
		return;
	if (pipe2(ready, O_CLOEXEC) < 0) {
		close_pipe(life);
		return;
	}
	rescue->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	rescue->read_fd = life[0];
	rescue->fd = life[1];
	if (rescue->stack != MAP_FAILED)
		rescue->pid = start_process(rescue);
	close(ready[1]);
	if (rescue->pid > 0)
		pfx_read_full(ready[0], &byte, 1);
	close(ready[0]);
	close(life[0]);
	if (rescue->pid > 0)
		return;
	rescue->pid = 0;
	close(life[1]);
	if (rescue->stack != MAP_FAILED)
		munmap(rescue->stack, STACK_BYTES);
}

bool pfx_rescue_is_on(const struct pfx_rescue *rescue)
{
	return rescue->pid > 0;
}

static void forget(struct pfx_rescue *rescue)
{
	close(rescue->fd);
	munmap(rescue->stack, STACK_BYTES);
	rescue->pid = 0;
}

void pfx_rescue_heed(struct pfx_rescue *rescue)
{
	if (rescue->pid && waitpid(rescue->pid, NULL, WNOHANG) == rescue->pid)
		forget(rescue);
}

void pfx_rescue_stop(struct pfx_rescue *rescue)
{
	const char byte = DISMISSED;

	if (!rescue->pid)
		return;
	/* If the process is gone the write fails with EPIPE: SIGPIPE is ignored by now. */
	pfx_write_full(rescue->fd, &byte, 1);
	pfx_child_end(rescue->pid, PATIENCE_MS);
	forget(rescue);
}
