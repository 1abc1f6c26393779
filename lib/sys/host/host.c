/* SPDX-License-Identifier: MIT */
/*
 * The description of this machine for the header of a recording: simple strings here, the rest in
 * the other host files. Input is /proc, /sys and uname.
 */
#include "sys/host/host.h"

#include <elf.h>
#include <endian.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/io.h"
#include "pfx_version.h"
#include "sys/host/host_internal.h"

#define ELF_HEAD_SIZE 52 /* size of the 32-bit header; e_flags is within it */

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

/* The machine that this program was built for, from its ELF header. */
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
