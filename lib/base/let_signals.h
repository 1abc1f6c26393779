/* SPDX-License-Identifier: MIT */
/* Termination signals during waits without a time limit. */
#ifndef PFX_BASE_LET_SIGNALS_H
#define PFX_BASE_LET_SIGNALS_H

#include <signal.h>

/* Unblock SIGINT, SIGTERM and SIGHUP, so that they end the program during a wait without a time
 * limit; sigprocmask() with *@ret_old blocks them again. */
void pfx_let_signals_end(sigset_t *ret_old);

#endif
