"""The statements of a function: one operation a line, each value assigned once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symkin.emit.module import CArray
from symkin.emit.names import RESERVED, Names
from symkin.emit.scalars import Scalar
from symkin.errors import EmitError
from symkin.graph import OPERATIONS, Graph

_OPERATORS: Mapping[str, str] = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "div": "{} / {}",
    "neg": "-{}",
}
_CONDITIONS = ("less", "not", "and")


@dataclass(frozen=True, slots=True)
class Body:
    """The statements of one function.

    ``unused`` parameters, then ``reads`` of all inputs, then ``statements``. Since nothing is
    written before everything is read, outputs may overlap inputs.
    """

    unused: tuple[str, ...]
    reads: tuple[str, ...]
    statements: tuple[str, ...]
    compares: bool


def write_body(
    graph: Graph, inputs: Sequence[CArray], outputs: Sequence[CArray], scalar: Scalar
) -> Body:
    """The body of a graph's function.

    Raises EmitError, naming function and output, for operations that C has no line for and for
    constants that no literal can hold.
    """
    return _Writer(graph, inputs, outputs, scalar).body()


class _Writer:
    def __init__(
        self, graph: Graph, inputs: Sequence[CArray], outputs: Sequence[CArray], scalar: Scalar
    ) -> None:
        self.graph, self.scalar = graph, scalar
        self.inputs, self.outputs = inputs, outputs
        self.names = Names({*RESERVED, *(array.identifier for array in (*inputs, *outputs))})
        self.text: dict[int, str] = {}  # the local variable or literal of each value
        self.temporaries = 0
        self.live = self._live()
        self.uses = Counter(
            operand
            for number in self.live
            if graph.nodes[number].operation != "input"
            for operand in graph.nodes[number].operands
        )
        self.stores: dict[int, list[str]] = {}
        self.zeros: list[str] = []

    def body(self) -> Body:
        self._plan_stores()
        reads = self._reads()
        statements = [f"{target} = {self.scalar.literal(0.0)};" for target in self.zeros]
        for number in self.live:
            statements += self._statements(number)
        compares = any("REAL_PART(" in statement for statement in statements)
        return Body(self._unused(), reads, tuple(statements), compares)

    def _live(self) -> tuple[int, ...]:
        """The nodes that some output depends on."""
        nodes = self.graph.nodes
        live = {number for output in self.graph.outputs for number in output.nodes if number >= 0}
        for number in range(len(nodes) - 1, -1, -1):
            if number in live and nodes[number].operation != "input":
                live.update(nodes[number].operands)
        return tuple(sorted(live))

    def _plan_stores(self) -> None:
        for output, array in zip(self.graph.outputs, self.outputs, strict=True):
            for k, entry in enumerate(array.entries):
                target = f"{array.identifier}[{k}]"
                number = output.nodes[entry]
                if number < 0:
                    self.zeros.append(target)
                else:
                    self.stores.setdefault(number, []).append(target)

    def _reads(self) -> tuple[str, ...]:
        reads = []
        places = [{entry: k for k, entry in enumerate(array.entries)} for array in self.inputs]
        for number in self.live:
            node = self.graph.nodes[number]
            if node.operation == "input":
                port, entry = node.operands
                array = self.inputs[port].identifier
                name = self.text[number] = self.names.take(f"{array}{entry}")
                reads.append(f"const {self.scalar.name} {name} = {array}[{places[port][entry]}];")
        return tuple(reads)

    def _statements(self, number: int) -> list[str]:
        """The line that computes a value, and those that store it."""
        node = self.graph.nodes[number]
        targets = self.stores.get(number, [])
        if node.operation == "constant":
            self.text[number] = self._literal(number)
        if node.operation in ("constant", "input"):
            return [f"{target} = {self.text[number]};" for target in targets]
        expression = self._expression(number)
        condition = node.operation in _CONDITIONS
        if len(targets) == 1 and not self.uses[number] and not condition:
            return [f"{targets[0]} = {expression};"]
        name = self.text[number] = self._name(number)
        kind = "int" if condition else self.scalar.name
        stores = [f"{target} = {self._value(number)};" for target in targets]
        return [f"const {kind} {name} = {expression};", *stores]

    def _name(self, number: int) -> str:
        """sin_q0 for the sine of q0, b1, b2 ... for conditions, t1, t2 ... for the rest."""
        node = self.graph.nodes[number]
        if node.operation in ("sin", "cos"):
            operand = self.text[node.operands[0]]
            if operand.isidentifier() and not operand.startswith(("sin_", "cos_")):
                return self.names.take(f"{node.operation}_{operand}")
        self.temporaries += 1
        prefix = "b" if node.operation in _CONDITIONS else "t"
        return self.names.take(f"{prefix}{self.temporaries}")

    def _expression(self, number: int) -> str:
        operation, operands, _ = self.graph.nodes[number]
        if operation in _OPERATORS:
            return _OPERATORS[operation].format(*map(self._operand, operands))
        if operation in self.scalar.functions:
            return f"{self.scalar.functions[operation]}({', '.join(map(self._value, operands))})"
        if operation == "less":
            return "{} < {}".format(*map(self._real_part, operands))
        if operation == "not":
            return f"!{self._condition(operands[0])}"
        if operation == "and":
            return "{} && {}".format(*map(self._condition, operands))
        if operation == "select":
            condition, yes, no = operands
            return f"{self._condition(condition)} ? {self._value(yes)} : {self._value(no)}"
        raise EmitError(
            f"{self.graph.name}: output {self._reached(number)} needs the operation "
            f"{operation!r}, for which there is no C; there is {', '.join(OPERATIONS)}"
        )

    def _value(self, number: int) -> str:
        """A value as a real number."""
        is_condition = self.graph.nodes[number].operation in _CONDITIONS
        return f"({self.scalar.name}){self.text[number]}" if is_condition else self.text[number]

    def _operand(self, number: int) -> str:
        """A value as an operand of arithmetic."""
        text = self._value(number)
        return f"({text})" if text.startswith("-") else text

    def _real_part(self, number: int) -> str:
        is_constant = self.graph.nodes[number].operation == "constant"
        return self.text[number] if is_constant else f"REAL_PART({self._value(number)})"

    def _condition(self, number: int) -> str:
        """A value as a condition: any number but zero is true."""
        if self.graph.nodes[number].operation in _CONDITIONS:
            return self.text[number]
        return f"({self._real_part(number)} != {self.scalar.literal(0.0)})"

    def _literal(self, number: int) -> str:
        value = self.graph.nodes[number].value
        text = self.scalar.literal(value)
        if text is None:
            raise EmitError(
                f"{self.graph.name}: output {self._reached(number)} depends on the constant "
                f"{value!r}, which is no finite {self.scalar.name}; look for a division by zero "
                "or an overflow in the robot's data"
            )
        return text

    def _reached(self, number: int) -> str:
        """The first output entry that depends on a node, as name[i, j]."""
        reached = {number}
        for later in range(number + 1, len(self.graph.nodes)):
            node = self.graph.nodes[later]
            if node.operation != "input" and reached.intersection(node.operands):
                reached.add(later)
        return next(
            f"{output.port.name}[{_index(entry, output.port.shape)}]"
            for output in self.graph.outputs
            for entry, node_number in enumerate(output.nodes)
            if node_number in reached
        )

    def _unused(self) -> tuple[str, ...]:
        read = {
            self.graph.nodes[number].operands[0]
            for number in self.live
            if self.graph.nodes[number].operation == "input"
        }
        unread = (array for port, array in enumerate(self.inputs) if port not in read)
        empty = (array for array in self.outputs if not array.entries)
        return tuple(array.identifier for array in (*unread, *empty))


def _index(entry: int, shape: Sequence[int]) -> str:
    indices: list[str] = []
    for size in reversed(shape):
        entry, index = divmod(entry, size)
        indices.insert(0, str(index))
    return ", ".join(indices)
