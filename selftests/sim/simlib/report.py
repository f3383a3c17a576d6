# SPDX-License-Identifier: GPL-2.0
"""Tables for the terminal, and KTAP."""
# Copyright (C) 2026 The mptun authors

from . import expr, judge


def grid(rows):
    """Lines of a table, the first column to the left."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in
                  zip(row[1:], widths[1:])]
        yield "  ".join(cells).rstrip()


def cell(text, point, at, digits):
    """A figure of a table."""
    try:
        return f"{expr.evaluate(text, at(point)):.{digits}f}"
    except judge.NotRun:
        return "-"
    except expr.ExprError:
        return "failed"


def table_rows(scenario, table, results):
    """Head and rows of a table of a scenario, as strings. Its columns are the
    values of a variable, or figures that have names of their own."""
    at, var = judge.measured(results), table["rows"]
    columns, cells = list(table.get("values", {})), {}
    for result in results:
        point = result["point"]
        row = cells.setdefault(str(point.get(var, "")), {})
        figures = dict(table.get("values", {}))
        if "columns" in table:
            column = str(point.get(table["columns"], ""))
            figures = {column: table["value"]}
            if column not in columns:
                columns.append(column)
        for name, text in figures.items():
            row[name] = cell(text, point, at, table.get("digits", 2))
    references = table.get("reference", {})
    known = [str(value) for value in
             scenario.raw.get("sweep", {}).get(var, [""])]
    body = []
    for row, figures in cells.items():
        number = known.index(row)
        body.append([row, *(figures.get(name, "") for name in columns),
                     *(str(values[number]) for values in references.values())])
    return [[var, *columns, *references], *body]


def hold_rows(lines):
    """The hold lines as a table."""
    rows = [["must hold", "ours", "must be", "document", ""]]
    for line in lines:
        value = "-" if line.value is None else f"{line.value:g}{line.unit}"
        rows.append([line.name, value, line.bound, line.reference[:48],
                     line.verdict])
    return rows


def legend(scenario, lines):
    """(ID, WHAT) of the hold lines."""
    looked = {line.name.partition("[")[0] for line in lines}
    return [(hold["id"], hold["what"]) for hold in scenario.raw["hold"]
            if hold["id"] in looked]


def show(scenario, results, lines, out):
    """Print all tables of a scenario."""
    print(f"\n{scenario.name}: {scenario.raw['title']} "
          f"({scenario.raw['source']})", file=out)
    if "waits-for" in scenario.raw:
        print(f"  waits for: {scenario.raw['waits-for']}", file=out)
    for result in results:
        if "error" in result:
            print(f"  {result['case']}: {result['error']}", file=out)
    for table in scenario.raw.get("tables", []):
        print(f"  {table['title']}", file=out)
        for line in grid(table_rows(scenario, table, results)):
            print(f"    {line}", file=out)
    for name, what in legend(scenario, lines):
        print(f"  {name}: {what}", file=out)
    for line in grid(hold_rows(lines)):
        print(f"    {line}", file=out)
    for line in lines:
        if line.said:
            print(f"  {line.name}: {line.said}", file=out)


def ktap(scenarios, out):
    """(Scenario, results, lines) as KTAP: one test for each hold line."""
    print("KTAP version 1", file=out)
    print(f"1..{len(scenarios)}", file=out)
    good = True
    for number, (scenario, results, lines) in enumerate(scenarios, 1):
        print(f"    # Subtest: {scenario.name}", file=out)
        broken = [result for result in results if "error" in result]
        print(f"    1..{len(lines) + 1}", file=out)
        for index, line in enumerate(lines, 1):
            word = "not ok" if line.verdict == judge.FAIL else "ok"
            value = "-" if line.value is None else f"{line.value:g}"
            said = f" ({line.said})" if line.said else ""
            print(f"    # {value}{line.unit} {line.bound}{said}", file=out)
            print(f"    {word} {index} {line.name}", file=out)
        for result in broken:
            print(f"    # {result['case']}: {result['error']}", file=out)
        word = "not ok" if broken else "ok"
        print(f"    {word} {len(lines) + 1} all {len(results)} cases ran",
              file=out)
        bad = broken or any(line.verdict == judge.FAIL for line in lines)
        good = good and not bad
        print(f"{'not ok' if bad else 'ok'} {number} {scenario.name}",
              file=out)
    return good
