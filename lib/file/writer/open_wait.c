/* SPDX-License-Identifier: MIT */
/*
 * A named pipe without a reader is opened repeatedly: a blocking open could not call the caller
 * back after a second.
 */
#include "file/writer/open_wait.h"

#include <errno.h>
#include <time.h>

#include "base/let_signals.h"
#include "base/ns.h"

#define TRY_MS 20
#define SAY_MS 1000

struct opening {
	const char *path;
	const struct pfx_open_wait *wait;
	struct pfx_writer **ret; /* NULL: not a recording */
	bool is_dir;
	enum pfx_output_how how;
};

static int open_now(const struct opening *o, struct pfx_error *err)
{
	if (!o->ret)
		return pfx_output_file_open(o->path, o->how, err);
	return o->is_dir ? pfx_writer_open_dir(o->ret, o->path, err)
			 : pfx_writer_open(o->ret, o->path, err);
}

static int open_or_wait(const struct opening *o, struct pfx_error *err)
{
	const struct timespec pause = {.tv_nsec = TRY_MS * (long)PFX_NS_PER_MS};
	sigset_t before;
	unsigned ms;
	int rc = open_now(o, err);

	if (rc != -EAGAIN)
		return rc;
	pfx_let_signals_end(&before);
	for (ms = 0; rc == -EAGAIN; ms += TRY_MS) {
		if (ms == SAY_MS)
			o->wait->tell(o->wait->context, o->path);
		nanosleep(&pause, NULL);
		rc = open_now(o, err);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

int pfx_writer_open_wait(struct pfx_writer **ret, const char *path, bool is_dir,
			 const struct pfx_open_wait *wait, struct pfx_error *err)
{
	const struct opening o = {path, wait, .ret = ret, .is_dir = is_dir};

	signal(SIGXFSZ, SIG_IGN);
	return open_or_wait(&o, err);
}

int pfx_output_file_open_wait(const char *path, enum pfx_output_how how,
			      const struct pfx_open_wait *wait, struct pfx_error *err)
{
	const struct opening o = {path, wait, .how = how};

	return open_or_wait(&o, err);
}
