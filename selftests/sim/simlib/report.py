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


def table_rows(scenario, table, results):
    """Head and rows of a table of a scenario, as strings."""
    at = judge.measured(results)
    rows, columns = [], []
    for result in results:
        row, column = (str(result["point"].get(table[key], "")) for key in
                       ("rows", "columns"))
        if row not in rows:
            rows.append(row)
        if column not in columns:
            columns.append(column)
    cells = {}
    for result in results:
        key = tuple(str(result["point"].get(table[key], "")) for key in
                    ("rows", "columns"))
        try:
            value = expr.evaluate(table["value"], at(result["point"]))
            cells[key] = f"{value:.{table.get('digits', 2)}f}"
        except (expr.ExprError, judge.NotRun):
            cells[key] = "failed" if "error" in result else "-"
    references = table.get("reference", {})
    head = [table["rows"], *columns, *references]
    values = scenario.raw.get("sweep", {}).get(table["rows"], [""])
    body = []
    for row in rows:
        at_row = [str(value) for value in values].index(row)
        body.append([row, *(cells.get((row, column), "") for column in
                            columns),
                     *(str(figures[at_row]) if at_row < len(figures) else ""
                       for figures in references.values())])
    return [head, *body]


def hold_rows(lines):
    """The hold lines as a table."""
    rows = [["hold", "ours", "must be", "document", ""]]
    for line in lines:
        value = "-" if line.value is None else f"{line.value:g}{line.unit}"
        rows.append([f"{line.name}: {line.what}"[:78], value, line.bound,
                     line.reference[:42], line.verdict])
    return rows


def show(scenario, results, lines, out):
    """All of a scenario."""
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
    for line in grid(hold_rows(lines)):
        print(f"  {line}", file=out)
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
