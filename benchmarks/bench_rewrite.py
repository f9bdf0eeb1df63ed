"""Rewrite rules beside xDSL's pattern rewriter and CIRCT's canonicalisation.

    python -m benchmarks.bench_rewrite [--json] [--smoke]

All measure the same code in one run, by processor time: a chain of `size` words, ours in the dialect `op`,
xDSL's in `arith`, CIRCT's in `comb`. Figures named after a rival are ratios of throughput (above 1: ours is
faster); a rival that is not installed is left out. xDSL runs on a shorter chain, as its time grows linearly.

* `xdsl_rewrite`: one rule, `x + 0 = x`, that fits everywhere. `circt_canonicalize_zero` is the same code.
* `xdsl_canonicalize`, `circt_canonicalize`: 20 rules over eight operations, one of two operations folds. xDSL
  runs its own canonicalisation, CIRCT its own.
* `growth_exponent`: of our time, from `size` / 10 to `size` * 5 instructions; 1 is linear. CIRCT's beside it,
  on a long sum, of which it makes one operation.
* `rules_scaling`: time with 500 rules over time with 10, on code of operations they begin with.
* `python_do_us`: what a Python `do` adds to a rule, in microseconds a call.
"""

from __future__ import annotations

import gc
import importlib
import math
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.harness import figures_main, has_module
from dmt_dialect import ops
from dynomite.ir import Builder, Const, Context, Dialect, Module, Op, ValueRef, load
from dynomite.rewriting import syntax as s
from dynomite.rewriting.driver import apply_rules
from dynomite.rewriting.lowering import compile_rules

BENCH = Dialect("bench")
IN = BENCH.op("IN", defs=1)
OUT = BENCH.op("OUT", uses=1)
WIDTH = 32

D = s.Named("d", s.DefOf(s.AnyOperand()))
X = s.Named("x", s.AnyOperand())


def new_context() -> Context:
    """A context that knows the dialects."""
    context = Context()
    load(context, ops.OP)
    load(context, BENCH)
    return context


def either(*parts: s.Expr) -> s.Expr:
    """The definition, and parts in any order."""
    return s.Sequence((D, s.Unordered(parts)))


def row(*parts: s.Expr) -> s.Expr:
    """The definition, and parts in this order."""
    return s.Sequence((D, *parts))


def to_x(name: str, op: str, operands: s.Expr) -> s.Rule:
    """A rule that leaves `x`."""
    return s.Rule(name, s.InstrMatch((f"op.{op}",), operands), emits=(s.ReplaceUses("d", s.Capture("x")),))


def to_constant(name: str, op: str, operands: s.Expr, value: s.IntExpr) -> s.Rule:
    """A rule that leaves a constant."""
    constant = s.EmitConst(value, s.WidthOf("d"))
    return s.Rule(name, s.InstrMatch((f"op.{op}",), operands), emits=(s.ReplaceUses("d", constant),))


ZERO = to_x("add_zero", "ADD", either(X, s.ConstMatch(0)))


def canonical_rules() -> s.RuleSet:
    """Twenty rules over eight operations."""
    zero, ones = s.ConstMatch(0), s.ConstMatch(-1)
    any_two = (s.Named("a", s.ConstMatch()), s.Named("b", s.ConstMatch()))
    a, b = s.Capture("a"), s.Capture("b")
    nested = s.InstrMatch(("op.ADD",), s.Sequence((X, s.Named("a", s.ConstMatch()))))
    regroup = s.Rule(
        "add_regroup",
        s.InstrMatch(("op.ADD",), row(nested, s.Named("b", s.ConstMatch()))),
        emits=(
            s.EmitInstr(
                "op.ADD",
                (s.Capture("d"),),
                (s.Capture("x"), s.EmitConst(s.Arith("+", (a, b)), s.WidthOf("d"))),
            ),
        ),
    )
    rules = (
        ZERO,
        to_constant("add_fold", "ADD", row(*any_two), s.Arith("+", (a, b))),
        regroup,
        to_x("sub_zero", "SUB", row(X, zero)),
        to_constant("sub_self", "SUB", row(X, s.SameAs("x")), 0),
        to_x("mul_one", "MUL", either(X, s.ConstMatch(1))),
        to_constant("mul_zero", "MUL", either(X, zero), 0),
        to_constant("mul_fold", "MUL", row(*any_two), s.Arith("*", (a, b))),
        to_x("and_ones", "AND", either(X, ones)),
        to_constant("and_zero", "AND", either(X, zero), 0),
        to_x("and_self", "AND", row(X, s.SameAs("x"))),
        to_x("or_zero", "OR", either(X, zero)),
        to_constant("or_ones", "OR", either(X, ones), -1),
        to_x("or_self", "OR", row(X, s.SameAs("x"))),
        to_x("xor_zero", "XOR", either(X, zero)),
        to_constant("xor_self", "XOR", row(X, s.SameAs("x")), 0),
        to_x("shl_zero", "SHL", row(X, zero)),
        to_x("lshr_zero", "LSHR", row(X, zero)),
        to_x("not_not", "NOT", row(s.InstrMatch(("op.NOT",), X))),
        to_x("neg_neg", "NEG", row(s.InstrMatch(("op.NEG",), X))),
    )
    return s.RuleSet("canonical", rules)


# One of two operations folds: name here, in arith, in comb, and what stands on the right.
FOLDING: tuple[tuple[Op, str, str, int], ...] = (
    (ops.ADD, "AddiOp", "add", 0),
    (ops.MUL, "MuliOp", "mul", 1),
    (ops.AND, "AndIOp", "and", -1),
    (ops.OR, "OrIOp", "or", 0),
    (ops.XOR, "XOrIOp", "xor", 0),
    (ops.SUB, "SubiOp", "sub", 0),
)


def chain(size: int, context: Context, steps: Callable[[int], tuple[Op, int | None]]) -> Module:
    """A chain of operations on what came before, with a constant or an input on the right."""
    module = Module(context)
    builder = Builder(module)
    word = module.type(ops.BITS, WIDTH)
    other = builder.value(IN, word)
    value: ValueRef = builder.value(IN, word)
    mask = (1 << WIDTH) - 1
    for index in range(size):
        op, constant = steps(index)
        value = builder.value(op, word, value, other if constant is None else Const(constant & mask, WIDTH))
    builder.build(OUT, value)
    return module


def zeros(_: int) -> tuple[Op, int | None]:
    """`x + 0` everywhere."""
    return ops.ADD, 0


def mixed(index: int) -> tuple[Op, int | None]:
    """What folds and what stays, in turn."""
    if index % 2:
        return ops.XOR, None
    op, _, _, constant = FOLDING[index // 2 % len(FOLDING)]
    return op, constant


def seconds(module: Module, rules: s.RuleSet) -> float:
    """Processor time of rewriting a module, rules compiled before."""
    compile_rules(module.context, rules)
    gc.collect()
    start = time.process_time()
    apply_rules(module, rules).check_settled()
    return time.process_time() - start


def best(size: int, steps: Callable[[int], tuple[Op, int | None]], rules: s.RuleSet, repeats: int) -> float:
    """The least time of some runs."""
    context = new_context()
    return min(seconds(chain(size, context, steps), rules) for _ in range(repeats))


# Rivals.


def xdsl(size: int) -> dict[str, float]:
    """Seconds of `x + 0` by a pattern, and of xDSL's own canonicalisation."""
    find = importlib.import_module
    arith: Any = find("xdsl.dialects.arith")
    builtin: Any = find("xdsl.dialects.builtin")
    test: Any = find("xdsl.dialects.test")
    rewriter: Any = find("xdsl.pattern_rewriter")
    canonicalize: Any = find("xdsl.transforms.canonicalize")
    context: Any = find("xdsl.context").Context()

    def match_and_rewrite(_: Any, op: Any, changes: Any) -> None:
        if not isinstance(op, arith.AddiOp):
            return
        owner: Any = op.rhs.owner
        if isinstance(owner, arith.ConstantOp) and owner.value.value.data == 0:
            changes.replace(op, [], [op.lhs])

    pattern: Any = type("AddZero", (rewriter.RewritePattern,), {"match_and_rewrite": match_and_rewrite})()

    def make(steps: Callable[[int], tuple[str, int | None]]) -> Any:
        start = test.TestOp(result_types=[builtin.i32, builtin.i32])
        constants = {k: arith.ConstantOp.from_int_and_width(k, 32) for k in (0, 1, -1)}
        made: list[Any] = [start, *constants.values()]
        value = start.results[0]
        for index in range(size):
            name, constant = steps(index)
            right = start.results[1] if constant is None else constants[constant].result
            op = getattr(arith, name)(value, right)
            made.append(op)
            value = op.result
        made.append(test.TestOp(operands=[value]))
        return builtin.ModuleOp(made)

    def steps(index: int) -> tuple[str, int | None]:
        if index % 2:
            return "XOrIOp", None
        return FOLDING[index // 2 % len(FOLDING)][1], FOLDING[index // 2 % len(FOLDING)][3]

    module = make(lambda _: ("AddiOp", 0))
    start = time.process_time()
    rewriter.PatternRewriteWalker(pattern).rewrite_module(module)
    rewriting = time.process_time() - start
    module = make(steps)
    start = time.process_time()
    canonicalize.CanonicalizePass().apply(context, module)
    return {"rewrite": rewriting, "canonicalize": time.process_time() - start}


def circt(size: int, steps: Callable[[int], tuple[str, int | None]]) -> float:
    """Seconds of CIRCT's canonicalisation."""
    ir: Any = importlib.import_module("circt.ir")
    passes: Any = importlib.import_module("circt.passmanager")
    dialects: Any = importlib.import_module("circt")
    lines = ["hw.module @bench(in %v0 : i32, in %w : i32, out o : i32) {"]
    constants: dict[int, str] = {}
    for index in range(size):
        name, constant = steps(index)
        if constant is not None and constant not in constants:
            constants[constant] = f"%c{len(constants)}"
            lines.append(f"  {constants[constant]} = hw.constant {constant} : i32")
        right = "%w" if constant is None else constants[constant]
        lines.append(f"  %v{index + 1} = comb.{name} %v{index}, {right} : i32")
    lines += [f"  hw.output %v{size} : i32", "}"]
    with ir.Context() as context:
        dialects.register_dialects(context)
        manager = passes.PassManager.parse("builtin.module(hw.module(canonicalize))")
        module = ir.Module.parse("\n".join(lines))
        start = time.process_time()
        manager.run(module.operation)
        return time.process_time() - start


def circt_zeros(_: int) -> tuple[str, int | None]:
    """`x + 0` everywhere."""
    return "add", 0


def circt_mixed(index: int) -> tuple[str, int | None]:
    """The chain of `mixed`."""
    if index % 2:
        return "xor", None
    return FOLDING[index // 2 % len(FOLDING)][2], FOLDING[index // 2 % len(FOLDING)][3]


# Growth, number of rules, calls.


def exponent(small: float, large: float, factor: float) -> float:
    """Of the growth between two times of sizes that differ by a factor."""
    return round(math.log(large / small) / math.log(factor), 3)


def adding(index: int) -> tuple[Op, int | None]:
    """Constants that are put together, one after the other."""
    return ops.ADD, index % 7 + 1


def summing(_: int) -> tuple[Op, int | None]:
    """A sum that no rule changes; CIRCT makes one operation of it, a summand at a time."""
    return ops.ADD, None


def circt_summing(_: int) -> tuple[str, int | None]:
    """The same for CIRCT."""
    return "add", None


def growth(size: int) -> float:
    """Exponent of our time on long chains: the larger one of those that fold and those that do not."""
    rules, context = canonical_rules(), new_context()
    small, large = size // 10, size * 5

    def once(length: int, steps: Callable[[int], tuple[Op, int | None]]) -> float:
        return seconds(chain(length, context, steps), rules)

    found: list[float] = []
    for steps in (adding, summing):
        pairs = [(sum(once(small, steps) for _ in range(5)) / 5, once(large, steps)) for _ in range(3)]
        of_small, of_large = (statistics.median(times) for times in zip(*pairs, strict=True))
        found.append(exponent(of_small, of_large, large / small))
    return max(found)


def many_rules(count: int) -> s.RuleSet:
    """`count` rules: one that fits, and others that differ in constants and in operations below."""
    roots = ("ADD", "SUB", "MUL", "AND", "OR", "XOR", "SHL", "LSHR", "NOT", "NEG")
    rules = list(canonical_rules().rules[:1])
    for index in range(count - 1):
        root, inner = roots[index % 8], roots[index // 8 % 10]
        value = index // 3 + 2
        below: s.Expr = s.InstrMatch((f"op.{inner}",), s.Sequence((X, s.ConstMatch(value))))
        if inner in ("NOT", "NEG"):
            below = s.InstrMatch((f"op.{inner}",), X)
        rules.append(to_x(f"r{index}", root, row(below, s.ConstMatch(value * 3 + 1))))
    return s.RuleSet(f"many{count}", tuple(rules))


def rules_scaling(size: int, repeats: int) -> float:
    """Time with 500 rules over time with 10, on code of all the operations they begin with."""
    few, many = many_rules(10), many_rules(500)
    pairs = [(best(size, mixed, few, 1), best(size, mixed, many, 1)) for _ in range(repeats)]
    return round(min(b for _, b in pairs) / min(a for a, _ in pairs), 3)


def python_do(size: int, repeats: int) -> float:
    """Microseconds that a Python `do` adds to a rule."""

    def replace(builder: Builder, match: Any) -> None:
        builder.replace_all_uses(match["d"], match["x"])

    called = s.Rule("called", ZERO.root, do=s.PythonFunction(replace))
    native = best(size, zeros, s.RuleSet("native", (ZERO,)), repeats)
    python = best(size, zeros, s.RuleSet("called", (called,)), repeats)
    return round((python - native) / size * 1e6, 3)


def figures(*, smoke: bool = False) -> dict[str, Any]:
    """All figures."""
    size, repeats = (2_000, 1) if smoke else (200_000, 5)
    rival_size = size if smoke else 40_000
    rules = canonical_rules()
    rewriting = best(size, zeros, s.RuleSet("zero", (ZERO,)), repeats)
    canonical = best(size, mixed, rules, repeats)
    data: dict[str, Any] = {
        "size": size,
        "rewrite_per_s": round(size / rewriting),
        "canonicalize_per_s": round(size / canonical),
    }
    if has_module("xdsl"):
        theirs = xdsl(rival_size)
        for task, mine in (("rewrite", rewriting), ("canonicalize", canonical)):
            data[f"xdsl_{task}_per_s"] = round(rival_size / theirs[task])
            data[f"xdsl_{task}"] = round(theirs[task] / rival_size * size / mine, 2)
    data["growth_exponent"] = growth(size)
    if has_module("circt"):
        data["circt_canonicalize_zero"] = round(circt(size, circt_zeros) / rewriting, 2)
        theirs_mixed = min(circt(size, circt_mixed) for _ in range(min(repeats, 3)))
        data["circt_canonicalize_per_s"] = round(size / theirs_mixed)
        data["circt_canonicalize"] = round(theirs_mixed / canonical, 2)
        short = 500 if smoke else 2_000
        data["circt_growth_exponent"] = exponent(
            circt(short, circt_summing), circt(short * 4, circt_summing), 4
        )
    data["rules_scaling"] = rules_scaling(size, repeats)
    data["python_do_us"] = python_do(size // 4, repeats)
    return data


if __name__ == "__main__":
    sys.exit(figures_main(__doc__ or "", figures))
