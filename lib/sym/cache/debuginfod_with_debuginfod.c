/* SPDX-License-Identifier: MIT */
/*
 * Downloads through libdebuginfod, which reads the servers from DEBUGINFOD_URLS and has its own
 * cache of files and of failed requests. A server may send endless data, or another build: the size
 * is limited here, and each file is checked, so that no wrong file stays in that cache. The library
 * depends on some thirty others, which take longer to load than the rest of pfx's start: it is
 * loaded on first use.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/dl.h"
#include "base/ns.h"
#include "sym/cache/debuginfod_internal.h"
#include "sym/cache/keep_internal.h"
#include "sym/elf/buildid.h"

#define FAILURES_MAX 1024 /* remembered failed requests */

static struct {
	__typeof__(&debuginfod_begin) begin;
	__typeof__(&debuginfod_end) end;
	__typeof__(&debuginfod_find_debuginfo) find_debuginfo;
	__typeof__(&debuginfod_find_executable) find_executable;
	__typeof__(&debuginfod_find_source) find_source;
	__typeof__(&debuginfod_set_user_data) set_user_data;
	__typeof__(&debuginfod_get_user_data) get_user_data;
	__typeof__(&debuginfod_set_progressfn) set_progressfn;
} library;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_out_of_reach; /* a server did not answer */

/* The current download. */
static struct {
	const struct pfx_build_id *id;
	struct timespec begun;
	enum { GOES_ON, SKIPPED, TOO_LARGE, TOO_SLOW, OTHER_BUILD } outcome;
} current;

/* A failed request; it is not repeated in this run. */
struct failure {
	enum pfx_fetch_kind kind;
	struct pfx_build_id id;
};

static struct failure failures[FAILURES_MAX];
static unsigned nr_failures;

#define LOOK_UP(handle, name) \
	pfx_dl_function(handle, "debuginfod_" #name, (void *)&library.name, sizeof(library.name))

/* Called with the lock held. */
static bool load(void)
{
	void *handle;

	if (library.begin)
		return true;
	handle = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	return handle && LOOK_UP(handle, end) && LOOK_UP(handle, find_debuginfo) &&
	       LOOK_UP(handle, find_executable) && LOOK_UP(handle, find_source) &&
	       LOOK_UP(handle, set_user_data) && LOOK_UP(handle, get_user_data) &&
	       LOOK_UP(handle, set_progressfn) && LOOK_UP(handle, begin);
}

bool pfx_debuginfod_is_built_in(void)
{
	bool loaded;

	pthread_mutex_lock(&lock);
	loaded = load();
	pthread_mutex_unlock(&lock);
	return loaded;
}

/* The size of a file that the library is writing, found through the process's open descriptors by
 * the build ID in its path. The library's own count is of compressed bytes on the wire. */
static uint64_t size_if_written(int dir, const char *fd, const char *id)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir, fd, target, sizeof(target) - 1);
	struct stat st;
	int flags;

	if (n <= 0)
		return 0;
	target[n] = '\0';
	flags = fcntl(atoi(fd), F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || !strstr(target, id) ||
	    fstatat(dir, fd, &st, 0) < 0 || !S_ISREG(st.st_mode))
		return 0;
	return st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

static uint64_t size_on_disk(void)
{
	char text[2 * PFX_BUILD_ID_SIZE + 1];
	DIR *dir = opendir("/proc/self/fd");
	uint64_t size, largest = 0;
	struct dirent *entry;

	pfx_build_id_text(current.id, text);
	while (dir && (entry = readdir(dir))) {
		size = size_if_written(dirfd(dir), entry->d_name, text);
		largest = size > largest ? size : largest;
	}
	if (dir)
		closedir(dir);
	return largest;
}

static uint64_t seconds_since(const struct timespec *begun)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (pfx_ns_of(&now) - pfx_ns_of(begun)) / PFX_NS_PER_SECOND;
}

static bool is_too_large(const struct pfx_fetch_watch *watch, uint64_t done, uint64_t total)
{
	return watch->max_size && (done > watch->max_size || total > watch->max_size ||
				   size_on_disk() > watch->max_size);
}

/* The library calls this about once a second while no data arrives. */
static int on_progress(debuginfod_client *client, long done, long total)
{
	const struct pfx_fetch_watch *watch = library.get_user_data(client);
	uint64_t bytes = done > 0 ? (uint64_t)done : 0, all = total > 0 ? (uint64_t)total : 0;

	if (current.outcome != GOES_ON)
		return 1;
	if (!watch->go_on(bytes, all))
		current.outcome = SKIPPED;
	else if (is_too_large(watch, bytes, all))
		current.outcome = TOO_LARGE;
	else if (watch->max_seconds && seconds_since(&current.begun) >= watch->max_seconds)
		current.outcome = TOO_SLOW;
	return current.outcome != GOES_ON;
}

static bool has_failed(enum pfx_fetch_kind kind, const struct pfx_build_id *id)
{
	unsigned i;

	if (kind == PFX_FETCH_SOURCE) /* the callers read each one once */
		return false;
	for (i = 0; i < nr_failures; i++)
		if (failures[i].kind == kind && pfx_build_id_same(&failures[i].id, id))
			return true;
	return false;
}

static void remember(int rc, enum pfx_fetch_kind kind, const struct pfx_build_id *id)
{
	is_out_of_reach |= current.outcome == TOO_SLOW ||
			   (current.outcome == GOES_ON && rc != -ENOENT && rc != -EFBIG);
	if (kind != PFX_FETCH_SOURCE && nr_failures < FAILURES_MAX)
		failures[nr_failures++] = (struct failure){kind, *id};
}

static const char *explain(int rc)
{
	switch (current.outcome) {
	case SKIPPED:
		return "skipped";
	case TOO_LARGE:
		return "it is larger than debuginfod.max-size allows";
	case TOO_SLOW:
		return "it takes longer than debuginfod.max-time allows; no more is asked for";
	case OTHER_BUILD:
		return "the server sent another build";
	case GOES_ON:
		break;
	}
	switch (rc) {
	case -ENOENT:
		return "no server has it";
	case -ENOSYS:
		return "no server is named";
	case -EFBIG:
		return "it is larger than DEBUGINFOD_MAXSIZE allows";
	case -ETIME:
		return "the server does not answer; no more is asked for";
	default:
		return "the server cannot be reached; no more is asked for";
	}
}

/* Removes a file of another build from the library's cache, which would return it for days. */
static int check_build(int fd, char *path)
{
	if (fd < 0 || pfx_keep_is_right(path, current.id, "elf"))
		return fd;
	current.outcome = OTHER_BUILD;
	unlink(path);
	free(path);
	close(fd);
	return -ENOENT;
}

/* @name: of a source. Returns a descriptor or a negative errno. */
static int ask(debuginfod_client *client, enum pfx_fetch_kind kind, const struct pfx_build_id *id,
	       const char *name, char **ret)
{
	int fd;

	if (kind == PFX_FETCH_SOURCE)
		return library.find_source(client, id->data, id->size, name, ret);
	if (kind == PFX_FETCH_DEBUG)
		fd = library.find_debuginfo(client, id->data, id->size, ret);
	else
		fd = library.find_executable(client, id->data, id->size, ret);
	return check_build(fd, *ret);
}

static char *fetch(debuginfod_client *client, const struct pfx_fetch_watch *watch,
		   enum pfx_fetch_kind kind, const struct pfx_build_id *id, const char *name)
{
	char *path = NULL;
	int fd;

	current.id = id;
	current.outcome = GOES_ON;
	clock_gettime(CLOCK_MONOTONIC, &current.begun);
	library.set_user_data(client, (void *)(uintptr_t)watch);
	library.set_progressfn(client, on_progress);
	fd = ask(client, kind, id, name, &path);
	if (fd >= 0)
		close(fd);
	else
		remember(fd, kind, id);
	watch->end(fd >= 0 ? NULL : explain(fd), current.outcome != GOES_ON);
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
		path = fetch(client, watch, kind, id, what);
		library.end(client);
	}
	pthread_mutex_unlock(&lock);
	return path;
}

char *pfx_debuginfod_source(const struct pfx_fetch_watch *watch, const struct pfx_build_id *id,
			    const char *file)
{
	return *file == '/' ? pfx_debuginfod_fetch(watch, PFX_FETCH_SOURCE, id, file) : NULL;
}
