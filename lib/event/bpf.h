/* SPDX-License-Identifier: MIT */
/*
 * The functions of BPF programs from the header features BPF_PROG_INFO and BPF_BTF: address,
 * length, tag, name, code and source lines of each JIT-compiled function.
 */
#ifndef PFX_EVENT_BPF_H
#define PFX_EVENT_BPF_H

#include "base/str.h"
#include "event/meta.h"

/* Index of the function names in the BTF of a recording. */
struct pfx_bpf_names;

/* Borrows @meta, which must not change while this is in use. */
struct pfx_bpf_names *pfx_bpf_names_new(const struct pfx_meta *meta);
void pfx_bpf_names_free(struct pfx_bpf_names *names);

struct pfx_bpf_function {
	uint64_t addr;
	uint32_t len;       /* bytes */
	const uint8_t *tag; /* 8 bytes */
	const char *name;   /* not NUL-terminated; NULL: unknown. Borrowed */
	size_t name_size;
};

/* The number of functions of a program; 0 if it was not compiled or its data are not valid. */
uint32_t pfx_bpf_nr_functions(const struct pfx_meta *meta, const struct pfx_env_bpf_prog *prog);
/* Function @i; false when there is no such function. */
bool pfx_bpf_function(struct pfx_bpf_names *names, const struct pfx_env_bpf_prog *prog, uint32_t i,
		      struct pfx_bpf_function *ret);
/* The JIT-compiled code of function @i, function.len bytes; NULL: not recorded. */
const uint8_t *pfx_bpf_code(const struct pfx_meta *meta, const struct pfx_env_bpf_prog *prog,
			    uint32_t i);

/* The source line from @addr on. */
struct pfx_bpf_line {
	uint64_t addr;
	const char *file, *text; /* not NUL-terminated; borrowed */
	size_t file_size, text_size;
	uint32_t line;
};

/* Line @i of a program, of all its functions; false when there is no such line. */
bool pfx_bpf_line(struct pfx_bpf_names *names, const struct pfx_env_bpf_prog *prog, uint32_t i,
		  struct pfx_bpf_line *ret);
/* The name in /proc/kallsyms: bpf_prog_TAG_NAME. */
void pfx_bpf_symbol(const struct pfx_bpf_function *function, struct pfx_str *to);

#endif
