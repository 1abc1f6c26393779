/* SPDX-License-Identifier: MIT */
/*
 * What this machine is, for the header of a recording: the plain strings, and the readers of small
 * files that the other host files share. Input is /proc, /sys and uname; knows nothing of how
 * features are encoded.
 */
#include "sys/host/host.h"

#include <ctype.h>
#include <elf.h>
#include <endian.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/io.h"
#include "pfx_version.h"
#include "sys/host/host_internal.h"

#define ELF_HEAD_SIZE  52   /* the shorter one's; both have the flags in it */
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

static void set_text(const struct host *host, const char **field, unsigned feature,
		     const char *text)
{
	*field = pfx_arena_strdup(host->arena, text);
	pfx_env_set(host->env, feature);
}

static void describe_system(const struct host *host)
{
	struct pfx_env *env = host->env;
	struct utsname uts;

	set_text(host, &env->version, PFX_FEAT_VERSION, PFX_FILE_VERSION);
	if (uname(&uts))
		return;
	set_text(host, &env->hostname, PFX_FEAT_HOSTNAME, uts.nodename);
	set_text(host, &env->osrelease, PFX_FEAT_OSRELEASE, uts.release);
	set_text(host, &env->arch, PFX_FEAT_ARCH, uts.machine);
}

static void describe_command(const struct host *host, const struct pfx_host_options *options)
{
	struct pfx_env_strings *cmdline = &host->env->cmdline;
	char self[4096];
	ssize_t n;
	int i;

	if (options->argc <= 0)
		return;
	cmdline->nr = (uint32_t)options->argc;
	cmdline->at = pfx_arena_array(host->arena, const char *, cmdline->nr);
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[n > 0 ? n : 0] = '\0';
	cmdline->at[0] = pfx_arena_strdup(host->arena, n > 0 ? self : options->argv[0]);
	for (i = 1; i < options->argc; i++)
		cmdline->at[i] = pfx_arena_strdup(host->arena, options->argv[i]);
	pfx_env_set(host->env, PFX_FEAT_CMDLINE);
}

/* What this program was built for, as the head of its file says. */
static void describe_machine(const struct host *host)
{
	struct pfx_env *env = host->env;
	uint8_t head[ELF_HEAD_SIZE];
	char path[HOST_PATH_MAX];
	struct pfx_cursor c;
	int fd = open(pfx_host_path(host, path, "/proc/self/exe"), O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : pfx_read_full(fd, head, sizeof(head));

	if (fd >= 0)
		close(fd);
	if (size != (ssize_t)sizeof(head) || memcmp(head, ELFMAG, SELFMAG) != 0)
		return;
	c = pfx_cursor_make(head, sizeof(head),
			    (head[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER == __BIG_ENDIAN));
	pfx_cursor_skip(&c, offsetof(Elf64_Ehdr, e_machine));
	env->e_machine = pfx_cursor_u16(&c);
	c = pfx_cursor_make(head, sizeof(head), c.swap);
	pfx_cursor_skip(&c, head[EI_CLASS] == ELFCLASS64 ? offsetof(Elf64_Ehdr, e_flags)
							 : offsetof(Elf32_Ehdr, e_flags));
	env->e_flags = pfx_cursor_u32(&c);
	pfx_env_set(env, PFX_FEAT_E_MACHINE);
}

int pfx_host_describe(struct pfx_meta *meta, const struct pfx_host_options *options,
		      struct pfx_error *err)
{
	struct host host = {&meta->arena, &meta->env, options->root ? options->root : ""};

	(void)err;
	describe_system(&host);
	describe_command(&host, options);
	pfx_host_cpu(&host);
	pfx_host_topology(&host);
	pfx_host_memory(&host);
	pfx_host_pmus(&host);
	pfx_host_sched(&host);
	describe_machine(&host);
	return 0;
}
