/* SPDX-License-Identifier: MIT */
/*
 * Reading perf.data, wherever it comes from: a file, a pipe, a saved pipe stream, a directory. The
 * reader consumes everything that describes the recording into its struct pfx_meta (which it owns)
 * and hands out the rest, record by record, in the order in which they lie. Pull: 1 a record, 0 the
 * clean end, negative an error. Behind damage reading goes on with the next place where records
 * begin; what was skipped is counted.
 */
#ifndef PFX_FILE_READER_H
#define PFX_FILE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "event/meta.h"

struct pfx_reader;

struct pfx_reader_options {
	bool force;  /* read files that belong to somebody else */
	bool strict; /* damage is an error, not a warning */
	/* hand out also the records that the reader consumes, those of unknown types, and
	 * COMPRESSED ones before what was packed into them (for dumps) */
	bool keep_meta_records;
	/* also hand out the payload of a stream's AUXTRACE records that is longer than a megabyte:
	 * it waits in a file without a name until the next such record is read. Else it is skipped
	 * over: `extra` is NULL and extra_size says how much it was. */
	bool keep_payload;
};

/* Damage and oddities that were survived; a command prints them once. */
struct pfx_reader_damage {
	uint64_t nr_records;      /* records handed out */
	uint64_t nr_places;       /* where bytes made no sense as records */
	uint64_t bytes_skipped;   /* there, up to where records go on */
	uint64_t nr_unknown;      /* records of unknown types, skipped by size */
	uint32_t first_unknown;   /* the first such type */
	uint64_t nr_bad;          /* records that could not be decoded */
	uint64_t nr_bad_features; /* features of a file's header, likewise */
	bool cut_short;           /* the input ended inside a record */
	bool no_size;             /* data.size is 0: the recorder was killed */
};

enum pfx_reader_form { PFX_READER_FILE, PFX_READER_PIPE, PFX_READER_DIRECTORY };

/* What the fixed header says, for --header. All 0 for a pipe. */
struct pfx_file_info {
	enum pfx_reader_form form;
	const char *path;
	int version; /* 1: PERFFILE, 2: PERFILE2 */
	uint64_t header_size, attr_size;
	uint64_t data_offset, data_size, feature_offset; /* bytes */
	int64_t mtime;                                   /* seconds; 0 for a pipe */
	uint64_t file_size;
};

/* Open @path ("-" is standard input). What is compressed with gzip, xz or zstd as a whole is
 * unpacked into a nameless file in $TMPDIR or /tmp first. A file's header and features are read at
 * once; of a pipe, the records that describe it up to the first that does not. */
int pfx_reader_open(struct pfx_reader **ret, const char *path,
		    const struct pfx_reader_options *options, struct pfx_error *err);
void pfx_reader_free(struct pfx_reader *reader);

/* Owned by the reader; of a pipe it may grow with every record. */
struct pfx_meta *pfx_reader_meta(struct pfx_reader *reader);
/* What is known of the file itself, and what of it was skipped as broken. */
const struct pfx_file_info *pfx_reader_info(const struct pfx_reader *reader);
const struct pfx_reader_damage *pfx_reader_damage(const struct pfx_reader *reader);
/* End a stream here, also where its reader waits for more, and be no damage: for a handler of
 * signals (one that does not restart calls). @null is a descriptor of /dev/null. Files are left
 * alone. */
void pfx_reader_end_stream(struct pfx_reader *reader, int null);
/* -ENODATA when the file became shorter since it was opened, so that zeros were read instead of it.
 * The reader itself asks at its end and before it takes bytes for damage. */
int pfx_reader_check_cut(const struct pfx_reader *reader, struct pfx_error *err);

/* The next record in file order, identified (event and time set). Its bytes stay valid until
 * pfx_reader_release() says that they may go. */
int pfx_reader_next(struct pfx_reader *reader, struct pfx_record *ret, struct pfx_error *err);
/* Whether the record's bytes stay longer, as long as the reader: they are mapped as the file has
 * them. */
bool pfx_reader_keeps(const struct pfx_reader *reader, const struct pfx_record *rec);
/* A mark for the place behind the last record handed out, and: everything handed out before @mark
 * is no longer used. Without releases a pipe's bytes pile up. */
uint64_t pfx_reader_mark(const struct pfx_reader *reader);
void pfx_reader_release(struct pfx_reader *reader, uint64_t mark);
/* Give back the pages of mapped bytes that were looked at. All stay valid: pages that are needed
 * again come back by themselves. The reader does so itself as it goes; this is for long payload. */
void pfx_reader_drop_pages(struct pfx_reader *reader);

#endif
