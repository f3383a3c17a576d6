// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers from the kernel as text.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/field.h"
#include "lib/format.h"

int field_find(const struct schema *schema, const char *name)
{
	for (size_t i = 0; i < schema->count; i++)
		if (!strcmp(schema->fields[i].name, name))
			return (int)i;
	return -1;
}

bool field_among(const struct field *field, const char *const *names)
{
	while (*names && strcmp(*names, field->name))
		names++;
	return *names;
}

static const char *field_enum(const struct names *names, uint64_t num,
			      char *buf)
{
	if (num < names->count && names->name[num])
		snprintf(buf, FORMAT_MAX, "%s", names->name[num]);
	else
		snprintf(buf, FORMAT_MAX, "unknown(%" PRIu64 ")", num);
	return buf;
}

const char *field_number(const struct field *field, uint64_t num, char *buf)
{
	if (field->none && num == field->none_value) {
		snprintf(buf, FORMAT_MAX, "%s", field->none);
		return buf;
	}
	if (field->other && num == field->other_value) {
		snprintf(buf, FORMAT_MAX, "%s", field->other);
		return buf;
	}
	if (field->names)
		return field_enum(field->names, num, buf);
	switch (field->unit) {
	case UNIT_BOOL:
		snprintf(buf, FORMAT_MAX, "%s", num ? "on" : "off");
		break;
	case UNIT_US:
		return field->setting ? format_time(num, buf) :
					format_time_short(num, buf);
	case UNIT_MS:
		return format_age(num, buf);
	case UNIT_S:
		return format_seconds(num, buf);
	case UNIT_BYTES:
		return field->setting ? format_size(num, buf) :
					format_size_short(num, buf);
	case UNIT_VOLUME:
		return format_volume(num, buf);
	case UNIT_BPS:
		return field->setting ? format_rate(num, buf) :
					format_rate_short(num, buf);
	case UNIT_PPM:
		return format_ppm(num, buf);
	case UNIT_HEX:
		snprintf(buf, FORMAT_MAX, "0x%016" PRIx64, num);
		break;
	case UNIT_COUNT:
		snprintf(buf, FORMAT_MAX, "%" PRIu64, num);
		break;
	}
	return buf;
}
