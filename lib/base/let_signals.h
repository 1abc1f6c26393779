/* SPDX-License-Identifier: MIT */
/* Waits that nothing but a signal would end. */
#ifndef PFX_BASE_LET_SIGNALS_H
#define PFX_BASE_LET_SIGNALS_H

#include <signal.h>

/* Let SIGINT, SIGTERM and SIGHUP end the program, for a wait that nothing else would end;
 * sigprocmask() with *@ret_old takes it back. */
void pfx_let_signals_end(sigset_t *ret_old);

#endif
