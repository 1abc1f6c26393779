/* SPDX-License-Identifier: MIT */
/* The thread of a pump, see its header. */
#include "api/capture_pump.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/guard.h"

#define CHUNK      ((size_t)64 << 10)
#define COMMAND_MS 10 /* to look again whether the recorder has read a command */

struct stored {
	char *data;
	size_t at, len, room; /* the bytes [at, len) are to be written */
};

/* Bytes of the recorder; false: it has ended. */
static bool take(struct stored *stored, int fd)
{
	ssize_t got;

	if (stored->at == stored->len)
		stored->at = stored->len = 0;
	if (stored->room - stored->len < CHUNK) {
		stored->room = stored->len + CHUNK + stored->len / 2;
		stored->data = pfx_realloc(stored->data, stored->room);
	}
	got = read(fd, stored->data + stored->len, CHUNK);
	stored->len += got > 0 ? (size_t)got : 0;
	return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

/* False: there is no reader any more. */
static bool give(struct stored *stored, int fd)
{
	ssize_t done = write(fd, stored->data + stored->at, stored->len - stored->at);

	stored->at += done > 0 ? (size_t)done : 0;
	if (stored->at == stored->len && stored->room > 2 * CHUNK) {
		free(stored->data);
		*stored = (struct stored){0};
	}
	return done >= 0 || errno == EINTR || errno == EAGAIN;
}

/* Whether the recorder has not read a command yet. */
static bool command_waits(struct pfx_capture_pump *pump)
{
	struct pollfd fd = {.fd = pump->commands, .events = POLLIN};

	if (poll(&fd, 1, 0) > 0 && fd.revents & POLLHUP)
		pump->commands = -1; /* the caller sends no more */
	return pump->commands >= 0 && fd.revents & POLLIN;
}

static void *pump_bytes(void *context)
{
	struct pfx_capture_pump *pump = context;
	struct stored stored = {0};
	bool has_input = true, has_reader = true, waits, is_urgent;

	pfx_guard_block_signals(NULL);
	while (has_reader && (has_input || stored.at < stored.len)) {
		struct pollfd fds[3] = {{.fd = pump->from}, {.fd = pump->to}, {.fd = -1}};

		waits = stored.at < stored.len;
		if (waits)
			fds[1].events = POLLOUT;
		is_urgent = waits && has_input && command_waits(pump);
		if (!has_input) {
			fds[0].fd = -1;
		} else if (waits && !is_urgent &&
			   __atomic_load_n(&pump->has_begun, __ATOMIC_RELAXED)) {
			fds[0].fd = -1;
			fds[2].fd = pump->commands;
		}
		fds[0].events = fds[2].events = POLLIN;
		if (poll(fds, 3, is_urgent ? COMMAND_MS : -1) <= 0)
			continue;
		if (fds[0].revents)
			has_input = take(&stored, pump->from);
		has_reader = !(fds[1].revents & POLLERR) &&
			     (!(fds[1].revents & POLLOUT) || give(&stored, pump->to));
	}
	close(pump->from); /* a recorder without a reader learns it */
	close(pump->to);
	free(stored.data);
	return NULL;
}

int pfx_capture_pump_start(struct pfx_capture_pump *pump, int to, int commands,
			   struct pfx_error *err)
{
	int fds[2], code;

	*pump = (struct pfx_capture_pump){.to = to, .fd = -1, .commands = commands};
	if (to < 0)
		return 0;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return pfx_error_sys(err, errno, "cannot make a pipe to the recorder");
	pump->from = fds[0];
	pump->fd = fds[1];
	fcntl(to, F_SETFL, O_NONBLOCK | O_WRONLY);
	code = pthread_create(&pump->thread, NULL, pump_bytes, pump);
	if (code)
		return pfx_error_sys(err, code, "cannot start a thread");
	pump->is_on = true;
	return 0;
}

void pfx_capture_pump_started(struct pfx_capture_pump *pump)
{
	if (!pump->is_on)
		return;
	__atomic_store_n(&pump->has_begun, 1, __ATOMIC_RELAXED);
	close(pump->fd);
}

void pfx_capture_pump_wait(struct pfx_capture_pump *pump)
{
	if (pump->is_on)
		pthread_join(pump->thread, NULL);
	pump->is_on = false;
}
