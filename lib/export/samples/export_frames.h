/* SPDX-License-Identifier: MIT */
/* What several formats write of frames, functions and binaries, and of the recording. */
#ifndef PFX_EXPORT_EXPORT_FRAMES_INTERNAL_H
#define PFX_EXPORT_EXPORT_FRAMES_INTERNAL_H

#include "base/str.h"
#include "event/meta.h"
#include "view/select/selection.h"

/* Whether a node is a function inlined in its parent: at the same address, with
 * PFX_FRAMES_BY_ADDRESS. */
bool pfx_export_is_in_parent(const struct pfx_selection *selection, uint32_t node);
/* Whether it is code that a JIT compiler made. */
bool pfx_export_is_jit(const struct pfx_profile_dso *dso);
/* By function: the source file of its first frame that has one, or NULL. The caller frees the
 * array. */
const char **pfx_export_files(const struct pfx_profile *profile);
/* In hexadecimal; nothing if it is unknown. */
void pfx_export_add_build_id(struct pfx_str *to, const struct pfx_profile_dso *dso);
/* The words of a command line from a word on, separated by blanks. */
void pfx_export_add_words(struct pfx_str *to, const struct pfx_env_strings *words, uint32_t from);
/* What the recording is of: the recorded command, or else the recorder's command line. */
void pfx_export_add_title(const struct pfx_meta *meta, struct pfx_str *to);

#endif
