/* SPDX-License-Identifier: MIT */
/* What the fuzz targets do with an open recording: everything that reads foreign bytes. */
#ifndef PFX_TESTS_READING_H
#define PFX_TESTS_READING_H

#include "event/sample.h"
#include "file/header_text.h"
#include "file/order.h"

static inline void read_everything(struct pfx_reader *reader)
{
	struct pfx_order *order = pfx_order_new(reader, false);
	struct pfx_str text = {0};
	struct pfx_sample sample;
	struct pfx_error err;
	struct pfx_record rec;
	struct pfx_body body;

	while (pfx_order_next(order, &rec, &err) > 0) {
		if (rec.type == PFX_RECORD_SAMPLE && rec.event)
			pfx_sample_decode(&rec, &rec.event->attr, &sample);
		else
			pfx_record_decode(&rec, rec.event ? &rec.event->attr : NULL, &body, &err);
	}
	pfx_header_text(reader, true, &text);
	pfx_str_fini(&text);
	pfx_order_free(order);
	pfx_reader_free(reader);
}

#endif
