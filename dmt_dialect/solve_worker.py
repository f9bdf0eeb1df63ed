"""The worker process of a solver that is asked again and again: clauses and scripts in, answers out.

Messages are a line of JSON, then as many bytes as its "bytes" says. It ends with its parent, or when its
input does.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from typing import IO, Any

import numpy as np

from dmt_dialect.engines.worker import die_with


def main(parent: int) -> None:
    """Serves one solver; `parent` is the process that started this one."""
    die_with(parent)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # solvers may print; only answers go where the parent listens
    served = _SERVERS[sys.argv[3]]()
    for line in sys.stdin.buffer:
        message: dict[str, Any] = json.loads(line)
        data = _read(sys.stdin.buffer, message.get("bytes", 0))
        answer, payload = served.serve(message, data)
        answers.write(json.dumps({**answer, "bytes": len(payload)}).encode() + b"\n" + payload)
        answers.flush()


def _read(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) != count:
        raise EOFError("a message is cut short")
    return data


class _Sat:
    """CaDiCaL through python-sat, incremental."""

    name = "Cadical195"
    options: dict[str, Any] = {}  # noqa: RUF012 - never changed

    def __init__(self) -> None:
        self._solver: Any = getattr(import_module("pysat.solvers"), self.name)(**self.options)
        self._variables = 0

    def serve(self, message: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        """Adds the clauses of the message, then solves under its assumptions."""
        self._add(np.frombuffer(data, dtype=np.int32))
        self._variables = max(self._variables, message["variables"])
        solver = self._solver
        satisfiable = solver.solve(assumptions=message["assumptions"])
        stats: dict[str, int] = solver.accum_stats() or {}
        if satisfiable:
            values = np.zeros(self._variables, dtype=np.uint8)
            model = np.array(solver.get_model() or [], dtype=np.int64)[: self._variables]
            values[: len(model)] = model > 0
            return {"status": "sat", "stats": stats}, np.packbits(values, bitorder="little").tobytes()
        core: list[int] = solver.get_core() or []
        proof = self._proof() if message.get("proof") else b""
        return {"status": "unsat", "stats": stats, "core": core}, proof

    def _add(self, data: np.ndarray[Any, np.dtype[np.int32]]) -> None:
        ends = np.flatnonzero(data == 0)
        literals = data.tolist()
        start = 0
        for block in range(0, len(ends), 50_000):
            clauses: list[list[int]] = []
            for end in ends[block : block + 50_000].tolist():
                clauses.append(literals[start:end])
                start = end + 1
            if [] in clauses:  # python-sat drops the empty clause
                clauses += [[1], [-1]]
            self._solver.append_formula(clauses)

    def _proof(self) -> bytes:
        return b""


class _Proving(_Sat):
    """Glucose, which logs clausal proofs. Each step follows by unit propagation."""

    name = "Glucose4"
    options = {"with_proof": True}  # noqa: RUF012 - never changed

    def _proof(self) -> bytes:
        lines: list[str] = self._solver.get_proof() or []
        text = "".join(f"{line}\n" for line in lines)
        return (text if lines and lines[-1].split() == ["0"] else text + "0\n").encode()


class _Z3:
    """z3 on SMT-LIB text; assumptions are names of Boolean constants."""

    def __init__(self) -> None:
        self._z3: Any = import_module("z3")

    def serve(self, message: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        """Solves one script; gives the values of the constants that are asked for, bytewise as hex."""
        z3 = self._z3
        solver = z3.SolverFor("QF_BV")
        solver.from_string(data.decode("utf-8", "surrogateescape"))
        assumptions = [z3.Bool(name) for name in message["assumptions"]]
        result = solver.check(*assumptions)
        if result == z3.unknown:
            return {"status": "unknown", "reason": solver.reason_unknown()}, b""
        if result == z3.unsat:
            core = {str(term) for term in solver.unsat_core()}
            return {"status": "unsat", "core": [n for n in message["assumptions"] if n in core]}, b""
        model = solver.model()
        values: list[str] = []
        for name, width in message["constants"]:
            constant = z3.Bool(name) if width == 0 else z3.BitVec(name, width)
            value = model.eval(constant, model_completion=True)
            values.append(format(int(z3.is_true(value)) if width == 0 else value.as_long(), "x"))
        return {"status": "sat", "values": values}, b""


_SERVERS: dict[str, type[Any]] = {"cadical": _Sat, "glucose": _Proving, "z3": _Z3}
