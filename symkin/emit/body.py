"""The statements of a part of a function: one operation a line, each value assigned once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

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
CONDITIONS = ("less", "not", "and")


@dataclass(frozen=True, slots=True)
class Part:
    """Some nodes of a graph, in an order in which operands are known before users.

    ``first`` and ``later`` say where values come from that are not computed here, first those that
    are read before anything is written: name and C expression. ``stores`` say where values go, and
    ``zeros`` what becomes zero. ``taken`` are the names of everything around.
    """

    numbers: Sequence[int]
    first: Mapping[int, tuple[str, str]]
    later: Mapping[int, str] = field(default_factory=dict)
    stores: Mapping[int, Sequence[str]] = field(default_factory=dict)
    zeros: Sequence[str] = ()
    taken: Iterable[str] = ()


@dataclass(frozen=True, slots=True)
class Body:
    """The statements of a part: ``reads`` of what may be overwritten, then all the others."""

    reads: tuple[str, ...]
    statements: tuple[str, ...]

    @property
    def compares(self) -> bool:
        """Whether real parts are compared."""
        return any("REAL_PART(" in statement for statement in self.statements)


def write_body(graph: Graph, part: Part, scalar: Scalar) -> Body:
    """The body of a part of a graph's function.

    Raises EmitError, naming function and output, for operations that C has no line for and for
    constants that no literal can hold.
    """
    return _Writer(graph, part, scalar).body()


class _Writer:
    def __init__(self, graph: Graph, part: Part, scalar: Scalar) -> None:
        self.graph, self.part, self.scalar = graph, part, scalar
        self.names = Names({*RESERVED, *part.taken})
        self.text: dict[int, str] = {}  # the local variable or literal of each value
        self.temporaries = 0
        self.uses = Counter(
            operand
            for number in part.numbers
            if graph.nodes[number].operation != "input"
            for operand in graph.nodes[number].operands
        )

    def body(self) -> Body:
        reads = []
        for number, (name, expression) in self.part.first.items():
            self.text[number] = self.names.take(name)
            reads.append(f"const {self.scalar.name} {self.text[number]} = {expression};")
        statements = [f"{target} = {self.scalar.literal(0.0)};" for target in self.part.zeros]
        for number in self.part.first:
            statements += self._stores(number)
        for number in self.part.numbers:
            if number not in self.part.first:
                statements += self._statements(number)
        return Body(tuple(reads), tuple(statements))

    def _stores(self, number: int) -> list[str]:
        return [f"{target} = {self._value(number)};" for target in self.part.stores.get(number, ())]

    def _statements(self, number: int) -> list[str]:
        """The line that computes a value, those that read its operands, and those that store it."""
        node = self.graph.nodes[number]
        if node.operation == "constant":
            self.text[number] = self._literal(number)
            return self._stores(number)
        if node.operation == "input":
            lines = self._read([number])
            return lines + self._stores(number)
        lines = self._read(node.operands)
        expression = self._expression(number)
        targets = self.part.stores.get(number, ())
        condition = node.operation in CONDITIONS
        if len(targets) == 1 and not self.uses[number] and not condition:
            return [*lines, f"{targets[0]} = {expression};"]
        name = self.text[number] = self._name(number)
        kind = "int" if condition else self.scalar.name
        return [*lines, f"const {kind} {name} = {expression};", *self._stores(number)]

    def _read(self, numbers: Iterable[int]) -> list[str]:
        """The lines that read values from elsewhere, where they are first needed."""
        lines = []
        for number in dict.fromkeys(numbers):
            if number in self.text:
                continue
            if self.graph.nodes[number].operation == "constant":
                self.text[number] = self._literal(number)
                continue
            self.temporaries += 1
            name = self.text[number] = self.names.take(f"t{self.temporaries}")
            lines.append(f"const {self.scalar.name} {name} = {self.part.later[number]};")
        return lines

    def _name(self, number: int) -> str:
        """sin_q0 for the sine of q0, b1, b2 ... for conditions, t1, t2 ... for the rest."""
        node = self.graph.nodes[number]
        if node.operation in ("sin", "cos"):
            operand = self.text[node.operands[0]]
            if operand.isidentifier() and not operand.startswith(("sin_", "cos_")):
                return self.names.take(f"{node.operation}_{operand}")
        self.temporaries += 1
        prefix = "b" if node.operation in CONDITIONS else "t"
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

    def _is_condition(self, number: int) -> bool:
        """Whether a value is an int here; one that is read from elsewhere is a number."""
        operation = self.graph.nodes[number].operation
        return operation in CONDITIONS and number not in self.part.later

    def _value(self, number: int) -> str:
        """A value as a real number."""
        text = self.text[number]
        return f"({self.scalar.name}){text}" if self._is_condition(number) else text

    def _operand(self, number: int) -> str:
        """A value as an operand of arithmetic."""
        text = self._value(number)
        return f"({text})" if text.startswith("-") else text

    def _real_part(self, number: int) -> str:
        is_constant = self.graph.nodes[number].operation == "constant"
        return self.text[number] if is_constant else f"REAL_PART({self._value(number)})"

    def _condition(self, number: int) -> str:
        """A value as a condition: any number but zero is true."""
        if self._is_condition(number):
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


def _index(entry: int, shape: Sequence[int]) -> str:
    indices: list[str] = []
    for size in reversed(shape):
        entry, index = divmod(entry, size)
        indices.insert(0, str(index))
    return ", ".join(indices)
