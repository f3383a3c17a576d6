// SPDX-License-Identifier: GPL-2.0
/*
 * Text without secrets.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Finds by their form what looks like an address, a key or an id, wherever it
 * comes from.  What looks like one and is none is masked as well.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/mask.h"

/* Shortest run of digits that may be a secret: 64 bits. */
#define MASK_HEX 16
/* Shortest run that may be a key in base64, or a part of one. */
#define MASK_BASE64 40
/* Fewest digits of a hardware address. */
#define MASK_MAC 12
/* Letters before one in the name of a device: enx, wlx, wwx. */
#define MASK_PREFIX 3

/* Room that the longest mask takes. */
#define MASK_WORD 28

/* A network that is not masked. */
struct mask_network {
	uint32_t network;
	unsigned int bits;
};

static const struct mask_network mask_private[] = {
	{ 0x00000000, 8 }, { 0x0a000000, 8 }, { 0x64400000, 10 },
	{ 0x7f000000, 8 }, { 0xa9fe0000, 16 }, { 0xac100000, 12 },
	{ 0xc0a80000, 16 }, { 0xe0000000, 4 }, { 0xffffffff, 32 },
};

static bool mask_public4(const unsigned char *addr)
{
	uint32_t number = (uint32_t)addr[0] << 24 | (uint32_t)addr[1] << 16 |
			  (uint32_t)addr[2] << 8 | addr[3];

	for (size_t i = 0; i < sizeof(mask_private) / sizeof(*mask_private);
	     i++)
		if (!((number ^ mask_private[i].network) >>
		      (32 - mask_private[i].bits)))
			return false;
	return true;
}

/* Link-local ones, and unique local ones made of a hardware address (EUI-64) */
static bool mask_host6(const unsigned char *addr)
{
	return (addr[0] == 0xfe && (addr[1] & 0xc0) == 0x80) ||
	       ((addr[0] & 0xfe) == 0xfc && addr[11] == 0xff &&
		addr[12] == 0xfe);
}

/* Besides unspecified, loopback, unique local and multicast ones */
static bool mask_public6(const unsigned char *addr)
{
	static const unsigned char zero[15];

	return (memcmp(addr, zero, sizeof(zero)) || addr[15] > 1) &&
	       (addr[0] & 0xfe) != 0xfc && addr[0] != 0xff;
}

/* Prints the mask of a value, with one number for the same value.  Returns the
 * length.
 */
static size_t mask_print(struct mask *mask, const char *kind, const char *value,
			 char *out, size_t size)
{
	size_t i = 0;

	while (i < mask->count && strcmp(mask->value[i], value))
		i++;
	if (i == MASK_VALUES)
		return (size_t)snprintf(out, size, "%s-more", kind);
	if (i == mask->count)
		snprintf(mask->value[mask->count++], MASK_VALUE_MAX, "%s",
			 value);
	return (size_t)snprintf(out, size, "%s-%zu", kind, i + 1);
}

/* Neither capitals nor the form of a hardware address make another value. */
static void mask_copy(const char *text, size_t len, bool mac, char *value)
{
	size_t used = 0;

	for (size_t i = 0; i < len && used < MASK_VALUE_MAX - 1; i++)
		if (!mac || isxdigit((unsigned char)text[i]))
			value[used++] = (char)tolower((unsigned char)text[i]);
	value[used] = '\0';
}

static bool mask_in(char c, const char *more)
{
	return isalnum((unsigned char)c) || (c && strchr(more, c));
}

/* Length of the address that a text begins with, 0 if there is none. */
static size_t mask_address(const char *text, unsigned char *addr, int *family)
{
	char copy[INET6_ADDRSTRLEN];
	size_t len = strspn(text, "0123456789abcdefABCDEF:.");

	if (len >= sizeof(copy))
		len = sizeof(copy) - 1;
	for (; len > 1; len--) {
		if (isalnum((unsigned char)text[len]))
			continue;
		memcpy(copy, text, len);
		copy[len] = '\0';
		*family = AF_INET;
		if (inet_pton(AF_INET, copy, addr) == 1)
			return len;
		*family = AF_INET6;
		if (inet_pton(AF_INET6, copy, addr) == 1)
			return len;
	}
	return 0;
}

/* Length of a hardware address in groups of digits, 0 if there is none.  Some
 * have more than the usual number.
 */
static size_t mask_mac_in(const char *text, char between, size_t group)
{
	size_t len = 0, next = 0, digits = 0;

	while (strspn(text + next, "0123456789abcdefABCDEF") == group) {
		len = next + group;
		digits += group;
		if (!between || text[len] != between)
			break;
		next = len + 1;
	}
	return digits < MASK_MAC || mask_in(text[len], "") ? 0 : len;
}

/* The same in each of its forms. */
static size_t mask_mac(const char *text, bool named)
{
	size_t len = mask_mac_in(text, ':', 2);

	if (!len)
		len = mask_mac_in(text, '-', 2);
	if (!len)
		len = mask_mac_in(text, '.', 4);
	return !len && named ? mask_mac_in(text, '\0', MASK_MAC) : len;
}

/* Whether a device is named after its hardware address, as by udev. */
static bool mask_named(const char *text)
{
	return islower((unsigned char)text[0]) &&
	       islower((unsigned char)text[1]) && text[2] == 'x' &&
	       mask_mac_in(text + MASK_PREFIX, '\0', MASK_MAC);
}

/* The mask of an address, NULL if it may stay. */
static const char *mask_address_kind(const unsigned char *addr, int family)
{
	if (family == AF_INET)
		return mask_public4(addr) ? "PUBLIC" : NULL;
	if (mask_host6(addr))
		return "HOST";
	return mask_public6(addr) ? "PUBLIC" : NULL;
}

/* Length of what has to be masked at the beginning of a text, and its mask. */
static size_t mask_find(const char *text, const char **kind)
{
	unsigned char addr[16];
	size_t len, digits;
	int family;

	*kind = NULL;
	len = strspn(text, "0123456789abcdefABCDEFghijklmnopqrstuvwxyz"
		     "GHIJKLMNOPQRSTUVWXYZ+/");
	digits = text[0] == '0' && text[1] == 'x' ? 2 : 0;
	digits += strspn(text + digits, "0123456789abcdefABCDEF");
	if (len >= MASK_BASE64) {
		*kind = "KEY";
		return len + strspn(text + len, "=");
	}
	if (digits >= MASK_HEX && !mask_in(text[digits], "")) {
		*kind = "ID";
		return digits;
	}
	len = mask_address(text, addr, &family);
	if (len)
		*kind = mask_address_kind(addr, family);
	return len;
}

/* Whether the word that begins here follows one that names an id. */
static bool mask_is_id(const char *line, const char *word)
{
	static const char *const names[] = { "id", "peer-id", "key-id", "ID",
					     "PeerID" };

	while (word > line && (word[-1] == ' ' || word[-1] == '='))
		word--;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t len = strlen(names[i]);

		if ((size_t)(word - line) >= len &&
		    !strncmp(word - len, names[i], len) &&
		    ((size_t)(word - line) == len ||
		     !mask_in(word[-(long)len - 1], "-_")))
			return true;
	}
	return false;
}

const char *mask_line(struct mask *mask, const char *line, char *out,
		      size_t size)
{
	const char *text = line, *kind;
	char value[MASK_VALUE_MAX];
	size_t len, mac, used = 0;
	bool named;

	while (*text && used + MASK_WORD < size) {
		if (text > line && mask_in(text[-1], "")) {
			out[used++] = *text++;
			continue;
		}
		named = mask_named(text);
		for (int i = 0; named && i < MASK_PREFIX; i++)
			out[used++] = *text++;
		mac = mask_mac(text, named);
		len = mac ? mac : mask_find(text, &kind);
		if (mac)
			kind = "HOST";
		if (!kind && !mask->paths && isdigit((unsigned char)*text) &&
		    mask_is_id(line, text)) {
			kind = "ID";
			len = strspn(text, "0123456789abcdefx");
		}
		if (!kind) {
			/* All of an address that may stay */
			do {
				out[used++] = *text++;
			} while (len-- > 1 && used + MASK_WORD < size);
			continue;
		}
		mask_copy(text, len, mac, value);
		used += strcmp(kind, "KEY") ?
			mask_print(mask, kind, value, out + used, size - used) :
			(size_t)snprintf(out + used, size - used, "KEY");
		text += len;
	}
	out[used] = '\0';
	return out;
}
