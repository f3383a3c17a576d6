# SPDX-License-Identifier: GPL-2.0
"""Expressions in scenario files: a small, harmless part of Python."""
# Copyright (C) 2026 The mptun authors

import ast
import re

ALLOWED = (
    ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not,
    ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv,
    ast.Mod, ast.Pow, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE,
    ast.Gt, ast.GtE, ast.In, ast.NotIn, ast.IfExp, ast.Call, ast.keyword,
    ast.Name, ast.Load, ast.Store, ast.Constant, ast.List, ast.Tuple,
    ast.Subscript, ast.Slice, ast.GeneratorExp, ast.ListComp,
    ast.comprehension,
)
FUNCTIONS = {"min": min, "max": max, "sum": sum, "round": round, "abs": abs,
             "len": len, "range": range, "str": str, "int": int}
HOLE = re.compile(r"\$\{([^}]*)\}")


class ExprError(Exception):
    """What is wrong with an expression, in one sentence."""


def parse(text):
    """The code of an expression, or an ExprError."""
    try:
        tree = ast.parse(str(text).strip(), mode="eval")
    except SyntaxError as err:
        raise ExprError(f"'{text}' is not an expression: {err.msg}") from err
    for node in ast.walk(tree):
        if not isinstance(node, ALLOWED):
            raise ExprError(f"'{text}' uses what is not allowed there: "
                            f"{type(node).__name__}")
    return compile(tree, "<scenario>", "eval")


def evaluate(text, names):
    """The value of an expression with these names."""
    code = parse(text)
    for name in code.co_names:
        if name not in names and name not in FUNCTIONS:
            raise ExprError(f"'{text}' names '{name}', which nobody set")
    try:
        # one dictionary, so that generators see the names, too
        # pylint: disable-next=eval-used
        return eval(code, {"__builtins__": {}, **FUNCTIONS, **names})
    except (ArithmeticError, TypeError, ValueError, IndexError) as err:
        raise ExprError(f"'{text}': {err}") from err


def fill(value, names):
    """A copy of a value of a scenario with every ${EXPRESSION} filled in. A
    string that is nothing but one becomes what it yields."""
    if isinstance(value, dict):
        return {key: fill(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [fill(item, names) for item in value]
    if not isinstance(value, str):
        return value
    whole = HOLE.fullmatch(value)
    if whole:
        return evaluate(whole[1], names)
    return HOLE.sub(lambda hole: plain(evaluate(hole[1], names)), value)


def plain(value):
    """A number as people write it."""
    if isinstance(value, float):
        return f"{value:.6f}".rstrip("0").rstrip(".")
    return str(value)
