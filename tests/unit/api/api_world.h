/* SPDX-License-Identifier: MIT */
/* Recordings for the tests of libpfx's doors, which include nothing of the library but its public
 * headers and the kit. */
#ifndef PFX_TESTS_API_WORLD_H
#define PFX_TESTS_API_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "kit/kit.h"
#include "pfx/pfx.h"

#define KALLSYMS "api.kallsyms"

static const char symbols[] = "ffffffff81000000 T _text\nffffffff81000000 T start\n"
			      "ffffffff81000100 T middle\nffffffff81000200 T leaf\n"
			      "ffffffff81000300 T other\nffffffff81000400 T _etext\n";

/* Three samples in leaf, called by middle, called by start; one in other. */
static const char world[] =
	"event cpu-clock type=sw config=0 freq=1000 "
	"sample=ip,tid,time,period,cpu,callchain,branch_stack,raw branch=any\n"
	"event faults type=sw config=2 period=1 sample=ip,tid,time,period,cpu ids=9\n"
	"feature hostname str=box\n"
	"feature arch str=x86_64\n"
	"mmap2 pid=-1 tid=0 addr=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 prot=5 "
	"misc=1 [kernel.kallsyms]_text\n"
	"comm pid=7 tid=7 time=1 one\n"
	"comm pid=8 tid=9 time=1 two\n"
	"sample ip=0xffffffff81000210 pid=7 tid=7 cpu=1 time=100 period=5 mode=kernel "
	"chain=kernel,0xffffffff81000210,0xffffffff81000110,0xffffffff81000010 "
	"branch=0x401000,0x402000,0x501,0x402010,0x403000,0x2 raw=0102030405060708090a0b0c\n"
	"sample ip=0xffffffff81000210 pid=7 tid=7 cpu=2 time=200 period=6 mode=kernel "
	"chain=kernel,0xffffffff81000210,0xffffffff81000110,0xffffffff81000010\n"
	"sample ip=0xffffffff81000210 pid=8 tid=9 cpu=1 time=300 period=7 mode=kernel "
	"chain=kernel,0xffffffff81000210,0xffffffff81000110,0xffffffff81000010\n"
	"sample ip=0xffffffff81000310 pid=8 tid=9 cpu=1 time=400 period=2 mode=kernel\n"
	"lost id=0 lost=3\n"
	"round\n";

static void build(const char *text, const char *path, bool big_endian)
{
	const struct pfx_kit_options options = {.big_endian = big_endian};
	struct pfx_buffer bytes = {0};
	struct pfx_error err = {0};
	FILE *file;

	assert_int_equal(pfx_kit_build(text, &options, &bytes, &err), 0);
	file = fopen(path, "w");
	assert_int_equal(fwrite(bytes.at, 1, bytes.len, file), bytes.len);
	fclose(file);
	pfx_buffer_fini(&bytes);
	file = fopen(KALLSYMS, "w");
	assert_true(fputs(symbols, file) >= 0);
	fclose(file);
}

static struct pfx_input *open_input(const char *path, const struct pfx_input_options *options)
{
	struct pfx_input_options own = PFX_INIT(struct pfx_input_options);
	struct pfx_error err = {0};
	struct pfx_input *input;

	if (options)
		own = *options;
	own.kallsyms = KALLSYMS;
	assert_int_equal(pfx_input_open(&input, path, &own, &err), 0);
	return input;
}

#endif
