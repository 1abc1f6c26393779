/* SPDX-License-Identifier: MIT */
/* Names and marks of folded stacks. */
#include "out/folded_names.h"

void pfx_folded_add_name(struct pfx_str *to, const char *name)
{
	size_t start = to->len;

	pfx_str_add_foreign(to, name);
	for (; start < to->len; start++)
		if (to->at[start] == ';')
			to->at[start] = ':';
}

void pfx_folded_add_frame(struct pfx_str *to, const struct pfx_folded_frame *frame)
{
	if (frame->name) {
		pfx_folded_add_name(to, frame->name);
	} else {
		pfx_str_addc(to, '[');
		pfx_folded_add_name(to, frame->dso ? frame->dso : "unknown");
		pfx_str_addc(to, ']');
	}
	if (frame->is_kernel)
		pfx_str_add(to, "_[k]");
	if (frame->is_jit)
		pfx_str_add(to, "_[j]");
	if (frame->is_inlined)
		pfx_str_add(to, "_[i]");
}
