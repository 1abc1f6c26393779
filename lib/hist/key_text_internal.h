/* SPDX-License-Identifier: MIT */
/* The functions for the text of keys, for their rows in hist_keys.c. */
#ifndef PFX_HIST_KEY_TEXT_INTERNAL_H
#define PFX_HIST_KEY_TEXT_INTERNAL_H

#include "hist/key_text.h"

#define PFX_KEY_TEXT(name)                                                                    \
	void pfx_key_##name##_text(const struct pfx_key_text *how, const struct pfx_row *row, \
				   const struct pfx_key_info *info, unsigned width,           \
				   struct pfx_str *to);
#define PFX_KEY_WIDTH(name)                                                                        \
	unsigned pfx_key_##name##_width(const struct pfx_key_text *how, const struct pfx_row *row, \
					const struct pfx_key_info *info, unsigned len);

PFX_KEY_TEXT(comm)
PFX_KEY_TEXT(source)
PFX_KEY_TEXT(dso)
PFX_KEY_TEXT(other_dso)
PFX_KEY_TEXT(symbol)
PFX_KEY_TEXT(symoff)
PFX_KEY_TEXT(code_symbol)
PFX_KEY_TEXT(end)
PFX_KEY_TEXT(end_address)
PFX_KEY_TEXT(data_symbol)
PFX_KEY_TEXT(data_line)
PFX_KEY_TEXT(physical)
PFX_KEY_TEXT(lock)
PFX_KEY_TEXT(tlb)
PFX_KEY_TEXT(mem)
PFX_KEY_TEXT(snoop)
PFX_KEY_TEXT(block)
PFX_KEY_TEXT(mispredict)
PFX_KEY_TEXT(in_tx)
PFX_KEY_TEXT(abort)
PFX_KEY_TEXT(cycles)
PFX_KEY_TEXT(ipc)
PFX_KEY_TEXT(no_ipc)
PFX_KEY_TEXT(symbol_size)
PFX_KEY_TEXT(dso_size)
PFX_KEY_TEXT(address)
PFX_KEY_TEXT(number)
PFX_KEY_TEXT(sum)
PFX_KEY_TEXT(transaction)
PFX_KEY_TEXT(page)
PFX_KEY_TEXT(time)
PFX_KEY_TEXT(cgroup)
PFX_KEY_TEXT(cgroup_id)
PFX_KEY_TEXT(thread)
PFX_KEY_TEXT(cpu)
PFX_KEY_TEXT(socket)
PFX_KEY_TEXT(trace)
PFX_KEY_TEXT(simd)
PFX_KEY_TEXT(predicted)
PFX_KEY_TEXT(aborts)
PFX_KEY_TEXT(chain_cycles)

PFX_KEY_WIDTH(symbol)
PFX_KEY_WIDTH(end)
PFX_KEY_WIDTH(data_symbol)
PFX_KEY_WIDTH(data_line)
PFX_KEY_WIDTH(code_symbol)
PFX_KEY_WIDTH(transaction)
PFX_KEY_WIDTH(time)
PFX_KEY_WIDTH(no)

#endif
