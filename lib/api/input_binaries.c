/* SPDX-License-Identifier: MIT */
/* The binaries of a recording and their build IDs. `pfx buildid-list` is made of these functions.
 */
#include "api/for_program.h"
#include "api/input_internal.h"

int pfx_input_find_binaries(struct pfx_input *input, uint32_t flags, struct pfx_binaries *ret,
			    struct pfx_error *err)
{
	const struct pfx_id_listing_options how = {
		.with_hits = flags & PFX_BINARIES_WITH_SAMPLES,
		.read_all = input && input->flags & PFX_INPUT_STRICT,
	};
	struct pfx_binaries found = {0};
	int rc;

	if (!input)
		return pfx_api_missing("input", err);
	pfx_keep_list_free(&input->binaries.list);
	/* no frames are needed: stacks are not unwound */
	pfx_recording_batch_forget(input->recording);
	input->item = (struct pfx_item){0};
	rc = pfx_recording_list_ids(input->recording, &how, &input->binaries, err);
	found.from_table = input->binaries.from_table;
	found.nr_known = input->binaries.nr_binaries;
	found.nr_with_samples = input->binaries.nr_hit;
	pfx_api_give(ret, &found, sizeof(found));
	return pfx_api_rc(rc, err);
}

uint32_t pfx_input_nr_binaries(const struct pfx_input *input)
{
	return input ? (uint32_t)input->binaries.list.builds.nr : 0;
}

void pfx_input_binary(const struct pfx_input *input, uint32_t i, struct pfx_binary_info *ret)
{
	struct pfx_binary_info info = {0};
	const struct pfx_kept *build;

	if (!input)
		return;
	build = &input->binaries.list.builds.at[i];
	info.path = build->name;
	info.id_bytes = build->id.size;
	info.build_id = info.id_bytes ? build->id.data : NULL;
	pfx_api_give(ret, &info, sizeof(info));
}

const struct pfx_recording *pfx_input_recording(const struct pfx_input *input)
{
	return input ? input->recording : NULL;
}
