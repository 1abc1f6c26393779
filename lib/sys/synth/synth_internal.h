/* SPDX-License-Identifier: MIT */
/* Shared by the synth_*.c files: where records go. */
#ifndef PFX_SYS_SYNTH_INTERNAL_H
#define PFX_SYS_SYNTH_INTERNAL_H

#include "event/record.h"
#include "sys/host/proc.h"
#include "sys/synth/synth.h"

/* Append @body with a zeroed trailer; omitted if too long for a record. */
void pfx_synth_put(const struct pfx_synth_options *options, struct pfx_body *body,
		   struct pfx_buffer *to);

#endif
