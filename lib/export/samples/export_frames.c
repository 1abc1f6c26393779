/* SPDX-License-Identifier: MIT */
/* Recognizes inlined functions and code of JIT compilers; texts that several formats write. */
#include "export/samples/export_frames.h"

#include <string.h>

#include "base/alloc.h"

bool pfx_export_is_in_parent(const struct pfx_selection *selection, uint32_t node)
{
	const struct pfx_profile *profile = selection->profile;
	uint32_t parent = selection->nodes.parent[node];
	const struct pfx_profile_frame *frame, *outer;

	if (!parent)
		return false;
	frame = &profile->frames[selection->nodes.frame[node]];
	outer = &profile->frames[selection->nodes.frame[parent]];
	return profile->functions[frame->function].is_inlined && frame->dso == outer->dso &&
	       frame->address == outer->address;
}

bool pfx_export_is_jit(const struct pfx_profile_dso *dso)
{
	return dso->kind == PFX_DSO_JITDUMP || dso->kind == PFX_DSO_ANON;
}

const char **pfx_export_files(const struct pfx_profile *profile)
{
	const char **files = pfx_calloc(profile->nr_functions + 1ul, sizeof(*files));
	uint32_t i;

	for (i = 0; i < profile->nr_frames; i++)
		if (!files[profile->frames[i].function])
			files[profile->frames[i].function] = profile->frames[i].file;
	return files;
}

void pfx_export_add_build_id(struct pfx_str *to, const struct pfx_profile_dso *dso)
{
	unsigned i;

	for (i = 0; i < dso->build_id_size; i++)
		pfx_str_hex0(to, dso->build_id[i], 2);
}

void pfx_export_add_words(struct pfx_str *to, const struct pfx_env_strings *words, uint32_t from)
{
	uint32_t i;

	for (i = from; i < words->nr; i++)
		pfx_str_addf(to, "%s%s", i > from ? " " : "", words->at[i]);
}

/* Without the folder of the first word, which is the program: a title has little room. */
static const char *without_folder(const char *words)
{
	const char *at = words, *end = words + strcspn(words, " ");

	while ((words = memchr(at, '/', (size_t)(end - at))))
		at = words + 1;
	return at;
}

void pfx_export_add_title(const struct pfx_meta *meta, struct pfx_str *to)
{
	const struct pfx_env_strings *words = &meta->env.cmdline;
	struct pfx_str text = {0};
	uint32_t i, from = 0;

	for (i = 0; i < words->nr; i++)
		if (!strcmp(words->at[i], "--"))
			from = i + 1;
	pfx_export_add_words(&text, words, from < words->nr ? from : 0);
	if (!text.len)
		pfx_str_add(&text, "profile");
	pfx_str_add(to, without_folder(pfx_str_get(&text)));
	pfx_str_fini(&text);
}
