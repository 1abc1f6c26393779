/* SPDX-License-Identifier: MIT */
/*
 * Build ids of the binaries that samples fell into, so that the file can be read later and
 * elsewhere. The tally knows the binaries; sym/ reads the ids from them.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cmd/app/commands.h"
#include "cmd/app/fetch.h"
#include "cmd/record/record_internal.h"
#include "sym/cache/keep.h"
#include "sym/elf/buildid.h"
#include "sym/find/keep_debug.h"
#include "sym/kernel/system_buildid.h"

#define FLAG_SIZE PFX_MISC_BUILD_ID_SIZE

static bool starts_with(const char *s, const char *start)
{
	return strncmp(s, start, strlen(start)) == 0;
}

static const char *name_of(const struct pfx_recorder *rec, const struct pfx_tally_dso *dso)
{
	return pfx_intern_get(&rec->sink.tally.names, dso->name);
}

/* Whether the file is the one that was mapped; it may have been replaced. Takes @path over: returns
 * it, or NULL. */
static char *same_file(const struct pfx_tally_dso *dso, char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && (!dso->ino || dso->ino == st.st_ino))
		return path;
	free(path);
	return NULL;
}

/* The file that was mapped: held open, in the map of a process that still runs (it may be deleted),
 * as the process saw it, which may have another root, or by its path here. NULL when it is gone,
 * also when there is another one in its place. The caller frees the path. */
static char *path_of(const struct pfx_recorder *rec, const struct pfx_tally_dso *dso)
{
	char *path;

	if (dso->fd >= 0)
		return pfx_strfmt("/proc/self/fd/%d", dso->fd);
	path = same_file(dso,
			 pfx_strfmt("/proc/%u/map_files/%llx-%llx", dso->pid,
				    (unsigned long long)dso->start, (unsigned long long)dso->end));
	if (!path)
		path = same_file(dso, pfx_strfmt("/proc/%u/root%s", dso->pid, name_of(rec, dso)));
	return path ? path : same_file(dso, pfx_strdup(name_of(rec, dso)));
}

static bool is_file(const char *name)
{
	return name[0] == '/' && !starts_with(name, "//");
}

static int id_of(const struct pfx_recorder *rec, const struct pfx_tally_dso *dso,
		 struct pfx_build_id *ret)
{
	const char *name = name_of(rec, dso);
	char *path;
	int rc;

	if (dso->build_id_size) {
		ret->size = dso->build_id_size;
		memcpy(ret->data, dso->build_id, sizeof(ret->data));
		return 0;
	}
	if (dso->cpumode == PFX_MODE_KERNEL)
		return pfx_system_build_id(name, ret);
	if (strcmp(name, PFX_VDSO_NAME) == 0)
		return pfx_system_build_id_of_vdso(ret);
	if (!is_file(name))
		return -1;
	path = path_of(rec, dso);
	rc = path ? pfx_build_id_of_file(path, ret, NULL) : -ENOENT;
	free(path);
	return rc;
}

static void do_nothing(int sig)
{
	(void)sig;
}

/* The debug file too, from a server (--debuginfod). Ctrl-C skips one, SIGTERM and SIGHUP all: until
 * now they went elsewhere, and the recording is to be finished in any case. */
static void keep_debug(const struct pfx_recorder *rec, const char *name,
		       const struct pfx_build_id *id, const char *path)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	const struct pfx_fetch_watch *watch =
		pfx_fetch_watch("record", rec->options->quiet, rec->options->verbose > 0);
	struct sigaction action = {.sa_handler = do_nothing}, before[3];
	sigset_t set, mask;
	int i;

	sigemptyset(&set);
	for (i = 0; i < 3; i++) {
		sigaddset(&set, signals[i]);
		sigaction(signals[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
	pthread_sigmask(SIG_UNBLOCK, &set, &mask);
	pfx_keep_debug(rec->keep_dir, name, id, path, watch);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	for (i = 0; i < 3; i++)
		sigaction(signals[i], &before[i], NULL);
}

/* A copy for later, when the binary may have been replaced. */
static int keep(const struct pfx_recorder *rec, const struct pfx_tally_dso *dso,
		const struct pfx_build_id *id, struct pfx_error *err)
{
	const char *name = name_of(rec, dso);
	struct pfx_keep_bytes vdso = {.what = "vdso"};
	struct pfx_build_id found;
	char shown[256];
	char *path;
	int rc;

	if (starts_with(name, PFX_KERNEL_NAME))
		return pfx_keep_file(rec->keep_dir, PFX_KERNEL_NAME, id, "/proc/kallsyms",
				     "kallsyms", err);
	if (strcmp(name, PFX_VDSO_NAME) == 0) {
		vdso.data = pfx_system_vdso(&vdso.size);
		return pfx_keep_bytes(rec->keep_dir, name, id, &vdso, err);
	}
	if (!is_file(name))
		return 0;
	path = path_of(rec, dso);
	/* Where the kernel told the id, the file may be another one by now. */
	if (!path || pfx_build_id_of_file(path, &found, NULL) || !pfx_build_id_same(&found, id))
		rc = pfx_error_set(err, ENOENT, "'%s' is gone or was replaced while it ran",
				   pfx_escape(shown, sizeof(shown), name));
	else
		rc = pfx_keep_file(rec->keep_dir, name, id, path, "elf", err);
	if (rc >= 0 && rec->options->debuginfod)
		keep_debug(rec, name, id, path);
	free(path);
	return rc;
}

static void add(struct pfx_recorder *rec, const struct pfx_tally_dso *dso,
		const struct pfx_build_id *id)
{
	struct pfx_env *env = &rec->meta->env;
	struct pfx_env_build_id *to = &env->build_ids[env->nr_build_ids++];
	const char *name = name_of(rec, dso);

	to->pid = -1;
	to->misc = dso->cpumode | FLAG_SIZE;
	to->size = id->size;
	memcpy(to->id, id->data, sizeof(to->id));
	to->filename = starts_with(name, PFX_KERNEL_NAME)
			       ? PFX_KERNEL_NAME
			       : pfx_arena_strdup(&rec->meta->arena, name);
	pfx_env_set(env, PFX_FEAT_BUILD_ID);
}

/* A cache that cannot be filled is no reason to fail, but to be said once. That a binary has gone
 * meanwhile is ordinary. */
static void keep_copy(struct pfx_recorder *rec, const struct pfx_tally_dso *dso,
		      const struct pfx_build_id *id)
{
	struct pfx_error err = {0};
	char shown[256];
	bool is_first;
	int rc = rec->keep_dir ? keep(rec, dso, id, &err) : 0;

	if (rc > 0 && !rec->options->quiet)
		pfx_print_note("record", PFX_KEEP_REPLACED,
			       pfx_escape(shown, sizeof(shown), name_of(rec, dso)));
	if (rc >= 0)
		return;
	is_first = err.code != ENOENT && !rec->said_no_copies && !rec->options->quiet;
	if (is_first)
		pfx_print_note("record",
			       "%s; name another directory with --buildid-dir, or keep none "
			       "with -N",
			       err.text);
	else if (rec->options->verbose)
		pfx_print_note("record", "%s", err.text);
	rec->said_no_copies |= is_first;
}

/* Where copies are kept, if they are. */
static void find_keep_dir(struct pfx_recorder *rec)
{
	const char *dir = pfx_globals.buildid_dir;

	if (rec->options->no_buildid_cache || rec->is_pipe || rec->keep_dir)
		return;
	if (!pfx_keep_dir(dir, &rec->keep_dir) && !dir && !rec->options->quiet &&
	    !rec->said_no_copies) {
		pfx_print_note("record",
			       "no copies of the binaries are kept: HOME is not an absolute "
			       "path; name a directory with --buildid-dir, or keep none with -N");
		rec->said_no_copies = true;
	}
}

void pfx_record_build_ids(struct pfx_recorder *rec)
{
	struct pfx_env *env = &rec->meta->env;
	size_t i, nr_ambiguous = 0;

	pfx_tally_hits(&rec->sink.tally);
	env->build_ids = pfx_arena_array(&rec->meta->arena, struct pfx_env_build_id,
					 rec->sink.tally.dsos.nr + pfx_record_jit_max(rec));
	find_keep_dir(rec);
	for (i = 0; i < rec->sink.tally.dsos.nr; i++) {
		const struct pfx_tally_dso *dso = &rec->sink.tally.dsos.at[i];
		struct pfx_build_id id = {0};

		if (!dso->hit && !rec->options->buildid_all)
			continue;
		nr_ambiguous += dso->has_others && !dso->build_id_size;
		if (id_of(rec, dso, &id) < 0 || id.size == 0)
			continue;
		add(rec, dso, &id);
		keep_copy(rec, dso, &id);
	}
	if (rec->keep_dir)
		pfx_record_jit(rec);
	if (nr_ambiguous && !rec->options->quiet)
		pfx_print_note("record",
			       "%zu binaries were several files under one name, in containers or "
			       "one after another: names may be missing (--buildid-mmap tells them "
			       "apart)",
			       nr_ambiguous);
}
