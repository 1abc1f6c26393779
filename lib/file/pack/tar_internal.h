/* SPDX-License-Identifier: MIT */
/* The blocks of a tar archive in POSIX format (ustar), with GNU's long names. */
#ifndef PFX_FILE_TAR_INTERNAL_H
#define PFX_FILE_TAR_INTERNAL_H

#define PFX_TAR_BLOCK 512

/* All fields are text; numbers are octal. */
struct pfx_tar_block {
	char name[100];
	char mode[8], uid[8], gid[8];
	char size[12], mtime[12];
	char checksum[8];
	char type;
	char link[100];
	char magic[6], version[2];
	char user[32], group[32];
	char devmajor[8], devminor[8];
	char prefix[155];
	char pad[12];
};

/* Types of entries. */
#define PFX_TAR_FILE      '0'
#define PFX_TAR_OLD_FILE  '\0'
#define PFX_TAR_LINK      '2'
#define PFX_TAR_LONG_NAME 'L' /* the contents are the name of the next entry */
#define PFX_TAR_LONG_LINK 'K' /* the contents are the link target of the next entry */
#define PFX_TAR_EXTRA     'x' /* POSIX attributes of the next entry */
#define PFX_TAR_GLOBAL    'g'

/* The sum of a block's bytes, with blanks in the checksum field. */
unsigned pfx_tar_checksum(const struct pfx_tar_block *block);

#endif
