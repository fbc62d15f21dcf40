"""The report of an analysis: counts, where they come from, growth, savings, limits, comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from symkin.analysis import Analysis, Function, Share, Way
from symkin.graph import Output, count
from symkin.report.document import Cell, Report, Table
from symkin.report.pictures import Bars, Curves, Picture, Sparsity
from symkin.report.tables import candidates_table, column, tabulate

WIDEST = 72
"""Columns of a matrix up to which its pattern is drawn in text."""


def describe_analysis(
    analysis: Analysis,
    *,
    limits: Mapping[str, int] | None = None,
    against: Mapping[str, int] | None = None,
) -> Report:
    """All that an analysis found, with pictures for `to_html`.

    ``limits`` are operations that functions may have: see `Analysis.exceeding`. ``against`` are
    those of functions of the same names, of another robot or version.
    """
    exceeded = analysis.exceeding(limits or {})
    facts: dict[str, Cell] = {
        "nv": analysis.robot.nv,
        "digest": analysis.robot.digest,
        "passed": not exceeded if limits else None,
    }
    for k, saving in enumerate(analysis.savings, 1):
        facts[f"saving_{k}"] = str(saving)
    patterns = [p for p in _patterns(analysis) if len(p.rows[0]) <= WIDEST]
    tables = (
        _limits_table(analysis, limits or {}),
        _comparison_table(analysis, against or {}),
        _functions_table(analysis),
        candidates_table(function.plan for function in analysis.functions),
        _passes_table(analysis),
        _shares_table(analysis, "links", "Operations by link", lambda f: f.by_link),
        _shares_table(analysis, "stages", "Operations by stage", lambda f: f.by_stage),
        _outputs_table(analysis),
        _growth_table(analysis),
        _savings_table(analysis),
        _sparsity_table(analysis),
    )
    return Report(
        f"Analysis: {analysis.robot.name}",
        facts,
        "\n\n".join(f"{pattern.title}\n{pattern}" for pattern in patterns),
        tables,
        tuple(_pictures(analysis)),
    )


def _functions_table(analysis: Analysis) -> Table:
    return tabulate(
        "functions",
        "Functions",
        analysis.functions,
        column("function", lambda f: f.name, key="name"),
        column("operations", lambda f: f.operations, "count"),
        column("as traced", lambda f: f.plan.winner.traced.operations, "count", "traced"),
        column("nodes", lambda f: len(f.plan.graph.nodes), "count", shown="wide"),
        column("constants", lambda f: count(f.plan.graph).constants, "count"),
        column("depth", lambda f: f.plan.graph.depth, "count", shown="wide"),
        column("entries", lambda f: sum(o.port.size for o in f.plan.graph.outputs), "count"),
        column("nonzeros", lambda f: sum(len(o.nonzeros) for o in f.plan.graph.outputs), "count"),
        column("peak live values", lambda f: f.peak_live, "count", "peak_live"),
        column("code, bytes", lambda f: round(f.code_bytes), "count", "code_bytes"),
        column("compile, s", lambda f: f.compile_seconds, "number", "compile_seconds"),
    )


def _passes_table(analysis: Analysis) -> Table:
    def left(name: str) -> Callable[[tuple[Function, Way]], Cell]:
        return lambda row: next((c.operations for p, c in row[1].passes if p == name), None)

    ways = [(function, way) for function in analysis.functions for way in function.ways]
    passes = dict.fromkeys(name for _, way in ways for name, _ in way.passes)
    return tabulate(
        "passes",
        "Operations that are left after each pass",
        ways,
        column("function", lambda row: row[0].name, key="name"),
        column("formulation", lambda row: tuple(dict.fromkeys(row[1].formulations))),
        column("as traced", lambda row: row[1].traced.operations, "count", "traced"),
        *(column(name.replace("_", " "), left(name), "count", name) for name in passes),
    )


def _shares_table(
    analysis: Analysis, key: str, title: str, shares: Callable[[Function], Sequence[Share]]
) -> Table:
    return tabulate(
        key,
        title,
        [(function, share) for function in analysis.functions for share in shares(function)],
        column("function", lambda row: row[0].name, key="name"),
        column("where", lambda row: row[1].place, key="place"),
        column("operations", lambda row: row[1].operations, "count"),
        column("%", lambda row: 100.0 * row[1].operations / row[0].operations, "number", "percent"),
    )


def _outputs_table(analysis: Analysis) -> Table:
    return tabulate(
        "outputs",
        "Operations by output",
        [(function, share) for function in analysis.functions for share in function.by_output],
        column("function", lambda row: row[0].name, key="name"),
        column("output", lambda row: row[1].place),
        column("needs", lambda row: row[1].needed, "count", "needed"),
        column("alone", lambda row: row[1].operations, "count", "operations"),
    )


def _growth_table(analysis: Analysis) -> Table:
    return tabulate(
        "growth",
        "Growth with the number of joints, on robots drawn at random",
        [
            (growth, n, operations)
            for growth in analysis.growth
            for n, operations in zip(growth.sizes, growth.operations, strict=True)
        ],
        column("function", lambda row: row[0].function, key="name"),
        column("robots", lambda row: row[0].family, key="family"),
        column("joints", lambda row: row[1], "count"),
        column("operations", lambda row: row[2], "count"),
        column("exponent", lambda row: round(row[0].exponent, 3), "number"),
    )


def _savings_table(analysis: Analysis) -> Table:
    return tabulate(
        "savings",
        "What would save most",
        analysis.savings,
        column("change", lambda s: s.change),
        column("functions", lambda s: s.functions, shown="data"),
        column("before", lambda s: s.before, "count"),
        column("after", lambda s: s.after, "count"),
        column("%", lambda s: round(100.0 * s.part, 2), "number", "percent"),
        column("changes outputs by", lambda s: s.effect, "error", "effect"),
    )


def _limits_table(analysis: Analysis, limits: Mapping[str, int]) -> Table:
    found = analysis.operations
    return tabulate(
        "limits",
        "Limits",
        limits.items(),
        column("function", lambda row: row[0], key="name"),
        column("operations", lambda row: found[row[0]], "count"),
        column("limit", lambda row: row[1], "count"),
        column("verdict", lambda row: found[row[0]] <= row[1], "verdict", "passed"),
    )


def _comparison_table(analysis: Analysis, against: Mapping[str, int]) -> Table:
    return tabulate(
        "comparison",
        "Comparison",
        [
            (name, ours, against[name])
            for name, ours in analysis.operations.items()
            if name in against
        ],
        column("function", lambda row: row[0], key="name"),
        column("here", lambda row: row[1], "count"),
        column("there", lambda row: row[2], "count"),
        column("difference", lambda row: row[1] - row[2], "count"),
        column("ratio", lambda row: row[1] / row[2] if row[2] else None, "number"),
    )


def _sparsity_table(analysis: Analysis) -> Table:
    return tabulate(
        "sparsity",
        "Nonzeros of each output",
        [(f.name, output) for f in analysis.functions for output in f.plan.graph.outputs],
        column("function", lambda row: row[0], key="name"),
        column("output", lambda row: row[1].port.name),
        column("shape", lambda row: " x ".join(map(str, row[1].port.shape))),
        column("nonzeros", lambda row: len(row[1].nonzeros), "count"),
        column("of", lambda row: row[1].port.size, "count", "entries"),
        column("pattern", lambda row: tuple(map(_bits, _rows(row[1]))), shown="data"),
    )


def _bits(row: Sequence[bool]) -> str:
    return "".join("1" if entry else "0" for entry in row)


def _rows(output: Output) -> tuple[tuple[bool, ...], ...]:
    """The pattern of an output as a matrix of its last axis; a vector is one row."""
    width = output.port.shape[-1] if output.port.shape else 1
    entries = [number >= 0 for number in output.nodes]
    return tuple(tuple(entries[k : k + width]) for k in range(0, len(entries), max(width, 1)))


def _patterns(analysis: Analysis) -> Iterator[Sparsity]:
    """Of the outputs that are matrices."""
    for function in analysis.functions:
        for output in function.plan.graph.outputs:
            if len(output.port.shape) > 1 and output.port.size:
                yield Sparsity(f"{function.name}: {output.port.name}", _rows(output))


def _pictures(analysis: Analysis) -> Iterator[Picture]:
    yield Bars("operations", "operations", dict(analysis.operations))
    for function in analysis.functions:
        for what, shares in (("link", function.by_link), ("stage", function.by_stage)):
            if shares:
                bars = {share.place: float(share.operations) for share in shares}
                yield Bars(f"{function.name}, by {what}", "operations", bars)
    for family in dict.fromkeys(growth.family for growth in analysis.growth):
        curves = {
            f"{growth.function}: n^{growth.exponent:.2f}": tuple(
                zip(growth.sizes, growth.operations, strict=True)
            )
            for growth in analysis.growth
            if growth.family == family
        }
        yield Curves(f"growth on {family}s drawn at random", "joints", "operations", curves)
    yield from _patterns(analysis)
