/* SPDX-License-Identifier: MIT */
/*
 * The functions that filters call: where an address is, code, source lines. The context that is
 * passed around is the filter itself.
 */
#include <elf.h>
#include <stddef.h>
#include <string.h>

#include "script/script_dlfilter_internal.h"

static uint8_t binding_of(const struct pfx_symbol *sym)
{
	switch (sym->binding) {
	case 'l':
		return STB_LOCAL;
	case 'w':
		return STB_WEAK;
	default:
		return STB_GLOBAL;
	}
}

static void fill_symbol(struct pfx_dlfilter *filter, struct pfx_place *place,
			struct perf_dlfilter_al *al)
{
	const struct pfx_symbol *sym = pfx_place_symbol(filter->view->resolver, place);

	if (!sym || sym->is_nameless)
		return;
	al->sym = sym->name;
	al->sym_start = sym->start;
	al->sym_end = sym->end;
	al->symoff = (uint32_t)(place->addr - sym->start);
	al->sym_binding = binding_of(sym);
}

/* All but size, filtered and comm. False: the address is in no map. */
static bool fill_place(struct pfx_dlfilter *filter, enum pfx_cpumode cpumode, uint64_t address,
		       struct perf_dlfilter_al *al)
{
	const struct pfx_script_sample *now = filter->now;
	struct pfx_location found;
	struct pfx_place *place;

	pfx_session_locate(filter->view->session, now->thread, cpumode, address, &found);
	if (!found.map) /* the kernel accesses memory of the program, too */
		pfx_session_locate(filter->view->session, now->thread, PFX_MODE_UNKNOWN, address,
				   &found);
	place = pfx_resolve(filter->view->resolver, now->thread,
			    found.map ? found.cpumode : cpumode, address);
	al->addr = place->addr;
	al->is_kernel_ip =
		place->cpumode == PFX_MODE_KERNEL || place->cpumode == PFX_MODE_GUEST_KERNEL;
	if (!place->dso)
		return false;
	al->dso = place->dso->name;
	al->is_64_bit = place->dso->is_64bit;
	al->buildid_size = place->dso->build_id_size;
	al->buildid = al->buildid_size ? (__u8 *)place->dso->build_id : NULL;
	fill_symbol(filter, place, al);
	return true;
}

static const struct perf_dlfilter_al *resolve_ip(void *ctx)
{
	struct pfx_dlfilter *filter = ctx;

	if (!filter->now)
		return NULL;
	filter->ip = (struct perf_dlfilter_al){.size = sizeof(filter->ip)};
	fill_place(filter, filter->now->sample->cpumode, filter->now->sample->ip, &filter->ip);
	filter->ip.comm = filter->now->thread->comm->text;
	return &filter->ip;
}

static const struct perf_dlfilter_al *resolve_addr(void *ctx)
{
	struct pfx_dlfilter *filter = ctx;

	if (!filter->now || !(filter->now->sample->type & PFX_SAMPLE_ADDR) ||
	    !pfx_script_addr_has_symbol(&filter->now->event->attr))
		return NULL;
	filter->addr = (struct perf_dlfilter_al){.size = sizeof(filter->addr)};
	fill_place(filter, filter->now->sample->cpumode, filter->now->sample->addr, &filter->addr);
	return &filter->addr;
}

static char **args(void *ctx, int *dlargc)
{
	struct pfx_dlfilter *filter = ctx;

	*dlargc = filter->nr_args;
	return filter->args;
}

/* A filter that was compiled for a shorter structure gets no more than that. */
static __s32 resolve_address(void *ctx, __u64 address, struct perf_dlfilter_al *al)
{
	struct pfx_dlfilter *filter = ctx;
	struct perf_dlfilter_al found = {0};
	size_t size = al->size;
	bool is_found;

	if (!filter->now || size < sizeof(al->size))
		return -1;
	is_found = fill_place(filter, filter->now->sample->cpumode, address, &found);
	size = size > sizeof(found) ? sizeof(found) : size;
	found.size = (__u32)size;
	memcpy(al, &found, size);
	return is_found ? 0 : -1;
}

static const __u8 *insn(void *ctx, __u32 *length)
{
	struct pfx_dlfilter *filter = ctx;

	*length = 0;
	if (!filter->now || !pfx_script_insn_at(filter->view->script, filter->now->thread,
						filter->now->sample, &filter->insn))
		return NULL;
	pfx_str_fini(&filter->insn.text);
	*length = filter->insn.len;
	return filter->insn.code;
}

static struct pfx_place *place_of(struct pfx_dlfilter *filter, uint64_t address)
{
	const struct pfx_script_sample *now = filter->now;
	struct pfx_place *place =
		pfx_resolve(filter->view->resolver, now->thread, now->sample->cpumode, address);

	pfx_place_symbol(filter->view->resolver, place);
	return place;
}

static const char *srcline(void *ctx, __u32 *line_number)
{
	struct pfx_dlfilter *filter = ctx;
	struct pfx_source source;
	struct pfx_place *place;

	*line_number = 0;
	if (!filter->now)
		return NULL;
	place = place_of(filter, filter->now->sample->ip);
	if (!pfx_place_source(filter->view->resolver, place, &source))
		return place->dso && !(place->ip >> 63) ? "??" : NULL; /* as perf */
	*line_number = source.line;
	return source.file;
}

static struct perf_event_attr *attr(void *ctx)
{
	struct pfx_dlfilter *filter = ctx;

	if (!filter->now)
		return NULL;
	if (filter->attr_of != filter->now->event) {
		struct pfx_attr whole = filter->now->event->attr;

		/* callers read the structure that they were compiled for */
		if (whole.size < sizeof(struct perf_event_attr))
			whole.size = sizeof(struct perf_event_attr);
		pfx_buffer_clear(&filter->attr);
		pfx_attr_encode(&whole, &filter->attr);
		filter->attr_of = filter->now->event;
	}
	return (struct perf_event_attr *)filter->attr.at;
}

static __s32 object_code(void *ctx, __u64 ip, void *buf, __u32 len)
{
	struct pfx_dlfilter *filter = ctx;
	size_t got;

	if (!filter->now)
		return -1;
	got = pfx_place_code(filter->view->resolver, place_of(filter, ip), buf, len);
	return got ? (__s32)got : -1;
}

/* Nothing to free: strings live until the filter ends. */
static void al_cleanup(void *ctx, struct perf_dlfilter_al *al)
{
	(void)ctx;
	(void)al;
}

void pfx_dlfilter_fill(struct perf_dlfilter_fns *fns)
{
	*fns = (struct perf_dlfilter_fns){
		.resolve_ip = resolve_ip,
		.resolve_addr = resolve_addr,
		.args = args,
		.resolve_address = resolve_address,
		.insn = insn,
		.srcline = srcline,
		.attr = attr,
		.object_code = object_code,
		.al_cleanup = al_cleanup,
	};
}
