/* SPDX-License-Identifier: MIT */
/*
 * Other fields of samples: branch stacks as addresses, symbols or offsets, registers, and data
 * sources.
 */
#include <stdio.h>

#include "arch/arch.h"
#include "event/mem_text.h"
#include "script/script_internal.h"

static void add_branch_dso(struct pfx_script *s, const struct pfx_place *place)
{
	pfx_str_addc(&s->out, '(');
	pfx_str_add_foreign(&s->out, pfx_script_dso_name(s, place->dso));
	pfx_str_addc(&s->out, ')');
}

static void add_branch_symbol(struct pfx_script *s, struct pfx_place *place)
{
	const struct pfx_symbol *sym = pfx_place_symbol(s->view.resolver, place);

	if (!sym) {
		pfx_str_add(&s->out, "[unknown]");
		return;
	}
	pfx_str_add_foreign(&s->out, sym->name);
	pfx_str_add(&s->out, "+0x");
	pfx_str_hex(&s->out, place->addr - sym->start, 0);
}

/* One end of a branch. */
static void add_end(struct pfx_script *s, uint64_t fields, struct pfx_thread *thread, uint64_t addr)
{
	struct pfx_place *place = NULL;

	if (fields & (PFX_SCRIPT_BRSTACKSYM | PFX_SCRIPT_BRSTACKOFF | PFX_SCRIPT_DSO))
		place = pfx_resolve(s->view.resolver, thread, PFX_MODE_UNKNOWN, addr);
	if (fields & PFX_SCRIPT_BRSTACK) {
		pfx_str_add(&s->out, "0x");
		pfx_str_hex(&s->out, addr, 0);
	} else if (fields & PFX_SCRIPT_BRSTACKSYM) {
		add_branch_symbol(s, place);
	} else {
		pfx_str_add(&s->out, "0x");
		pfx_str_hex(&s->out, place->map ? place->addr : addr, 0);
	}
	if (fields & PFX_SCRIPT_DSO)
		add_branch_dso(s, place);
}

/* "/P/-/-/4/CALL ": prediction, in a transaction, aborted a transaction, cycles, type. */
static void add_branch_flags(struct pfx_str *to, const struct pfx_branch *b)
{
	char text[] = "/-/-/-/";

	if (pfx_branch_mispred(b) || pfx_branch_predicted(b))
		text[1] = pfx_branch_mispred(b) ? 'M' : 'P';
	if (pfx_branch_in_tx(b))
		text[3] = 'X';
	if (pfx_branch_abort(b))
		text[5] = 'A';
	pfx_str_addn(to, text, sizeof(text) - 1);
	pfx_str_u64(to, pfx_branch_cycles(b), 0);
	pfx_str_addc(to, '/');
	pfx_str_add(to, pfx_branch_type_name(b));
	pfx_str_addc(to, ' ');
}

void pfx_script_text_branches(const struct pfx_form_record *line)
{
	const struct pfx_sample *sample = line->sample;
	uint64_t fields = line->event->fields, i;
	struct pfx_script *s = line->script;

	/* only one form: the first selected of these */
	if (fields & PFX_SCRIPT_BRSTACK)
		fields &= ~(PFX_SCRIPT_BRSTACKSYM | PFX_SCRIPT_BRSTACKOFF);
	if (fields & PFX_SCRIPT_BRSTACKSYM)
		fields &= ~PFX_SCRIPT_BRSTACKOFF;
	for (i = 0; i < sample->branch.nr; i++) {
		struct pfx_branch b = pfx_branch_at(&sample->branch, i);

		if (!(fields & PFX_SCRIPT_BRSTACKSYM))
			pfx_str_addc(&s->out, ' ');
		add_end(s, fields, line->thread, b.from);
		pfx_str_addc(&s->out, '/');
		add_end(s, fields, line->thread, b.to);
		add_branch_flags(&s->out, &b);
	}
}

static void add_regs(struct pfx_script *s, const struct pfx_regs *regs)
{
	const char *machine = s->view.meta->env.arch;
	uint64_t i = 0;
	unsigned bit;

	if (!regs->abi || !regs->values.nr)
		return;
	pfx_str_addf(&s->out, " ABI:%llu ", (unsigned long long)regs->abi);
	for (bit = 0; bit < 64 && i < regs->values.nr; bit++) {
		const char *name = machine ? pfx_arch_reg_name(machine, bit) : NULL;
		char number[16];

		if (!(regs->mask >> bit & 1))
			continue;
		snprintf(number, sizeof(number), "#%u", bit);
		pfx_str_addf(&s->out, "%5s:0x", name ? name : number);
		pfx_str_hex(&s->out, pfx_word(&regs->values, i++), 0);
		pfx_str_addc(&s->out, ' ');
	}
}

void pfx_script_text_iregs(const struct pfx_form_record *line)
{
	add_regs(line->script, &line->sample->regs_intr);
}

void pfx_script_text_uregs(const struct pfx_form_record *line)
{
	add_regs(line->script, &line->sample->regs_user);
}

/* Padded to the longest text so far. */
void pfx_script_text_data_src(const struct pfx_form_record *line)
{
	uint64_t src = line->sample->data_src;
	struct pfx_script *s = line->script;
	size_t start, len;

	pfx_str_hex(&s->out, src, 16);
	pfx_str_addc(&s->out, ' ');
	start = s->out.len;
	pfx_mem_text(src, &s->out);
	len = s->out.len - start;
	if (len > s->data_src_width)
		s->data_src_width = len;
	pfx_str_pad(&s->out, ' ', s->data_src_width - len);
}
