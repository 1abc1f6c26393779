/* SPDX-License-Identifier: MIT */
/*
 * Finds build IDs by the names of binaries: from the options, from the recording, or from the files
 * on this machine (for the kernel and its modules only if the recording is of the running kernel).
 * Remembers which build IDs were written.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/io.h"
#include "base/str.h"
#include "rewrite/inject_internal.h"
#include "sym/cache/keep.h"
#include "sym/kernel/system_buildid.h"

#define KNOWN_MAX  (64u << 20)
#define FILE_WORDS "file://"

struct binary {
	struct pfx_build_id id; /* size 0: none, or not searched yet */
	enum pfx_cpumode cpumode;
	bool asked, told, in_header;
};

struct pfx_inject_ids {
	struct pfx_intern names;
	PFX_VEC(struct binary) binaries; /* by the id of their name in names */
	bool same_kernel;                /* the recording is of the running kernel */
	struct pfx_build_id kernel;      /* from the options; size 0: not given */
};

static bool starts_with(const char *s, const char *start)
{
	return !strncmp(s, start, strlen(start));
}

/* The name in the kernel's MMAP record has a symbol appended. */
static const char *plain_name(const char *name)
{
	return starts_with(name, PFX_KERNEL_NAME) ? PFX_KERNEL_NAME : name;
}

static struct binary *binary_of(struct pfx_inject_ids *ids, const char *name)
{
	uint32_t i = pfx_intern_str(&ids->names, plain_name(name));

	while (ids->binaries.nr <= i)
		pfx_vec_push(&ids->binaries, (struct binary){0});
	return &ids->binaries.at[i];
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static int bad_pair(const char *pair, struct pfx_error *err)
{
	char shown[256];

	pfx_error_set(err, EINVAL, "'%s' is not a build id and path",
		      pfx_escape(shown, sizeof(shown), pair));
	pfx_error_hint(err, "--known-build-ids takes pairs like '0123abcd /usr/bin/demo', or "
			    "file://FILE with one on each line");
	return -EINVAL;
}

/* "ID PATH" */
static int add_known(struct pfx_inject_ids *ids, const char *pair, struct pfx_error *err)
{
	struct pfx_build_id id;
	struct binary *binary;
	const char *path;

	while (is_blank(*pair))
		pair++;
	path = pair + strcspn(pair, " \t");
	if (!pfx_build_id_parse(pair, (size_t)(path - pair), &id))
		return bad_pair(pair, err);
	while (is_blank(*path))
		path++;
	if (!*path)
		return bad_pair(pair, err);
	binary = binary_of(ids, path);
	binary->id = id;
	binary->asked = true;
	return 0;
}

static int parse_known(struct pfx_inject_ids *ids, char *text, const char *separator,
		       struct pfx_error *err)
{
	char *pair, *rest = NULL;
	int rc = 0;

	for (pair = strtok_r(text, separator, &rest); pair && !rc;
	     pair = strtok_r(NULL, separator, &rest))
		rc = add_known(ids, pair, err);
	return rc;
}

static int read_known(struct pfx_inject_ids *ids, const char *words, struct pfx_error *err)
{
	bool in_file = starts_with(words, FILE_WORDS);
	char *text;
	int rc;

	if (in_file) {
		rc = pfx_read_file(words + strlen(FILE_WORDS), KNOWN_MAX, &text, NULL, err);
		if (rc < 0)
			return rc;
	} else {
		text = pfx_strdup(words);
	}
	rc = parse_known(ids, text, in_file ? "\n" : ",", err);
	free(text);
	return rc;
}

/* kallsyms contains no build ID, but its path in the build-ID cache does:
 * [kernel.kallsyms]/ID/kallsyms. */
static int id_of_kallsyms(const char *path, struct pfx_build_id *ret, struct pfx_error *err)
{
	const char *end = strrchr(path, '/'), *start = end;
	char shown[256];

	while (start && start > path && start[-1] != '/')
		start--;
	if (end && pfx_build_id_parse(start, (size_t)(end - start), ret))
		return 0;
	pfx_error_set(err, EINVAL, "'%s' does not tell the kernel's build id",
		      pfx_escape(shown, sizeof(shown), path));
	pfx_error_hint(err, "name a file of the build-id cache, [kernel.kallsyms]/ID/kallsyms, or "
			    "the kernel's image with -k");
	return -EINVAL;
}

static int find_kernel(struct pfx_inject_ids *ids, const struct pfx_inject_options *options,
		       struct pfx_error *err)
{
	if (options->vmlinux)
		return pfx_build_id_of_file(options->vmlinux, &ids->kernel, err);
	if (options->kallsyms)
		return id_of_kallsyms(options->kallsyms, &ids->kernel, err);
	return 0;
}

static bool is_same(const char *recorded, const char *here)
{
	return recorded && !strcmp(recorded, here);
}

static bool is_of_this_kernel(const struct pfx_env *env)
{
	struct utsname here;

	return !uname(&here) && is_same(env->hostname, here.nodename) &&
	       is_same(env->osrelease, here.release);
}

/* Adds the build IDs in the recording's header. */
static void take_header(struct pfx_inject_ids *ids, const struct pfx_env *env)
{
	const struct pfx_env_build_id *entry = env->build_ids;
	struct binary *binary;
	uint32_t i;

	for (i = 0; i < env->nr_build_ids; i++, entry++) {
		if (entry->pid > 0)
			continue;
		binary = binary_of(ids, entry->filename);
		if (binary->asked)
			continue;
		binary->asked = true;
		binary->id.size = entry->size;
		memcpy(binary->id.data, entry->id, sizeof(binary->id.data));
	}
}

struct pfx_inject_ids *pfx_inject_ids_new(struct pfx_inject *inject, struct pfx_error *err)
{
	struct pfx_inject_ids *ids = pfx_calloc(1, sizeof(*ids));
	const char *known = inject->options.known;

	ids->same_kernel = is_of_this_kernel(&inject->meta->env);
	if ((known && read_known(ids, known, err) < 0) ||
	    find_kernel(ids, &inject->options, err) < 0) {
		pfx_inject_ids_free(ids);
		return NULL;
	}
	take_header(ids, &inject->meta->env);
	return ids;
}

void pfx_inject_ids_free(struct pfx_inject_ids *ids)
{
	if (!ids)
		return;
	pfx_intern_fini(&ids->names);
	pfx_vec_free(&ids->binaries);
	free(ids);
}

static void ask_kernel_side(const struct pfx_inject_ids *ids, const char *name,
			    struct pfx_build_id *ret)
{
	if (ids->kernel.size && starts_with(name, PFX_KERNEL_NAME))
		*ret = ids->kernel;
	else if (ids->same_kernel)
		pfx_system_build_id(name, ret);
}

static void ask(const struct pfx_inject_ids *ids, const char *name, enum pfx_cpumode cpumode,
		struct pfx_build_id *ret)
{
	if (cpumode == PFX_MODE_KERNEL)
		ask_kernel_side(ids, name, ret);
	else if (!strcmp(name, PFX_VDSO_NAME) && ids->same_kernel)
		pfx_system_build_id_of_vdso(ret);
	else if (name[0] == '/' && name[1] != '/')
		pfx_build_id_of_file(name, ret, NULL);
}

static struct binary *asked_binary(struct pfx_inject *inject, const char *name,
				   enum pfx_cpumode cpumode)
{
	struct pfx_inject_ids *ids = inject->ids;
	struct binary *binary = binary_of(ids, name);

	binary->cpumode = cpumode;
	if (binary->asked)
		return binary;
	binary->asked = true;
	ask(ids, plain_name(name), cpumode, &binary->id);
	pfx_vec_push(&inject->result.asked,
		     ((struct pfx_inject_asked){pfx_strdup(name), binary->id}));
	return binary;
}

bool pfx_inject_id_of(struct pfx_inject *inject, const char *name, enum pfx_cpumode cpumode,
		      struct pfx_build_id *ret)
{
	*ret = asked_binary(inject, name, cpumode)->id;
	return ret->size > 0;
}

static void encode_id(struct pfx_inject *inject, const char *name, const struct binary *binary)
{
	struct pfx_body body = {.type = PFX_RECORD_HEADER_BUILD_ID};
	struct pfx_header_build_id *said = &body.header_build_id;

	body.misc = (uint16_t)(binary->cpumode | PFX_MISC_BUILD_ID_SIZE);
	said->pid = -1;
	said->filename = plain_name(name);
	said->build_id_size = binary->id.size;
	memcpy(said->build_id, binary->id.data, sizeof(said->build_id));
	pfx_buffer_clear(&inject->scratch);
	pfx_record_encode(&body, NULL, &inject->scratch);
}

int pfx_inject_tell_id(struct pfx_inject *inject, const char *name, enum pfx_cpumode cpumode,
		       struct pfx_error *err)
{
	struct binary *binary = asked_binary(inject, name, cpumode);

	if (binary->told || !binary->id.size)
		return 0;
	binary->told = binary->in_header = true;
	encode_id(inject, name, binary);
	return pfx_inject_put_bytes(inject, &inject->scratch, err);
}

void pfx_inject_skip_id(struct pfx_inject *inject, const char *name)
{
	binary_of(inject->ids, name)->told = true;
}

static void put_in_header(struct pfx_inject *inject, const char *name, const struct binary *binary)
{
	struct pfx_env *env = &inject->meta->env;
	struct pfx_env_build_id *entry = NULL;
	uint32_t i;

	for (i = 0; i < env->nr_build_ids && !entry; i++)
		if (env->build_ids[i].pid <= 0 && !strcmp(env->build_ids[i].filename, name))
			entry = &env->build_ids[i];
	if (!entry)
		entry = &env->build_ids[env->nr_build_ids++];
	entry->pid = -1;
	entry->misc = (uint16_t)(binary->cpumode | PFX_MISC_BUILD_ID_SIZE);
	entry->size = binary->id.size;
	memcpy(entry->id, binary->id.data, sizeof(entry->id));
	entry->filename = pfx_arena_strdup(&inject->meta->arena, name);
}

void pfx_inject_ids_finish(struct pfx_inject *inject)
{
	struct pfx_inject_ids *ids = inject->ids;
	struct pfx_meta *meta = inject->meta;
	struct pfx_env *env = &meta->env;
	struct pfx_env_build_id *table;
	size_t i, nr = env->nr_build_ids + ids->binaries.nr;

	table = pfx_arena_array(&meta->arena, struct pfx_env_build_id, nr);
	if (env->nr_build_ids)
		memcpy(table, env->build_ids, env->nr_build_ids * sizeof(*table));
	env->build_ids = table;
	for (i = 0; i < ids->binaries.nr; i++)
		if (ids->binaries.at[i].in_header)
			put_in_header(inject, pfx_intern_get(&ids->names, (uint32_t)i),
				      &ids->binaries.at[i]);
	if (!env->nr_build_ids)
		return;
	env->raw[PFX_FEAT_BUILD_ID] = (struct pfx_env_blob){0};
	pfx_env_set(env, PFX_FEAT_BUILD_ID);
}
