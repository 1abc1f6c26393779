/* SPDX-License-Identifier: MIT */
/*
 * The functions of BPF programs, from what the kernel said of them (BPF_PROG_INFO and BPF_BTF):
 * address, length, tag and name of each piece of compiled code.
 */
#ifndef PFX_EVENT_BPF_H
#define PFX_EVENT_BPF_H

#include "base/str.h"
#include "event/meta.h"

/* Where names are in the types of a recording. */
struct pfx_bpf_names;

/* Borrows the meta, which may not change meanwhile. */
struct pfx_bpf_names *pfx_bpf_names_new(const struct pfx_meta *meta);
void pfx_bpf_names_free(struct pfx_bpf_names *names);

struct pfx_bpf_function {
	uint64_t addr;
	uint32_t len;       /* bytes */
	const uint8_t *tag; /* 8 bytes */
	const char
		*name; /* not ended by NUL; NULL: none is known. Of the names' BTF or the program */
	size_t name_size;
};

/* How many functions a program has; 0 when it was not compiled, or what is said of it is not valid.
 */
uint32_t pfx_bpf_nr_functions(const struct pfx_meta *meta, const struct pfx_env_bpf_prog *prog);
/* Function @i; false when there is no such function. */
bool pfx_bpf_function(struct pfx_bpf_names *names, const struct pfx_env_bpf_prog *prog, uint32_t i,
		      struct pfx_bpf_function *ret);
/* The name that the kernel's table of symbols has for it: bpf_prog_TAG_NAME. */
void pfx_bpf_symbol(const struct pfx_bpf_function *function, struct pfx_str *to);

#endif
