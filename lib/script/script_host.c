/* SPDX-License-Identifier: MIT */
/* Output and messages through the host. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "script/script_internal.h"

int pfx_script_flush(struct pfx_script *s, size_t above, struct pfx_error *err)
{
	if (s->out.len <= above)
		return 0;
	return s->host.write(s->host.ctx, &s->out, err);
}

void pfx_script_note(const struct pfx_script *s, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) >= 0)
		s->host.note(s->host.ctx, text);
	va_end(args);
	free(text);
}
