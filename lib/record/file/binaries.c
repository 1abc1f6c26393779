/* SPDX-License-Identifier: MIT */
/*
 * Build IDs of the binaries that have samples, so that the file can be read later and on other
 * machines. The tally finds the binaries; sym/ reads their build IDs.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"
#include "record/file/record_file.h"
#include "record/sink/mapped_file.h"
#include "sym/cache/debuginfod.h"
#include "sym/cache/keep.h"
#include "sym/elf/buildid.h"
#include "sym/find/keep_debug.h"
#include "sym/kernel/system_buildid.h"

#define FLAG_SIZE PFX_MISC_BUILD_ID_SIZE

static bool starts_with(const char *s, const char *start)
{
	return strncmp(s, start, strlen(start)) == 0;
}

static const char *name_of(const struct pfx_record_file *file, const struct pfx_tally_dso *dso)
{
	return pfx_intern_get(&file->sink.tally.names, dso->name);
}

/* A file that can be read, also when the process through which it was found ends meanwhile: the
 * kernel hangs up a counter before the process is gone, so it is often ending just now. */
struct found {
	char *path; /* NULL: the file is gone or was replaced */
	int fd;     /* keeps the file; -1: the path alone is enough */
};

static void release(struct found *found)
{
	free(found->path);
	if (found->fd >= 0)
		close(found->fd);
}

/* Takes a descriptor, or a negative errno. */
static bool hold(int fd, struct found *ret)
{
	ret->fd = fd;
	if (fd >= 0)
		ret->path = pfx_strfmt("/proc/self/fd/%d", fd);
	return fd >= 0;
}

/* A file that has its name here; a copy of it can be a link. */
static void take_name(const struct pfx_tally_dso *dso, const char *name, struct found *ret)
{
	struct stat st;

	if (stat(name, &st) == 0 && S_ISREG(st.st_mode) && (!dso->ino || dso->ino == st.st_ino))
		ret->path = pfx_strdup(name);
}

/* The mapped file: a descriptor held open, /proc/PID/map_files of a running process (the file may
 * be deleted), the path in the root of that process, or the path here. */
static struct found find(const struct pfx_record_file *file, const struct pfx_tally_dso *dso)
{
	struct found found = {.fd = -1};

	if (dso->fd >= 0) {
		found.path = pfx_strfmt("/proc/self/fd/%d", dso->fd);
		return found;
	}
	if (!hold(pfx_mapped_file_open(dso->pid, dso->start, dso->end, dso->ino), &found) &&
	    !hold(pfx_mapped_file_open_inside(dso->pid, name_of(file, dso), dso->ino), &found))
		take_name(dso, name_of(file, dso), &found);
	return found;
}

static bool is_file(const char *name)
{
	return name[0] == '/' && !starts_with(name, "//");
}

static int id_of(const struct pfx_record_file *file, const struct pfx_tally_dso *dso,
		 struct pfx_build_id *ret)
{
	const char *name = name_of(file, dso);
	struct found found;
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
	found = find(file, dso);
	rc = found.path ? pfx_build_id_of_file(found.path, ret, NULL) : -ENOENT;
	release(&found);
	return rc;
}

static void do_nothing(int sig)
{
	(void)sig;
}

/* Also fetch the debug file from a server. Ctrl-C skips one file, SIGTERM and SIGHUP skip all:
 * until now these signals ended the recording, but the file must be completed in any case. */
static void keep_debug(const struct pfx_record_file *file, const char *name,
		       const struct pfx_build_id *id, const char *path)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
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
	pfx_keep_debug(file->keep_dir, name, id, path, file->plan->options->fetch);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	for (i = 0; i < 3; i++)
		sigaction(signals[i], &before[i], NULL);
}

/* Copy the binary, because it may be replaced before the report. */
static int keep(const struct pfx_record_file *file, const struct pfx_tally_dso *dso,
		const struct pfx_build_id *id, struct pfx_error *err)
{
	const char *name = name_of(file, dso);
	struct pfx_keep_bytes vdso = {.what = "vdso"};
	struct pfx_build_id own;
	struct found found;
	char shown[256];
	int rc;

	if (starts_with(name, PFX_KERNEL_NAME))
		return pfx_keep_file(file->keep_dir, PFX_KERNEL_NAME, id, "/proc/kallsyms",
				     "kallsyms", err);
	if (strcmp(name, PFX_VDSO_NAME) == 0) {
		vdso.data = pfx_system_vdso(&vdso.size);
		return pfx_keep_bytes(file->keep_dir, name, id, &vdso, err);
	}
	if (!is_file(name))
		return 0;
	found = find(file, dso);
	/* If the kernel reported the ID, the file may have been replaced since. */
	if (!found.path || pfx_build_id_of_file(found.path, &own, NULL) ||
	    !pfx_build_id_same(&own, id))
		rc = pfx_error_set(err, ENOENT, "'%s' is gone or was replaced while it ran",
				   pfx_escape(shown, sizeof(shown), name));
	else
		rc = pfx_keep_file(file->keep_dir, name, id, found.path, "elf", err);
	if (rc >= 0 && file->plan->options->fetch)
		keep_debug(file, name, id, found.path);
	release(&found);
	return rc;
}

static void add(struct pfx_record_file *file, const struct pfx_tally_dso *dso,
		const struct pfx_build_id *id)
{
	struct pfx_env *env = &file->meta->env;
	struct pfx_env_build_id *to = &env->build_ids[env->nr_build_ids++];
	const char *name = name_of(file, dso);

	to->pid = -1;
	to->misc = dso->cpumode | FLAG_SIZE;
	to->size = id->size;
	memcpy(to->id, id->data, sizeof(to->id));
	to->filename = starts_with(name, PFX_KERNEL_NAME)
			       ? PFX_KERNEL_NAME
			       : pfx_arena_strdup(&file->meta->arena, name);
	pfx_env_set(env, PFX_FEAT_BUILD_ID);
}

/* A failure is only reported: the recording is complete without copies. */
static void keep_copy(const struct pfx_record_file *file, const struct pfx_tally_dso *dso,
		      const struct pfx_build_id *id)
{
	const struct pfx_recorder_observer *observer = file->plan->observer;
	struct pfx_error err = {0};
	int rc = file->keep_dir ? keep(file, dso, id, &err) : 0;

	if (rc > 0)
		PFX_RECORDER_NOTIFY(observer, PFX_RECORDER_COPY_REPLACED,
				    .name = name_of(file, dso));
	else if (rc < 0)
		PFX_RECORDER_NOTIFY(observer, PFX_RECORDER_COPY_FAILED, .err = &err);
}

/* The directory for copies; stays NULL if no copies are wanted. */
static void find_keep_dir(struct pfx_record_file *file)
{
	const char *dir = file->plan->options->copies_dir;

	if (file->plan->options->no_copies || file->plan->place.is_pipe || file->keep_dir)
		return;
	if (!pfx_keep_dir(dir, &file->keep_dir) && !dir)
		PFX_RECORDER_NOTIFY(file->plan->observer, PFX_RECORDER_NO_COPIES);
}

void pfx_record_build_ids(struct pfx_record_file *file)
{
	struct pfx_env *env = &file->meta->env;
	size_t i, nr_ambiguous = 0;

	pfx_tally_hits(&file->sink.tally);
	env->build_ids = pfx_arena_array(&file->meta->arena, struct pfx_env_build_id,
					 file->sink.tally.dsos.nr + pfx_record_jit_max(file));
	find_keep_dir(file);
	for (i = 0; i < file->sink.tally.dsos.nr; i++) {
		const struct pfx_tally_dso *dso = &file->sink.tally.dsos.at[i];
		struct pfx_build_id id = {0};

		if (!dso->hit && !file->plan->options->buildid_all)
			continue;
		nr_ambiguous += dso->has_others && !dso->build_id_size;
		if (id_of(file, dso, &id) < 0 || id.size == 0)
			continue;
		add(file, dso, &id);
		keep_copy(file, dso, &id);
	}
	if (file->keep_dir)
		pfx_record_jit(file);
	if (nr_ambiguous)
		PFX_RECORDER_NOTIFY(file->plan->observer, PFX_RECORDER_AMBIGUOUS,
				    .number = nr_ambiguous);
}
