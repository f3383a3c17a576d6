// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * A system of linear equations that grows and shrinks.
 *
 * It is always in reduced row echelon form, the older unknowns first: the pivot
 * of an equation, its oldest unknown, is in no other equation.  So an unknown
 * has a value as soon as the equations determine one, and a look at each
 * equation finds it: it is the only unknown of its equation.
 *
 * Each change keeps the form.  A new equation is reduced by the others; then
 * its oldest unknown becomes its pivot and is eliminated from the others, whose
 * pivots are older.  An unknown that becomes known leaves all equations; if it
 * was the pivot of one, that one gets another pivot in the same way.  The
 * oldest unknown of all is the pivot of the only equation that contains it, so
 * it is given up with this equation, and the others lose nothing.
 *
 * A change costs at most two multiplications of a packet per equation.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "base/seq.h"
#include "code/equations.h"
#include "code/memory.h"

/**
 * mptun_equations_init() - allocate a system
 * @s: the system
 * @field: arithmetic
 * @size: largest number of equations
 * @len: largest length of their bytes, a multiple of 8
 * @gfp: how to allocate
 *
 * Return: 0 or -ENOMEM.
 */
int mptun_equations_init(struct mptun_equations *s,
			 const struct mptun_field *field, unsigned int size,
			 unsigned int len, gfp_t gfp)
{
	unsigned int i;

	*s = (struct mptun_equations){
		.field = field,
		.size = size,
		.len = len,
	};
	s->row = mptun_code_alloc(size, sizeof(*s->row), gfp);
	s->all = mptun_code_alloc(size, sizeof(*s->all), gfp);
	s->data = mptun_code_alloc(size, len, gfp);
	if (!s->row || !s->all || !s->data) {
		mptun_equations_destroy(s);
		return -ENOMEM;
	}
	for (i = 0; i < size; i++) {
		s->row[i] = &s->all[i];
		s->row[i]->data = s->data + (size_t)i * len;
	}
	return 0;
}

/**
 * mptun_equations_destroy() - free a system
 * @s: the system
 */
void mptun_equations_destroy(struct mptun_equations *s)
{
	kvfree(s->row);
	kvfree(s->all);
	kvfree(s->data);
	*s = (struct mptun_equations){};
}

/**
 * mptun_equations_first() - find the oldest unknown
 * @s: the system
 * @cols: one bit for each unknown in question
 *
 * Return: the unknown, MPTUN_UNKNOWN_NONE if there is none.
 */
unsigned int mptun_equations_first(const struct mptun_equations *s,
				   const u64 *cols)
{
	unsigned int i, col, first = MPTUN_UNKNOWN_NONE;
	u64 left;

	for (i = 0; i < MPTUN_UNKNOWNS / 64; i++) {
		for (left = cols[i]; left; left &= left - 1) {
			col = 64 * i + __ffs64(left);
			if (first == MPTUN_UNKNOWN_NONE ||
			    mptun_seq_before(s->dsn[col], s->dsn[first]))
				first = col;
		}
	}
	return first;
}

/**
 * mptun_equations_unknown() - add an unknown
 * @s: the system
 * @dsn: its dsn
 *
 * Return: the unknown, MPTUN_UNKNOWN_NONE if there is no room.
 */
u8 mptun_equations_unknown(struct mptun_equations *s, u32 dsn)
{
	unsigned int i, bit;

	for (i = 0; i < MPTUN_UNKNOWNS / 64; i++) {
		if (s->used[i] == U64_MAX)
			continue;
		bit = __ffs64(~s->used[i]);
		s->used[i] |= BIT_ULL(bit);
		s->dsn[64 * i + bit] = dsn;
		return 64 * i + bit;
	}
	return MPTUN_UNKNOWN_NONE;
}

/**
 * mptun_equations_remove() - remove an equation
 * @s: the system
 * @n: its index
 */
void mptun_equations_remove(struct mptun_equations *s, unsigned int n)
{
	swap(s->row[n], s->row[s->rows - 1]);
	s->rows--;
}

/**
 * mptun_equations_give_up() - remove the oldest unknown
 * @s: the system, which has unknowns
 *
 * The equation of which it is the pivot is removed with it.
 *
 * Return: its dsn.
 */
u32 mptun_equations_give_up(struct mptun_equations *s)
{
	unsigned int n, col;

	col = mptun_equations_first(s, s->used);
	s->used[col / 64] &= ~BIT_ULL(col % 64);
	for (n = 0; n < s->rows; n++) {
		if (s->row[n]->pivot == col) {
			mptun_equations_remove(s, n);
			break;
		}
	}
	return s->dsn[col];
}

/**
 * mptun_equations_set() - set the coefficient of an unknown
 * @row: the equation
 * @col: the unknown
 * @coef: the coefficient
 */
void mptun_equations_set(struct mptun_equation *row, u8 col, u8 coef)
{
	row->coef[col] = coef;
	if (coef)
		row->cols[col / 64] |= BIT_ULL(col % 64);
	else
		row->cols[col / 64] &= ~BIT_ULL(col % 64);
}

/* Adds @by to @row so often that an unknown, the pivot of @by, leaves @row. */
static void mptun_equations_reduce(const struct mptun_equations *s,
				   struct mptun_equation *row,
				   const struct mptun_equation *by, u8 pivot)
{
	u8 factor = row->coef[pivot];
	unsigned int i, col;
	u64 left;

	for (i = 0; i < MPTUN_UNKNOWNS / 64; i++) {
		for (left = by->cols[i]; left; left &= left - 1) {
			col = 64 * i + __ffs64(left);
			mptun_equations_set(row, col, row->coef[col] ^
					    mptun_field_mul(by->coef[col],
							    factor));
		}
	}
	s->field->mul_add(row->data, by->data, factor, by->len);
	row->len = max(row->len, by->len);
}

/* Divides a reduced equation by the coefficient of its oldest unknown, and
 * removes that one from all others.
 */
static void mptun_equations_pivot(struct mptun_equations *s,
				  struct mptun_equation *row)
{
	unsigned int i, pivot = mptun_equations_first(s, row->cols);
	u8 factor = mptun_field_inverse(row->coef[pivot]);

	row->pivot = pivot;
	/* times the factor is plus times the factor less one */
	s->field->mul_add(row->data, row->data, factor ^ 1, row->len);
	for (i = 0; i < MPTUN_UNKNOWNS; i++)
		row->coef[i] = mptun_field_mul(row->coef[i], factor);
	for (i = 0; i < s->rows; i++)
		if (s->row[i] != row && mptun_equation_has(s->row[i], pivot))
			mptun_equations_reduce(s, s->row[i], row, pivot);
}

/**
 * mptun_equations_insert() - add the equation behind the last one
 * @s: the system
 *
 * The owner has filled in all except its pivot.
 *
 * Return: 0; -EEXIST if the others imply it, -EBADMSG if they contradict it.
 */
int mptun_equations_insert(struct mptun_equations *s)
{
	struct mptun_equation *row = s->row[s->rows];
	unsigned int i;

	for (i = 0; i < s->rows; i++)
		if (mptun_equation_has(row, s->row[i]->pivot))
			mptun_equations_reduce(s, row, s->row[i],
					       s->row[i]->pivot);
	if (mptun_equations_first(s, row->cols) == MPTUN_UNKNOWN_NONE)
		return memchr_inv(row->data, 0, row->len) ? -EBADMSG : -EEXIST;
	s->rows++;
	mptun_equations_pivot(s, row);
	return 0;
}

/**
 * mptun_equations_known() - replace an unknown by its value
 * @s: the system, of equations with several unknowns
 * @col: the unknown
 * @data: its value
 * @len: length of that, at most the largest length
 *
 * Return: false if that contradicts an equation.
 */
bool mptun_equations_known(struct mptun_equations *s, u8 col, const u8 *data,
			   unsigned int len)
{
	struct mptun_equation *row, *open = NULL;
	unsigned int n;

	s->used[col / 64] &= ~BIT_ULL(col % 64);
	for (n = 0; n < s->rows; n++) {
		row = s->row[n];
		if (!mptun_equation_has(row, col))
			continue;
		/* no sum is shorter than what is in it */
		if (len > row->len)
			return false;
		s->field->mul_add(row->data, data, row->coef[col], len);
		mptun_equations_set(row, col, 0);
		if (row->pivot == col)
			open = row;
	}
	if (open)
		mptun_equations_pivot(s, open);
	return true;
}
