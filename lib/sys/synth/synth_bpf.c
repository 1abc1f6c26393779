/* SPDX-License-Identifier: MIT */
/*
 * Loaded BPF programs: a KSYMBOL for each compiled function and a BPF_EVENT for the program, as the
 * kernel sends them at load time; the source is the recording's header features.
 */
#include <string.h>

#include "event/bpf.h"
#include "sys/synth/synth_internal.h"

#define KSYM_TYPE_BPF  1
#define BPF_EVENT_LOAD 1
#define TAG_SIZE       8

static void put_function(const struct pfx_synth_options *options,
			 const struct pfx_bpf_function *function, uint32_t i, struct pfx_buffer *to)
{
	struct pfx_body body = {.type = PFX_RECORD_KSYMBOL};
	struct pfx_str name = {0};

	pfx_bpf_symbol(function, &name);
	if (i && !function->name_size)
		pfx_str_add(&name, "_F"); /* the kernel's name for unnamed programs */
	body.ksymbol.addr = function->addr;
	body.ksymbol.len = function->len;
	body.ksymbol.ksym_type = KSYM_TYPE_BPF;
	body.ksymbol.name = pfx_str_get(&name);
	pfx_synth_put(options, &body, to);
	pfx_str_fini(&name);
}

static void put_program(const struct pfx_synth_options *options, struct pfx_bpf_names *names,
			const struct pfx_env_bpf_prog *prog, uint32_t nr, struct pfx_buffer *to)
{
	struct pfx_body body = {.type = PFX_RECORD_BPF_EVENT};
	struct pfx_bpf_function function;
	uint32_t i;

	/* Not compiled, or addresses are hidden. */
	if (!nr || !pfx_bpf_function(names, prog, 0, &function) || !function.addr)
		return;
	memcpy(body.bpf_event.tag, function.tag, TAG_SIZE);
	for (i = 0; i < nr; i++)
		if (pfx_bpf_function(names, prog, i, &function))
			put_function(options, &function, i, to);
	body.bpf_event.type = BPF_EVENT_LOAD;
	body.bpf_event.id = prog->id;
	pfx_synth_put(options, &body, to);
}

void pfx_synth_bpf(const struct pfx_synth_options *options, const struct pfx_meta *meta,
		   struct pfx_buffer *to)
{
	struct pfx_bpf_names *names = pfx_bpf_names_new(meta);
	uint32_t i;

	for (i = 0; i < meta->env.nr_bpf_progs; i++)
		put_program(options, names, &meta->env.bpf_progs[i],
			    pfx_bpf_nr_functions(meta, &meta->env.bpf_progs[i]), to);
	pfx_bpf_names_free(names);
}
