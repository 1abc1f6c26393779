/* SPDX-License-Identifier: MIT */
/* The dump of a SAMPLE (section 5.9 of Documentation/file-format.md): one line, then the call
 * chain, branches, registers and values. */
#include <inttypes.h>
#include <stdio.h>

#include "event/dump_internal.h"

static void add_chain(const struct pfx_words *chain, struct pfx_str *to)
{
	uint64_t i;

	pfx_str_addf(to, "\n... FP chain: nr:%" PRIu64, chain->nr);
	for (i = 0; i < chain->nr; i++)
		pfx_str_addf(to, "\n..... %2" PRIu64 ": %016" PRIx64, i, pfx_word(chain, i));
}

static void add_branch(const struct pfx_branch *b, struct pfx_str *to)
{
	static const char *const spec[4] = {"", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH",
					    "SPEC_CORRECT_PATH"};
	static const char *const priv[8] = {"", "USER", "KERNEL", "HV", "", "", "", ""};
	const char *words[] = {pfx_branch_type_name(b), spec[pfx_branch_spec(b)],
			       priv[pfx_branch_priv(b)]};
	size_t i;

	pfx_str_addf(to, "%016" PRIx64 " -> %016" PRIx64 " %u cycles ", b->from, b->to,
		     (unsigned)pfx_branch_cycles(b));
	pfx_str_addc(to, pfx_branch_mispred(b) ? 'M' : ' ');
	pfx_str_addc(to, pfx_branch_predicted(b) ? 'P' : ' ');
	pfx_str_addc(to, pfx_branch_abort(b) ? 'A' : ' ');
	pfx_str_addc(to, pfx_branch_in_tx(b) ? 'T' : ' ');
	pfx_str_addf(to, " %x ", (unsigned)(b->flags >> 33));
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!*words[i])
			continue;
		pfx_str_add(to, words[i]);
		pfx_str_addc(to, ' ');
	}
}

static void add_branches(const struct pfx_branch_stack *stack, struct pfx_str *to)
{
	uint64_t i;

	pfx_str_addf(to, "\n... branch stack: nr:%" PRIu64, stack->nr);
	for (i = 0; i < stack->nr; i++) {
		struct pfx_branch b = pfx_branch_at(stack, i);

		pfx_str_addf(to, "\n..... %2" PRIu64 ": ", i);
		add_branch(&b, to);
		if (i < stack->counters.nr)
			pfx_str_addf(to, "counters: 0x%" PRIx64 " ", pfx_word(&stack->counters, i));
	}
	if (stack->hw_idx != UINT64_MAX)
		pfx_str_addf(to, "\n... branch hw_idx: %" PRIu64, stack->hw_idx);
}

static void add_regs(const char *kind, const struct pfx_regs *regs,
		     const struct pfx_dump_context *ctx, struct pfx_str *to)
{
	static const char *const abi[] = {"none", "32-bit", "64-bit"};
	char number[16];
	uint64_t i = 0;
	unsigned bit;

	if (!regs->values.nr)
		return;
	pfx_str_addf(to, "\n... %s regs: mask 0x%" PRIx64 " ABI %s", kind, regs->mask,
		     regs->abi < 3 ? abi[regs->abi] : "unknown");
	for (bit = 0; bit < 64 && i < regs->values.nr; bit++) {
		const char *name =
			ctx->reg_name && ctx->machine ? ctx->reg_name(ctx->machine, bit) : NULL;

		if (!(regs->mask >> bit & 1))
			continue;
		snprintf(number, sizeof(number), "#%u", bit);
		pfx_str_addf(to, "\n.... %-5s 0x%016" PRIx64, name ? name : number,
			     pfx_word(&regs->values, i++));
	}
}

static void add_page_size(const char *what, uint64_t size, struct pfx_str *to)
{
	static const char units[] = "BKMGT";
	unsigned unit = 0;

	pfx_str_addf(to, "\n .. %s page size: ", what);
	if (!size) {
		pfx_str_add(to, "N/A");
		return;
	}
	for (; unit < 4 && size % 1024 == 0; unit++)
		size /= 1024;
	pfx_str_addf(to, "%" PRIu64 "%c", size, units[unit]);
}

static void add_weight(const struct pfx_sample *s, struct pfx_str *to)
{
	pfx_str_addf(to, "\n... weight: %" PRIu64, s->weight);
	if (s->type & PFX_SAMPLE_WEIGHT_STRUCT)
		pfx_str_addf(to, ",0x%x,0x%x", s->weight2, s->weight3);
}

/* The numeric fields that are on lines of their own. */
static void add_numbers(const struct pfx_sample *s, struct pfx_str *to)
{
	if (s->type & (PFX_SAMPLE_WEIGHT | PFX_SAMPLE_WEIGHT_STRUCT))
		add_weight(s, to);
	if (s->type & PFX_SAMPLE_DATA_SRC)
		pfx_str_addf(to, "\n . data_src: 0x%" PRIx64, s->data_src);
	if (s->type & PFX_SAMPLE_PHYS_ADDR)
		pfx_str_addf(to, "\n .. phys_addr: 0x%" PRIx64, s->phys_addr);
	if (s->type & PFX_SAMPLE_DATA_PAGE_SIZE)
		add_page_size("data", s->data_page_size, to);
	if (s->type & PFX_SAMPLE_CODE_PAGE_SIZE)
		add_page_size("code", s->code_page_size, to);
	if (s->type & PFX_SAMPLE_TRANSACTION)
		pfx_str_addf(to, "\n... transaction: %" PRIx64, s->transaction);
	if (s->type & PFX_SAMPLE_CGROUP)
		pfx_str_addf(to, "\n .. cgroup: %" PRIu64, s->cgroup);
	if (s->type & (PFX_SAMPLE_ID | PFX_SAMPLE_IDENTIFIER))
		pfx_str_addf(to, "\n... id: %" PRIu64, s->id);
	if (s->type & PFX_SAMPLE_STREAM_ID)
		pfx_str_addf(to, "\n... stream id: %" PRIu64, s->stream_id);
}

static void add_read(const struct pfx_sample *s, const struct pfx_attr *attr, struct pfx_str *to)
{
	uint64_t i, format = attr->read_format;
	struct pfx_read read;

	if (!pfx_sample_read(s, attr, &read))
		return;
	pfx_str_add(to, "\n... sample_read:");
	if (format & PFX_FORMAT_ENABLED)
		pfx_str_addf(to, "\n...... time enabled %016" PRIx64, read.enabled);
	if (format & PFX_FORMAT_RUNNING)
		pfx_str_addf(to, "\n...... time running %016" PRIx64, read.running);
	if (format & PFX_FORMAT_GROUP)
		pfx_str_addf(to, "\n.... group nr %" PRIu64, read.nr);
	for (i = 0; i < read.nr && i < PFX_READ_MAX; i++) {
		pfx_str_add(to, "\n.....");
		if (format & PFX_FORMAT_ID)
			pfx_str_addf(to, " id %016" PRIx64 ",", read.values[i].id);
		pfx_str_addf(to, " value %016" PRIx64, read.values[i].value);
		if (format & PFX_FORMAT_LOST)
			pfx_str_addf(to, ", lost %" PRIu64, read.values[i].lost);
	}
}

void pfx_dump_sample(const struct pfx_record *rec, const struct pfx_dump_context *ctx,
		     struct pfx_str *to)
{
	const struct pfx_attr *attr = rec->event ? &rec->event->attr : NULL;
	struct pfx_sample s;

	if (!attr || !pfx_sample_decode(rec, attr, &s)) {
		pfx_str_add(to, attr ? ": malformed" : ": of no event");
		return;
	}
	pfx_str_addf(to, "(IP, 0x%x): %d/%d: ", rec->misc, (int32_t)s.pid, (int32_t)s.tid);
	pfx_dump_hex_number(to, s.ip);
	pfx_str_addf(to, " period: %" PRIu64 " addr: ", s.period);
	pfx_dump_hex_number(to, s.addr);
	if (s.type & PFX_SAMPLE_CALLCHAIN)
		add_chain(&s.chain, to);
	if (s.type & PFX_SAMPLE_BRANCH_STACK)
		add_branches(&s.branch, to);
	add_regs("user", &s.regs_user, ctx, to);
	add_regs("intr", &s.regs_intr, ctx, to);
	if (s.type & PFX_SAMPLE_STACK_USER)
		pfx_str_addf(to, "\n... ustack: size %" PRIu64 ", offset 0x%" PRIx64,
			     s.stack_dyn_size, (uint64_t)(s.stack.at - rec->bytes));
	add_numbers(&s, to);
	if (s.type & PFX_SAMPLE_READ)
		add_read(&s, attr, to);
	if (s.type & PFX_SAMPLE_RAW)
		pfx_str_addf(to, "\n .. raw: %" PRIu64 " bytes", s.raw.size);
	if (s.type & PFX_SAMPLE_AUX)
		pfx_str_addf(to, "\n .. aux: %" PRIu64 " bytes", s.aux.size);
}
