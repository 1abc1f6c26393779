/* SPDX-License-Identifier: MIT */
/* Default forms of output that depend on the name of the program. */
#ifndef PFX_CMD_FORMS_H
#define PFX_CMD_FORMS_H

#include <stdbool.h>

struct pfx_meta;

/* Whether inlined functions are frames of their own. @wanted: --inline, @given: by the user. As
 * perf only in chains from stack dumps, unless given. */
bool pfx_form_inlines(const struct pfx_meta *meta, bool wanted, bool given);
/* Whether callees are added to their callers, likewise. As perf not for a stream, unless given. */
bool pfx_form_children(const struct pfx_meta *meta, bool wanted, bool given);

#endif
