/* SPDX-License-Identifier: MIT */
/* "fp", "fp,32", "fp,defer", "dwarf", "dwarf,16384", "lbr" and "no": how call chains are recorded.
 */
#ifndef PFX_RECORD_STACK_WORDS_H
#define PFX_RECORD_STACK_WORDS_H

#include "base/error.h"
#include "event/sampling.h"

/* Sets the members of @graph that @word is about; -EINVAL with a message if it is malformed.
 * @dump_size: bytes of a stack dump that is given without its size; NULL: PFX_STACK_DEFAULT. */
int pfx_stack_words_parse(const char *word, const char *dump_size, struct pfx_stack_options *graph,
			  struct pfx_error *err);

#endif
