/* SPDX-License-Identifier: MIT */
/*
 * Reading perf.data, wherever it comes from: a file, a pipe, a saved pipe stream, a directory.
 * Records with metadata go into the reader's struct pfx_meta (which it owns); the other records are
 * returned one by one in file order: 1 a record, 0 the clean end, negative an error. After damage,
 * reading continues at the next start of a valid record; skipped bytes are counted.
 */
#ifndef PFX_FILE_READER_H
#define PFX_FILE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "event/meta.h"

struct pfx_reader;

struct pfx_reader_options {
	bool force;  /* read files of other users */
	bool strict; /* damage is an error, not a warning */
	/* also return records that the reader consumes, records of unknown types, and COMPRESSED
	 * records before their unpacked content (for dumps) */
	bool keep_meta_records;
	/* also return the payload of a stream's AUXTRACE records if it is longer than a megabyte:
	 * it is kept in an unnamed file until the next of these records is read. Otherwise it is
	 * skipped: `extra` is NULL, and extra_size has its size. */
	bool keep_payload;
};

/* Damage that was skipped, and oddities; commands print it once at the end. */
struct pfx_reader_damage {
	uint64_t nr_records;      /* records returned */
	uint64_t nr_places;       /* number of places without valid records */
	uint64_t bytes_skipped;   /* bytes in these places */
	uint64_t nr_unknown;      /* records of unknown types, skipped by size */
	uint32_t first_unknown;   /* the first such type */
	uint64_t nr_bad;          /* records that could not be decoded */
	uint64_t nr_bad_features; /* header features of a file that could not be decoded */
	bool cut_short;           /* the input ended inside a record */
	bool no_size;             /* data.size is 0: the recorder was killed */
};

enum pfx_reader_form { PFX_READER_FILE, PFX_READER_PIPE, PFX_READER_DIRECTORY };

/* The fixed header, for --header. All 0 for a pipe. */
struct pfx_file_info {
	enum pfx_reader_form form;
	const char *path;
	int version; /* 1: PERFFILE, 2: PERFILE2 */
	uint64_t header_size, attr_size;
	uint64_t data_offset, data_size, feature_offset; /* bytes */
	int64_t mtime;                                   /* seconds; 0 for a pipe */
	uint64_t file_size;
};

/* Open @path ("-" is standard input). Input that is compressed as a whole with gzip, xz or zstd is
 * first unpacked into an unnamed file in $TMPDIR or /tmp. Reads the header and features of a file;
 * of a pipe, the metadata records up to the first other record. */
int pfx_reader_open(struct pfx_reader **ret, const char *path,
		    const struct pfx_reader_options *options, struct pfx_error *err);
void pfx_reader_free(struct pfx_reader *reader);

/* Owned by the reader; for a pipe, every record may add to it. */
struct pfx_meta *pfx_reader_meta(struct pfx_reader *reader);
/* The fixed header of the file, and the damage so far. */
const struct pfx_file_info *pfx_reader_info(const struct pfx_reader *reader);
const struct pfx_reader_damage *pfx_reader_damage(const struct pfx_reader *reader);
/* End a stream here, even if reading blocks, without counting damage: for a signal handler (that
 * does not restart system calls). @null is a descriptor of /dev/null. No effect on files. */
void pfx_reader_end_stream(struct pfx_reader *reader, int null);
/* -ENODATA if the file was truncated after it was opened: zeros were read instead of its content.
 * The reader itself checks this at the end and before it reports damage. */
int pfx_reader_check_cut(const struct pfx_reader *reader, struct pfx_error *err);

/* The next record in file order, identified (event and time set). Its bytes are valid until
 * pfx_reader_release() of a later mark. */
int pfx_reader_next(struct pfx_reader *reader, struct pfx_record *ret, struct pfx_error *err);
/* Whether the record's bytes are valid as long as the reader: they are in the mapping of the
 * file. */
bool pfx_reader_keeps(const struct pfx_reader *reader, const struct pfx_record *rec);
/* _mark(): the position after the last returned record. _release(): records returned before @mark
 * are no longer used. Without releases all bytes of a pipe stay in memory. */
uint64_t pfx_reader_mark(const struct pfx_reader *reader);
void pfx_reader_release(struct pfx_reader *reader, uint64_t mark);
/* Drop the resident pages of the mapped file. Addresses stay valid: the kernel reads the pages
 * again when needed. The reader itself does this regularly; this is for long payload. */
void pfx_reader_drop_pages(struct pfx_reader *reader);

#endif
