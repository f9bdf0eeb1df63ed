"""The checker of algebraic certificates; it shares no code with the engine that writes them.

A certificate (docs/proofs.md) is a text: the gates of a circuit, pairs of words of its literals, and for
each word the steps by which it becomes a polynomial in variables that are 0 or 1, modulo 2^bits. Every step
puts something equal in the place of a node: the product of a gate's fanins, an exclusive or a + b - 2ab, or
of a full adder the inputs less twice the carry. What is equal is checked here: gates are gates, exclusive
ors and adders by the values of the nodes between them and their operands, and literals that are only said
to be equal by refutations in DRAT form, whose clauses are made here of the gates. Two words whose
polynomials come out alike are equal for all inputs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

Monomial = frozenset[int]
Terms = list[tuple[Monomial, int]]
ONE: Monomial = frozenset()
OPERANDS = 3
MOST_LEAVES = 16
"""Operands of a cell and other nodes that its gates read."""
GROUPS = 5
"""Groups of claims of each word, and each side; the last are those that `s` makes."""
SIDES = ("left", "right", "rest")
"""Names of the refutations: of claims of both sides, and of pairs of literals that no word holds."""
LOCAL_NODES = 10_000
"""A cell whose gates are more than these is not looked at."""
MOST_TERMS = 500_000
"""Larger polynomials are refused, whatever made them grow; those that engines follow have fewer than half."""


class RejectedError(Exception):
    """The certificate does not hold, or is none; the text says why."""


@dataclass(slots=True)
class Certificate:
    """What has been read, and the equalities of each side; `pairs` are the literals that it shows equal."""

    inputs: int = 0
    gates: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    pairs: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    equalities: dict[tuple[int, int], list[tuple[int, int]]] = field(
        default_factory=dict[tuple[int, int], list[tuple[int, int]]]
    )
    steps: int = 0

    def node_count(self) -> int:
        """Nodes: the constant, inputs, gates."""
        return 1 + self.inputs + len(self.gates)

    def fanins(self, node: int) -> tuple[int, int] | None:
        """The fanins of a gate; None for the constant and inputs."""
        return None if node <= self.inputs else self.gates[node - self.inputs - 1]

    def between(self, roots: Sequence[int], operands: Sequence[int]) -> list[int]:
        """Nodes that `roots` depend on, fanins first, down to the operands; inputs that are none included."""
        done = {0, *(lit >> 1 for lit in operands)}
        found: list[int] = []
        stack = [lit >> 1 for lit in roots]
        while stack:
            if len(found) + len(stack) > LOCAL_NODES:
                raise RejectedError("too much lies between a cell and its operands")
            node = stack[-1]
            fanins = self.fanins(node)
            waiting = [each >> 1 for each in fanins or () if each >> 1 not in done]
            if node not in done and waiting:
                stack += waiting
                continue
            stack.pop()
            if node not in done:
                done.add(node)
                found.append(node)
        return found

    def cut(self, roots: Sequence[int], operands: Sequence[int]) -> tuple[list[int], list[int]]:
        """Gates of `roots` that depend on operands, fanins first; operands and what else these gates read.

        What does not depend on an operand may have any value: what holds for all of them holds.
        """
        free = list(dict.fromkeys(lit >> 1 for lit in operands if lit > 1))
        known = {0, *free}
        depends = set(free)
        gates: list[int] = []
        for node in self.between(roots, operands):
            fanins = [each >> 1 for each in self.fanins(node) or ()]
            if depends.intersection(fanins):
                depends.add(node)
                gates.append(node)
        for node in [
            *(each >> 1 for gate in gates for each in self.fanins(gate) or ()),
            *(r >> 1 for r in roots),
        ]:
            if node not in known and node not in depends:
                known.add(node)
                free.append(node)
        return gates, free

    def values(self, roots: Sequence[int], operands: Sequence[int]) -> tuple[list[int], list[int], int]:
        """Values of roots and operands in all cases of the operands and what else is read, and all ones."""
        nodes, free = self.cut(roots, operands)
        if len(free) > MOST_LEAVES:
            raise RejectedError(f"a cell depends on {len(free)} nodes besides its gates")
        ones = (1 << (1 << len(free))) - 1
        known = {0: 0}
        for index, node in enumerate(free):
            step = 1 << index
            known[node] = ones // ((1 << 2 * step) - 1) * (((1 << step) - 1) << step)

        def value(lit: int) -> int:
            return known[lit >> 1] ^ (ones if lit & 1 else 0)

        for node in nodes:
            fanins = self.fanins(node)
            if fanins is not None:
                known[node] = value(fanins[0]) & value(fanins[1])
        return [value(lit) for lit in roots], [value(lit) for lit in operands], ones

    def cnf(self, key: tuple[int, int]) -> bytes:
        """The claim that some equality of a group fails, as clauses: node n is variable n + 1."""
        lines = ["-1 0"]

        def variable(lit: int) -> int:
            return -(lit >> 1) - 1 if lit & 1 else (lit >> 1) + 1

        for number, (first, second) in enumerate(self.gates):
            out, a, b = self.inputs + number + 2, variable(first), variable(second)
            lines += [f"-{out} {a} 0", f"-{out} {b} 0", f"{out} {-a} {-b} 0"]
        pairs = self.equalities[key]
        base = self.node_count() + 1
        for number, (first, second) in enumerate(pairs):
            d, a, b = base + number, variable(first), variable(second)
            lines += [f"-{d} {a} {b} 0", f"-{d} {-a} {-b} 0", f"{d} {-a} {b} 0", f"{d} {a} {-b} 0"]
        lines.append(" ".join(str(base + number) for number in range(len(pairs))) + " 0")
        header = f"p cnf {self.node_count() + len(pairs)} {len(lines)}"
        return "\n".join([header, *lines, ""]).encode()


class Polynomial:
    """Terms with integer coefficients modulo 2^bits, found by each of their variables."""

    def __init__(self, bits: int) -> None:
        self._mask = (1 << bits) - 1
        self.terms: dict[Monomial, int] = {}
        self._with: dict[int, set[Monomial]] = {}

    def add(self, rest: Monomial, factor: int, terms: Iterable[tuple[Monomial, int]]) -> None:
        """Adds factor * rest * terms."""
        for monomial, coefficient in terms:
            union = rest | monomial
            old = self.terms.get(union, 0)
            new = (old + factor * coefficient) & self._mask
            if new:
                self.terms[union] = new
                if not old:
                    for variable in union:
                        self._with.setdefault(variable, set()).add(union)
            elif old:
                self._remove(union)

    def _remove(self, monomial: Monomial) -> int:
        for variable in monomial:
            self._with[variable].discard(monomial)
        return self.terms.pop(monomial)

    def take(self, node: int) -> list[tuple[Monomial, int]]:
        """Takes out the terms with this variable."""
        return [(monomial, self._remove(monomial)) for monomial in list(self._with.get(node, ()))]


def literal(lit: int) -> Terms:
    """A literal as terms."""
    if lit <= 1:
        return [(ONE, 1)] if lit else []
    variable = frozenset([lit >> 1])
    return [(ONE, 1), (variable, -1)] if lit & 1 else [(variable, 1)]


def times(*factors: Terms) -> Terms:
    """The product of few terms."""
    return [
        (frozenset().union(*(monomial for monomial, _ in chosen)), _product(k for _, k in chosen))
        for chosen in itertools.product(*factors)
    ]


def _product(numbers: Iterable[int]) -> int:
    result = 1
    for number in numbers:
        result *= number
    return result


def scaled(factor: int, terms: Terms) -> Terms:
    """The terms times a number."""
    return [(monomial, factor * coefficient) for monomial, coefficient in terms]


def replace_node(polynomial: Polynomial, lit: int, value: Terms) -> None:
    """Puts `value` in the place of a literal."""
    node = lit >> 1
    of_node = [(ONE, 1), *scaled(-1, value)] if lit & 1 else value
    for monomial, coefficient in polynomial.take(node):
        polynomial.add(monomial - {node}, coefficient, of_node)


def replace_cell(polynomial: Polynomial, total: int, carry: int, operands: Sequence[int]) -> None:
    """Rewrites sum and carry of an adder of three operands."""
    x, y, z = (literal(lit) for lit in operands)
    node = total >> 1
    # Where both meet: sum * carry = xyz, the sum being (1 - s) if complemented, and the carry likewise.
    for monomial, coefficient in polynomial.take(node):
        rest = monomial - {node}
        if carry >> 1 in rest:
            rest -= {carry >> 1}
            both = times(x, y, z)
            flip_s, flip_c = total & 1, carry & 1
            if not flip_s and not flip_c:
                polynomial.add(rest, coefficient, both)
                continue
            # s = 1 - S or S, c likewise; S * C is replaced, S and C alone are left as literals.
            terms = scaled(-1 if flip_s != flip_c else 1, both)
            if flip_s and flip_c:
                terms += [(ONE, 1), *scaled(-1, literal(total)), *scaled(-1, literal(carry))]
            else:
                terms += literal(carry if flip_s else total)
            polynomial.add(rest, coefficient, terms)
        else:
            polynomial.add(monomial, coefficient, [(ONE, 1)])
    linear = [*x, *y, *z, *scaled(-2, literal(carry))]
    replace_node(polynomial, total, linear)
    majority = [*times(x, y), *times(x, z), *times(y, z), *scaled(-2, times(x, y, z))]
    replace_node(polynomial, carry, majority)


class Checker:
    """Reads a certificate line by line and follows its steps.

    Args:
        lines: Its lines.
        poll: Called now and then; true ends the check.
    """

    def __init__(self, lines: Iterable[str], poll: Callable[[], bool]) -> None:
        self._lines = enumerate(lines, 1)
        self._poll = poll
        self.certificate = Certificate()
        self.stopped = False
        self._side = -1
        self._words = 0
        self._word: list[tuple[int, int]] = []
        self._polynomials: list[Polynomial] = []
        self._line = 0

    def run(self) -> None:
        """Follows the steps; the equalities are left to be proved. Raises RejectedError."""
        try:
            for number, text in self._lines:
                self._line = number
                if number % 64 == 0 and self._poll():
                    self.stopped = True
                    return
                self._take(text.split())
        except (ValueError, IndexError) as error:
            raise RejectedError(f"line {self._line}: not a line of a certificate") from error
        except RejectedError as error:
            raise RejectedError(f"line {self._line}: {error}") from error
        if self._word or not self.certificate.pairs:
            self._end_word()

    def _end_word(self) -> None:
        if self._side != 1 or not self._word:
            raise RejectedError("the steps of both sides must be there")
        left, right = (polynomial.terms for polynomial in self._polynomials)
        if left != right:
            raise RejectedError("the polynomials of the two words differ")
        self._words += 1
        self._side = -1
        self._word.clear()
        self._polynomials.clear()

    def _take(self, words: list[str]) -> None:
        if not words:
            return
        kind, numbers = words[0], [int(word) for word in words[1:]]
        if kind == "dynomite-algebra":
            if self._line != 1 or numbers != [1]:
                raise RejectedError("the first line is 'dynomite-algebra 1'")
            return
        if self._line == 1:
            raise RejectedError("the first line is 'dynomite-algebra 1'")
        self.certificate.steps += kind in ("a", "x", "c")
        {
            "inputs": self._inputs,
            "g": self._gate,
            "w": self._bit,
            "e": self._pair,
            "s": self._begin,
            "a": self._and,
            "x": self._xor,
            "c": self._cell,
        }.get(kind, self._unknown)(numbers)
        if self._polynomials and len(self._polynomials[-1].terms) > MOST_TERMS:
            raise RejectedError(f"the polynomial has more than {MOST_TERMS} terms")

    def _unknown(self, _numbers: list[int]) -> None:
        raise RejectedError("not a line of a certificate")

    def _check_literals(self, literals: Iterable[int]) -> None:
        limit = 2 * self.certificate.node_count()
        for lit in literals:
            if not 0 <= lit < limit:
                raise RejectedError(f"literal {lit} is not there")

    def _inputs(self, numbers: list[int]) -> None:
        (count,) = numbers
        if self.certificate.gates or self.certificate.inputs or count < 0:
            raise RejectedError("the number of inputs comes once, before the gates")
        self.certificate.inputs = count

    def _gate(self, numbers: list[int]) -> None:
        first, second = numbers
        self._check_literals(numbers)
        if self._word:
            raise RejectedError("gates come before the words")
        self.certificate.gates.append((first, second))

    def _bit(self, numbers: list[int]) -> None:
        left, right = numbers
        self._check_literals(numbers)
        if self._side >= 0:
            self._end_word()
        self._word.append((left, right))
        self.certificate.pairs.append((left, right))

    def _pair(self, numbers: list[int]) -> None:
        left, right = numbers
        self._check_literals(numbers)
        self.certificate.pairs.append((left, right))
        self.certificate.equalities.setdefault((len(SIDES) - 1, 0), []).append((left, right))

    def _begin(self, numbers: list[int]) -> None:
        self._side += 1
        side, words = self._side, self._word
        self._check_literals(numbers)
        if side > 1 or len(numbers) != len(words):
            raise RejectedError("there are two sides with a literal for each bit")
        polynomial = Polynomial(len(words))
        for bit, lit in enumerate(numbers):
            if lit != words[bit][side]:
                self._equal(words[bit][side], lit, GROUPS * self._words + GROUPS - 1)
            polynomial.add(ONE, 1 << bit, literal(lit))
        self._polynomials.append(polynomial)

    def _and(self, numbers: list[int]) -> None:
        (lit,) = numbers
        self._check_literals(numbers)
        fanins = self.certificate.fanins(lit >> 1)
        if fanins is None or lit & 1:
            raise RejectedError(f"literal {lit} is no gate")
        replace_node(self._polynomials[-1], lit, times(*(literal(each) for each in fanins)))

    def _xor(self, numbers: list[int]) -> None:
        lit, first, second = numbers
        self._check_literals(numbers)
        (own,), (a, b), _ = self.certificate.values((lit,), (first, second))
        if lit <= 1 or own != a ^ b:
            raise RejectedError(f"literal {lit} is not {first} XOR {second}")
        x, y = literal(first), literal(second)
        replace_node(self._polynomials[-1], lit, [*x, *y, *scaled(-2, times(x, y))])

    def _cell(self, numbers: list[int]) -> None:
        total, carry, *operands = numbers
        majority, group = carry, None
        if len(operands) == OPERANDS + 2:
            majority, group = operands[OPERANDS:]
            operands = operands[:OPERANDS]
        self._check_literals((total, carry, majority, *operands))
        if len(operands) != OPERANDS or total >> 1 == carry >> 1 or total <= 1 or carry <= 1:
            raise RejectedError("an adder has a sum, a carry and three operands")
        if {total >> 1, carry >> 1} & {lit >> 1 for lit in operands}:
            raise RejectedError("an adder does not add its own outputs")
        (own, out), (x, y, z), _ = self.certificate.values((total, majority), operands)
        if own != x ^ y ^ z:
            raise RejectedError(f"literal {total} is not the sum of its operands")
        if out != (x & y) | (z & (x | y)):
            raise RejectedError(f"literal {majority} is not the carry of its operands")
        if majority != carry:
            self._equal(carry, majority, group)
        replace_cell(self._polynomials[-1], total, carry, operands)

    def _equal(self, first: int, second: int, group: int | None) -> None:
        if group is None:
            raise RejectedError("an equality belongs to a group")
        self.certificate.equalities.setdefault((self._side, group), []).append((first, second))


def refutation_path(certificate: str, key: tuple[int, int]) -> str:
    """The file that refutes the claims of a group: of a side and a number."""
    return f"{certificate}.{SIDES[key[0]]}{key[1]}"


def lines_of(text: bytes) -> Iterator[str]:
    """The lines of a certificate."""
    return iter(text.decode("ascii", errors="replace").splitlines())
