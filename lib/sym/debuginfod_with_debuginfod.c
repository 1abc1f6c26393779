/* SPDX-License-Identifier: MIT */
/*
 * Files of a build through libdebuginfod, which knows the servers (DEBUGINFOD_URLS), keeps a cache
 * of its own and remembers what servers do not have. Whether what comes is the build that was asked
 * for is checked by who opens it. The library brings some thirty others with it, which take longer
 * to load than all else at the start: it is loaded when it is needed.
 */
#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/dl.h"
#include "sym/debuginfod_internal.h"

#define FAILURES_MAX 1024 /* that are remembered */

static struct {
	__typeof__(&debuginfod_begin) begin;
	__typeof__(&debuginfod_end) end;
	__typeof__(&debuginfod_find_debuginfo) find_debuginfo;
	__typeof__(&debuginfod_find_executable) find_executable;
	__typeof__(&debuginfod_set_user_data) set_user_data;
	__typeof__(&debuginfod_get_user_data) get_user_data;
	__typeof__(&debuginfod_set_progressfn) set_progressfn;
} library;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_out_of_reach; /* a server did not answer */
static bool is_broken_off;   /* the file at hand */

/* What was asked for in vain: it is not asked for again in this run. */
struct failure {
	enum pfx_fetch_kind kind;
	struct pfx_build_id id;
};

static struct failure failures[FAILURES_MAX];
static unsigned nr_failures;

#define LOOK_UP(handle, name) \
	pfx_dl_function(handle, "debuginfod_" #name, (void *)&library.name, sizeof(library.name))

/* Under the lock. */
static bool load(void)
{
	void *handle;

	if (library.begin)
		return true;
	handle = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	return handle && LOOK_UP(handle, end) && LOOK_UP(handle, find_debuginfo) &&
	       LOOK_UP(handle, find_executable) && LOOK_UP(handle, set_user_data) &&
	       LOOK_UP(handle, get_user_data) && LOOK_UP(handle, set_progressfn) &&
	       LOOK_UP(handle, begin);
}

bool pfx_debuginfod_is_built_in(void)
{
	bool loaded;

	pthread_mutex_lock(&lock);
	loaded = load();
	pthread_mutex_unlock(&lock);
	return loaded;
}

static int on_progress(debuginfod_client *client, long done, long total)
{
	const struct pfx_fetch_watch *watch = library.get_user_data(client);

	is_broken_off |=
		!watch->go_on(done > 0 ? (uint64_t)done : 0, total > 0 ? (uint64_t)total : 0);
	return is_broken_off;
}

static bool has_failed(enum pfx_fetch_kind kind, const struct pfx_build_id *id)
{
	unsigned i;

	for (i = 0; i < nr_failures; i++)
		if (failures[i].kind == kind && pfx_build_id_same(&failures[i].id, id))
			return true;
	return false;
}

static void remember(int rc, enum pfx_fetch_kind kind, const struct pfx_build_id *id)
{
	is_out_of_reach |= rc != -ENOENT && !is_broken_off;
	if (nr_failures < FAILURES_MAX)
		failures[nr_failures++] = (struct failure){kind, *id};
}

static const char *explain(int rc)
{
	if (is_broken_off)
		return "skipped";
	switch (rc) {
	case -ENOENT:
		return "no server has it";
	case -ENOSYS:
		return "no server is named";
	case -ETIME:
		return "the server does not answer; no more is asked for";
	default:
		return "the server cannot be reached; no more is asked for";
	}
}

static char *fetch(debuginfod_client *client, const struct pfx_fetch_watch *watch,
		   enum pfx_fetch_kind kind, const struct pfx_build_id *id)
{
	char *path = NULL;
	int fd;

	is_broken_off = false;
	library.set_user_data(client, (void *)(uintptr_t)watch);
	library.set_progressfn(client, on_progress);
	if (kind == PFX_FETCH_DEBUG)
		fd = library.find_debuginfo(client, id->data, id->size, &path);
	else
		fd = library.find_executable(client, id->data, id->size, &path);
	if (fd >= 0)
		close(fd);
	else
		remember(fd, kind, id);
	watch->end(fd >= 0 ? NULL : explain(fd));
	return fd >= 0 ? path : NULL;
}

char *pfx_debuginfod_fetch(const struct pfx_fetch_watch *watch, enum pfx_fetch_kind kind,
			   const struct pfx_build_id *id, const char *what)
{
	debuginfod_client *client;
	char *path = NULL;

	if (!watch || id->size < 2)
		return NULL;
	pthread_mutex_lock(&lock);
	client = is_out_of_reach || has_failed(kind, id) || !load() ? NULL : library.begin();
	if (client) {
		watch->begin(what);
		path = fetch(client, watch, kind, id);
		library.end(client);
	}
	pthread_mutex_unlock(&lock);
	return path;
}
