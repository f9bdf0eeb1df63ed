"""Between circuits and decision diagrams.

The order of variables decides over the size of the diagrams. `depth` walks from the outputs to the inputs,
the deeper fanin first, and is mostly good; `force` improves it by drawing connected gates together; `given`
takes the inputs as the circuit has them. `Bdd.reorder` and `Bdd.auto_reorder` sift afterwards or meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from dmt_dialect.aig import Aig
from dynomite._native.base import Stop
from dynomite._native.bdd import Bdd, BddRef, input_order
from dynomite.errors import UsageError

Order = Literal["depth", "force", "given"]


@dataclass(frozen=True, slots=True)
class CircuitFunctions:
    """The functions of a circuit.

    Attributes:
        bdd: The manager.
        inputs: A variable for each input, then each latch, of the circuit.
        outputs: A function for each output.
        next_states: A function for each latch.
    """

    bdd: Bdd
    inputs: list[BddRef]
    outputs: list[BddRef]
    next_states: list[BddRef]


def circuit_functions(
    aig: Aig, bdd: Bdd | None = None, *, order: Order = "depth", stop: Stop | None = None
) -> CircuitFunctions:
    """The functions of a circuit's outputs and next states; inputs and latches become variables.

    Args:
        aig: The circuit.
        bdd: The manager; a new one by default. Variables it has already, by name, are used as they are.
        order: How new variables are ordered; see above.
        stop: What may end the call, with a LimitError.

    Raises:
        LimitError: The manager's limit of nodes is met, or the call was stopped.
        UsageError: Two inputs or latches have one name.
    """
    bdd = Bdd() if bdd is None else bdd
    names = input_names(aig)
    next_lits = aig.next_states
    roots = [*aig.outputs, *next_lits]
    if order == "given":
        numbers = list(range(len(names)))
    else:
        numbers = input_order(aig, roots, force=order == "force", stop=stop)
    bdd.declare(*(names[number] for number in numbers))
    inputs = [bdd.var(name) for name in names]
    functions = bdd.build(aig, roots, inputs, stop=stop)
    count = aig.num_outputs
    return CircuitFunctions(bdd, inputs, functions[:count], functions[count:])


def input_names(aig: Aig) -> list[str]:
    """Names of inputs, then latches; those without one are called by kind and number, `i0` or `l0`."""
    names = [
        name or f"{kind[0]}{index}"
        for kind in ("inputs", "latches")
        for index, name in enumerate(aig.names(kind))
    ]
    if len(set(names)) < len(names):
        twice = next(name for index, name in enumerate(names) if name in names[:index])
        raise UsageError(f"two inputs or latches of the circuit are called {twice!r}")
    return names


def functions_circuit(bdd: Bdd, functions: Mapping[str, BddRef]) -> Aig:
    """A circuit with an output for each function: a multiplexer for each node of their shared diagram.

    Args:
        bdd: Their manager; each of its variables becomes an input, by number.
        functions: The functions by the names of their outputs.
    """
    aig = Aig()
    inputs = aig.add_inputs(list(bdd.vars))
    for name, lit in zip(functions, bdd.to_aig(aig, list(functions.values()), inputs), strict=True):
        aig.add_output(lit, name)
    return aig
