/* SPDX-License-Identifier: MIT */
/*
 * Code in the lines of `pfx script`: the sampled instruction, and the instructions that ran between
 * the branches of a branch stack, from the target of one to the origin of the next. The bytes are
 * read from the recorded binary.
 */

#include "script/script_internal.h"

#define BLOCK_MAX  16384 /* bytes of code between two branches */
#define TAIL       PFX_SCRIPT_INSN_MAX
#define TEXT_WIDTH 30

/* State of printing one branch stack. */
struct stack_print {
	struct pfx_script *s;
	struct pfx_thread *thread;
	uint64_t fields;
	const struct pfx_event *event;
	const struct pfx_branch_stack *stack;
	uint64_t index;               /* of the current branch */
	const struct pfx_symbol *sym; /* of the previous line */
	uint64_t total_cycles;
};

/* Code in memory, and the end of the printed part. */
struct block {
	uint64_t start, end; /* addresses, including the instruction at the end */
	struct pfx_disasm *disasm;
	size_t size;
	uint8_t code[BLOCK_MAX];
};

static struct pfx_disasm *disasm_of(struct pfx_script *s, const struct pfx_place *place)
{
	struct pfx_code_kind kind = pfx_place_code_kind(s->view.resolver, place);
	unsigned wide = kind.is_64bit;

	if (kind.is_data)
		return NULL;
	if (!s->disasm[wide] && !s->tried_disasm[wide]) {
		s->tried_disasm[wide] = true;
		if (pfx_disasm_new(&s->disasm[wide], kind.machine, wide, NULL))
			s->disasm[wide] = NULL;
	}
	if (s->disasm[wide])
		pfx_disasm_use_thumb(s->disasm[wide], kind.is_thumb);
	return s->disasm[wide];
}

int pfx_script_check_disasm(struct pfx_script *s, const struct pfx_event *event,
			    struct pfx_error *err)
{
	const char *machine = s->view.meta->env.arch;

	if (s->disasm[1])
		return 0;
	s->tried_disasm[1] = true;
	return pfx_disasm_new(&s->disasm[1], machine, true, err);
}

void pfx_script_insn_fini(struct pfx_script *s)
{
	pfx_disasm_free(s->disasm[0]);
	pfx_disasm_free(s->disasm[1]);
}

static void add_bytes(struct pfx_str *to, const uint8_t *code, unsigned len)
{
	unsigned i;

	for (i = 0; i < len; i++) {
		pfx_str_addc(to, ' ');
		pfx_str_hex0(to, code[i], 2);
	}
}

bool pfx_script_insn_at(struct pfx_script *s, struct pfx_thread *thread,
			const struct pfx_sample *sample, struct pfx_script_insn *ret)
{
	struct pfx_place *place =
		pfx_resolve(s->view.resolver, thread, sample->cpumode, sample->ip);
	struct pfx_disasm *disasm = disasm_of(s, place);
	size_t size =
		disasm ? pfx_place_code(s->view.resolver, place, ret->code, sizeof(ret->code)) : 0;

	ret->text = (struct pfx_str){0};
	ret->len = 0;
	if (size)
		ret->len = pfx_disasm_one(disasm, ret->code, size, sample->ip, &ret->text).len;
	if (!ret->len)
		pfx_str_fini(&ret->text);
	return ret->len != 0;
}

/* The instruction that was sampled. */
void pfx_script_text_insn(const struct pfx_form_record *line)
{
	uint64_t fields = line->event->fields;
	struct pfx_script *s = line->script;
	struct pfx_script_insn insn;
	bool is_known = pfx_script_insn_at(s, line->thread, line->sample, &insn);

	if (fields & PFX_SCRIPT_INSNLEN)
		pfx_str_addf(&s->out, " ilen: %u", insn.len);
	if ((fields & PFX_SCRIPT_INSN) && is_known) {
		pfx_str_add(&s->out, " insn:");
		add_bytes(&s->out, insn.code, insn.len);
	}
	if ((fields & PFX_SCRIPT_DISASM) && is_known) {
		pfx_str_add(&s->out, "\t\t");
		pfx_str_add_escaped(&s->out, pfx_str_get(&insn.text), insn.text.len);
	}
	pfx_str_fini(&insn.text);
}

/* Load the code from @start to the instruction at @end. False if not available or too long. */
static bool load_block(struct stack_print *print, struct block *block, uint64_t start, uint64_t end)
{
	struct pfx_resolver *resolver = print->s->view.resolver;
	struct pfx_place *place;

	block->start = start;
	block->end = end;
	block->size = 0;
	if (end < start || end - start > BLOCK_MAX - TAIL)
		return false;
	place = pfx_resolve(resolver, print->thread, PFX_MODE_UNKNOWN, start);
	if (!place->map)
		return false;
	block->disasm = disasm_of(print->s, place);
	block->size = pfx_place_code(resolver, place, block->code, (size_t)(end - start) + TAIL);
	return block->disasm && block->size;
}

/* "\tname+off:\tfile:line" if the symbol has changed. */
static void add_symbol(struct stack_print *print, uint64_t addr)
{
	struct pfx_resolver *resolver = print->s->view.resolver;
	struct pfx_place *place = pfx_resolve(resolver, print->thread, PFX_MODE_UNKNOWN, addr);
	const struct pfx_symbol *sym = pfx_place_symbol(resolver, place);
	struct pfx_str *to = &print->s->out;
	const char *line = NULL;

	if (sym == print->sym)
		return;
	print->sym = sym;
	if (!sym)
		return;
	pfx_str_addc(to, '\t');
	pfx_str_add_foreign(to, sym->name);
	if (place->addr != sym->start)
		pfx_str_addf(to, "+%llu", (unsigned long long)(place->addr - sym->start));
	pfx_str_addc(to, ':');
	if (print->fields & PFX_SCRIPT_SRCLINE)
		line = pfx_place_srcline(resolver, place);
	if (line) {
		pfx_str_addc(to, '\t');
		pfx_str_add_foreign(to, line);
	}
	pfx_str_addc(to, '\n');
}

static void add_source(struct stack_print *print, uint64_t addr)
{
	struct pfx_script *s = print->s;

	if (print->fields & PFX_SCRIPT_SRCCODE)
		pfx_script_add_srccode(s, print->thread, addr);
}

/* "\taddress\tinsn: 75 ef ", without the newline; its instruction. */
static struct pfx_insn add_insn(struct stack_print *print, const struct block *block, uint64_t at,
				size_t width)
{
	const uint8_t *code = block->code + (at - block->start);
	size_t left = block->size - (size_t)(at - block->start), start;
	struct pfx_str text = {0}, *to = &print->s->out;
	struct pfx_insn insn = pfx_disasm_one(block->disasm, code, left, at, &text);

	pfx_str_addc(to, '\t');
	pfx_str_hex0(to, at, 16);
	pfx_str_addc(to, '\t');
	start = to->len;
	if (!insn.len) {
		pfx_str_add(to, "<bad>");
	} else if (print->fields & PFX_SCRIPT_BRSTACKDISASM) {
		pfx_str_add_escaped(to, text.at, text.len);
	} else {
		pfx_str_add(to, "insn:");
		add_bytes(to, code, insn.len);
		pfx_str_addc(to, ' ');
	}
	if (to->len - start < width)
		pfx_str_pad(to, ' ', width - (to->len - start));
	if (print->fields & PFX_SCRIPT_BRSTACKINSNLEN)
		pfx_str_addf(to, "\tilen: %u", insn.len);
	pfx_str_fini(&text);
	return insn;
}

/* The branch instruction with the flags of the branch. */
static struct pfx_insn add_jump(struct stack_print *print, const struct block *block, uint64_t at,
				const struct pfx_branch *b, unsigned nr_insns)
{
	struct pfx_insn insn = add_insn(print, block, at, TEXT_WIDTH);
	unsigned cycles = (unsigned)pfx_branch_cycles(b);
	struct pfx_str *to = &print->s->out;

	pfx_str_addc(to, '\t');
	if (print->fields & PFX_SCRIPT_BRCNTR)
		pfx_script_add_counters(print->s, print->event,
					pfx_word(&print->stack->counters, print->index));
	pfx_str_addc(to, '#');
	if (pfx_branch_predicted(b))
		pfx_str_add(to, " PRED");
	if (pfx_branch_mispred(b))
		pfx_str_add(to, " MISPRED");
	if (pfx_branch_in_tx(b))
		pfx_str_add(to, " INTX");
	if (pfx_branch_abort(b))
		pfx_str_add(to, " ABORT");
	if (cycles) {
		print->total_cycles += cycles;
		pfx_str_addf(to, " %u cycles [%llu]", cycles,
			     (unsigned long long)print->total_cycles);
		if (nr_insns)
			pfx_str_addf(to, " %.2f IPC", (double)nr_insns / cycles);
	}
	pfx_str_addc(to, '\n');
	return insn;
}

/* All of a block, which ends with the branch @b. */
static void add_block(struct stack_print *print, const struct block *block,
		      const struct pfx_branch *b)
{
	uint64_t at = block->start;
	struct pfx_insn insn;
	unsigned nr = 0;

	while (at - block->start < block->size) {
		add_symbol(print, at);
		nr++;
		if (at == block->end) {
			add_jump(print, block, at, b, nr);
			add_source(print, at);
			return;
		}
		insn = add_insn(print, block, at, 0);
		pfx_str_addc(&print->s->out, '\n');
		if (!insn.len)
			break;
		add_source(print, at);
		at += insn.len;
	}
	if (at - block->start != block->end - block->start)
		pfx_str_add(&print->s->out, "\tmismatch of LBR data and executable\n");
}

/* From the target of the last branch to the sampled address. */
static void add_last_block(struct stack_print *print, struct block *block,
			   const struct pfx_branch *last, uint64_t ip)
{
	uint64_t at = last->to;
	struct pfx_insn insn;

	if (last->from == ip || pfx_branch_abort(last))
		return;
	add_symbol(print, at);
	if (!load_block(print, block, at, ip)) {
		at = ip;
		if (!load_block(print, block, at, at))
			return;
	}
	while (at <= block->end && at - block->start < block->size) {
		insn = add_insn(print, block, at, 0);
		pfx_str_addc(&print->s->out, '\n');
		if (!insn.len)
			return;
		if (insn.is_branch && at != ip) {
			pfx_str_add(&print->s->out, "\t... not reaching sample ...\n");
			return;
		}
		add_source(print, at);
		at += insn.len;
	}
}

static bool is_kernel(const struct pfx_script *s, uint64_t addr)
{
	const struct pfx_map *kernel = pfx_session_kernel_map(s->view.session);

	return kernel ? addr >= kernel->start : addr >> 63;
}

/* The blocks between the branches, the oldest first. */
static void add_blocks(struct stack_print *print, struct block *block,
		       const struct pfx_branch_stack *stack, uint64_t nr)
{
	struct pfx_branch b = pfx_branch_at(stack, nr - 1);
	uint64_t i, start;

	print->index = nr - 1;
	if (load_block(print, block, b.from, b.from)) {
		add_symbol(print, b.from);
		add_jump(print, block, b.from, &b, 0);
		add_source(print, b.from);
	}
	for (i = nr - 1; i-- > 0;) {
		start = pfx_branch_at(stack, i + 1).to;
		b = pfx_branch_at(stack, i);
		/* branches of levels that were not recorded are missing: try the next one */
		if (i > 0 && is_kernel(print->s, start) != is_kernel(print->s, b.from))
			b = pfx_branch_at(stack, --i);
		print->index = i;
		if (load_block(print, block, start, b.from))
			add_block(print, block, &b);
	}
}

/* Whole lines, starting with "\n". */
void pfx_script_text_branch_code(const struct pfx_form_record *line)
{
	const struct pfx_script_event *event = line->event;
	const struct pfx_sample *sample = line->sample;
	struct pfx_script *s = line->script;
	struct stack_print print = {.s = s,
				    .thread = line->thread,
				    .fields = event->fields,
				    .event = event->event,
				    .stack = &sample->branch};
	uint64_t nr = sample->branch.nr;
	struct pfx_branch last;
	struct block block;

	if (!nr)
		return;
	if (s->how.max_blocks && nr > s->how.max_blocks + 1)
		nr = s->how.max_blocks + 1;
	last = pfx_branch_at(&sample->branch, 0);
	pfx_str_addc(&s->out, '\n');
	add_blocks(&print, &block, &sample->branch, nr);
	add_last_block(&print, &block, &last, sample->ip);
}
