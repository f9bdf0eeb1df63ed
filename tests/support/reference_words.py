"""Word operators on plain Python integers and on z3 terms: two models to hold the native ones against."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def _divide(a: int, b: int, width: int) -> tuple[int, int]:
    return ((1 << width) - 1, a) if b == 0 else divmod(a, b)


def _truncated(a: int, b: int) -> tuple[int, int]:
    """Quotient rounded to zero, remainder with the dividend's sign; by zero as SMT-LIB has it."""
    if b == 0:
        return (1 if a < 0 else -1), a
    quotient = abs(a) // abs(b)
    quotient = -quotient if (a < 0) != (b < 0) else quotient
    return quotient, a - quotient * b


def _fits(value: int, width: int) -> bool:
    return -(1 << (width - 1)) <= value < 1 << (width - 1)


def value(op: str, words: list[tuple[int, int]], *, hi: int = 0, lo: int = 0, number: int = 0) -> int:
    """The unsigned value of an operator; words are (value, width), the width of the result is not applied."""
    (a, n), (b, m) = words[0], words[1] if len(words) > 1 else (0, 1)
    s, t = signed(a, n), signed(b, m)
    mask = (1 << n) - 1
    match op:
        case "ADD" | "SUB" | "MUL" | "UDIV" | "UREM":
            pair = _divide(a, b, n)
            return {"ADD": a + b, "SUB": a - b, "MUL": a * b, "UDIV": pair[0], "UREM": pair[1]}[op] & mask
        case "NEG":
            return -a & mask
        case "ABS":
            return abs(s)
        case "SMULW" | "UMULW":
            return (s * t if op == "SMULW" else a * b) & ((1 << (n + m)) - 1)
        case "SDIV" | "SREM":
            return _truncated(s, t)[op == "SREM"] & mask
        case "SMOD":
            return (s if t == 0 else s % t) & mask
        case "AND" | "NAND":
            return a & b if op == "AND" else ~(a & b) & mask
        case "OR" | "NOR":
            return a | b if op == "OR" else ~(a | b) & mask
        case "XOR" | "XNOR":
            return a ^ b if op == "XOR" else ~(a ^ b) & mask
        case "NOT":
            return ~a & mask
        case "REDAND" | "REDOR" | "REDXOR":
            return int({"REDAND": a == mask, "REDOR": a != 0, "REDXOR": a.bit_count() % 2 == 1}[op])
        case "EQ" | "NE":
            return int((a == b) == (op == "EQ"))
        case "ULT" | "ULE" | "UGT" | "UGE":
            return int({"ULT": a < b, "ULE": a <= b, "UGT": a > b, "UGE": a >= b}[op])
        case "SLT" | "SLE" | "SGT" | "SGE":
            return int({"SLT": s < t, "SLE": s <= t, "SGT": s > t, "SGE": s >= t}[op])
        case "SHL" | "LSHR" | "ASHR":
            by = min(b, n)
            return {"SHL": a << by, "LSHR": a >> by, "ASHR": s >> by}[op] & mask
        case "ROL" | "ROR":
            by = b % n if op == "ROL" else -b % n
            return (a << by | a >> (n - by)) & mask
        case "CONCAT":
            result = 0
            for part, width in words:
                result = result << width | part
            return result
        case "SLICE":
            return a >> lo & ((1 << (hi - lo + 1)) - 1)
        case "INDEX":
            return a >> b & 1 if b < n else 0
        case "REPEAT":
            return int((f"{a:0{n}b}" * number), 2)
        case "ZEXT" | "SEXT":
            return (a if op == "ZEXT" else s) & ((1 << number) - 1)
        case "MUX":
            return b if a else words[2][0]
        case "UADDO" | "USUBO" | "UMULO":
            exact = {"UADDO": a + b, "USUBO": a - b, "UMULO": a * b}[op]
            return int(not 0 <= exact <= mask)
        case "SADDO" | "SSUBO" | "SMULO":
            return int(not _fits({"SADDO": s + t, "SSUBO": s - t, "SMULO": s * t}[op], n))
        case "NEGO":
            return int(not _fits(-s, n))
        case "SDIVO":
            return int(s == -(1 << (n - 1)) and t == -1)
        case _:
            raise AssertionError(f"no model of {op}")


def z3_term(op: str, words: list[Any], *, hi: int = 0, lo: int = 0, number: int = 0) -> Any:
    """The operator as a z3 bit-vector, written in z3's own operators."""
    z: Any = import_module("z3")
    a, b = words[0], words[1] if len(words) > 1 else words[0]
    n, m = a.size(), b.size()

    def bit(condition: Any) -> Any:
        return z.If(condition, z.BitVecVal(1, 1), z.BitVecVal(0, 1))

    def same_width(first: Any, second: Any) -> tuple[Any, Any]:
        width = max(first.size(), second.size(), 33)
        return z.ZeroExt(width - first.size(), first), z.ZeroExt(width - second.size(), second)

    wide, amount = same_width(a, b)
    zero, smallest = z.BitVecVal(0, n), z.BitVecVal(1 << (n - 1), n)
    match op:
        case "ADD" | "SUB" | "MUL":
            return {"ADD": lambda: a + b, "SUB": lambda: a - b, "MUL": lambda: a * b}[op]()
        case "NEG":
            return -a
        case "ABS":
            return z.If(a < 0, -a, a)
        case "SMULW":
            return z.SignExt(m, a) * z.SignExt(n, b)
        case "UMULW":
            return z.ZeroExt(m, a) * z.ZeroExt(n, b)
        case "UDIV" | "UREM":
            return z.UDiv(a, b) if op == "UDIV" else z.URem(a, b)
        case "SDIV":
            return a / b
        case "SREM":
            return z.SRem(a, b)
        case "SMOD":
            return a % b
        case "AND" | "NAND":
            return a & b if op == "AND" else ~(a & b)
        case "OR" | "NOR":
            return a | b if op == "OR" else ~(a | b)
        case "XOR" | "XNOR":
            return a ^ b if op == "XOR" else ~(a ^ b)
        case "NOT":
            return ~a
        case "REDAND":
            return z.BVRedAnd(a)
        case "REDOR":
            return z.BVRedOr(a)
        case "REDXOR":
            result = z.Extract(0, 0, a)
            for index in range(1, n):
                result = result ^ z.Extract(index, index, a)
            return result
        case "EQ" | "NE":
            return bit(a == b if op == "EQ" else a != b)
        case "ULT" | "ULE" | "UGT" | "UGE":
            return bit({"ULT": z.ULT, "ULE": z.ULE, "UGT": z.UGT, "UGE": z.UGE}[op](a, b))
        case "SLT" | "SLE":
            return bit(a < b if op == "SLT" else a <= b)
        case "SGT" | "SGE":
            return bit(a > b if op == "SGT" else a >= b)
        case "SHL":
            return z.Extract(n - 1, 0, wide << amount)
        case "LSHR":
            return z.Extract(n - 1, 0, z.LShR(wide, amount))
        case "ASHR":
            return z.Extract(n - 1, 0, z.SignExt(wide.size() - n, a) >> amount)
        case "ROL" | "ROR":
            by = z.URem(amount, z.BitVecVal(n, amount.size()))
            back = z.BitVecVal(n, amount.size()) - by
            left, right = (by, back) if op == "ROL" else (back, by)
            return z.Extract(n - 1, 0, wide << left | z.LShR(wide, right))
        case "CONCAT":
            return z.Concat(*words) if len(words) > 1 else a
        case "SLICE":
            return z.Extract(hi, lo, a)
        case "INDEX":
            return z.Extract(0, 0, z.LShR(wide, amount))
        case "REPEAT":
            return z.RepeatBitVec(number, a)
        case "ZEXT" | "SEXT":
            return (z.ZeroExt if op == "ZEXT" else z.SignExt)(number - n, a)
        case "MUX":
            return z.If(a == 1, b, words[2])
        case "UADDO" | "SADDO":
            return bit(z.Not(_no_overflow(z.BVAddNoOverflow, z.BVAddNoUnderflow, a, b, op == "SADDO")))
        case "USUBO" | "SSUBO":
            if op == "USUBO":
                return bit(z.Not(z.BVSubNoUnderflow(a, b, False)))
            return bit(z.Not(z.And(z.BVSubNoOverflow(a, b), z.BVSubNoUnderflow(a, b, True))))
        case "UMULO" | "SMULO":
            return bit(z.Not(_no_overflow(z.BVMulNoOverflow, z.BVMulNoUnderflow, a, b, op == "SMULO")))
        case "NEGO":
            return bit(z.And(a == smallest, a != zero))
        case "SDIVO":
            return bit(z.Not(z.BVSDivNoOverflow(a, b)))
        case _:
            raise AssertionError(f"no z3 model of {op}")


def _no_overflow(over: Any, under: Any, a: Any, b: Any, is_signed: bool) -> Any:
    z: Any = import_module("z3")
    return z.And(over(a, b, True), under(a, b)) if is_signed else over(a, b, False)
