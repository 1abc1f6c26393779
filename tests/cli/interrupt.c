/* SPDX-License-Identifier: MIT */
/* Loaded in front of pfx: Ctrl-C is pressed in the moment in which pfx begins to catch it once. */
#include <dlfcn.h>
#include <signal.h>

int sigaction(int signo, const struct sigaction *action, struct sigaction *old)
{
	static int (*real)(int, const struct sigaction *, struct sigaction *);
	int rc;

	if (!real)
		real = (int (*)(int, const struct sigaction *, struct sigaction *))dlsym(
			RTLD_NEXT, "sigaction");
	rc = real(signo, action, old);
	if (!rc && signo == SIGINT && action && (action->sa_flags & (int)SA_RESETHAND))
		raise(SIGINT);
	return rc;
}
