"""Several threads on one module or context: a UsageError or a wait, never a broken store."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from dynomite._native.ir import CStore, InstrRef, Update
from dynomite._native.passes import clone_module, cse, dce, statistics, violations
from dynomite.errors import DynomiteError, StaleRefError, UsageError
from dynomite.ir import (
    Builder,
    Context,
    Module,
    Tracking,
    ValueRef,
    load,
    parse,
    print_module,
    write_bytecode,
)
from tests.dynomite.ir.demo_dialect import ADD, DEMO, IN, USE, WORD

SIZE = 60_000


def big_module(context: Context, size: int = SIZE) -> Module:
    module = Module(context)
    builder = Builder(module)
    word = module.type(WORD, 8)
    values = [builder.value(IN, word) for _ in range(2)]
    for index in range(size):
        values.append(builder.value(ADD, word, values[index], values[index // 2]))
    builder.build(USE, values[-1])
    return module


@pytest.fixture
def context() -> Context:
    context = Context()
    load(context, DEMO)
    return context


class Background:
    """Repeats a native call in a thread of its own until the end of a `with` block."""

    def __init__(self, call: Callable[[], object]) -> None:
        self.call = call
        self.rounds = 0
        self.is_inside = threading.Event()
        self.error: BaseException | None = None
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        try:
            while not self._ends.is_set():
                self.is_inside.set()
                self.call()
                self.rounds += 1
        except DynomiteError as error:
            self.error = error

    def __enter__(self) -> Background:
        self._thread.start()
        self.is_inside.wait()
        time.sleep(0.001)
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()


def test_a_declaration_does_not_come_in_the_middle_of_printing(context: Context) -> None:
    module = big_module(context)
    start = time.perf_counter()
    print_module(module)
    alone = time.perf_counter() - start
    waits: list[float] = []
    for number in range(5):
        with Background(lambda: print_module(module)):
            start = time.perf_counter()
            context.add_dialect(f"late{number}")
            waits.append(time.perf_counter() - start)
    # Each one came somewhere in the middle of a printing.
    assert max(waits) > alone / 10


def test_parsed_declarations_wait_as_well(context: Context) -> None:
    module = big_module(context)
    with Background(lambda: print_module(module)) as printing:
        for number in range(40):
            parse(
                f"dialect d{number} {{\n  let A = core.instr {{ let defs = 1; let uses = 0; }}\n}}\n", context
            )
    assert printing.error is None
    assert print_module(parse(print_module(module), context)) == print_module(module)


READERS: dict[str, Callable[[Module, Builder, InstrRef, ValueRef], object]] = {
    "len": lambda m, b, i, v: len(m),
    "body": lambda m, b, i, v: m.body,
    "first": lambda m, b, i, v: m.body.first,
    "walk": lambda m, b, i, v: [instr.name for instr, _ in zip(m.instrs(), range(50), strict=False)],
    "block": lambda m, b, i, v: [instr.uses for instr, _ in zip(m.body, range(50), strict=False)],
    "instr live": lambda m, b, i, v: i.is_live,
    "value live": lambda m, b, i, v: v.is_live,
    "operands": lambda m, b, i, v: i.operands,
    "uses": lambda m, b, i, v: v.uses,
    "type": lambda m, b, i, v: (v.type, str(v.type), repr(v.type)),
    "repr": lambda m, b, i, v: (repr(m), repr(i), repr(v), repr(m.body)),
    "memory": lambda m, b, i, v: m.memory(),
    "stamp": lambda m, b, i, v: m.stamp,
    "log": lambda m, b, i, v: (b.mark, b.pending, [repr(u) for u in b.updates()[-3:]]),
    "place": lambda m, b, i, v: (b.block, b.before),
    "comes before": lambda m, b, i, v: i.comes_before(m.body.last or i),
    "print": lambda m, b, i, v: print_module(m),
    "bytecode": lambda m, b, i, v: write_bytecode(m),
    "statistics": lambda m, b, i, v: statistics(m),
    "clone": lambda m, b, i, v: clone_module(m),
    "violations": lambda m, b, i, v: violations(m),
    "compress": lambda m, b, i, v: CStore(m).compress(i),
}
WRITERS: dict[str, Callable[[Module, Builder, InstrRef, ValueRef], object]] = {
    "build": lambda m, b, i, v: b.build(USE, v),
    "erase": lambda m, b, i, v: b.erase(i),
    "set operand": lambda m, b, i, v: b.set_operand(m.body.last or i, 0, v),
    "name": lambda m, b, i, v: b.set_value_name(v, "x"),
    "type": lambda m, b, i, v: m.type(WORD, 99),
    "rollback": lambda m, b, i, v: b.rollback(b.mark),
    "tracking": lambda m, b, i, v: b.set_tracking(b.tracking),
    "block": lambda m, b, i, v: b.create_block(m.body.region),
}


@pytest.mark.parametrize("name", [*READERS, *(f"write {name}" for name in WRITERS)])
def test_python_beside_a_running_pass(context: Context, name: str) -> None:
    call = WRITERS[name[6:]] if name.startswith("write ") else READERS[name]
    original = big_module(context, 20_000)
    for _ in range(4):
        module = clone_module(original)
        builder = Builder(module, tracking=Tracking.LAZY_TRACKING)
        instr = module.body.first
        assert instr is not None
        value = instr.result
        done = threading.Event()

        def work(builder: Builder = builder, done: threading.Event = done) -> None:
            cse(builder)
            dce(builder)
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        while not done.is_set():
            try:
                call(module, builder, instr, value)
            except (UsageError, StaleRefError):
                continue
        thread.join()
        # A call that got its turn between the passes has made blocks without terminators, as it was asked to.
        messages = [message for message, *_ in violations(module)[2]]
        assert [m for m in messages if name != "write block" or "terminator" not in m] == []


def test_many_readers_at_once(context: Context) -> None:
    """Reading renumbers blocks when somebody asks for the order."""
    for _ in range(10):
        module = big_module(context, 5_000)
        threads = [threading.Thread(target=violations, args=(module,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        first, last = module.body.first, module.body.last
        assert first is not None
        assert last is not None
        assert first.comes_before(last)
        for thread in threads:
            thread.join()


def test_a_listener_reads_the_module_of_a_running_pass_and_cannot_change_it(context: Context) -> None:
    module = big_module(context, 5)
    last = module.body.last
    assert last is not None
    Builder(module).erase(last)
    builder = Builder(module, tracking=Tracking.EAGER)
    first = module.body.first
    assert first is not None
    changes: list[Callable[[], object]] = [
        lambda: Builder(module).build(USE),
        lambda: builder.erase(first),
        lambda: builder.rollback(),
        lambda: cse(Builder(module)),
    ]
    texts: list[str] = []

    def listener(update: Update, reverted: bool) -> None:
        texts.append(print_module(module))
        for change in changes:
            with pytest.raises(UsageError, match=r"in use by a running pass|being changed"):
                change()

    builder.listen(listener)
    assert dce(builder)[1] == 5
    assert len(texts) == 10
    assert texts[-1] == print_module(module)


def test_a_pass_that_tells_listeners_excludes_other_threads(context: Context) -> None:
    module = big_module(context, 300)
    last = module.body.last
    assert last is not None
    Builder(module).erase(last)
    builder = Builder(module, tracking=Tracking.EAGER)
    outcomes: list[str] = []

    def disturb() -> None:
        try:
            Builder(module).build(USE)
            outcomes.append("changed")
        except UsageError as error:
            outcomes.append(str(error))
        try:
            print_module(module)
            outcomes.append("printed")
        except UsageError as error:
            outcomes.append(str(error))

    def listener(update: Update, reverted: bool) -> None:
        if len(outcomes) < 4:
            thread = threading.Thread(target=disturb)
            thread.start()
            thread.join()

    builder.listen(listener)
    assert dce(builder)[1] == 300
    assert len(outcomes) >= 4
    assert all("in use by a running pass" in text or "being changed" in text for text in outcomes)
