"""Every row of the shared cases about the IR has a test here or beside the part that it is about.

The files are in MLIR's syntax; ours are translations. A row of the tables below names the file that tests it,
and the name of the row stands in that file.
"""

from __future__ import annotations

import lzma
from pathlib import Path

from dynomite.ir import Context, parse, print_module
from tests.support.shared_data import REPOSITORY, read_cases

WHERE = {
    "r-ir-dup-symbol": "tests/filecheck/ir/dup_symbol.dyn",
    "r-ir-symbol-quoted": "tests/filecheck/ir/symbol_quoted.dyn",
    "r-ir-dce-nested-ref": "tests/native/test_symbols.cpp",
    "r-ir-dce-opaque-region": "tests/native/test_symbols.cpp",
    "r-ir-dce-chain": "tests/native/test_symbols.cpp",
    "r-ir-missing-symbol": "tests/filecheck/ir/missing_symbol.dyn",
    "r-ir-pingpong": "tests/dynomite/passes/test_greedy.py",
    "r-ir-use-before-def": "tests/filecheck/ir/use_before_def.dyn",
    "r-ir-int-range": "tests/filecheck/ir/int_range.dyn",
    "r-ir-unterminated": "tests/filecheck/ir/unterminated.dyn",
    "r-ir-type-clash": "tests/filecheck/ir/type_clash.dyn",
    "r-ir-cse-attrs": "tests/dynomite/passes/test_passes.py",
    "r-ir-deep-regions": "tests/test_shared_ir_cases.py",
    "r-ir-mux-self": "tests/test_shared_netlists.py",
    "r-ir-and-allones": "tests/test_shared_netlists.py",
    "r-ir-i0": "tests/test_shared_netlists.py",
    "r-ir-shift-const": "tests/test_shared_netlists.py",
}


def test_every_row_is_somewhere(shared: Path) -> None:
    assert shared.is_dir()
    rows = {
        case.id
        for case in read_cases()
        if case.kind in ("ir", "ir-rewrite") or case.operation.endswith("-ir")
    }
    assert rows == WHERE.keys()
    for row, file in WHERE.items():
        text = (REPOSITORY / file).read_text("utf-8")
        assert row in text or f"{row[:8]}-*" in text, row


def test_deep_regions(shared: Path) -> None:
    """Row r-ir-deep-regions: as deep as the file's regions, read and printed."""
    source = lzma.decompress((shared / "cases" / "r-ir-deep-regions.mlir.xz").read_bytes()).decode()
    depth = nested = 0
    for char in source:
        nested += {"{": 1, "}": -1}.get(char, 0)
        depth = max(depth, nested)
    assert depth >= 20_000
    text = "core.MODULE {\n" * depth + "}\n" * depth
    module = parse(text, Context())
    assert len(module) == depth
    printed = print_module(module)
    assert print_module(parse(printed, Context())) == printed
