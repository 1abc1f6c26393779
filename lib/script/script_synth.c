/* SPDX-License-Identifier: MIT */
/*
 * Prints the raw data of events that Intel PT decoders synthesize besides instructions (`perf
 * inject --itrace` writes them). The layout is that of x86; too short data are not printed.
 */
#include "base/cursor.h"
#include "script/script_internal.h"

#define IS_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define SYNTH_WIDTH   34 /* minimum width */

enum {
	SYNTH_PTWRITE,
	SYNTH_MWAIT,
	SYNTH_PWRE,
	SYNTH_EXSTOP,
	SYNTH_PWRX,
	SYNTH_CBR,
	SYNTH_PSB,
	SYNTH_EVT,
	SYNTH_IFLAG,
};

/* The first word, and the longer one after it. */
struct synth {
	uint32_t flags;
	uint64_t value;
};

static unsigned bits(uint64_t word, unsigned from, unsigned nr)
{
	return (unsigned)(word >> from & ((1u << nr) - 1));
}

static void add_hex(struct pfx_str *to, uint64_t value)
{
	pfx_str_add(to, value ? "0x" : "");
	pfx_str_hex(to, value, 0);
}

/* The value of a PTWRITE, also as text if printable. */
static void add_ptwrite(struct pfx_str *to, const struct synth *s)
{
	uint64_t rest = s->value;
	char text[8];
	unsigned len = 0;

	for (; rest && (rest & 0xff) >= ' ' && (rest & 0xff) < 127; rest >>= 8)
		text[len++] = (char)(rest & 0xff);
	pfx_str_addf(to, " IP: %u payload: ", bits(s->flags, 0, 1));
	add_hex(to, s->value);
	pfx_str_addc(to, ' ');
	pfx_str_addn(to, text, rest ? 0 : len);
	pfx_str_addc(to, ' ');
}

static void add_cbr(struct pfx_str *to, const struct synth *s)
{
	unsigned cbr = bits(s->flags, 0, 8), usual = bits(s->flags, 16, 8);
	uint64_t khz = (uint32_t)s->value;

	pfx_str_addf(to, " cbr: %2u freq: %4u MHz ", cbr, (unsigned)((khz + 500) / 1000));
	if (usual)
		pfx_str_addf(to, "(%3u%%) ", (cbr * 1000 / usual + 5) / 10);
}

/* A CPU event: its type and its values. */
static void add_evt(struct pfx_str *to, const struct synth *s, struct pfx_cursor *rest)
{
	static const char *const kinds[] = {"",       "INTR",        "IRET",    "SMI",
					    "RSM",    "SIPI",        "INIT",    "VMENTRY",
					    "VMEXIT", "VMEXIT_INTR", "SHUTDOWN"};
	static const char *const names[] = {"PFA", "VMXQ", "VMXR"};
	unsigned kind = bits(s->flags, 0, 5), nr = bits(s->flags, 16, 16), name;
	uint64_t what, value;

	if (kind && kind < sizeof(kinds) / sizeof(*kinds))
		pfx_str_addf(to, " cfe: %s", kinds[kind]);
	else
		pfx_str_addf(to, " cfe: %u", kind);
	pfx_str_addf(to, " IP: %u vector: %u", bits(s->flags, 7, 1), bits(s->flags, 8, 8));
	for (; nr; nr--) {
		what = pfx_cursor_u64(rest);
		value = pfx_cursor_u64(rest);
		if (!pfx_cursor_ok(rest))
			break;
		name = bits(what, 0, 6);
		if (name < sizeof(names) / sizeof(*names))
			pfx_str_addf(to, " %s: ", names[name]);
		else
			pfx_str_addf(to, " EVD_%u: ", name);
		add_hex(to, value);
	}
}

static void add_short(struct pfx_str *to, uint64_t kind, const struct synth *s)
{
	switch (kind) {
	case SYNTH_PTWRITE:
		add_ptwrite(to, s);
		break;
	case SYNTH_MWAIT:
		pfx_str_add(to, " hints: ");
		add_hex(to, bits(s->value, 0, 8));
		pfx_str_add(to, " extensions: ");
		add_hex(to, bits(s->value, 32, 2));
		pfx_str_addc(to, ' ');
		break;
	case SYNTH_PWRE:
		pfx_str_addf(to, " hw: %u cstate: %u sub-cstate: %u ", bits(s->value, 7, 1),
			     bits(s->value, 12, 4), bits(s->value, 8, 4));
		break;
	case SYNTH_PWRX:
		pfx_str_addf(to, " deepest cstate: %u last cstate: %u wake reason: ",
			     bits(s->value, 0, 4), bits(s->value, 4, 4));
		add_hex(to, bits(s->value, 8, 4));
		pfx_str_addc(to, ' ');
		break;
	case SYNTH_CBR:
		add_cbr(to, s);
		break;
	case SYNTH_PSB:
		pfx_str_add(to, " psb offs: ");
		add_hex(to, s->value);
		break;
	case SYNTH_IFLAG:
		pfx_str_addf(to, " IFLAG: %u->%u %s branch", !bits(s->flags, 0, 1),
			     bits(s->flags, 0, 1), bits(s->flags, 1, 1) ? "via" : "non");
		break;
	default:
		break;
	}
}

void pfx_script_text_synth(const struct pfx_form_record *line)
{
	uint64_t kind = line->rec->event->attr.config;
	const struct pfx_bytes *raw = &line->sample->raw;
	struct pfx_str *to = &line->script->out;
	struct pfx_cursor c = pfx_cursor_make(raw->at, raw->size, IS_BIG_ENDIAN);
	struct synth s = {.flags = pfx_cursor_u32(&c)};
	size_t start = to->len;

	if (line->event->kind != PFX_SCRIPT_TYPE_SYNTH)
		return;
	if (kind == SYNTH_EXSTOP || kind == SYNTH_EVT) {
		if (!pfx_cursor_ok(&c))
			return;
		if (kind == SYNTH_EVT)
			add_evt(to, &s, &c);
		else
			pfx_str_addf(to, " IP: %u ", bits(s.flags, 0, 1));
	} else {
		s.value = pfx_cursor_u64(&c);
		if (!pfx_cursor_ok(&c))
			return;
		add_short(to, kind, &s);
	}
	if (to->len > start && to->len - start < SYNTH_WIDTH)
		pfx_str_pad(to, ' ', SYNTH_WIDTH - (to->len - start));
}
