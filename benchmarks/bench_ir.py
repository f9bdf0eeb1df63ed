"""The IR beside xDSL and CIRCT: build, print, parse, CSE, DCE, clone; bytes an instruction; growth.

    python -m benchmarks.bench_ir [--json] [--smoke]

All measure the same graph of `size` additions, half of them duplicates, in one process run: ours in a
dialect of its own, xDSL in `arith`, CIRCT in `comb`. Figures are ratios of throughput (above 1: ours is
faster); a rival that is not installed is left out. xDSL runs on a smaller graph, as its time grows
linearly. CIRCT's CSE is the time of its pass manager on a parsed module. Growth exponents are those of CPU
time from 10⁴ to 10⁶ instructions, a hundred modules of the one size beside one of the other.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import math
import statistics
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from benchmarks.harness import has_module
from dynomite._native.ir import CStore, ValueId
from dynomite._native.passes import clone_module, cse, dce
from dynomite.ir import Builder, Context, Dialect, Module, ValueRef, load
from dynomite.ir.arrays import build_rows
from dynomite.ir.text import parse, print_module

BENCH = Dialect("bench")
WORD = BENCH.type("word", params=("width",))
IN = BENCH.op("IN", defs=1)
ADD = BENCH.op("ADD", defs=1, uses=2, pure=True, commutative=True)
USE = BENCH.op("USE", uses=1)


def fanins(index: int) -> tuple[int, int]:
    """Operands of addition `index`: values 0 and 1 are inputs, k + 2 is addition k; pairs are equal."""
    pair = index // 2
    return (2 * pair + 1, pair) if pair else (0, 1)


def new_context() -> Context:
    """A context that knows the dialect."""
    context = Context()
    load(context, BENCH)
    return context


def build(size: int, context: Context) -> Module:
    """The graph, one call an instruction."""
    module = Module(context)
    builder = Builder(module)
    word = module.type(WORD, 32)
    value = builder.value
    values: list[ValueRef] = [value(IN, word), value(IN, word)]
    for index in range(size):
        left, right = fanins(index)
        values.append(value(ADD, word, values[left], values[right]))
    builder.build(USE, values[-1])
    return module


def build_bulk(rows: np.ndarray[Any, np.dtype[np.uint32]], context: Context) -> Module:
    """The graph in one call; `rows` holds the operands of all additions."""
    module = Module(context)
    builder = Builder(module)
    word = module.type(WORD, 32)
    builder.value(IN, word)
    last = builder.value(IN, word)
    if len(rows):
        last = module.value(ValueId(int(build_rows(builder, ADD, word, rows)[-1])))
    builder.build(USE, last)
    return module


def best(call: Callable[[], object], repeats: int) -> float:
    """The least time of some calls."""
    times: list[float] = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def best_on(make: Callable[[], Any], call: Callable[[Any], object], repeats: int) -> float:
    """The same for calls that use up what they work on."""
    times: list[float] = []
    for _ in range(repeats):
        subject = make()
        start = time.perf_counter()
        call(subject)
        times.append(time.perf_counter() - start)
    return min(times)


def ours(size: int, repeats: int) -> dict[str, float]:
    """Seconds of each task."""
    context = new_context()
    module = build(size, context)
    text = print_module(module)
    rows = np.array([fanins(index) for index in range(size)], np.uint32)

    def without_use() -> Module:
        copy = clone_module(module)
        last = copy.body.last
        assert last is not None
        Builder(copy).erase(last)
        return copy

    return {
        "build": best(lambda: build(size, context), repeats),
        "bulk": best(lambda: build_bulk(rows, context), repeats),
        "print": best(lambda: print_module(module), repeats),
        "parse": best(lambda: parse(text, context), repeats),
        "cse": best_on(lambda: clone_module(module), lambda m: cse(Builder(m)), repeats),
        "dce": best_on(without_use, lambda m: dce(Builder(m)), repeats),
        "clone": best(lambda: clone_module(module), repeats),
    }


def xdsl(size: int, repeats: int) -> dict[str, float]:
    """Seconds of each task in xDSL."""
    load_module = importlib.import_module
    arith: Any = load_module("xdsl.dialects.arith")
    builtin: Any = load_module("xdsl.dialects.builtin")
    test: Any = load_module("xdsl.dialects.test")
    context_type: Any = load_module("xdsl.context").Context
    parser: Any = load_module("xdsl.parser").Parser
    cse_pass: Any = load_module("xdsl.transforms.common_subexpression_elimination")
    dce_pass: Any = load_module("xdsl.transforms.dead_code_elimination")

    def make(used: bool = True) -> Any:
        inputs = test.TestOp(result_types=[builtin.i32, builtin.i32])
        ops: list[Any] = [inputs]
        values: list[Any] = list(inputs.results)
        for index in range(size):
            left, right = fanins(index)
            op = arith.AddiOp(values[left], values[right])
            ops.append(op)
            values.append(op.result)
        if used:
            ops.append(test.TestOp(operands=[values[-1]]))
        return builtin.ModuleOp(ops)

    context = context_type()
    for dialect in (arith.Arith, builtin.Builtin, test.Test):
        context.load_dialect(dialect)
    module = make()
    text = str(module)
    return {
        "build": best(make, repeats),
        "print": best(lambda: str(module), repeats),
        "parse": best(lambda: parser(context, text).parse_module(), repeats),
        "cse": best_on(make, lambda m: cse_pass.CommonSubexpressionElimination().apply(context, m), repeats),
        "dce": best_on(
            lambda: make(used=False), lambda m: dce_pass.DeadCodeElimination().apply(context, m), repeats
        ),
        "clone": best(module.clone, repeats),
    }


def circt(size: int, repeats: int) -> dict[str, float]:
    """Seconds of parsing and CSE in CIRCT."""
    ir: Any = importlib.import_module("circt.ir")
    passes: Any = importlib.import_module("circt.passmanager")
    dialects: Any = importlib.import_module("circt")
    lines = ["hw.module @bench(in %v0 : i32, in %v1 : i32, out o : i32) {"]
    for index in range(size):
        left, right = fanins(index)
        lines.append(f"  %v{index + 2} = comb.add %v{left}, %v{right} : i32")
    lines += [f"  hw.output %v{size + 1} : i32", "}"]
    text = "\n".join(lines)
    with ir.Context() as context:
        dialects.register_dialects(context)
        manager = passes.PassManager.parse("builtin.module(hw.module(cse))")
        return {
            "parse": best(lambda: ir.Module.parse(text), repeats),
            "cse": best_on(lambda: ir.Module.parse(text), lambda m: manager.run(m.operation), repeats),
        }


class Growing:
    """The tasks on many modules of one size; all results are kept until the end of a measurement."""

    def __init__(self, size: int, count: int) -> None:
        self.context = new_context()
        self.size = size
        self.count = count
        self.module = build(size, self.context)
        self.text = print_module(self.module)
        self.rows = np.array([fanins(index) for index in range(size)], np.uint32)

    def seconds(self, task: str) -> float:
        """CPU time of a task on all modules."""
        subjects = [self.module] * self.count
        if task in ("cse", "dce", "clone"):
            subjects = [clone_module(self.module) for _ in range(self.count)]
        if task == "dce":
            for subject in subjects:
                last = subject.body.last
                assert last is not None
                Builder(subject).erase(last)
        calls: dict[str, Callable[[Module], object]] = {
            "build": lambda _: build(self.size, self.context),
            "bulk": lambda _: build_bulk(self.rows, self.context),
            "print": print_module,
            "parse": lambda _: parse(self.text, self.context),
            "cse": lambda m: cse(Builder(m)),
            "dce": lambda m: dce(Builder(m)),
            "clone": clone_module,
        }
        call = calls[task]
        gc.collect()
        start = time.process_time()
        results = [call(subject) for subject in subjects]
        seconds = time.process_time() - start
        del results
        return seconds


def growth(small: int, large: int, tasks: Iterable[str]) -> dict[str, float]:
    """Exponents of the CPU time a module from `small` to `large` instructions: 1 is linear.

    As many instructions on both sides, in many small modules or in one, so that caches and fresh memory weigh
    the same; both sides in turn, and the median of 3 each.
    """
    count = large // small
    many, one = Growing(small, count), Growing(large, 1)
    exponents: dict[str, float] = {}
    for task in tasks:
        pairs = [(many.seconds(task), one.seconds(task)) for _ in range(3)]
        of_many, of_one = (statistics.median(times) for times in zip(*pairs, strict=True))
        exponents[task] = round(math.log(of_one * count / of_many) / math.log(count), 3)
    return exponents


def figures(*, smoke: bool = False) -> dict[str, Any]:
    """Ratios to the rivals, bytes and growth."""
    size, repeats = (2_000, 1) if smoke else (200_000, 3)
    rival_size = size if smoke else 40_000
    mine = ours(size, repeats)
    data: dict[str, Any] = {"size": size}
    data |= {f"{task}_per_s": round(size / seconds) for task, seconds in mine.items()}
    if has_module("xdsl"):
        theirs = xdsl(rival_size, 1)
        for task, seconds in theirs.items():
            data[f"xdsl_{task}_per_s"] = round(rival_size / seconds)
            data[f"xdsl_{task}"] = round(seconds / rival_size * size / mine[task], 2)
        # xDSL has no call for many operations.
        data["xdsl_bulk"] = round(theirs["build"] / rival_size * size / mine["bulk"], 2)
    if has_module("circt"):
        for task, seconds in circt(size, repeats).items():
            data[f"circt_{task}_per_s"] = round(size / seconds)
            data[f"circt_{task}"] = round(seconds / mine[task], 2)
    data |= sizes(size)
    data["growth_exponents"] = growth(*((100, 10_000) if smoke else (10_000, 1_000_000)), mine)
    return data


def sizes(size: int) -> dict[str, float]:
    """Bytes that a two-operand instruction takes with its use lists, capacity of growing tables included."""
    module = clone_module(build(size, new_context()))
    compressed = CStore(module)
    compressed.compress_block(module.body)
    return {
        "instr_bytes": round(module.memory()["instrs"] / len(module), 1),
        "cinstr_bytes": round(compressed.memory() / len(compressed), 1),
    }


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--smoke", action="store_true", help="small sizes, to see that it runs")
    arguments = parser.parse_args()
    data = figures(smoke=arguments.smoke)
    print(json.dumps(data, indent=2) if arguments.json else "\n".join(f"{k}: {v}" for k, v in data.items()))


if __name__ == "__main__":
    main()
