/* SPDX-License-Identifier: MIT */
/* The data that samples access (code/data_profile.h) as text. */
#ifndef PFX_OUT_DATA_TEXT_H
#define PFX_OUT_DATA_TEXT_H

#include "code/data_profile.h"
#include "out/code/code_text.h"

/* A type with its members: their offset, size and value, for the events side by side. */
void pfx_data_text_type(const struct pfx_data_type *type, const struct pfx_code_style *style,
			const struct pfx_code_events *events, struct pfx_str *to);
/* How many samples have known data, and why others do not. */
void pfx_data_text_stat(const struct pfx_data_profile *profile, struct pfx_str *to);
/* The same by mnemonic. */
void pfx_data_text_insns(const struct pfx_data_profile *profile, struct pfx_str *to);

#endif
