/* SPDX-License-Identifier: MIT */
/*
 * Probes of -e: finds the file and the offset of the function. Where the kernel cannot inherit a
 * probe to new processes, a tracepoint is created for the time of the recording. pmu/ parses the
 * words, sym/ reads symbols, sys/ calls the kernel.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/io.h"
#include "base/str.h"
#include "pmu/sysfs/tracefs.h"
#include "record/plan/probes.h"
#include "sym/probe/function.h"
#include "sys/host/perm.h"

#define NAME_MAX_PROBE 48 /* characters of a function in the name of a tracepoint */

/* --- from names to places --- */

/* Search the directories of @list, separated by ':'. */
static char *search_dirs(const char *list, const char *name)
{
	char *copy = pfx_strdup(list), *dir, *save = NULL, *path = NULL, *found = NULL;
	struct stat st;

	for (dir = strtok_r(copy, ":", &save); dir && !found; dir = strtok_r(NULL, ":", &save)) {
		path = pfx_strfmt("%s/%s", dir, name);
		if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
			found = path;
		else
			free(path);
	}
	free(copy);
	return found;
}

/* Symbolic links are not resolved: the target of /proc/PID/root has another name here. */
static char *make_absolute(const char *name)
{
	char *here, *path;

	if (access(name, F_OK) < 0)
		return NULL;
	if (name[0] == '/')
		return pfx_strdup(name);
	here = getcwd(NULL, 0);
	path = here ? pfx_strfmt("%s/%s", here, name) : NULL;
	free(here);
	return path;
}

/* A name without a slash is searched in the current directory, in PATH, and among the libraries. */
static char *find_file(const char *name)
{
	const char *programs = pfx_environment("PATH");
	char *found = make_absolute(name), *dirs;
	struct utsname uts = {0};

	if (found || strchr(name, '/'))
		return found;
	found = search_dirs(programs ? programs : "/usr/bin:/bin", name);
	if (found)
		return found;
	uname(&uts);
	dirs = pfx_strfmt("/lib/%s-linux-gnu:/usr/lib/%s-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib",
			  uts.machine, uts.machine);
	found = search_dirs(dirs, name);
	free(dirs);
	return found;
}

static int resolve_file(struct pfx_probe *probe, struct stat *st, struct pfx_error *err)
{
	char *path = find_file(probe->path), shown[256];
	int code = errno;

	pfx_escape(shown, sizeof(shown), probe->path);
	if (!path)
		return pfx_error_sys(err, code, "no probe can be put into '%s'", shown);
	free(probe->path);
	probe->path = path;
	if (stat(path, st) < 0)
		return pfx_error_sys(err, errno, "no probe can be put into '%s'", shown);
	if (!S_ISREG(st->st_mode))
		return pfx_error_set(err, EINVAL, "'%s' is not a program or library", shown);
	return 0;
}

static int check_inside(const struct pfx_probe *probe, const struct pfx_function *function,
			struct pfx_error *err)
{
	char shown[128];

	if (!function->size || probe->offset < function->size)
		return 0;
	return pfx_error_set(err, EINVAL, "function '%s' has %llu bytes: there is no byte %llu",
			     pfx_escape(shown, sizeof(shown), probe->function),
			     (unsigned long long)function->size, (unsigned long long)probe->offset);
}

static int resolve_user(struct pfx_probe *probe, struct pfx_error *err)
{
	struct pfx_function function = {0};
	struct stat st = {0};
	char shown[256];
	int rc = resolve_file(probe, &st, err);

	if (rc < 0)
		return rc;
	if (probe->function) {
		rc = pfx_function_find(probe->path, probe->function, &function, err);
		if (rc >= 0)
			rc = check_inside(probe, &function, err);
		probe->offset += function.at;
	} else if (probe->offset >= (uint64_t)st.st_size) {
		rc = pfx_error_set(err, EINVAL, "'%s' has %llu bytes: there is no byte 0x%llx",
				   pfx_escape(shown, sizeof(shown), probe->path),
				   (unsigned long long)st.st_size,
				   (unsigned long long)probe->offset);
	}
	return rc;
}

static int resolve_kernel(struct pfx_probe *probe, struct pfx_error *err)
{
	struct pfx_function function = {0};
	int rc;

	if (!probe->function)
		return 0;
	rc = pfx_function_find_kernel(NULL, probe->function, &function, err);
	probe->offset += function.at;
	return rc;
}

/* --- tracepoints for as long as the recording takes --- */

/* Whether new threads and processes belong to the recording. */
static bool follows(const struct pfx_recorder_options *o, const struct pfx_event_spec *spec)
{
	if (o->all_cpus || o->cpus || o->per_thread || spec->sampling.inherit < 0)
		return false;
	if (spec->sampling.inherit > 0)
		return true;
	return !o->no_inherit && !(o->tids && !o->inherit_said);
}

/* The function's name if it is a valid name of a tracepoint, else a name made from it. */
static char *plain_name(const struct pfx_probe *probe, size_t index)
{
	const char *from = probe->function ? probe->function : "at";
	struct pfx_str name = {0};
	size_t i;

	if (isdigit((unsigned char)from[0]))
		pfx_str_addc(&name, '_');
	for (i = 0; from[i] && i < NAME_MAX_PROBE; i++)
		pfx_str_addc(&name, isalnum((unsigned char)from[i]) ? from[i] : '_');
	pfx_str_addf(&name, "%s_%zu", probe->is_return ? "__return" : "", index);
	return name.at;
}

static int place(struct pfx_probes *placed, const char *tracefs, struct pfx_event_spec *spec,
		 size_t index, struct pfx_error *err)
{
	char *name = plain_name(&spec->probe, index);
	char *group = pfx_strfmt("pfx_%d", (int)getpid());
	const struct pfx_probe_place at = {
		.group = group,
		.name = name,
		.path = spec->probe.path,
		.offset = spec->probe.offset,
		.is_return = spec->probe.is_return,
	};
	uint64_t id;
	int rc = pfx_probes_add(placed, tracefs, &at, &id, err);

	if (rc >= 0) {
		spec->probe.tracepoint = pfx_strfmt("%s:%s", at.group, at.name);
		spec->attr.type = PFX_TYPE_TRACEPOINT;
		spec->attr.config = id;
	}
	free(group);
	free(name);
	return rc;
}

/*
 * A probe opened by perf_event_open() alone cannot be inherited: the kernel reads the file name
 * again, from the memory of the forking process, and the fork fails. If new processes are to be
 * followed, a tracepoint is created instead; without permission for that, they are not followed.
 */
static int make_followed(const struct pfx_recorder_observer *observer, struct pfx_probes *placed,
			 struct pfx_event_spec *spec, size_t index, struct pfx_error *err)
{
	const char *tracefs = pfx_tracefs(NULL, NULL);
	struct pfx_perm perm;

	if (tracefs && pfx_probes_may(tracefs) && !strpbrk(spec->probe.path, " \t\n"))
		return place(placed, tracefs, spec, index, err);
	spec->sampling.inherit = -1;
	pfx_perm_read(&perm, NULL);
	if (perm.may_profile)
		PFX_RECORDER_NOTIFY(observer, PFX_RECORDER_EVENT_NOT_FOLLOWED, .name = spec->name);
	return 0;
}

int pfx_probes_resolve(struct pfx_event_list *events, struct pfx_error *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < events->specs.nr && rc >= 0; i++) {
		struct pfx_event_spec *spec = &events->specs.at[i];

		if (spec->probe.kind == PFX_PROBE_USER)
			rc = resolve_user(&spec->probe, err);
		else if (spec->probe.kind == PFX_PROBE_KERNEL)
			rc = resolve_kernel(&spec->probe, err);
	}
	return rc;
}

int pfx_probes_follow(struct pfx_recorder_options *options, struct pfx_probes *placed,
		      const struct pfx_recorder_observer *observer, struct pfx_error *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < options->events.specs.nr && rc >= 0; i++) {
		struct pfx_event_spec *spec = &options->events.specs.at[i];

		if (spec->probe.kind == PFX_PROBE_USER && follows(options, spec))
			rc = make_followed(observer, placed, spec, i, err);
	}
	return rc;
}

void pfx_probe_counter(const struct pfx_event_spec *spec, struct pfx_counter *counter)
{
	if (spec->probe.kind == PFX_PROBE_NONE)
		return;
	counter->is_probe = true;
	if (spec->probe.tracepoint)
		return;
	counter->attr.config2 = spec->probe.offset;
	counter->probe_path = spec->probe.path;
}
