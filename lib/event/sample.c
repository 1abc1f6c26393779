/* SPDX-License-Identifier: MIT */
/*
 * SAMPLE records. This is the hottest path of the readers: one pass, one bounds check for all
 * leading fields of fixed size, no copies. Each bit of attr.sample_type puts one field into the
 * record, in this order (all 64 bits wide unless said otherwise):
 *
 *	IDENTIFIER IP TID{pid:32 tid:32} TIME ADDR ID STREAM_ID CPU{cpu:32 0:32} PERIOD
 *	READ{as attr.read_format} CALLCHAIN{nr ips[nr]} RAW{size:32 bytes[size]}
 *	BRANCH_STACK{nr [hw_idx] {from to flags}[nr] [counters[nr]]}
 *	REGS_USER{abi regs[] if abi} STACK_USER{size bytes[size] dyn_size if size}
 *	WEIGHT or WEIGHT_STRUCT, DATA_SRC TRANSACTION REGS_INTR{abi regs[] if abi}
 *	PHYS_ADDR CGROUP DATA_PAGE_SIZE CODE_PAGE_SIZE AUX{size bytes[size]}
 *
 * WEIGHT_STRUCT and DATA_SRC are declared twice in the kernel's header so that the number has the
 * same meaning in both byte orders; the flags of a branch are not. Section 5.9 of
 * Documentation/file-format.md.
 */
#include "event/sample.h"

#include <string.h>

#include "event/event_internal.h"

/* The leading fields: 8 bytes each, decoded by decode_fixed(). */
#define FIXED                                                                       \
	(PFX_SAMPLE_IDENTIFIER | PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_TIME | \
	 PFX_SAMPLE_ADDR | PFX_SAMPLE_ID | PFX_SAMPLE_STREAM_ID | PFX_SAMPLE_CPU |  \
	 PFX_SAMPLE_PERIOD)
#define MIDDLE                                                                               \
	(PFX_SAMPLE_READ | PFX_SAMPLE_RAW | PFX_SAMPLE_BRANCH_STACK | PFX_SAMPLE_REGS_USER | \
	 PFX_SAMPLE_STACK_USER)
#define BEHIND                                                                       \
	(PFX_SAMPLE_WEIGHT | PFX_SAMPLE_WEIGHT_STRUCT | PFX_SAMPLE_DATA_SRC |        \
	 PFX_SAMPLE_TRANSACTION | PFX_SAMPLE_REGS_INTR | PFX_SAMPLE_PHYS_ADDR |      \
	 PFX_SAMPLE_CGROUP | PFX_SAMPLE_DATA_PAGE_SIZE | PFX_SAMPLE_CODE_PAGE_SIZE | \
	 PFX_SAMPLE_AUX)
#define WEIGHTS     (PFX_SAMPLE_WEIGHT | PFX_SAMPLE_WEIGHT_STRUCT)
#define BRANCH_SIZE 24

/* mispred predicted in_tx abort cycles type spec new_type priv not_taken reserved */
static const uint8_t branch_widths[] = {1, 1, 1, 1, 16, 4, 2, 4, 3, 1, 30};
static const struct pfx_bit_layout branch_layout = {sizeof(branch_widths), branch_widths};

static inline const uint8_t *decode_fixed(const uint8_t *p, uint64_t type, bool swap,
					  struct pfx_sample *ret)
{
	if (type & PFX_SAMPLE_IDENTIFIER)
		ret->id = pfx_load64(p, swap), p += 8;
	if (type & PFX_SAMPLE_IP)
		ret->ip = pfx_load64(p, swap), p += 8;
	if (type & PFX_SAMPLE_TID) {
		ret->pid = pfx_load32(p, swap);
		ret->tid = pfx_load32(p + 4, swap);
		p += 8;
	}
	if (type & PFX_SAMPLE_TIME)
		ret->time = pfx_load64(p, swap), p += 8;
	if (type & PFX_SAMPLE_ADDR)
		ret->addr = pfx_load64(p, swap), p += 8;
	if (type & PFX_SAMPLE_ID)
		ret->id = pfx_load64(p, swap), p += 8;
	if (type & PFX_SAMPLE_STREAM_ID)
		ret->stream_id = pfx_load64(p, swap), p += 8;
	if (type & PFX_SAMPLE_CPU)
		ret->cpu = pfx_load32(p, swap), p += 8;
	if (type & PFX_SAMPLE_PERIOD)
		ret->period = pfx_load64(p, swap), p += 8;
	return p;
}

static struct pfx_words take_words(struct pfx_cursor *c, uint64_t nr)
{
	struct pfx_words words = {c->at, 0, c->swap};

	if (pfx_cursor_fits(c, nr, 8)) {
		words.nr = nr;
		c->at += 8 * nr;
	}
	return words;
}

static struct pfx_bytes take_bytes(struct pfx_cursor *c, uint64_t size)
{
	struct pfx_bytes bytes = {c->at, 0};

	if (pfx_cursor_fits(c, size, 1)) {
		bytes.size = size;
		c->at += size;
	}
	return bytes;
}

/* Skips the values of SAMPLE_READ and returns their extent. */
static struct pfx_bytes take_read(struct pfx_cursor *c, uint64_t format)
{
	uint64_t times = !!(format & PFX_FORMAT_ENABLED) + !!(format & PFX_FORMAT_RUNNING);
	uint64_t each = 1 + !!(format & PFX_FORMAT_ID) + !!(format & PFX_FORMAT_LOST);
	uint64_t nr;

	if (!(format & PFX_FORMAT_GROUP))
		return take_bytes(c, 8 * (times + each));
	if (!pfx_cursor_fits(c, 1, 8))
		return (struct pfx_bytes){0};
	nr = pfx_load64(c->at, c->swap);
	if (!pfx_cursor_fits(c, nr, 8 * each))
		return (struct pfx_bytes){0};
	return take_bytes(c, 8 * (1 + times + nr * each));
}

static void decode_branches(struct pfx_cursor *c, const struct pfx_attr *attr,
			    struct pfx_branch_stack *ret)
{
	uint64_t nr = pfx_cursor_u64(c);

	ret->type = attr->branch_sample_type;
	if (attr->branch_sample_type & PFX_BRANCH_HW_INDEX)
		ret->hw_idx = pfx_cursor_u64(c);
	if (!pfx_cursor_fits(c, nr, BRANCH_SIZE))
		return;
	ret->entries = take_bytes(c, nr * BRANCH_SIZE);
	ret->nr = nr;
	if (attr->branch_sample_type & PFX_BRANCH_COUNTERS)
		ret->counters = take_words(c, nr);
}

static void decode_regs(struct pfx_cursor *c, uint64_t mask, struct pfx_regs *ret)
{
	ret->abi = pfx_cursor_u64(c);
	ret->mask = mask;
	if (ret->abi)
		ret->values = take_words(c, (uint64_t)__builtin_popcountll(mask));
}

static void decode_middle(struct pfx_cursor *c, const struct pfx_attr *attr, uint64_t type,
			  struct pfx_sample *ret)
{
	if (type & PFX_SAMPLE_READ)
		ret->read_bytes = take_read(c, attr->read_format);
	if (type & PFX_SAMPLE_CALLCHAIN)
		ret->chain = take_words(c, pfx_cursor_u64(c));
	if (type & PFX_SAMPLE_RAW)
		ret->raw = take_bytes(c, pfx_cursor_u32(c));
	if (type & PFX_SAMPLE_BRANCH_STACK)
		decode_branches(c, attr, &ret->branch);
	if (type & PFX_SAMPLE_REGS_USER)
		decode_regs(c, attr->sample_regs_user, &ret->regs_user);
	if (type & PFX_SAMPLE_STACK_USER) {
		ret->stack = take_bytes(c, pfx_cursor_u64(c));
		if (ret->stack.size)
			ret->stack_dyn_size = pfx_cursor_u64(c);
	}
}

static void decode_behind(struct pfx_cursor *c, const struct pfx_attr *attr, uint64_t type,
			  struct pfx_sample *ret)
{
	if (type & WEIGHTS)
		ret->weight = pfx_cursor_u64(c);
	if (type & PFX_SAMPLE_WEIGHT_STRUCT) {
		ret->weight2 = ret->weight >> 32 & 0xffff;
		ret->weight3 = ret->weight >> 48;
		ret->weight &= 0xffffffff;
	}
	if (type & PFX_SAMPLE_DATA_SRC)
		ret->data_src = pfx_cursor_u64(c);
	if (type & PFX_SAMPLE_TRANSACTION)
		ret->transaction = pfx_cursor_u64(c);
	if (type & PFX_SAMPLE_REGS_INTR)
		decode_regs(c, attr->sample_regs_intr, &ret->regs_intr);
	if (type & PFX_SAMPLE_PHYS_ADDR)
		ret->phys_addr = pfx_cursor_u64(c);
	if (type & PFX_SAMPLE_CGROUP)
		ret->cgroup = pfx_cursor_u64(c);
	if (type & PFX_SAMPLE_DATA_PAGE_SIZE)
		ret->data_page_size = pfx_cursor_u64(c);
	if (type & PFX_SAMPLE_CODE_PAGE_SIZE)
		ret->code_page_size = pfx_cursor_u64(c);
	if (type & PFX_SAMPLE_AUX)
		ret->aux = take_bytes(c, pfx_cursor_u64(c));
}

/* Sets field by field: clearing the whole struct took more time than the rest of decoding. */
static void set_numbers(const struct pfx_record *rec, const struct pfx_attr *attr,
			struct pfx_sample *ret)
{
	ret->type = attr->sample_type;
	ret->cpumode = pfx_record_cpumode(rec);
	ret->misc = rec->misc;
	ret->ip = 0;
	ret->pid = ret->tid = (uint32_t)-1;
	ret->time = PFX_NO_TIME;
	ret->addr = 0;
	ret->id = ret->stream_id = 0;
	ret->cpu = (uint32_t)-1;
	ret->period = attr->sample_period;
	ret->weight = 0;
	ret->weight2 = ret->weight3 = 0;
	ret->data_src = ret->transaction = 0;
	ret->phys_addr = ret->cgroup = 0;
	ret->data_page_size = ret->code_page_size = 0;
	ret->stack_dyn_size = 0;
	ret->swap = rec->swap;
}

static void set_arrays(bool swap, struct pfx_sample *ret)
{
	const struct pfx_words no_words = {.swap = swap};
	const struct pfx_bytes no_bytes = {0};

	ret->chain = no_words;
	ret->raw = ret->stack = ret->aux = ret->read_bytes = no_bytes;
	ret->branch.type = ret->branch.nr = 0;
	ret->branch.hw_idx = (uint64_t)-1;
	ret->branch.entries = no_bytes;
	ret->branch.counters = no_words;
	ret->branch.swap = swap;
	ret->regs_user.abi = ret->regs_user.mask = 0;
	ret->regs_user.values = no_words;
	ret->regs_intr.abi = ret->regs_intr.mask = 0;
	ret->regs_intr.values = no_words;
}

/* The number of bits of FIXED that are set; not every CPU has an instruction for it. */
static uint32_t count_fixed(uint64_t type)
{
	uint32_t bits = (uint32_t)(type & FIXED);

	bits -= bits >> 1 & 0x55555555;
	bits = (bits & 0x33333333) + (bits >> 2 & 0x33333333);
	return ((bits + (bits >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* Sets all fields but those that samples of this type cannot have. */
static bool decode_fields(const struct pfx_record *rec, const struct pfx_attr *attr,
			  uint32_t nr_fixed, struct pfx_sample *ret)
{
	uint64_t type = attr->sample_type;
	struct pfx_cursor c = pfx_record_cursor(rec);

	if (!pfx_cursor_fits(&c, nr_fixed, 8))
		return false;
	if (rec->swap)
		c.at = decode_fixed(c.at, type, true, ret);
	else
		c.at = decode_fixed(c.at, type, false, ret);
	if ((type & (MIDDLE | BEHIND)) == 0) {
		if (type & PFX_SAMPLE_CALLCHAIN)
			ret->chain = take_words(&c, pfx_cursor_u64(&c));
		return pfx_cursor_ok(&c);
	}
	decode_middle(&c, attr, type, ret);
	if (type & BEHIND)
		decode_behind(&c, attr, type, ret);
	return pfx_cursor_ok(&c);
}

bool pfx_sample_decode(const struct pfx_record *rec, const struct pfx_attr *attr,
		       struct pfx_sample *ret)
{
	set_numbers(rec, attr, ret);
	set_arrays(rec->swap, ret);
	return decode_fields(rec, attr, count_fixed(attr->sample_type), ret);
}

/* Fields that every sample with them sets, whatever its content. */
#define ALWAYS_SET (FIXED | PFX_SAMPLE_CALLCHAIN | PFX_SAMPLE_RAW)

bool pfx_sample_decode_next(const struct pfx_record *rec, const struct pfx_attr *attr,
			    struct pfx_sample_last *last, struct pfx_sample *ret)
{
	if (last->attr != attr || attr->sample_type & ~ALWAYS_SET) {
		*last = (struct pfx_sample_last){attr, count_fixed(attr->sample_type)};
		return pfx_sample_decode(rec, attr, ret);
	}
	ret->cpumode = pfx_record_cpumode(rec);
	ret->misc = rec->misc;
	return decode_fields(rec, attr, last->nr_fixed, ret);
}

bool pfx_sample_read(const struct pfx_sample *sample, const struct pfx_attr *attr,
		     struct pfx_read *ret)
{
	struct pfx_cursor c =
		pfx_cursor_make(sample->read_bytes.at, sample->read_bytes.size, sample->swap);

	if (!sample->read_bytes.size)
		return false;
	return pfx_read_decode(&c, attr->read_format, ret);
}

struct pfx_branch pfx_branch_at(const struct pfx_branch_stack *stack, uint64_t i)
{
	const uint8_t *at = stack->entries.at + i * BRANCH_SIZE;
	struct pfx_branch b = {pfx_load64(at, stack->swap), pfx_load64(at + 8, stack->swap),
			       pfx_load64(at + 16, stack->swap)};

	b.flags = pfx_bits_from_file(b.flags, &branch_layout, stack->swap);
	return b;
}

static void encode_fixed(const struct pfx_sample *s, uint64_t type, struct pfx_buffer *to)
{
	if (type & PFX_SAMPLE_IDENTIFIER)
		pfx_buffer_u64(to, s->id);
	if (type & PFX_SAMPLE_IP)
		pfx_buffer_u64(to, s->ip);
	if (type & PFX_SAMPLE_TID) {
		pfx_buffer_u32(to, s->pid);
		pfx_buffer_u32(to, s->tid);
	}
	if (type & PFX_SAMPLE_TIME)
		pfx_buffer_u64(to, s->time);
	if (type & PFX_SAMPLE_ADDR)
		pfx_buffer_u64(to, s->addr);
	if (type & PFX_SAMPLE_ID)
		pfx_buffer_u64(to, s->id);
	if (type & PFX_SAMPLE_STREAM_ID)
		pfx_buffer_u64(to, s->stream_id);
	if (type & PFX_SAMPLE_CPU) {
		pfx_buffer_u32(to, s->cpu);
		pfx_buffer_u32(to, 0);
	}
	if (type & PFX_SAMPLE_PERIOD)
		pfx_buffer_u64(to, s->period);
}

static void encode_words(const struct pfx_words *words, struct pfx_buffer *to)
{
	uint64_t i;

	for (i = 0; i < words->nr; i++)
		pfx_buffer_u64(to, pfx_word(words, i));
}

/* The size of RAW includes padding that makes the size field plus the data a multiple of 8. */
static void encode_raw(const struct pfx_bytes *raw, struct pfx_buffer *to)
{
	uint32_t pad = (uint32_t)(-(4 + raw->size) & 7);

	pfx_buffer_u32(to, (uint32_t)raw->size + pad);
	pfx_buffer_bytes(to, raw->at, raw->size);
	pfx_buffer_zeros(to, pad);
}

static void encode_branches(const struct pfx_branch_stack *stack, uint64_t branch_type,
			    struct pfx_buffer *to)
{
	uint64_t i;

	pfx_buffer_u64(to, stack->nr);
	if (branch_type & PFX_BRANCH_HW_INDEX)
		pfx_buffer_u64(to, stack->hw_idx);
	for (i = 0; i < stack->nr; i++) {
		struct pfx_branch b = pfx_branch_at(stack, i);

		pfx_buffer_u64(to, b.from);
		pfx_buffer_u64(to, b.to);
		pfx_buffer_u64(to, pfx_bits_to_file(b.flags, &branch_layout, to->swap));
	}
	if (branch_type & PFX_BRANCH_COUNTERS)
		encode_words(&stack->counters, to);
}

static void encode_regs(const struct pfx_regs *regs, struct pfx_buffer *to)
{
	pfx_buffer_u64(to, regs->abi);
	if (regs->abi)
		encode_words(&regs->values, to);
}

static void encode_sized(const struct pfx_bytes *bytes, struct pfx_buffer *to)
{
	pfx_buffer_u64(to, bytes->size);
	pfx_buffer_bytes(to, bytes->at, bytes->size);
}

static void encode_middle(const struct pfx_sample *s, const struct pfx_attr *attr,
			  struct pfx_buffer *to)
{
	uint64_t type = attr->sample_type;

	if (type & PFX_SAMPLE_READ) {
		struct pfx_words words = {s->read_bytes.at, s->read_bytes.size / 8, s->swap};

		encode_words(&words, to);
	}
	if (type & PFX_SAMPLE_CALLCHAIN) {
		pfx_buffer_u64(to, s->chain.nr);
		encode_words(&s->chain, to);
	}
	if (type & PFX_SAMPLE_RAW)
		encode_raw(&s->raw, to);
	if (type & PFX_SAMPLE_BRANCH_STACK)
		encode_branches(&s->branch, attr->branch_sample_type, to);
	if (type & PFX_SAMPLE_REGS_USER)
		encode_regs(&s->regs_user, to);
	if (type & PFX_SAMPLE_STACK_USER) {
		encode_sized(&s->stack, to);
		if (s->stack.size)
			pfx_buffer_u64(to, s->stack_dyn_size);
	}
}

static void encode_behind(const struct pfx_sample *s, uint64_t type, struct pfx_buffer *to)
{
	if (type & PFX_SAMPLE_WEIGHT_STRUCT)
		pfx_buffer_u64(to, (uint64_t)s->weight3 << 48 | (uint64_t)s->weight2 << 32 |
					   (uint32_t)s->weight);
	else if (type & PFX_SAMPLE_WEIGHT)
		pfx_buffer_u64(to, s->weight);
	if (type & PFX_SAMPLE_DATA_SRC)
		pfx_buffer_u64(to, s->data_src);
	if (type & PFX_SAMPLE_TRANSACTION)
		pfx_buffer_u64(to, s->transaction);
	if (type & PFX_SAMPLE_REGS_INTR)
		encode_regs(&s->regs_intr, to);
	if (type & PFX_SAMPLE_PHYS_ADDR)
		pfx_buffer_u64(to, s->phys_addr);
	if (type & PFX_SAMPLE_CGROUP)
		pfx_buffer_u64(to, s->cgroup);
	if (type & PFX_SAMPLE_DATA_PAGE_SIZE)
		pfx_buffer_u64(to, s->data_page_size);
	if (type & PFX_SAMPLE_CODE_PAGE_SIZE)
		pfx_buffer_u64(to, s->code_page_size);
	if (type & PFX_SAMPLE_AUX)
		encode_sized(&s->aux, to);
}

bool pfx_sample_encode(const struct pfx_sample *sample, const struct pfx_attr *attr,
		       struct pfx_buffer *to)
{
	size_t start = to->len, size;

	pfx_buffer_u32(to, PFX_RECORD_SAMPLE);
	pfx_buffer_u16(to, sample->misc);
	pfx_buffer_u16(to, 0);
	encode_fixed(sample, attr->sample_type, to);
	encode_middle(sample, attr, to);
	encode_behind(sample, attr->sample_type, to);
	pfx_buffer_zeros(to, -(to->len - start) & 7);
	size = to->len - start;
	if (size > UINT16_MAX) {
		to->len = start;
		return false;
	}
	pfx_buffer_patch16(to, start + 6, (uint16_t)size);
	return true;
}

const char *pfx_branch_type_name(const struct pfx_branch *b)
{
	static const char *const types[16] = {
		"",       "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
		"SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX", "",
	};
	static const char *const new_types[16] = {
		"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3",
		"ARCH_4",     "ARCH_5",     "",           "",       "",       "",
		"",           "",           "",           "",
	};

	if (pfx_branch_type(b) == 15)
		return new_types[pfx_branch_new_type(b)];
	return types[pfx_branch_type(b)];
}
