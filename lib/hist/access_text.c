/* SPDX-License-Identifier: MIT */
/*
 * Words for keys about how memory was accessed: which part of data_src belongs to which key, and
 * the flags of transactions. Knows no rows.
 */
#include "event/mem_text.h"
#include "hist/key_text.h"

void pfx_access_text(enum pfx_key key, uint64_t data_src, struct pfx_str *to)
{
	switch (key) {
	case PFX_KEY_LOCKED:
		pfx_mem_lock_text(data_src, to);
		break;
	case PFX_KEY_TLB:
		pfx_mem_tlb_text(data_src, to);
		break;
	case PFX_KEY_MEM:
		pfx_mem_level_text(data_src, to);
		break;
	case PFX_KEY_SNOOP:
		pfx_mem_snoop_text(data_src, to);
		break;
	default:
		pfx_mem_block_text(data_src, to);
		break;
	}
}

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
