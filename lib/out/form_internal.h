/* SPDX-License-Identifier: MIT */
/* The functions of the output forms, one in a file, each described there. */
#ifndef PFX_OUT_FORM_INTERNAL_H
#define PFX_OUT_FORM_INTERNAL_H

#include "out/form.h"

#define PFX_FORM_FUNCTION(name, help, also, function) \
	int function(const struct pfx_form_rows *from, struct pfx_str *to);
PFX_FORMS_OF_ROWS(PFX_FORM_FUNCTION)

#endif
