# SPDX-License-Identifier: GPL-2.0
"""Judges hold lines: measured figures against bounds and known failures."""
# Copyright (C) 2026 The mptun authors

import dataclasses
import itertools

from . import expr

PASS, NEAR, KNOWN, FAIL, BETTER = "pass", "near", "known", "FAIL", "better"


class NotRun(Exception):
    """An expression refers to a case that was not run."""


class KnownError(Exception):
    """The list of known failures is malformed."""


@dataclasses.dataclass
class Line:
    """One hold line at one point."""

    name: str
    what: str
    verdict: str
    value: float | None
    bound: str
    unit: str = ""
    reference: str = ""
    said: str = ""

    def as_dict(self):
        """The line as a dictionary, for the JSON file."""
        return dataclasses.asdict(self)


class Known:
    """The file of known failures."""

    def __init__(self, file):
        self.tolerance = self.noise = 0.0
        self.figures = {}
        with open(file, encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                line = line.partition("#")[0].strip()
                if line:
                    self.read(line, f"{file}:{number}")

    def read(self, line, where):
        """SCENARIO: HOLD: FIGURE, or one of the percentages."""
        words = [word.strip() for word in line.split(": ")]
        try:
            if words[0] in ("tolerance", "noise"):
                setattr(self, words[0], float(words[1].rstrip(" %")) / 100)
            else:
                scenario, hold, figure = words
                self.figures[scenario, hold] = float(figure)
        except (IndexError, ValueError) as err:
            raise KnownError(f"{where}: not 'SCENARIO: HOLD: FIGURE'") from err


def measured(results):
    """m(VALUE, VARIABLE=...): a measured value of the case with this point;
    variables that are not named are those of the line."""
    by_point = {tuple(sorted((key, str(value)) for key, value in
                             result["point"].items())): result
                for result in results}

    def at(point):
        def result_of(other):
            want = {**point, **other}
            key = tuple(sorted((var, str(value)) for var, value in
                               want.items()))
            if key not in by_point:
                raise NotRun(", ".join(f"{v}={w}" for v, w in want.items()))
            if "error" in by_point[key]:
                raise expr.ExprError(f"{by_point[key]['case']} failed")
            return by_point[key]

        def find(name, **other):
            result = result_of(other)
            if name not in result["values"]:
                raise expr.ExprError(f"{result['case']} has no '{name}'")
            return result["values"][name]

        def mean(name, begin, end, **other):
            result = result_of(other)
            part = [mbps for traffic in [result["series"]["traffic"],
                                         *result.get("others", [])]
                    if name in traffic
                    for t, mbps in zip(traffic[name]["t"],
                                       traffic[name].get("mbps", []))
                    if begin < t < end]
            if not part:
                raise expr.ExprError(f"{result['case']} has no series of "
                                     f"'{name}' there")
            return sum(part) / len(part)

        def best(prefix, what):
            values = result_of({})["values"]
            found = [value for name, value in values.items()
                     if name.startswith(prefix) and name.endswith("." + what)]
            if not found:
                raise expr.ExprError(f"there is no '{prefix}*.{what}'")
            return max(found)

        return {**point, "m": find, "mean": mean, "best": best}
    return at


def points(hold, only=None):
    """The points at which a hold line is looked at."""
    each = hold.get("each", {})
    for values in itertools.product(*each.values()):
        point = dict(zip(each, values))
        if all(value in only.get(var, [value]) for var, value in
               point.items()) if only else True:
            if expr.evaluate(hold.get("where", True), point):
                yield point


def judge(scenario, results, known, quick):
    """Judge all hold lines of a scenario whose cases were run."""
    at = measured(results)
    lines = []
    for hold in scenario.raw["hold"]:
        for point in points(hold, scenario.sweep(quick) if quick else None):
            line = look(scenario, hold, point, at, known, quick)
            if line:
                lines.append(line)
    return lines


def look(scenario, hold, point, at, known, quick):
    """Judge a hold line at one point; None if its cases are not in this set."""
    where = ",".join(f"{var}={value}" for var, value in point.items())
    name = hold["id"] + (f"[{where}]" if where else "")
    least = "least" in hold
    line = Line(name, hold["what"], FAIL, None, "", hold.get("unit", ""),
                str(hold.get("reference", "")))
    try:
        value = float(expr.evaluate(hold["value"], at(point)))
        bound = float(expr.evaluate(hold["least" if least else "most"],
                                    at(point)))
    except NotRun as err:
        if quick:
            return None
        line.said = f"there is no case {err}"
        return line
    except expr.ExprError as err:
        line.said = str(err)
        return line
    line.value = round(value, 4)
    line.bound = f"{'>=' if least else '<='} {expr.plain(bound)}"
    line.verdict, line.said = verdict(
        value, bound, least, known, known.figures.get((scenario.name, name)))
    return line


def verdict(value, bound, least, known, listed):
    """The verdict on a figure, and a word on it."""
    def reaches(goal, slack=0.0):
        if least:
            return value >= goal - abs(goal) * slack
        return value <= goal + abs(goal) * slack

    if reaches(bound):
        if listed is None:
            return PASS, ""
        return BETTER, f"listed as failing with {listed:g}: strike it out"
    if listed is not None:
        if reaches(listed, known.tolerance):
            return KNOWN, f"known: {listed:g}"
        return FAIL, f"worse than the {listed:g} that is known"
    if reaches(bound, known.noise):
        return NEAR, ""
    return FAIL, ""
