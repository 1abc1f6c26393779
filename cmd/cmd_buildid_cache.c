/* SPDX-License-Identifier: MIT */
/*
 * `pfx buildid-cache`: lists the build-ID cache, and adds and removes binaries by
 * sym/find/keeping.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "cmd/app/commands.h"
#include "cmd/app/fetch.h"
#include "cmd/app/recording_notes.h"
#include "out/term/term.h"
#include "read/build_ids.h"
#include "sym/cache/keep.h"
#include "sym/find/keeping.h"
#include "sys/host/kcore.h"

#define NAME "buildid-cache"

enum action { ADD, REMOVE, PURGE, PURGE_ALL, MISSING, UPDATE, KERNEL, LIST };

struct task {
	enum action action;
	const char *words; /* comma-separated files */
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
	struct pfx_keeping keeping;
	struct pfx_str out;
};

static const char *const step_words[] = {
	[PFX_KEEP_ADDED] = "added",
	[PFX_KEEP_UPDATED] = "updated",
	[PFX_KEEP_REMOVED] = "removed",
	[PFX_KEEP_DEBUG_FETCHED] = "fetched the debug file of",
};

static void on_step(void *context, enum pfx_keep_step step, const struct pfx_kept *build)
{
	const struct cache_options *options = context;
	char text[2 * PFX_BUILD_ID_SIZE + 1], shown[256];

	pfx_escape(shown, sizeof(shown), build->name);
	if (step == PFX_KEEP_OTHER_BUILD)
		pfx_print_note(NAME, PFX_KEEP_REPLACED, shown);
	else if (options->verbose)
		pfx_print_note(NAME, "%s %s %s", step_words[step],
			       pfx_build_id_text(&build->id, text), shown);
}

/* --- lists --- */

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
		if (!pfx_keep_has(cache->dir, &list.builds.at[i].id))
			add_line(&cache->out, &list.builds.at[i]);
	pfx_keep_list_free(&list);
	pfx_recording_free(recording);
	return rc;
}

/* --- the run --- */

static int put_kernel(const struct cache *cache, const char *word, struct pfx_error *err)
{
	bool is_kcore = !strcmp(word, "/proc/kcore");
	char shown[256];

	if (is_kcore || !strcmp(word, "/proc/kallsyms"))
		return pfx_keeping_add_kernel(&cache->keeping, is_kcore ? pfx_kcore_copy : NULL,
					      err);
	pfx_error_set(err, EINVAL, "'%s' is not the running kernel",
		      pfx_escape(shown, sizeof(shown), word));
	pfx_error_hint(err, "-k takes /proc/kcore or /proc/kallsyms");
	return -EINVAL;
}

static int do_word(struct cache *cache, enum action action, const char *word, struct pfx_error *err)
{
	switch (action) {
	case ADD:
	case UPDATE:
		return pfx_keeping_add(&cache->keeping, word, action == UPDATE, err);
	case REMOVE:
		return pfx_keeping_remove(&cache->keeping, word, err);
	case PURGE:
		return pfx_keeping_purge(&cache->keeping, word, err);
	case PURGE_ALL:
		return pfx_keeping_purge_all(&cache->keeping, err);
	case MISSING:
		return list_missing(cache, word, err);
	case KERNEL:
		return put_kernel(cache, word, err);
	default:
		return list_all(cache, err);
	}
}

/* Processes all files; a failure is reported and the remaining files are still processed. */
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
			      at < argc ? "files are given after -a, -r, -p or -u"
					: "no operation is given");
		pfx_error_hint(&err, "see 'pfx " NAME " -h'");
		pfx_print_error(NAME, &err);
		code = PFX_USAGE_ERROR;
	} else if (!pfx_keep_dir(pfx_globals.buildid_dir, &cache.dir)) {
		pfx_error_set(&err, EINVAL, "there is no build-id cache");
		pfx_error_hint(&err, "its directory is --buildid-dir, buildid.dir or $HOME/.debug");
		code = pfx_print_error(NAME, &err);
	} else {
		cache.keeping = (struct pfx_keeping){
			.dir = cache.dir,
			.pid = options.target,
			.watch = pfx_fetch_watch(NAME, false, options.verbose > 0),
			.on_step = on_step,
			.context = &options,
		};
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
