"""Transactions: mutations that hold together or not at all.

>>> from dynomite.ir import Builder, Context, Dialect, Module, load, transaction
>>> demo = Dialect("demo")
>>> NOP = demo.op("NOP")
>>> context = Context()
>>> load(context, demo)
>>> module = Module(context)
>>> builder = Builder(module)
>>> with transaction(builder) as attempt:
...     _ = builder.build(NOP)
...     attempt.rollback()
>>> len(module)
0
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from dynomite._native.ir import Mutator, Tracking, Update
from dynomite.errors import UsageError


class Transaction:
    """What a builder has done since some moment, as long as it can be taken back."""

    def __init__(self, builder: Mutator) -> None:
        self._builder = builder
        self._mark = builder.mark
        self.is_open = True

    @property
    def updates(self) -> list[Update]:
        """The mutations so far. Linear in them.

        Raises:
            UsageError: The transaction is over.
        """
        if not self.is_open:
            raise UsageError("the transaction is over")
        return self._builder.updates(self._mark)

    def rollback(self) -> None:
        """Takes everything back and goes on with an empty transaction. Linear in what it did.

        Raises:
            UsageError: The transaction is over; another builder has changed the module; or the store is a
                pool and something was deleted.
        """
        if not self.is_open:
            raise UsageError("the transaction is over")
        self._builder.rollback(self._mark)


@contextmanager
def transaction(builder: Mutator) -> Generator[Transaction]:
    """Takes back all mutations of the block if it ends by an exception.

    A builder that records nothing records for the time of the block; one that only records executes at the
    end of it. Transactions nest.

    Cost: 100 bytes an update while it is open.
    """
    tracking = builder.tracking
    if tracking == Tracking.NONE:
        builder.set_tracking(Tracking.LAZY_TRACKING)
    attempt = Transaction(builder)
    try:
        yield attempt
        if tracking == Tracking.LAZY_UPDATE:
            builder.execute()
    except BaseException:
        attempt.rollback()
        raise
    finally:
        attempt.is_open = False
        if tracking == Tracking.NONE:
            builder.clear_log()
            builder.set_tracking(tracking)
