// SPDX-License-Identifier: GPL-2.0
/*
 * QR codes in a terminal.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * A character has two modules, one above the other.  Their colours are set, so
 * that the code is dark on light whatever those of the terminal are.
 */
#include "lib/qr.h"
#include "lib/report.h"

#ifdef MPTUN_QR
#include <qrencode.h>
#include <stdbool.h>
#include <stdio.h>

#include "lib/secret.h"

/* Most bytes of the largest code with least correction of errors. */
#define QR_MOST 2953

/* Light modules around the code. */
#define QR_MARGIN 4

static bool qr_dark(const QRcode *code, int x, int y)
{
	return x >= 0 && y >= 0 && x < code->width && y < code->width &&
	       code->data[y * code->width + x] & 1;
}

static void qr_line(const QRcode *code, int y)
{
	static const char *const block[] = {
		" ", "\xe2\x96\x84", "\xe2\x96\x80", "\xe2\x96\x88",
	};

	printf("\033[30;47m");
	for (int x = -QR_MARGIN; x < code->width + QR_MARGIN; x++)
		fputs(block[2 * qr_dark(code, x, y) + qr_dark(code, x, y + 1)],
		      stdout);
	puts("\033[0m");
}

int qr_check(size_t len)
{
	if (len <= QR_MOST)
		return STATUS_OK;
	return report_fail("a file of %zu characters is too long for a QR code, which has at most %d",
			   len, QR_MOST);
}

int qr_print(const char *text, size_t len)
{
	QRcode *code;

	if (qr_check(len))
		return STATUS_KERNEL;
	code = QRcode_encodeData((int)len, (const unsigned char *)text, 0,
				 QR_ECLEVEL_L);
	if (!code)
		return report_fail("the QR code cannot be made");
	for (int y = -QR_MARGIN; y < code->width + QR_MARGIN; y += 2)
		qr_line(code, y);
	secret_wipe(code->data, (size_t)code->width * (size_t)code->width);
	QRcode_free(code);
	return STATUS_OK;
}
#else
int qr_check(size_t len)
{
	(void)len;
	return report_fail("this mptunctl is built without QR codes");
}

int qr_print(const char *text, size_t len)
{
	(void)text;
	return qr_check(len);
}
#endif
