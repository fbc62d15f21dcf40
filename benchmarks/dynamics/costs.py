"""Experiments 3 and 6: how many operations derivatives take."""

from __future__ import annotations

import math
from collections.abc import Iterable

from bench import Interval, Row, Section, at_most
from kinematics.states import load

from dynamics.states import ARM, TREE, chain
from dynamics.traces import FUNCTIONS, Compute, Traced, compact, plain, spatial, torque
from symkin.graph import Counts, count
from symkin.model import Robot
from symkin.model.prepare import USUAL

# The document's: by the number of joints, the plain algorithm's multiplications in those of one
# inverse dynamics, and in those of central differences.
TIMES = {6: 9.8, 48: 64.6}
OF_CENTRAL = {6: 0.41, 48: 0.34}
NODES = {ARM: (5702, 14488), TREE: (16618, 40398)}


def multiplications(quick: bool) -> Section:
    """The document's algorithm and the compact one beside one inverse dynamics."""
    sizes = (6, 12) if quick else (6, 12, 24, 48)
    rows: list[Row] = []
    totals: dict[int, int] = {}
    for n in sizes:
        robot = chain(n)
        one, tangents, subtrees = (
            counts(robot, c, ("lump",)).mul for c in (spatial, plain, compact)
        )
        totals[n] = tangents
        central = 4 * n * one
        rows += [
            Row(f"n = {n}: one inverse dynamics, multiplications", one),
            Row("  plain, times one inverse dynamics", tangents / one, None, TIMES.get(n)),
            # At most the largest part that the document found.
            Row(
                "  plain, part of central differences",
                tangents / central,
                at_most(OF_CENTRAL[6]),
                OF_CENTRAL.get(n),
            ),
            Row("  compact, times one inverse dynamics", subtrees / one, at_most(tangents / one)),
            Row("  compact, part of central differences", subtrees / central),
        ]
    last, before = sizes[-1], sizes[-2]
    growth = math.log(totals[last] / totals[before]) / math.log(last / before)
    rows.append(Row("order of growth of the plain one", growth, Interval(1.9, 2.1), 2))
    return Section(
        "3. Multiplications of dtau/d(q, v) on chains of n joints",
        "Traced graphs, equal values and constants computed once; central differences take 4 n "
        "inverse dynamics.\nplain: one input's tangent at a time, as in the document; compact: "
        "whole subtrees perturbed; one inverse dynamics: as in the document, frames as given.",
        tuple(rows),
    )


def nodes(_: bool) -> Section:
    """All nodes of the derivatives, beside those of CasADi's own Jacobians."""
    rows: list[Row] = []
    for name, document in NODES.items():
        robot = load(name)
        tangents = counts(robot, plain).nodes
        for (what, (function, derivatives)), theirs in zip(
            FUNCTIONS.items(), document, strict=True
        ):
            ours = counts(robot, derivatives).nodes
            jacobian = Traced.of(robot, function).jacobian().n_nodes()
            rows.append(Row(f"{name}: {what}, compact", ours, at_most(theirs), theirs))
            if function is torque:
                rows.append(Row("  plain", tangents, None, theirs))
            rows.append(Row("  CasADi's jacobian of our recursion", jacobian, None, theirs))
    return Section(
        "6. Nodes of the derivatives",
        "Operations, inputs and constants. The document's arm and tree have as many joints, but "
        "are others; it counts CasADi's jacobian.",
        tuple(rows),
    )


def counts(robot: Robot, compute: Compute, steps: Iterable[str] = USUAL) -> Counts:
    """Of all outputs as one function, of the robot after these steps of preparing."""
    return count(Traced.of(robot, compute, steps).graph())
