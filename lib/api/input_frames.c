/* SPDX-License-Identifier: MIT */
/*
 * Call chains as numbers, and their frames. A chain is looked up when it is first asked for; its
 * frames are kept as ids, a frame once for each distinct place.
 */
#include "api/describe_place_internal.h"
#include "api/input_internal.h"

uint32_t pfx_input_stack(struct pfx_input *input)
{
	const struct pfx_sample *sample = pfx_input_last(input);
	struct pfx_thread *thread;
	uint32_t chain = 0;

	if (!sample)
		return 0;
	thread = pfx_input_thread_of(input);
	if (sample->chain.nr || sample->stack.size)
		chain = pfx_resolve_chain_id(input->resolver, thread, sample);
	return chain ? chain : pfx_resolve_lone_chain(input->resolver, thread, sample);
}

uint32_t pfx_input_nr_stacks(const struct pfx_input *input)
{
	return input ? pfx_resolver_nr_chains(input->resolver) : 0;
}

static uint32_t frame_of(struct pfx_input *input, struct pfx_place *place)
{
	uint32_t *slot = pfx_vec_slot(&input->by_place, place->id);

	if (!*slot) {
		*slot = (uint32_t)input->frames.nr + 1;
		pfx_api_describe(input->resolver, place, input->flags, pfx_vec_add(&input->frames));
	}
	return *slot - 1;
}

static const struct pfx_input_frames *frames_of(struct pfx_input *input, uint32_t stack)
{
	struct pfx_input_frames *known = pfx_vec_slot(&input->stacks, stack);
	struct pfx_place **places;
	uint32_t i;

	if (known->is_known)
		return known;
	known->first = (uint32_t)input->frame_ids.nr;
	known->nr = pfx_chain_frames(input->resolver, stack, &places);
	for (i = 0; i < known->nr; i++)
		pfx_vec_push(&input->frame_ids, frame_of(input, places[i]));
	known->is_known = true;
	return known;
}

uint32_t pfx_input_nr_frames(struct pfx_input *input, uint32_t stack)
{
	return stack && stack < pfx_input_nr_stacks(input) ? frames_of(input, stack)->nr : 0;
}

uint32_t pfx_input_frame_id(struct pfx_input *input, uint32_t stack, uint32_t i)
{
	uint32_t first;

	if (!input)
		return 0;
	first = frames_of(input, stack)->first; /* may move the vector */
	return input->frame_ids.at[first + i];
}

void pfx_input_frame(struct pfx_input *input, uint32_t stack, uint32_t i, struct pfx_frame *ret)
{
	const struct pfx_frame *frame;
	uint32_t id;

	if (!input)
		return;
	id = pfx_input_frame_id(input, stack, i); /* may move the vector */
	frame = &input->frames.at[id];
	pfx_api_give(ret, frame, sizeof(*frame));
}
