"""Sequential clean-up."""

import dynomite._native.aig
import dynomite._native.base


def scl(aig: dynomite._native.aig.Aig, *, constants: bool = True, duplicates: bool = True, unused: bool = True, seed: int = 1, stop: dynomite._native.base.Stop | None = None) -> tuple[dynomite._native.aig.Aig, dict[str, int], list[int], list[int]]:
    """
    Sequential clean-up: latches that are constant, equal another one, or are not needed go.

    Args:
        aig: The circuit.
        constants: Find latches that never leave their reset value, by three-valued simulation.
        duplicates: Find latches that equal a constant or each other, by induction over hashed next states.
        unused: Drop latches that no output or property depends on.
        seed: Seed of simulation.
        stop: Ends the search; what is merged then is still right, perhaps nothing.

    Returns:
        The new circuit; counts; for each latch what equals it in every reachable state (0 and 1 the constants,
        2 + 2k latch k of the given circuit, 3 + 2k its complement); the old number of each latch of the new one.

    Cost: linear, times a bounded number of passes.
    """
