/* SPDX-License-Identifier: MIT */
/* Selects the implementation; functions that both share. */
#include "record/output/output.h"

#include "record/output/output_internal.h"

int pfx_output_new(struct pfx_output **ret, const struct pfx_output_setup *setup,
		   struct pfx_error *err)
{
	return setup->places ? pfx_output_new_lanes(ret, setup, err)
			     : pfx_output_new_queue(ret, setup, err);
}

void pfx_output_free(struct pfx_output *out)
{
	if (!out)
		return;
	pfx_output_stop(out, NULL);
	out->form->free(out);
}

struct pfx_queue *pfx_output_queue_of(const struct pfx_output *out, size_t ring)
{
	return out->form->queue_of(out, ring);
}

bool pfx_output_has_rounds(const struct pfx_output *out)
{
	return out->form->has_rounds;
}

int pfx_output_flush(struct pfx_output *out, struct pfx_error *err)
{
	return out->form->flush(out, err);
}

int pfx_output_ask(struct pfx_output *out, size_t request, struct pfx_error *err)
{
	return pfx_queue_ask(pfx_output_queue_of(out, 0), request, err);
}

/* Context switches come through the last ring buffer (if they have their own), or through all of
 * them. */
int pfx_output_ask_offcpu(struct pfx_output *out, enum pfx_output_request request,
			  struct pfx_error *err)
{
	size_t last = out->setup.rings->list.nr - 1;

	return pfx_queue_ask(pfx_output_queue_of(out, last), request, err);
}

bool pfx_output_begin_switch(struct pfx_output *out)
{
	return !__atomic_exchange_n(&out->switching, true, __ATOMIC_ACQ_REL);
}

void pfx_output_ask_switch(struct pfx_output *out)
{
	out->form->ask_switch(out);
}

bool pfx_output_is_full(struct pfx_output *out)
{
	return __atomic_exchange_n(&out->full, false, __ATOMIC_ACQ_REL);
}

bool pfx_output_ends(const struct pfx_output *out)
{
	return __atomic_load_n(&out->ends, __ATOMIC_ACQUIRE);
}

int pfx_output_stop(struct pfx_output *out, struct pfx_error *err)
{
	return out ? out->form->stop(out, err) : 0;
}

void pfx_output_totals(const struct pfx_output *out, const struct pfx_sink *sink,
		       struct pfx_output_totals *ret)
{
	*ret = (struct pfx_output_totals){.bytes = pfx_writer_bytes(sink->writer)};
	if (sink->pack) {
		ret->original = pfx_pack_original(sink->pack);
		ret->packed = pfx_pack_packed(sink->pack);
	}
	if (out && out->form->add_totals)
		out->form->add_totals(out, ret);
}

int pfx_output_check(const struct pfx_output *out, struct pfx_error *err)
{
	return out && out->form->check ? out->form->check(out, err) : 0;
}

void pfx_output_stats(const struct pfx_output *out, uint64_t *ret_full, uint64_t *ret_high)
{
	*ret_full = out ? out->nr_full : 0;
	*ret_high = out ? out->high : 0;
}
