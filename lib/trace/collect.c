/* SPDX-License-Identifier: MIT */
/*
 * Tracing data of the running kernel, for a recording: the container of blob.c with the formats of
 * the events in use. The order of files is that of the directories of tracefs.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/io.h"
#include "trace/trace_internal.h"

#define VERSION   "0.6"
#define FILE_MAX  (16u << 20)
#define PATH_SIZE 512

struct collect {
	const char *tracefs;
	const char *const *events;
	size_t nr;
	struct pfx_buffer out;
	struct pfx_error *err;
};

/* Append the size of a file of tracefs in @size_bytes bytes, then its content. If it is @optional
 * and missing, it is empty. */
static int add_file(struct collect *c, const char *name, unsigned size_bytes, bool optional)
{
	char path[PATH_SIZE], *text = NULL;
	size_t size = 0;
	int ret;

	if (snprintf(path, sizeof(path), "%s/%s", c->tracefs, name) >= (int)sizeof(path))
		return pfx_error_set(c->err, ENAMETOOLONG, "the path of tracefs is too long");
	ret = pfx_read_file(path, FILE_MAX, &text, &size, optional ? NULL : c->err);
	if (ret && !optional)
		return ret;
	if (ret)
		size = 0;
	if (size_bytes == 4)
		pfx_buffer_u32(&c->out, (uint32_t)size);
	else
		pfx_buffer_u64(&c->out, size);
	pfx_buffer_bytes(&c->out, text, size);
	free(text);
	return 0;
}

static bool is_used(const struct collect *c, const char *system, const char *event)
{
	size_t len = strlen(system), i;

	for (i = 0; i < c->nr; i++)
		if (!strncmp(c->events[i], system, len) && c->events[i][len] == ':' &&
		    (!event || !strcmp(c->events[i] + len + 1, event)))
			return true;
	return false;
}

/* The next entry of a directory that is a used system (or a used event of @system). */
static const char *next_used(const struct collect *c, DIR *dir, const char *system)
{
	struct dirent *entry;

	while ((entry = readdir(dir)))
		if (system ? is_used(c, system, entry->d_name) : is_used(c, entry->d_name, NULL))
			return entry->d_name;
	return NULL;
}

static DIR *open_dir(struct collect *c, const char *system)
{
	char path[PATH_SIZE];
	DIR *dir;

	snprintf(path, sizeof(path), "%s/events/%s", c->tracefs, system);
	dir = opendir(path);
	if (!dir)
		pfx_error_sys(c->err, errno, "cannot list '%s'", path);
	return dir;
}

/* The number of formats of one system, then the formats. */
static int add_system_events(struct collect *c, const char *system)
{
	DIR *dir = open_dir(c, system);
	size_t nr_at = c->out.len;
	char name[PATH_SIZE];
	const char *event;
	uint32_t nr = 0;
	int ret = 0;

	if (!dir)
		return -errno;
	pfx_buffer_u32(&c->out, 0);
	while (!ret && (event = next_used(c, dir, system))) {
		snprintf(name, sizeof(name), "events/%s/%s/format", system, event);
		ret = add_file(c, name, 8, false);
		nr++;
	}
	closedir(dir);
	pfx_buffer_patch32(&c->out, nr_at, nr);
	return ret;
}

/* All systems except ftrace, which has its own section. */
static int add_systems(struct collect *c)
{
	DIR *dir = open_dir(c, "");
	size_t nr_at = c->out.len;
	const char *system;
	uint32_t nr = 0;
	int ret = 0;

	if (!dir)
		return -errno;
	pfx_buffer_u32(&c->out, 0);
	while (!ret && (system = next_used(c, dir, NULL))) {
		if (!strcmp(system, "ftrace"))
			continue;
		pfx_buffer_cstr(&c->out, system, 1);
		ret = add_system_events(c, system);
		nr++;
	}
	closedir(dir);
	pfx_buffer_patch32(&c->out, nr_at, nr);
	return ret;
}

static int add_header(struct collect *c)
{
	static const uint8_t magic[] = {23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g'};
	int ret;

	pfx_buffer_bytes(&c->out, magic, sizeof(magic));
	pfx_buffer_cstr(&c->out, VERSION, 1);
	pfx_buffer_u8(&c->out, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	pfx_buffer_u8(&c->out, sizeof(long));
	pfx_buffer_u32(&c->out, (uint32_t)sysconf(_SC_PAGESIZE));
	pfx_buffer_cstr(&c->out, "header_page", 1);
	ret = add_file(c, "events/header_page", 8, false);
	if (ret)
		return ret;
	pfx_buffer_cstr(&c->out, "header_event", 1);
	return add_file(c, "events/header_event", 8, false);
}

static int add_ftrace_events(struct collect *c)
{
	if (is_used(c, "ftrace", NULL))
		return add_system_events(c, "ftrace");
	pfx_buffer_u32(&c->out, 0);
	return 0;
}

static int add_all(struct collect *c)
{
	int ret;

	ret = add_header(c);
	if (!ret)
		ret = add_ftrace_events(c);
	if (!ret)
		ret = add_systems(c);
	if (ret)
		return ret;
	pfx_buffer_u32(&c->out, 0); /* no kallsyms */
	add_file(c, "printk_formats", 4, true);
	return add_file(c, "saved_cmdlines", 8, true);
}

int pfx_trace_collect(const char *tracefs, const char *const *events, size_t nr, uint8_t **ret,
		      size_t *ret_size, struct pfx_error *err)
{
	struct collect c = {.tracefs = tracefs, .events = events, .nr = nr, .err = err};
	int code;

	*ret = NULL;
	*ret_size = 0;
	code = add_all(&c);
	if (code) {
		pfx_buffer_fini(&c.out);
		return code;
	}
	*ret = c.out.at;
	*ret_size = c.out.len;
	return 0;
}
