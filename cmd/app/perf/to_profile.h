/* SPDX-License-Identifier: MIT */
/* The program that is called perf_to_profile. */
#ifndef PFX_CMD_TO_PROFILE_H
#define PFX_CMD_TO_PROFILE_H

/* Started as perf_to_profile, which `go tool pprof` runs on recordings: replace the words by those
 * of `export pprof`. They are used until the program ends. */
void pfx_to_profile_words(int *argc, char ***argv);

#endif
