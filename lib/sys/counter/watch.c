/* SPDX-License-Identifier: MIT */
/*
 * One epoll set: a signalfd, and for each ring buffer one of its counters. A counter whose target
 * ended reports a hang-up forever, so it is replaced by the next one of the same ring buffer, if
 * any.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "sys/counter/watch.h"

#define EVENTS_AT_ONCE 64
#define SIGNAL_KEY     UINT64_MAX
#define FD_KEY         (UINT64_MAX - 32) /* and the 31 above it */

static int add(struct pfx_watch *watch, int fd, uint64_t key)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = key};

	return epoll_ctl(watch->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int pfx_watch_init(struct pfx_watch *watch, const sigset_t *signals, struct pfx_error *err)
{
	int code;

	memset(watch, 0, sizeof(*watch));
	watch->is_open = true;
	watch->signal_fd = -1;
	watch->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (watch->epoll_fd >= 0)
		watch->signal_fd = signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (watch->signal_fd >= 0 && add(watch, watch->signal_fd, SIGNAL_KEY) == 0)
		return 0;
	code = errno;
	pfx_watch_fini(watch);
	return pfx_error_sys(err, code, "cannot wait for signals");
}

static void collect(struct pfx_watch_ring *ring, const struct pfx_ring *source,
		    const struct pfx_counters *counters)
{
	size_t i, j;

	for (i = 0; i < counters->list.nr; i++) {
		const struct pfx_counter *counter = &counters->list.at[i];

		for (j = 0; j < counter->fds.nr; j++)
			if (pfx_ring_takes(source, &counter->fds.at[j]))
				pfx_vec_push(&ring->fds, counter->fds.at[j].fd);
	}
}

int pfx_watch_rings(struct pfx_watch *watch, const struct pfx_rings *rings,
		    const struct pfx_counters *counters, struct pfx_error *err)
{
	size_t i;
	int rc;

	for (i = 0; i < rings->list.nr; i++) {
		struct pfx_watch_ring *ring = pfx_vec_add(&watch->rings);

		memset(ring, 0, sizeof(*ring));
		collect(ring, &rings->list.at[i], counters);
		ring->is_quiet = rings->list.at[i].backward;
		watch->has_quiet |= ring->is_quiet;
		rc = ring->is_quiet ? 0 : add(watch, ring->fds.at[0], i);
		if (rc < 0)
			return pfx_error_sys(err, -rc, "cannot wait for the rings");
	}
	watch->nr_alive = watch->rings.nr;
	return 0;
}

/* The polled counter of the ring buffer has ended: poll the next one. */
static void next_source(struct pfx_watch *watch, size_t index)
{
	struct pfx_watch_ring *ring = &watch->rings.at[index];

	if (ring->at >= ring->fds.nr)
		return;
	epoll_ctl(watch->epoll_fd, EPOLL_CTL_DEL, ring->fds.at[ring->at], NULL);
	while (++ring->at < ring->fds.nr)
		if (add(watch, ring->fds.at[ring->at], index) == 0)
			return;
	watch->nr_alive--;
}

/* Check the ring buffers whose hang-ups are not polled. */
static void ask_quiet(struct pfx_watch *watch)
{
	size_t i;

	for (i = 0; i < watch->rings.nr; i++) {
		struct pfx_watch_ring *ring = &watch->rings.at[i];
		struct pollfd pollfd = {.fd = -1};
		bool was_alive = ring->at < ring->fds.nr;

		if (!ring->is_quiet || !was_alive)
			continue;
		for (; ring->at < ring->fds.nr; ring->at++) {
			pollfd.fd = ring->fds.at[ring->at];
			if (poll(&pollfd, 1, 0) <= 0 || !(pollfd.revents & (POLLHUP | POLLERR)))
				break;
		}
		watch->nr_alive -= ring->at == ring->fds.nr;
	}
}

static void take_signal(struct pfx_watch *watch, struct pfx_wake *ret)
{
	struct signalfd_siginfo info;

	if (read(watch->signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	ret->signal = (int)info.ssi_signo;
	ret->is_sent = info.ssi_code == SI_USER || info.ssi_code == SI_QUEUE;
}

int pfx_watch_fd(struct pfx_watch *watch, int fd, unsigned index, struct pfx_error *err)
{
	int rc = add(watch, fd, FD_KEY + index);

	return rc < 0 ? pfx_error_sys(err, -rc, "cannot wait for descriptor %d", fd) : 0;
}

void pfx_watch_forget(struct pfx_watch *watch, int fd)
{
	epoll_ctl(watch->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

void pfx_watch_unblock(struct pfx_watch *watch, int signo)
{
	sigprocmask(SIG_BLOCK, NULL, &watch->mask);
	sigdelset(&watch->mask, signo);
	watch->has_mask = true;
}

void pfx_watch_signals_only(struct pfx_watch *watch)
{
	int fd = epoll_create1(EPOLL_CLOEXEC);

	if (fd < 0)
		return; /* descriptors are used up: waiting as before is correct, if not cheap */
	close(watch->epoll_fd);
	watch->epoll_fd = fd;
	add(watch, watch->signal_fd, SIGNAL_KEY);
}

int pfx_watch_wait(struct pfx_watch *watch, int timeout_ms, struct pfx_wake *ret,
		   struct pfx_error *err)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	int nr, i;

	memset(ret, 0, sizeof(*ret));
	nr = epoll_pwait(watch->epoll_fd, events, EVENTS_AT_ONCE, timeout_ms,
			 watch->has_mask ? &watch->mask : NULL);
	if (nr < 0 && errno != EINTR)
		return pfx_error_sys(err, errno, "cannot wait for the rings");
	ret->interrupted = nr < 0;
	for (i = 0; i < nr; i++) {
		if (events[i].data.u64 == SIGNAL_KEY) {
			take_signal(watch, ret);
			continue;
		}
		if (events[i].data.u64 >= FD_KEY) {
			ret->fds |= 1u << (events[i].data.u64 - FD_KEY);
			continue;
		}
		ret->data |= events[i].events & EPOLLIN;
		if (events[i].events & (EPOLLHUP | EPOLLERR))
			next_source(watch, events[i].data.u64);
	}
	if (watch->has_quiet)
		ask_quiet(watch);
	ret->ended = watch->rings.nr && watch->nr_alive == 0;
	return 0;
}

void pfx_watch_fini(struct pfx_watch *watch)
{
	size_t i;

	if (!watch->is_open)
		return;
	if (watch->epoll_fd >= 0)
		close(watch->epoll_fd);
	if (watch->signal_fd >= 0)
		close(watch->signal_fd);
	for (i = 0; i < watch->rings.nr; i++)
		pfx_vec_free(&watch->rings.at[i].fds);
	pfx_vec_free(&watch->rings);
	watch->is_open = false;
}
