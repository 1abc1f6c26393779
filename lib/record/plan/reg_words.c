/* SPDX-License-Identifier: MIT */
#include "record/plan/reg_words.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>

#include "arch/arch.h"
#include "base/str.h"
#include "sys/counter/regs_probe.h"

/* All registers that can be sampled at an interrupt; vector registers only if the CPU has them. */
static uint64_t all_intr_regs(void)
{
	uint64_t vectors = pfx_arch_host_vector_regs();

	if (vectors && !pfx_regs_probe(vectors))
		vectors = 0;
	return pfx_arch_host_user_regs() | vectors;
}

static uint64_t registers(bool at_interrupt)
{
	return at_interrupt ? all_intr_regs() : pfx_arch_host_user_regs();
}

/* The bits of @all with this name: several for a register of several words. */
static uint64_t regs_called(const char *at, size_t len, uint64_t all)
{
	uint64_t found = 0;
	struct utsname host;
	unsigned bit;

	uname(&host);
	for (bit = 0; bit < 64; bit++) {
		const char *name = all >> bit & 1 ? pfx_arch_reg_name(host.machine, bit) : NULL;

		if (name && strlen(name) == len && !strncasecmp(name, at, len))
			found |= 1ull << bit;
	}
	return found;
}

static void add_names(struct pfx_str *to, uint64_t all)
{
	const char *name, *last = "";
	struct utsname host;
	unsigned bit;

	uname(&host);
	for (bit = 0; bit < 64; bit++) {
		name = all >> bit & 1 ? pfx_arch_reg_name(host.machine, bit) : NULL;
		if (name && strcmp(name, last) != 0)
			pfx_str_addf(to, " %s", name);
		last = name ? name : last;
	}
}

int pfx_reg_words_parse(const char *arg, bool at_interrupt, uint64_t *ret, struct pfx_error *err)
{
	uint64_t all = registers(at_interrupt);
	struct pfx_str names = {0};
	char word[32], shown[64];
	uint64_t found;
	size_t len;

	if (!all)
		return pfx_error_set(err, ENOTSUP,
				     "the kernel shows no registers on this kind of CPU");
	*ret = arg ? 0 : all;
	for (; arg; arg = arg[len] ? arg + len + 1 : NULL) {
		len = strcspn(arg, ",");
		found = regs_called(arg, len, all);
		*ret |= found;
		if (found)
			continue;
		snprintf(word, sizeof(word), "%.*s", (int)len, arg);
		pfx_error_set(err, EINVAL, "there is no register '%s'",
			      pfx_escape(shown, sizeof(shown), word));
		add_names(&names, all);
		pfx_error_hint(err, "registers are%s", pfx_str_get(&names));
		pfx_str_fini(&names);
		return -EINVAL;
	}
	return 0;
}

void pfx_reg_words_add(struct pfx_str *to, bool at_interrupt)
{
	add_names(to, registers(at_interrupt));
}
