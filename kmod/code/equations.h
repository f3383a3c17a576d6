/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * A system of linear equations that grows and shrinks.
 */
#ifndef _MPTUN_CODE_EQUATIONS_H
#define _MPTUN_CODE_EQUATIONS_H

#include <linux/bits.h>
#include <linux/gfp.h>
#include <linux/types.h>

#include "code/field.h"

/* Largest number of unknowns, and the number that is none of them. */
#define MPTUN_UNKNOWNS		128U
#define MPTUN_UNKNOWN_NONE	0xff

/**
 * struct mptun_equation - coefficients times unknowns are bytes
 * @cols: unknowns with a coefficient that is not zero, one bit for each
 * @len: length of @data; zeros follow as far as there is room
 * @pivot: the oldest of @cols; its coefficient is 1, and 0 in all other
 *	equations
 * @coef: coefficient of each unknown
 * @data: the bytes
 */
struct mptun_equation {
	u64 cols[MPTUN_UNKNOWNS / 64];
	unsigned int len;
	u8 pivot;
	u8 coef[MPTUN_UNKNOWNS];
	u8 *data;
};

/**
 * struct mptun_equations - a system of equations
 * @field: arithmetic
 * @row: the equations; those from @rows on are free
 * @all: memory of the equations
 * @data: memory of their bytes
 * @rows: number of equations
 * @size: largest number of equations
 * @len: largest length of bytes
 * @used: unknowns that there are, one bit for each
 * @dsn: dsn of each unknown
 */
struct mptun_equations {
	const struct mptun_field *field;
	struct mptun_equation **row;
	struct mptun_equation *all;
	u8 *data;
	unsigned int rows;
	unsigned int size;
	unsigned int len;
	u64 used[MPTUN_UNKNOWNS / 64];
	u32 dsn[MPTUN_UNKNOWNS];
};

int mptun_equations_init(struct mptun_equations *s,
			 const struct mptun_field *field, unsigned int size,
			 unsigned int len, gfp_t gfp);
void mptun_equations_destroy(struct mptun_equations *s);
unsigned int mptun_equations_first(const struct mptun_equations *s,
				   const u64 *cols);
u8 mptun_equations_unknown(struct mptun_equations *s, u32 dsn);
u32 mptun_equations_give_up(struct mptun_equations *s);
void mptun_equations_set(struct mptun_equation *row, u8 col, u8 coef);
int mptun_equations_insert(struct mptun_equations *s);
bool mptun_equations_known(struct mptun_equations *s, u8 col, const u8 *data,
			   unsigned int len);
void mptun_equations_remove(struct mptun_equations *s, unsigned int n);

/**
 * mptun_equation_has() - check whether an unknown is in an equation
 * @row: the equation
 * @col: the unknown
 *
 * Return: true if its coefficient is not zero.
 */
static inline bool mptun_equation_has(const struct mptun_equation *row, u8 col)
{
	return row->cols[col / 64] & BIT_ULL(col % 64);
}

#endif /* _MPTUN_CODE_EQUATIONS_H */
