/* SPDX-License-Identifier: MIT */
/*
 * Loaded BPF programs: a KSYMBOL for each piece of compiled code and a BPF_EVENT for the program,
 * as the kernel sends them at load time. The kernel is asked with bpf(); the names of the pieces
 * are those that /proc/kallsyms gives to their addresses. Needs CAP_SYS_ADMIN or CAP_BPF and
 * CAP_PERFMON.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "sys/synth_internal.h"

#define PIECES_MAX     8192 /* functions of one program */
#define PROGRAMS_MAX   65536
#define KSYM_TYPE_BPF  1
#define BPF_EVENT_LOAD 1
#define NAME_FULL      (BPF_OBJ_NAME_LEN - 2) /* a name with a letter here may have been cut */

struct names {
	struct pfx_hash by_addr;
	struct pfx_intern texts;
	bool is_read;
};

struct program {
	struct bpf_prog_info info;
	uint64_t addrs[PIECES_MAX];
	uint32_t lens[PIECES_MAX];
};

static long call_bpf(int command, union bpf_attr *attr)
{
	return syscall(__NR_bpf, command, attr, sizeof(*attr));
}

static bool next_program(uint32_t *id)
{
	union bpf_attr attr = {.start_id = *id};

	if (call_bpf(BPF_PROG_GET_NEXT_ID, &attr))
		return false;
	*id = attr.next_id;
	return true;
}

static bool read_program(uint32_t id, struct program *ret)
{
	union bpf_attr attr = {.prog_id = id};
	int fd = (int)call_bpf(BPF_PROG_GET_FD_BY_ID, &attr);
	bool ok;

	if (fd < 0)
		return false;
	memset(&ret->info, 0, sizeof(ret->info));
	ret->info.nr_jited_ksyms = ret->info.nr_jited_func_lens = PIECES_MAX;
	ret->info.jited_ksyms = (uintptr_t)ret->addrs;
	ret->info.jited_func_lens = (uintptr_t)ret->lens;
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = sizeof(ret->info);
	attr.info.info = (uintptr_t)&ret->info;
	ok = !call_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
	close(fd);
	return ok && ret->info.nr_jited_ksyms == ret->info.nr_jited_func_lens &&
	       ret->info.nr_jited_ksyms <= PIECES_MAX;
}

/* "ffffffffc0201234 t bpf_prog_6deef7357e7b4530_name\t[bpf]" */
static void read_names(const char *root, struct names *names)
{
	struct synth_lines lines;
	char *line, *name, *tab;
	uint64_t addr;

	names->is_read = true;
	if (!pfx_synth_lines_open(&lines, root, "/proc/kallsyms"))
		while ((line = pfx_synth_lines_next(&lines))) {
			tab = strchr(line, '\t');
			addr = tab && !strcmp(tab, "\t[bpf]") ? strtoull(line, &name, 16) : 0;
			if (!addr || name[0] != ' ' || name + 3 > tab)
				continue;
			*tab = '\0';
			*pfx_hash_add(&names->by_addr, addr, NULL) =
				pfx_intern_str(&names->texts, name + 3);
		}
	pfx_synth_lines_close(&lines);
}

static void put_piece(const struct pfx_synth_options *options, const struct program *program,
		      uint32_t i, struct names *names, struct pfx_buffer *to)
{
	struct pfx_body body = {.type = PFX_RECORD_KSYMBOL};
	const uint64_t *text = pfx_hash_get(&names->by_addr, program->addrs[i]);
	const uint8_t *tag = program->info.tag;
	char name[64];
	size_t n, k;

	n = (size_t)snprintf(name, sizeof(name), "bpf_prog_");
	for (k = 0; k < sizeof(program->info.tag); k++)
		n += (size_t)snprintf(name + n, sizeof(name) - n, "%02x", tag[k]);
	if (program->info.name[0])
		snprintf(name + n, sizeof(name) - n, "_%.*s", (int)sizeof(program->info.name),
			 program->info.name);
	body.ksymbol.addr = program->addrs[i];
	body.ksymbol.len = program->lens[i];
	body.ksymbol.ksym_type = KSYM_TYPE_BPF;
	body.ksymbol.name = text ? pfx_intern_get(&names->texts, (uint32_t)*text) : name;
	pfx_synth_put(options, &body, to);
}

static void put_program(const struct pfx_synth_options *options, const struct program *program,
			struct names *names, struct pfx_buffer *to)
{
	struct pfx_body body = {.type = PFX_RECORD_BPF_EVENT};
	uint32_t i;

	if (!program->info.nr_jited_ksyms || !program->addrs[0])
		return; /* interpreted, or addresses are hidden */
	if (!names->is_read && (program->info.nr_jited_ksyms > 1 || program->info.name[NAME_FULL]))
		read_names(options->root, names);
	for (i = 0; i < program->info.nr_jited_ksyms; i++)
		put_piece(options, program, i, names, to);
	body.bpf_event.type = BPF_EVENT_LOAD;
	body.bpf_event.id = program->info.id;
	memcpy(body.bpf_event.tag, program->info.tag, sizeof(body.bpf_event.tag));
	pfx_synth_put(options, &body, to);
}

void pfx_synth_bpf(const struct pfx_synth_options *options, struct pfx_buffer *to)
{
	struct program *program = pfx_calloc(1, sizeof(*program));
	struct names names = {0};
	uint32_t id = 0, nr = 0;

	while (nr++ < PROGRAMS_MAX && next_program(&id))
		if (read_program(id, program))
			put_program(options, program, &names, to);
	pfx_hash_fini(&names.by_addr);
	pfx_intern_fini(&names.texts);
	free(program);
}
