"""Stopping long calls, errors."""


class Stop:
    """
    Cancellation of native calls: a flag any thread may set, and a deadline.
    """

    def __init__(self) -> None: ...

    def cancel(self) -> None:
        """Ends the calls that hold this object; safe from any thread."""

    def set_timeout(self, seconds: float) -> None:
        """Sets the deadline to `seconds` from now."""

    def poll(self) -> bool:
        """True once the work has to end."""

    @property
    def reason(self) -> str:
        """Why: 'none', 'cancelled', 'deadline' or 'signal'."""
