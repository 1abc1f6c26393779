/* SPDX-License-Identifier: MIT */
/* The functions of the formats, one in a file, each described there. */
#ifndef PFX_EXPORT_EXPORT_INTERNAL_H
#define PFX_EXPORT_EXPORT_INTERNAL_H

#include "export/export.h"

#define PFX_EXPORT_FUNCTION(name, help, needs, frames, measure, function) \
	void function(const struct pfx_export_input *in, struct pfx_export_output *out);
PFX_EXPORTS(PFX_EXPORT_FUNCTION)

#endif
