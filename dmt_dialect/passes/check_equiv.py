"""Combinational equivalence of two circuits, with evidence.

    a: y = ab          b: y = NOT(NOT a OR NOT b)      ->  equivalent
    a: y = ab          b: y = a                        ->  different at a=1 b=0

Ports are paired (`dmt_dialect.matching`), both designs are copied over shared inputs into one AIG, where
hashing already merges equal structure, and the pairs of outputs left are proved by SAT sweeping (Kuehlmann
et al., "Robust Boolean reasoning for equivalence checking and functional property verification", 2002;
Mishchenko et al., "Improvements to combinational equivalence checking", 2006) while algebra tries the outputs
as words (`dmt_dialect.engines.algebra`) and CaDiCaL works on the rest in a process of its own. Limits: time
(`timeout`), and, once one function is known to differ, a grace for the others.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from dmt_dialect.care import Care, restricted
from dmt_dialect.engines.algebra import Words, words_of
from dmt_dialect.engines.divider_sweeper import DividerSweeper
from dmt_dialect.engines.dividers import find_operands
from dmt_dialect.engines.problem import Problem
from dmt_dialect.engines.race import Board, race
from dmt_dialect.engines.sweep_team import SecondSweeper, SweeperLike
from dmt_dialect.explanation import Explanation
from dmt_dialect.function_matching import match_by_function
from dmt_dialect.matching import Compared, Matched, MatchMode, match_ports
from dmt_dialect.miter import Miter, build_miter
from dmt_dialect.pairing import Pairing
from dmt_dialect.proof import ProofFiles
from dmt_dialect.verdict import Counterexample, EngineRun, OpenCone, OutputVerdict, Status, Verdict
from dynomite._native.base import Stop
from dynomite.errors import LimitError, UsageError
from dynomite.formats.base import read_circuit
from dynomite.formats.streams import write_target
from dynomite.peak_memory import peak_of_process
from dynomite.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dynomite._native.aig import Aig

EngineChoice = Literal["auto", "sweep", "algebra", "sat", "bdd", "smt"]

COUNTEREXAMPLE_VALUES = 100_000
"""Values kept in counterexamples of one verdict; the first counterexample is kept whatever its size."""
SECOND_SEED = 2
"""Of the second sweeper; the first has the seed of the call."""
_WORKERS = {"auto": "cadical", "sat": "cadical", "bdd": "bdd", "smt": "z3"}


@dataclass(frozen=True, slots=True)
class _Left:
    """What is open in the end: sizes by function, and the file it was written to."""

    sizes: Mapping[int, OpenCone] = field(default_factory=dict[int, OpenCone])
    path: str | None = None


def lec(
    left: str | os.PathLike[str] | Aig,
    right: str | os.PathLike[str] | Aig,
    *,
    match: MatchMode = "auto",
    engine: EngineChoice = "auto",
    timeout: float | None = None,
    proof: str | os.PathLike[str] | None = None,
    residual: str | os.PathLike[str] | None = None,
    explain: bool = False,
    svg: str | os.PathLike[str] | None = None,
    free_inputs: bool = False,
    complements: bool = False,
    library: str | os.PathLike[str] | None = None,
    care: str | os.PathLike[str] | Aig | None = None,
    assume_constraints: bool = False,
    dont_cares: bool | Aig = False,
    seed: int = 1,
    progress: Callable[[Progress], None] | None = None,
    cancel: Stop | None = None,
) -> Verdict:
    """Proves two circuits equal, or shows where they differ.

    Args:
        left: A circuit file or an `Aig`.
        right: The other.
        match: How ports are paired: "name", "order", or "auto": by name when both sides have names, by order
            when one has none; "function": by common names, the others by simulation
            (`dmt_dialect.function_matching`), which the verdict's assumptions tell about.
        engine: "auto" (sweeping, algebra on arithmetic, and CaDiCaL on what is hard), "sweep", "algebra",
            "sat" (CaDiCaL on everything), "bdd", "smt".
        timeout: Seconds after which what is not known is undecided; None for no limit.
        proof: File for a proof of equivalence, from the engines "auto", "sweep" and "algebra": DRAT text over
            the clauses of the miter, which go to the same name with ".cnf" behind it; or, where algebra was
            needed, an algebraic certificate and refutations beside it (docs/proofs.md). CaDiCaL does not run
            then. Files are written only if everything is proved equal. `dmt_dialect.proof.check_proof`
            checks them.
        residual: File for what is left if functions stay undecided: a circuit whose outputs are 1 where an
            open function differs (.aig, .blif...), or clauses (.cnf). `dynomite solve` goes on with it.
        explain: If they differ, find where the difference begins and which single change would undo it
            (`verdict.explanation`); takes up to ten seconds more, within `timeout`.
        svg: File for a drawing of that; implies `explain`.
        free_inputs: Leave inputs that only one side has free, instead of refusing them.
        complements: Outputs may be complemented; with `match="function"`.
        library: Cells that BLIF files are made of: a genlib or Liberty file.
        care: A circuit with one output, 1 where differences count; see `dmt_dialect.care.Care`.
        assume_constraints: Differences count where all constraints of both designs hold; these are not
            compared then.
        dont_cares: External don't-cares as a circuit, or True for those after `.exdc` in the left file.
        seed: Seed of the random patterns. The statuses do not depend on it.
        progress: Called with a `Progress` as the work goes on.
        cancel: Its `cancel()`, from any thread or a signal handler, ends the run with what is known so far;
            `timeout` sets its deadline.

    Returns:
        The verdict; `docs/verdict.md` describes it.

    Raises:
        ParseError: A file is not what its format says.
        UsageError: The ports do not fit together, or an option is wrong.
        KeyboardInterrupt: After everything that was started has ended.
    """
    _check_options(match, engine, timeout, proof, residual)
    if complements and match != "function":
        raise UsageError("lec: complements are found with match='function' (--match function) only")
    for design in (left, right):
        _check_design(design)
    start = time.monotonic()
    stop = Stop() if cancel is None else cancel
    if timeout is not None:
        stop.set_timeout(timeout)
    explain = explain or svg is not None
    board = Board(total=0, start=start, stop=stop, progress=progress)
    names = _design_name(left, "left"), _design_name(right, "right")
    notes: list[str] = []
    designs: list[Aig] = []
    for design in (left, right):
        board.tell("reading")
        try:
            designs.append(
                read_circuit(design, notes=notes, library=library, net_names=explain, stop=stop)
                if isinstance(design, str | os.PathLike)
                else design
            )
        except LimitError:
            if not board.must_stop():
                raise
        if board.must_stop():
            return _unmatched(board, names)
    given: dict[str, Pairing] | None = None
    if match == "function":
        board.tell("pairing")
        try:
            found = match_by_function(designs[0], designs[1], complements=complements, seed=seed, stop=stop)
        except LimitError:
            if not board.must_stop():
                raise
            return _unmatched(board, names)
        given, designs[1] = found.pairings, found.right
        notes.append(found.note)
    matched = match_ports(
        designs[0], designs[1], mode=match, free_inputs=free_inputs, names=names, given=given
    )
    try:
        restriction = _care(left, care, assume_constraints, dont_cares, stop)
        if restriction:
            *designs, told = restricted(designs[0], designs[1], matched, restriction, stop)
            notes += told
            if given is not None and assume_constraints:
                given.pop("constraints")
            matched = match_ports(designs[0], designs[1], mode=match, names=names, given=given)
    except LimitError:
        if not board.must_stop():
            raise
        return _unmatched(board, names)
    board.total = len(matched.functions)
    miter = sweeper = None
    log = None if proof is None else ProofFiles(os.fspath(proof))
    try:
        if not board.must_stop():
            miter = build_miter(designs[0], designs[1], matched, hashed=proof is None, stop=stop)
    except LimitError:
        if not board.must_stop():
            raise
    if miter is not None:
        _compare_structure(board, miter, matched, only_differences=proof is not None)
        if (not board.done or (log is not None and not board.decisions)) and not board.must_stop():
            try:
                sweeper = _run_engines(board, miter, matched, engine, seed, log)
            except BaseException:
                if log is not None:
                    log.discard()
                raise
    proofs = () if log is None else log.finish(board, miter)
    if log is not None and not proofs:
        notes.append(f"no proof was written: {log.why_none}")
    shown = {} if miter is None else _counterexamples(board, designs, matched, miter)
    explanation = None
    if miter is not None and shown and explain:
        explanation = _explain(board, (designs[0], designs[1]), matched, miter, shown, seed, svg, notes)
    elif svg is not None:
        notes.append("no drawing was written: there is no counterexample to draw")
    remains = _what_is_left(board, matched, miter, sweeper, residual, notes)
    return _verdict(board, names, matched, notes, proofs, remains, shown, explanation)


def _care(
    left: object,
    care: str | os.PathLike[str] | Aig | None,
    constraints: bool,
    dont_cares: bool | Aig,
    stop: Stop,
) -> Care:
    circuit = read_circuit(care, stop=stop) if isinstance(care, str | os.PathLike) else care
    if dont_cares is True:
        if not isinstance(left, str | os.PathLike) or left == "-":
            raise UsageError("lec: dont_cares needs a BLIF file with .exdc on the left")
        # By name: packages import towards `dynomite`, never back.
        blif: Any = import_module("hw_dialect.formats.blif")
        dont_cares = cast("Aig", blif.read_dont_cares(left, stop=stop))
    return Care(circuit=circuit, constraints=constraints, dont_cares=dont_cares or None)


def _check_options(
    match: str,
    engine: str,
    timeout: float | None,
    proof: object,
    residual: str | os.PathLike[str] | None,
) -> None:
    if match not in get_args(MatchMode):
        raise UsageError(f"lec: match must be one of {', '.join(get_args(MatchMode))}, not {match!r}")
    if engine not in get_args(EngineChoice):
        raise UsageError(f"lec: engine must be one of {', '.join(get_args(EngineChoice))}, not {engine!r}")
    if timeout is not None and not timeout >= 0:
        raise UsageError(f"lec: timeout must not be negative, it is {timeout}")
    if proof is not None and engine not in ("auto", "sweep", "algebra"):
        raise UsageError(f"lec: the engine {engine!r} writes no proofs; take 'auto', 'sweep' or 'algebra'")
    if residual is not None:
        from dmt_dialect.residual import check_residual_target

        check_residual_target(residual)


def _check_design(design: object) -> None:
    from dynomite._native.aig import Aig

    if not isinstance(design, str | os.PathLike | Aig):
        raise TypeError(f"lec: a design is a file or an Aig, not {type(design).__name__}")


def _design_name(design: object, side: str) -> str:
    return os.fspath(design) if isinstance(design, str | os.PathLike) else f"the {side} design"


def _compare_structure(board: Board, miter: Miter, matched: Matched, *, only_differences: bool) -> None:
    """Answers pairs that are the same literal, opposite literals, or different constants.

    With `only_differences` equal pairs are left to the engine, whose proof has to cover them.
    """
    start = time.monotonic()
    any_input = bytes(miter.aig.num_inputs)
    counts = [0, 0]
    for pair, (a, b) in enumerate(miter.pairs.tolist()):
        if a == b:
            if matched.functions[pair].detail is None and not only_differences:
                board.decide(pair, equal=True, engine="structure")
                counts[True] += 1
        elif a ^ b == 1:
            board.decide(pair, equal=False, engine="structure", values=any_input)
            counts[False] += 1
    # Latches whose resets differ are different without any input that shows it.
    for pair, function in enumerate(matched.functions):
        if function.detail is not None and board.decide(pair, equal=False, engine="resets"):
            counts[False] += 1
    board.runs.append(EngineRun("structure", "done", counts[True], counts[False], time.monotonic() - start))
    text = f"{counts[True]} equal, {counts[False]} different by hashing both circuits over shared inputs"
    board.log.add("structure", "ended", text, equal=counts[True], different=counts[False])


def _second_sweeper(aig: Aig, pairs: NDArray[np.uint32]) -> SweeperLike:
    from dynomite._native.sweep import Sweeper

    return Sweeper(aig, pairs, seed=SECOND_SEED)


def _run_engines(
    board: Board, miter: Miter, matched: Matched, engine: EngineChoice, seed: int, log: ProofFiles | None
) -> SweeperLike | None:
    sweeper = words = None
    if log is not None and engine != "algebra":
        from dynomite._native.sweep import Sweeper

        sweeper = Sweeper(miter.aig, miter.pairs, seed=seed)
        log.start(sweeper)
    elif engine in ("auto", "sweep"):
        sweeper = _sweeper(board, miter, matched, seed, dividers=engine == "auto")
    if engine in ("auto", "algebra") and not isinstance(sweeper, DividerSweeper):
        groups = words_of([function.name for function in matched.functions])
        proved = None if log is None else log.words
        words = Words(miter.aig, miter.pairs, groups, always=engine == "algebra", proved=proved)
    problem = Problem(miter.aig.fanins, miter.aig.num_inputs, miter.pairs)
    second = None
    if engine == "auto" and log is None:
        second = SecondSweeper(_second_sweeper, (miter.aig, miter.pairs))
    race(board, problem, sweeper, None if log is not None else _WORKERS.get(engine), words, second)
    return sweeper


def _sweeper(board: Board, miter: Miter, matched: Matched, seed: int, *, dividers: bool) -> SweeperLike:
    """Over the miter; one that knows of dividers if there is one in it."""
    from dynomite._native.sweep import Sweeper

    names = [*matched.input_names, *matched.latch_names]
    operands = find_operands(miter.aig, names, seed=seed, stop=board.stop) if dividers else None
    if operands is None:
        return Sweeper(miter.aig, miter.pairs, seed=seed)
    board.log.add(
        "sweep", "start", f"{operands} by its values: where sweeping is stuck, its stages will help"
    )
    return DividerSweeper(miter.aig, miter.pairs, operands, seed=seed)


def _what_is_left(
    board: Board,
    matched: Matched,
    miter: Miter | None,
    sweeper: SweeperLike | None,
    path: str | os.PathLike[str] | None,
    notes: list[str],
) -> _Left:
    """Measures what is open, and writes it to `path` if that is wanted."""
    if miter is None or board.done:
        if path is not None:
            why = "nothing is open" if board.done else "the circuits were not compared yet"
            notes.append(f"no residual was written: {why}")
        return _Left()
    from dmt_dialect.residual import residual_of, write_residual

    residual = residual_of(miter, matched, board.open(), sweeper)
    if path is not None:
        write_residual(residual, path, notes=notes)
    return _Left(dict(residual.sizes()), None if path is None else os.fspath(path))


def _unmatched(board: Board, names: tuple[str, str]) -> Verdict:
    """The verdict of a run that was stopped before the ports were known."""
    board.log.add("lec", "decided", f"undecided ({board.reason}): the designs were not read")
    return Verdict(
        status="undecided",
        outputs=(),
        assumptions=("the run was stopped before both designs were read",),
        reason=board.reason,
        log=tuple(board.log.entries),
        left=names[0],
        right=names[1],
        seconds=time.monotonic() - board.start,
        peak_bytes=peak_of_process(),
    )


def _verdict(
    board: Board,
    names: tuple[str, str],
    matched: Matched,
    notes: list[str],
    proof: tuple[str, ...],
    left: _Left,
    shown: Mapping[int, Counterexample],
    explanation: Explanation | None,
) -> Verdict:
    seconds = time.monotonic() - board.start
    outputs = tuple(
        _output(function, board, pair, seconds, shown.get(pair), left.sizes.get(pair))
        for pair, function in enumerate(matched.functions)
    )
    statuses = {output.status for output in outputs}
    status: Status = (
        "different" if "different" in statuses else "undecided" if "undecided" in statuses else "equivalent"
    )
    notes = list(dict.fromkeys([*matched.assumptions, *notes]))
    why = f" ({board.reason})" if "undecided" in statuses and board.reason else ""
    board.log.add(
        "lec", "decided", f"{status}{why}: {len(board.decisions)} of {len(outputs)} functions answered"
    )
    if not outputs:
        notes.append("there are no outputs: nothing was compared, and the answer is vacuous")
    return Verdict(
        status=status,
        outputs=outputs,
        matching=matched.record,
        assumptions=tuple(notes),
        engines=tuple(board.runs),
        explanation=explanation,
        residual=left.path,
        log=tuple(board.log.entries),
        proof=proof,
        reason=board.reason if "undecided" in statuses else None,
        left=names[0],
        right=names[1],
        seconds=time.monotonic() - board.start,
        peak_bytes=peak_of_process() + board.peak_workers,
    )


def _explain(
    board: Board,
    designs: tuple[Aig, Aig],
    matched: Matched,
    miter: Miter,
    shown: Mapping[int, Counterexample],
    seed: int,
    svg: str | os.PathLike[str] | None,
    notes: list[str],
) -> Explanation | None:
    """Explains the difference, and draws it if that is wanted, while there is time."""
    if board.stop.poll():
        notes.append("the difference was not explained: the time was over")
        return None
    from dmt_dialect.explaining.explain import explain

    board.tell("explaining")
    unequal = frozenset(
        pair for pair in range(board.total) if pair not in board.decisions or not board.decisions[pair].equal
    )
    found = explain(designs, matched, miter, shown, unequal, seed=seed, stop=board.stop)
    if svg is not None:
        from dmt_dialect.explaining.drawing import draw_difference

        picture = draw_difference(found)
        if picture is None:
            notes.append("no drawing was written: the difference was not located in time")
        else:
            write_target(svg, picture.encode())
    return found.explanation


def _counterexamples(
    board: Board, designs: list[Aig], matched: Matched, miter: Miter
) -> dict[int, Counterexample]:
    """Confirms every difference; keeps counterexamples of the first ones."""
    claims = {pair: d.values for pair, d in sorted(board.decisions.items()) if d.values is not None}
    if not claims:
        return {}
    from dmt_dialect.counterexample import SHRINK_BUDGET, Confirmer

    board.tell("confirming")
    confirmer = Confirmer(designs[0], designs[1], matched, miter)
    confirmer.confirm(claims)
    size = len(matched.input_names) + len(matched.latch_names) + 2 * len(matched.functions)
    count = max(1, COUNTEREXAMPLE_VALUES // size)
    shown: dict[int, Counterexample] = {}
    for pair in list(claims)[:count]:
        # The time is up: what is left is a linear walk.
        budget = 0 if board.must_stop() else SHRINK_BUDGET
        shown[pair] = confirmer.counterexample(pair, budget=budget)
    return shown


def _output(
    function: Compared,
    board: Board,
    pair: int,
    seconds: float,
    counterexample: Counterexample | None,
    left: OpenCone | None,
) -> OutputVerdict:
    decision = board.decisions.get(pair)
    if decision is None:
        return OutputVerdict(function.name, function.kind, "undecided", None, seconds, residual=left)
    status: Status = "equivalent" if decision.equal else "different"
    return OutputVerdict(
        function.name,
        function.kind,
        status,
        decision.engine,
        decision.seconds,
        function.detail if status == "different" else None,
        counterexample,
    )
