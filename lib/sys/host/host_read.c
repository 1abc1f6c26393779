/* SPDX-License-Identifier: MIT */
/*
 * Reads small files below the root: a line, a number, a value by key.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "sys/host/host_internal.h"

#define LINE_MAX_BYTES 8192 /* CPU lists of the largest machines fit */

static const char *path_va(const struct host *host, char *path, const char *fmt, va_list args)
{
	int n = snprintf(path, HOST_PATH_MAX, "%s", host->root);

	if (n < 0 || n >= HOST_PATH_MAX)
		n = 0;
	vsnprintf(path + n, (size_t)(HOST_PATH_MAX - n), fmt, args);
	return path;
}

const char *pfx_host_path(const struct host *host, char *path, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	path_va(host, path, fmt, args);
	va_end(args);
	return path;
}

static size_t trimmed_len(const char *text, size_t len)
{
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	return len;
}

const char *pfx_host_line(const struct host *host, const char *fmt, ...)
{
	char path[HOST_PATH_MAX], line[LINE_MAX_BYTES];
	size_t skip, len;
	va_list args;

	va_start(args, fmt);
	path_va(host, path, fmt, args);
	va_end(args);
	if (pfx_read_line(path, line, sizeof(line)))
		return NULL;
	skip = strspn(line, " \t");
	len = trimmed_len(line + skip, strlen(line + skip));
	return len ? pfx_arena_strndup(host->arena, line + skip, len) : NULL;
}

uint64_t pfx_host_number(const struct host *host, uint64_t missing, const char *fmt, ...)
{
	char path[HOST_PATH_MAX];
	uint64_t value;
	va_list args;

	va_start(args, fmt);
	path_va(host, path, fmt, args);
	va_end(args);
	return pfx_read_u64(path, &value) ? missing : value;
}

const char *pfx_host_find_key(const char *text, const char *key, size_t *ret_len)
{
	size_t key_len = strlen(key);
	const char *line, *value;

	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, key_len))
			continue;
		value = line + key_len + strspn(line + key_len, " \t");
		if (*value != ':')
			continue;
		value += 1 + strspn(value + 1, " \t");
		*ret_len = trimmed_len(value, strcspn(value, "\n"));
		return *ret_len ? value : NULL;
	}
	return NULL;
}
