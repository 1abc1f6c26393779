/* SPDX-License-Identifier: MIT */
/* Divides the words of `pfx flamegraph` among its own options, those of `pfx export` and those of
 * `pfx record`. */
#ifndef PFX_CMD_FLAMEGRAPH_WORDS_H
#define PFX_CMD_FLAMEGRAPH_WORDS_H

#include <stdbool.h>

#include "base/alloc.h"
#include "cli/options.h"

struct pfx_word_list {
	char **at;
	size_t nr, cap;
};

struct pfx_flamegraph_words {
	/* Each begins with the command's name; NULL follows its words. */
	struct pfx_word_list own, export, record;
	bool has_input;      /* -i: a recording is read, and nothing recorded */
	bool has_chains;     /* an option about call chains */
	const char *program; /* the first word that is not an option, unless after --; NULL */
	const char *refused; /* an option of the recorder that makes several files; NULL: none */
};

/* Words from argv[1] on; @own: the table of the command's own options. In a recording command,
 * options that both have are the recorder's. */
void pfx_flamegraph_divide(const struct pfx_option *own, int argc, char **argv,
			   struct pfx_flamegraph_words *ret);
void pfx_flamegraph_words_fini(struct pfx_flamegraph_words *words);

#endif
