/* SPDX-License-Identifier: MIT */
/* The flags of a transaction as words. */
#include "hist/key_text.h"

void pfx_transaction_text(uint64_t transaction, struct pfx_str *to)
{
	static const char *const names[] = {"EL ",    "TX ",  "SYNC ",      "ASYNC ",
					    "RETRY ", "CON ", "CAP-WRITE ", "CAP-READ "};
	unsigned i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (transaction >> i & 1)
			pfx_str_add(to, names[i]);
	if (transaction && !(transaction & 12))
		pfx_str_add(to, "NEITHER ");
	if (transaction >> 32)
		pfx_str_addf(to, ":%x ", (unsigned)(transaction >> 32));
}
