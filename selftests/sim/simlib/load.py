# SPDX-License-Identifier: GPL-2.0
"""Scenario files: read, checked, and unfolded into cases."""
# Copyright (C) 2026 The mptun authors

import copy
import itertools
import pathlib

import jsonschema
import yaml

from . import expr

HERE = pathlib.Path(__file__).resolve().parent.parent
PARTS = ("paths", "carriers", "traffic", "events")


class ScenarioError(Exception):
    """What is wrong with a scenario, in one sentence for each fault."""


class Case:
    """One point of a sweep: all that one run in a guest needs."""

    def __init__(self, scenario, point):
        self.point = point
        self.name = case_name(point)
        parts = {part: copy.deepcopy(scenario.raw.get(part, []))
                 for part in PARTS}
        parts["seeds"] = scenario.raw.get("seeds", 1)
        for var, choice in point.items():
            variant = scenario.raw.get("variants", {}).get(var, {})
            parts.update(copy.deepcopy(variant.get(str(choice), {})))
        names = dict(point)
        self.seeds = parts["seeds"]
        self.paths = unfold(parts["paths"], names)
        self.carriers = chosen(parts["carriers"], names) or [
            {"kind": "mptun"}]
        self.traffic = chosen(parts["traffic"], names)
        self.events = expr.fill(parts["events"], names)
        every = [path["name"] for path in self.paths]
        for number, carrier in enumerate(self.carriers):
            carrier.setdefault("name", f"mp{number}")
            carrier.setdefault("paths", every)
            if isinstance(carrier["paths"], str):
                carrier["paths"] = [carrier["paths"]]
            if carrier["kind"] == "mptun" and scenario.settings:
                carrier["settings"] = {**scenario.settings,
                                       **carrier.get("settings", {})}
        for item in self.traffic:
            item.setdefault("over", self.carriers[0]["name"])

    def seconds(self):
        """How long it lasts, in virtual time."""
        return max(float(item.get("start", 0)) + float(item.get("omit", 0)) +
                   float(item.get("seconds", 10)) for item in self.traffic)


class Scenario:
    """A file."""

    def __init__(self, file, raw):
        self.file = file
        self.raw = raw
        self.name = raw["scenario"]
        self.seed = raw.get("seed", 1)
        self.settings = {}

    def restrict(self, var, values):
        """Leave out all other values of a variable; a ScenarioError if it has
        none of these."""
        sweep = self.raw.get("sweep", {})
        left = [value for value in sweep.get(var, []) if str(value) in values]
        if not left:
            raise ScenarioError(f"{self.file}: {var} has no "
                                f"{' or '.join(values)} in 'sweep'")
        for table in (sweep, self.raw.get("quick", {}),
                      *(hold.get("each", {}) for hold in self.raw["hold"])):
            if var in table:
                table[var] = [value for value in table[var] if value in left]

    def configure(self, key, value):
        """A setting of all tunnels that do not choose it themselves."""
        self.settings[key] = value

    def sweep(self, quick):
        """The values of each variable."""
        values = dict(self.raw.get("sweep", {}))
        if quick:
            values.update(self.raw.get("quick", {}))
        return values

    def cases(self, quick=False):
        """All cases, in the order of the file."""
        sweep = self.sweep(quick)
        found = []
        for values in itertools.product(*sweep.values()):
            point = dict(zip(sweep, values))
            if expr.evaluate(self.raw.get("where", True), point):
                found.append(Case(self, point))
        return found


def case_name(point):
    """The name of a point in tables and files."""
    return ",".join(f"{var}={value}" for var, value in point.items()) or "all"


def chosen(items, names):
    """The items of a list that exist at this point."""
    return [expr.fill({key: value for key, value in item.items()
                       if key != "where"}, names) for item in items
            if expr.evaluate(item.get("where", True), names)]


def unfold(paths, names):
    """The paths, those with a count as often as that says."""
    result = []
    for path in paths:
        count = path.get("count")
        many = int(expr.fill(count, names)) if count is not None else 0
        for i in range(1, max(many, 1) + 1):
            one = expr.fill({key: value for key, value in path.items()
                             if key != "count"}, {**names, "i": i})
            if count is not None:
                one["name"] += str(i)
            result.append(one)
    return result


def load(file):
    """The scenario in a file, or a ScenarioError."""
    try:
        with open(file, encoding="utf-8") as stream:
            raw = yaml.safe_load(stream)
    except (OSError, yaml.YAMLError) as err:
        raise ScenarioError(f"{file}: {err}") from err
    with open(HERE / "schema.yaml", encoding="utf-8") as stream:
        schema = yaml.safe_load(stream)
    checker = jsonschema.Draft202012Validator(schema)
    faults = [fault(file, err) for err in checker.iter_errors(raw)]
    if faults:
        raise ScenarioError("\n".join(faults))
    scenario = Scenario(pathlib.Path(file), raw)
    if scenario.file.stem != scenario.name:
        raise ScenarioError(f"{file}: 'scenario' is '{scenario.name}', not "
                            "the name of the file")
    try:
        check(scenario)
    except expr.ExprError as err:
        raise ScenarioError(f"{file}: {err}") from err
    return scenario


def load_all():
    """All scenarios of the project."""
    return [load(file) for file in sorted((HERE / "scenarios")
                                          .glob("*.yaml"))]


def fault(file, err):
    """A sentence for an error of the schema."""
    where = ".".join(str(step) for step in err.absolute_path) or "the file"
    message = err.message
    if err.validator == "oneOf" and "hold" in err.absolute_path:
        message = "needs either 'least' or 'most'"
    elif err.validator == "oneOf":
        message = "needs either 'columns' and 'value' or 'values'"
    return f"{file}: {where}: {message[:200]}"


def check(scenario):
    """Checks beyond the schema; raises a ScenarioError."""
    raw, file = scenario.raw, scenario.file
    sweep = raw.get("sweep", {})
    for var, values in raw.get("quick", {}).items():
        for value in values:
            if value not in sweep.get(var, []):
                raise ScenarioError(f"{file}: quick: {var} has no {value} "
                                    "in 'sweep'")
    for var, variants in raw.get("variants", {}).items():
        for name in variants:
            if name not in [str(value) for value in sweep.get(var, [])]:
                raise ScenarioError(f"{file}: variants: {var} has no "
                                    f"'{name}' in 'sweep'")
    ids = [hold["id"] for hold in raw["hold"]]
    for hold in raw["hold"]:
        expr.parse(hold["value"])
        if ids.count(hold["id"]) > 1:
            raise ScenarioError(f"{file}: two hold lines are called "
                                f"'{hold['id']}'")
    for plot in raw.get("plots", []):
        need = {"time": ("case",), "heat": ("x", "y", "value", "goal")}
        for word in need.get(plot["kind"], ("x", "series", "value")):
            if word not in plot:
                raise ScenarioError(f"{file}: plot '{plot['id']}' needs "
                                    f"'{word}'")
    cases = scenario.cases()
    if not cases:
        raise ScenarioError(f"{file}: 'where' leaves no case")
    for case in cases:
        check_case(file, case)


def check_case(file, case):
    """Check that the parts of a case fit each other."""
    links = [path["name"] for path in case.paths]
    places = set(links)
    for carrier in case.carriers:
        for path in carrier["paths"]:
            if path not in places and path.rpartition("-")[0] not in links:
                raise ScenarioError(f"{file}: {case.name}: carrier "
                                    f"'{carrier['name']}' is over '{path}', "
                                    "which is neither a path nor a carrier "
                                    "before it")
        places.add(carrier["name"])
    for item in case.traffic:
        if item["over"] not in places:
            raise ScenarioError(f"{file}: {case.name}: traffic "
                                f"'{item['name']}' is over '{item['over']}', "
                                "which is no path and no carrier")
    for event in case.events:
        if event["path"] not in (*links, "busy"):
            raise ScenarioError(f"{file}: {case.name}: an event is about "
                                f"'{event['path']}', which is no path")
