/* SPDX-License-Identifier: MIT */
/*
 * `pfx buildid-cache`: what is in the build-id cache, and puts binaries in and out of it. The
 * layout of the cache is lib/sym/keep's; here are the words of the command line.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/app/commands.h"
#include "cmd/app/fetch.h"
#include "cmd/app/recording_notes.h"
#include "out/term.h"
#include "read/build_ids.h"
#include "sym/cache/keep.h"
#include "sym/find/keep_debug.h"
#include "sym/kernel/system_buildid.h"
#include "sys/host/kcore.h"

#define NAME "buildid-cache"

enum action { ADD, REMOVE, PURGE, PURGE_ALL, MISSING, UPDATE, KERNEL, LIST };

struct task {
	enum action action;
	const char *words; /* files by commas */
};

struct cache_options {
	PFX_VEC(struct task) tasks;
	uint64_t target;
	bool force;
	int verbose;
};

static void add_task(void *options, enum action action, const char *words)
{
	struct cache_options *o = options;

	pfx_vec_push(&o->tasks, ((struct task){action, words}));
}

#define ON(function, action)                                                                   \
	static int function(void *options, const char *arg, bool unset, struct pfx_error *err) \
	{                                                                                      \
		if (!unset)                                                                    \
			add_task(options, action, arg);                                        \
		return 0;                                                                      \
	}

ON(on_add, ADD)
ON(on_remove, REMOVE)
ON(on_purge, PURGE)
ON(on_purge_all, PURGE_ALL)
ON(on_missing, MISSING)
ON(on_update, UPDATE)
ON(on_kernel, KERNEL)
ON(on_list, LIST)

#define AT(field) offsetof(struct cache_options, field)
static const struct pfx_option cache_options[] = {
	{PFX_OPT_CALL, 'a', "add", 0, "files", "add these binaries", on_add},
	{PFX_OPT_CALL, 'r', "remove", 0, "files", "remove the builds that these files have now",
	 on_remove},
	{PFX_OPT_CALL, 'p', "purge", 0, "paths", "remove all builds of these paths", on_purge},
	{PFX_OPT_CALL_NONE, 'P', "purge-all", 0, NULL, "remove everything", on_purge_all},
	{PFX_OPT_CALL, 'u', "update", 0, "files", "replace the copies of these binaries",
	 on_update},
	{PFX_OPT_CALL_NONE, 'l', "list", 0, NULL, "list the contents of the cache", on_list},
	{PFX_OPT_CALL, 'k', "kcore", 0, "file",
	 "put a copy of the running kernel in: /proc/kcore, or /proc/kallsyms for its symbols "
	 "alone",
	 on_kernel},
	{PFX_OPT_CALL, 'M', "missing", 0, "file",
	 "list the binaries of a recording that are not in it", on_missing},
	{PFX_OPT_BOOL, 'f', "force", AT(force), NULL,
	 "with -M: also read a recording that belongs to another user"},
	{PFX_OPT_U64, 0, "target-ns", AT(target), "pid",
	 "resolve file names in the mount namespace of this process"},
	PFX_OPT_DEBUGINFOD,
	{PFX_OPT_COUNT, 'v', "verbose", AT(verbose), NULL, "print what is done"},
	{.kind = PFX_OPT_END},
};

struct cache {
	const struct cache_options *options;
	char *dir;
	const struct pfx_fetch_watch *watch; /* NULL: debug files are not fetched */
	struct pfx_str out;
};

/* --- one file --- */

/* As the process sees it. The descriptor stays open: its path is the result. */
static int find_inside(const struct cache *cache, const char *word, char **ret,
		       struct pfx_error *err)
{
	char root[64], shown[256];
	int fd;

	pfx_escape(shown, sizeof(shown), word);
	if (*word != '/')
		return pfx_error_set(err, EINVAL, "'%s' is not an absolute path", shown);
	snprintf(root, sizeof(root), "/proc/%llu/root", (unsigned long long)cache->options->target);
	fd = pfx_open_found(pfx_find_inside(root, word, 0));
	if (fd < 0)
		return pfx_error_sys(err, -fd, "cannot open '%s' of process %llu", shown,
				     (unsigned long long)cache->options->target);
	*ret = pfx_strfmt("/proc/self/fd/%d", fd);
	return 0;
}

/* The file of a word, and the name under which it is kept; the caller frees both. */
static int find_file(const struct cache *cache, const char *word, char **ret_path, char **ret_name,
		     struct pfx_error *err)
{
	char resolved[PATH_MAX], shown[256];

	if (cache->options->target) {
		*ret_name = pfx_strdup(word);
		return find_inside(cache, word, ret_path, err);
	}
	if (!realpath(word, resolved))
		return pfx_error_sys(err, errno, "cannot open '%s'",
				     pfx_escape(shown, sizeof(shown), word));
	*ret_path = pfx_strdup(resolved);
	*ret_name = pfx_strdup(resolved);
	return 0;
}

static void say(const struct cache *cache, const char *what, const struct pfx_kept *build)
{
	char text[2 * PFX_BUILD_ID_SIZE + 1], shown[256];

	if (cache->options->verbose)
		pfx_print_note(NAME, "%s %s %s", what, pfx_build_id_text(&build->id, text),
			       pfx_escape(shown, sizeof(shown), build->name));
}

/* Keep a file, and say what was wrong in its place. */
static int keep(const struct cache *cache, const struct pfx_kept *build, const char *path,
		const char *what, struct pfx_error *err)
{
	int rc = pfx_keep_file(cache->dir, build->name, &build->id, path, what, err);
	char shown[256];

	if (rc > 0)
		pfx_print_note(NAME, PFX_KEEP_REPLACED,
			       pfx_escape(shown, sizeof(shown), build->name));
	return rc < 0 ? rc : 0;
}

/* With UPDATE a copy that is there is replaced. */
static int put_build(const struct cache *cache, const struct pfx_kept *build, const char *path,
		     enum action action, struct pfx_error *err)
{
	char *there = pfx_keep_find(cache->dir, &build->id, "elf");
	int rc = 0;

	if (there && action == UPDATE)
		rc = pfx_keep_remove(cache->dir, build, err);
	free(there);
	if (!rc)
		rc = keep(cache, build, path, "elf", err);
	if (!rc)
		say(cache, action == UPDATE ? "updated" : "added", build);
	if (!rc && cache->watch &&
	    pfx_keep_debug(cache->dir, build->name, &build->id, path, cache->watch) > 0)
		say(cache, "fetched the debug file of", build);
	return rc;
}

static int do_file(const struct cache *cache, enum action action, const char *word,
		   struct pfx_error *err)
{
	struct pfx_kept build = {0};
	char *path = NULL;
	int rc = find_file(cache, word, &path, &build.name, err);

	if (!rc)
		rc = pfx_build_id_of_file(path, &build.id, err);
	if (!rc && action == REMOVE) {
		rc = pfx_keep_remove(cache->dir, &build, err);
		if (!rc)
			say(cache, "removed", &build);
	} else if (!rc) {
		rc = put_build(cache, &build, path, action, err);
	}
	free(build.name);
	free(path);
	return rc;
}

/* --- several builds --- */

/* All builds of @name, or all there are when it is NULL. */
static int purge_name(const struct cache *cache, const char *name, struct pfx_error *err)
{
	struct pfx_kept_list list;
	char shown[256];
	size_t i, nr = 0;
	int rc = pfx_keep_list(cache->dir, &list, err);

	for (i = 0; i < list.builds.nr && !rc; i++) {
		if (name && strcmp(list.builds.at[i].name, name))
			continue;
		nr++;
		rc = pfx_keep_remove(cache->dir, &list.builds.at[i], err);
		if (!rc)
			say(cache, "removed", &list.builds.at[i]);
	}
	if (!rc && name && !nr)
		rc = pfx_error_set(err, ENOENT, "'%s' is not in the build-id cache",
				   pfx_escape(shown, sizeof(shown), name));
	pfx_keep_list_free(&list);
	return rc;
}

/* A path need not exist any more. */
static int purge_path(const struct cache *cache, const char *word, struct pfx_error *err)
{
	char resolved[PATH_MAX];

	if (cache->options->target || !realpath(word, resolved))
		return purge_name(cache, word, err);
	return purge_name(cache, resolved, err);
}

static int purge_all(const struct cache *cache, struct pfx_error *err)
{
	int rc = purge_name(cache, NULL, err);

	return rc ? rc : pfx_keep_remove_kcore(cache->dir, err);
}

static void add_line(struct pfx_str *to, const struct pfx_kept *build)
{
	char text[2 * PFX_BUILD_ID_SIZE + 1];

	pfx_str_addf(to, "%s ", pfx_build_id_text(&build->id, text));
	pfx_str_add_foreign(to, build->name);
	pfx_str_addc(to, '\n');
}

static int list_all(struct cache *cache, struct pfx_error *err)
{
	struct pfx_kept_list list;
	size_t i;
	int rc = pfx_keep_list(cache->dir, &list, err);

	for (i = 0; i < list.builds.nr; i++)
		add_line(&cache->out, &list.builds.at[i]);
	pfx_keep_list_free(&list);
	return rc;
}

static bool is_kept(const struct cache *cache, const struct pfx_build_id *id)
{
	bool found = false;
	size_t i;
	char *path;

	for (i = 0; pfx_keep_parts[i] && !found; i++) {
		path = pfx_keep_find(cache->dir, id, pfx_keep_parts[i]);
		found = path != NULL;
		free(path);
	}
	return found;
}

static int list_missing(struct cache *cache, const char *word, struct pfx_error *err)
{
	struct pfx_kept_list list = {0};
	const struct pfx_recording_options how = {.reader.force = cache->options->force};
	struct pfx_recording *recording;
	size_t i;
	int rc = pfx_recording_open(&recording, word, &how, err);

	if (rc < 0)
		return rc;
	rc = pfx_recording_ids(recording, &list, err);
	for (i = 0; i < list.builds.nr && rc >= 0; i++)
		if (!is_kept(cache, &list.builds.at[i].id))
			add_line(&cache->out, &list.builds.at[i]);
	pfx_keep_list_free(&list);
	pfx_recording_free(recording);
	return rc;
}

/* --- the kernel --- */

static int put_kcore(const struct cache *cache, const struct pfx_kept *kernel,
		     struct pfx_error *err)
{
	time_t now = time(NULL);
	struct tm tm;
	char stamp[32] = "", *dir;
	int rc;

	if (localtime_r(&now, &tm))
		strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S00", &tm);
	rc = pfx_keep_kcore_dir(cache->dir, &kernel->id, stamp, &dir, err);
	if (rc)
		return rc;
	rc = pfx_kcore_copy(NULL, dir, err);
	if (rc)
		pfx_keep_drop_dir(cache->dir, dir);
	free(dir);
	return rc;
}

static int put_kernel(const struct cache *cache, const char *word, struct pfx_error *err)
{
	struct pfx_kept kernel = {.name = (char *)PFX_KERNEL_NAME};
	bool is_kcore = !strcmp(word, "/proc/kcore");
	char shown[256];
	int rc;

	if (!is_kcore && strcmp(word, "/proc/kallsyms")) {
		pfx_error_set(err, EINVAL, "'%s' is not the running kernel",
			      pfx_escape(shown, sizeof(shown), word));
		pfx_error_hint(err, "-k takes /proc/kcore or /proc/kallsyms");
		return -EINVAL;
	}
	rc = pfx_build_id_of_kernel(&kernel.id);
	if (rc)
		return pfx_error_sys(err, -rc, "the running kernel does not tell its build id");
	if (is_kcore)
		rc = put_kcore(cache, &kernel, err);
	if (!rc)
		rc = keep(cache, &kernel, "/proc/kallsyms", "kallsyms", err);
	if (!rc)
		say(cache, "added", &kernel);
	return rc;
}

/* --- the run --- */

static int do_word(struct cache *cache, enum action action, const char *word, struct pfx_error *err)
{
	switch (action) {
	case PURGE:
		return purge_path(cache, word, err);
	case PURGE_ALL:
		return purge_all(cache, err);
	case MISSING:
		return list_missing(cache, word, err);
	case KERNEL:
		return put_kernel(cache, word, err);
	case LIST:
		return list_all(cache, err);
	default:
		return do_file(cache, action, word, err);
	}
}

/* One after another; what fails is said and does not keep the rest from being done. */
static int do_words(struct cache *cache, const struct task *task)
{
	char *words = pfx_strdup(task->words ? task->words : "-"), *at = words, *word;
	int code = 0;

	while ((word = strsep(&at, ","))) {
		struct pfx_error err = {0};

		if (*word && do_word(cache, task->action, word, &err) < 0)
			code = pfx_print_error(NAME, &err);
	}
	free(words);
	return code;
}

static int run_tasks(struct cache *cache)
{
	const struct cache_options *o = cache->options;
	struct pfx_error err = {0};
	int code = 0, failed, rc;
	size_t i;

	for (i = 0; i < o->tasks.nr; i++) {
		failed = do_words(cache, &o->tasks.at[i]);
		code = failed ? failed : code;
	}
	rc = pfx_out_write(&cache->out, 0, &err);
	return rc < 0 && rc != -EPIPE ? pfx_print_error(NAME, &err) : code;
}

static int run_buildid_cache(int argc, char **argv)
{
	struct cache_options options = {0};
	struct cache cache = {.options = &options};
	struct pfx_error err = {0};
	int code, at = pfx_options_or_exit(&pfx_cmd_buildid_cache, argc, argv, &options, &code);

	if (at < 0)
		return code;
	if (at < argc || !options.tasks.nr) {
		pfx_error_set(&err, EINVAL,
			      at < argc ? "files are named behind -a, -r, -p or -u"
					: "nothing is asked for");
		pfx_error_hint(&err, "see 'pfx " NAME " -h'");
		pfx_print_error(NAME, &err);
		code = PFX_USAGE_ERROR;
	} else if (!pfx_keep_dir(pfx_globals.buildid_dir, &cache.dir)) {
		pfx_error_set(&err, EINVAL, "there is no build-id cache");
		pfx_error_hint(&err, "its directory is --buildid-dir, buildid.dir or $HOME/.debug");
		code = pfx_print_error(NAME, &err);
	} else {
		cache.watch = pfx_fetch_watch(NAME, false, options.verbose > 0);
		code = run_tasks(&cache);
	}
	pfx_str_fini(&cache.out);
	pfx_vec_free(&options.tasks);
	free(cache.dir);
	return code;
}

const struct pfx_command pfx_cmd_buildid_cache = {
	.name = NAME,
	.args = "",
	.summary = "keep copies of binaries by build ID",
	.options = cache_options,
	.run = run_buildid_cache,
};
