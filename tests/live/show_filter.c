// SPDX-License-Identifier: MIT
/* A filter for samples that prints all it is told and can ask for, and leaves some samples out.
 * Compiled with pfx's header and, where it is installed, with perf's. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITH_PERFS_HEADER
#include <perf/perf_dlfilter.h>
#else
#include "script/perf_dlfilter.h"
#endif

struct perf_dlfilter_fns perf_dlfilter_fns;

struct state {
	unsigned nr_early, nr_late, every; /* one of so many is left out */
	int fails;
};

static void show_args(void *ctx)
{
	int i, nr = 0;
	char **args = perf_dlfilter_fns.args(ctx, &nr);

	for (i = 0; i < nr; i++)
		printf("arg %s\n", args[i]);
}

int start(void **data, void *ctx)
{
	struct state *state = calloc(1, sizeof(*state));
	int nr = 0;
	char **args = perf_dlfilter_fns.args(ctx, &nr);

	state->every = nr ? (unsigned)atoi(args[0]) : 0;
	state->fails = nr > 1 && !strcmp(args[1], "fail");
	*data = state;
	show_args(ctx);
	printf("outside: %d %d\n", !!perf_dlfilter_fns.resolve_ip(ctx),
	       !!perf_dlfilter_fns.attr(ctx));
	return nr > 1 && !strcmp(args[1], "no-start") ? 7 : 0;
}

int stop(void *data, void *ctx)
{
	struct state *state = data;
	int nr = 0;

	(void)perf_dlfilter_fns.args(ctx, &nr);
	printf("stop %u %u\n", state->nr_early, state->nr_late);
	free(state);
	return 0;
}

static void show_al(const char *what, const struct perf_dlfilter_al *al)
{
	__u32 i;

	if (!al) {
		printf("%s none\n", what);
		return;
	}
	printf("%s %s+%#x dso %s addr %#llx [%#llx,%#llx) binding %u 64 %u kernel %u comm %s id ",
	       what, al->sym ? al->sym : "?", al->symoff, al->dso ? al->dso : "?",
	       (unsigned long long)al->addr, (unsigned long long)al->sym_start,
	       (unsigned long long)al->sym_end, al->sym_binding, al->is_64_bit, al->is_kernel_ip,
	       al->comm ? al->comm : "?");
	for (i = 0; i < al->buildid_size; i++)
		printf("%02x", al->buildid[i]);
	printf(" filtered %u\n", al->filtered);
}

static void show_numbers(const struct perf_dlfilter_sample *s)
{
	__u64 i;

	printf("sample %s ip %#llx pid %d tid %d time %llu addr %#llx id %lld stream %lld period "
	       "%llu\n",
	       s->event, (unsigned long long)s->ip, s->pid, s->tid, (unsigned long long)s->time,
	       (unsigned long long)s->addr, (long long)s->id, (long long)s->stream_id,
	       (unsigned long long)s->period);
	printf("weight %llu %u %u transaction %llu ipc %llu %llu cpu %d flags %#x src %#llx phys "
	       "%#llx\n",
	       (unsigned long long)s->weight, s->ins_lat, s->p_stage_cyc,
	       (unsigned long long)s->transaction, (unsigned long long)s->insn_cnt,
	       (unsigned long long)s->cyc_cnt, s->cpu, s->flags, (unsigned long long)s->data_src,
	       (unsigned long long)s->phys_addr);
	printf("pages %llu %llu cgroup %llu mode %u correlates %u misc %#x raw %u guest %d %d size "
	       "%u\n",
	       (unsigned long long)s->data_page_size, (unsigned long long)s->code_page_size,
	       (unsigned long long)s->cgroup, s->cpumode, s->addr_correlates_sym, s->misc,
	       s->raw_size, s->machine_pid, s->vcpu, s->size);
	for (i = 0; i < s->brstack_nr; i++)
		printf("branch %#llx %#llx mispred %u predicted %u cycles %u\n",
		       (unsigned long long)s->brstack[i].from, (unsigned long long)s->brstack[i].to,
		       s->brstack[i].mispred, s->brstack[i].predicted, s->brstack[i].cycles);
	for (i = 0; i < s->raw_callchain_nr; i++)
		printf("chain %#llx\n", (unsigned long long)s->raw_callchain[i]);
}

static void show_code(const struct perf_dlfilter_sample *s, void *ctx)
{
	__u32 line = 0, len = 0, i;
	const char *file = perf_dlfilter_fns.srcline(ctx, &line), *slash;
	struct perf_event_attr *attr = perf_dlfilter_fns.attr(ctx);
	unsigned char code[8] = {0};
	const __u8 *insn;
	__s32 got = perf_dlfilter_fns.object_code(ctx, s->ip, code, sizeof(code));

	slash = file ? strrchr(file, '/') : NULL;
	printf("line %s:%u attr type %u config %llu sample_type %#llx\n",
	       slash  ? slash + 1
	       : file ? file
		      : "?",
	       line, attr->type, (unsigned long long)attr->config,
	       (unsigned long long)attr->sample_type);
	printf("code %d:", got);
	for (i = 0; (__s32)i < got; i++)
		printf(" %02x", code[i]);
	insn = perf_dlfilter_fns.insn(ctx, &len);
	printf(" insn %u:", insn ? len : 0);
	for (i = 0; insn && i < len; i++)
		printf(" %02x", insn[i]);
	printf("\n");
}

static void show_address(const struct perf_dlfilter_sample *s, void *ctx)
{
	struct perf_dlfilter_al al;
	int rc;

	memset(&al, 0, sizeof(al));
	al.size = sizeof(al);
	rc = perf_dlfilter_fns.resolve_address(ctx, s->ip, &al);
	printf("rc %d ", rc);
	show_al("address", &al);
#ifndef WITH_PERFS_HEADER /* perf 6.1 has not this function */
	if (perf_dlfilter_fns.al_cleanup)
		perf_dlfilter_fns.al_cleanup(ctx, &al);
	else if (al.priv)
		printf("priv %p\n", al.priv);
#endif
}

int filter_event_early(void *data, const struct perf_dlfilter_sample *sample, void *ctx)
{
	struct state *state = data;

	(void)sample;
	state->nr_early++;
	return !perf_dlfilter_fns.attr(ctx);
}

int filter_event(void *data, const struct perf_dlfilter_sample *sample, void *ctx)
{
	struct state *state = data;

	show_numbers(sample);
	show_al("ip", perf_dlfilter_fns.resolve_ip(ctx));
	show_al("target", perf_dlfilter_fns.resolve_addr(ctx));
	show_address(sample, ctx);
	show_code(sample, ctx);
	if (state->fails)
		return -5;
	return state->every && ++state->nr_late % state->every == 0;
}

const char *filter_description(const char **long_description)
{
	*long_description = "For each sample: numbers, places, code.";
	return "shows all that a filter can ask for";
}
