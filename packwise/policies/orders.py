"""Queue orders by name: how the queue is sorted for a round."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from packwise.engine.users_arguments import KEY_ARGUMENTS
from packwise.model.errors import InputError, UnknownName


@dataclass(frozen=True)
class Order:
    """A sort key; the smallest goes first, ties keep submission order.

    ``code`` is the engine's number for a built-in key. A user's order has a ``function`` instead, made
    with :func:`order_key`. ``changing``: the key depends on the time, so the queue is sorted anew at
    each round.
    """

    name: str
    meaning: str
    code: int
    source: str = ""
    changing: bool = False
    function: Callable[..., float] | None = None

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments that the user's function asks for."""
        assert self.function is not None
        return tuple(inspect.signature(self.function).parameters)


_PAPER_2 = "Goponenko et al., SBAC-PAD 2022"
_PAPER_1 = "Goponenko et al., DEBS 2024"
_SC17 = "Carastan-Santos and de Camargo, SC 2017"
_TANG = "Tang et al., CLUSTER 2009"
_LIU = "Liu and Layland, J. ACM 1973"
_LELONG = "Lelong, Reis and Trystram, JSSPP 2017"

ORDERS: dict[str, Order] = {
    order.name: order
    for order in (
        Order("fcfs", "first come, first served", 0, "Lifka, JSSPP 1995"),
        Order("lcfs", "last come, first served", 1, _LELONG),
        Order("sjf", "shortest estimate E first", 2, _PAPER_2),
        Order("ljf", "longest estimate E first", 3, _LELONG),
        Order("saf", "smallest area r·E first", 4, _PAPER_2),
        Order("laf", "largest area r·E first", 5, _PAPER_2),
        Order("spf", "smallest area-runtime product r·E² first", 6, _PAPER_1),
        Order("lpf", "largest area-runtime product r·E² first", 7, "the reverse of SPF"),
        Order("srf", "smallest request r first", 8, _LELONG),
        Order("lrf", "largest request r first", 9, _LELONG),
        Order("exp", "largest expansion factor (wait + E)/E first", 10, _LELONG, True),
        Order("wfp", "largest (wait/E)³·r first", 11, _TANG, True),
        Order("unicef", "largest wait/(log2 r · E) first", 12, _TANG, True),
        Order("f1", "smallest r·log10(E) + 870·log10(s) first", 13, _SC17),
        Order("f2", "smallest r·√E + 25600·log10(s) first", 14, _SC17),
        Order("f3", "smallest r·E + 6.86e6·log10(s) first", 15, _SC17),
        Order("f4", "smallest √r·E + 5.3e5·log10(s) first", 16, _SC17),
        Order("edf", "earliest deadline first, jobs without one last", 17, _LIU),
    )
}
USER_CODE = 18


def order(name: str) -> Order:
    """A built-in order by name."""
    found = ORDERS.get(name.lower())
    if found is None:
        raise UnknownName("order", name, ORDERS)
    return found


def order_key(function: Callable[..., Any]) -> Order:
    """Make an order of a key function; it is compiled, so plain arithmetic and ``math`` only.

    The function names the arguments it wants out of now, submit, demand, estimate, limit, user,
    queue_number and deadline (2^62 where there is none), and returns a number; the job with the smallest goes
    first. With ``now`` the queue is sorted anew at each round, without it once at submission.
    """
    name = getattr(function, "__name__", "key")
    arguments = tuple(inspect.signature(function).parameters)
    unknown = [argument for argument in arguments if argument not in KEY_ARGUMENTS]
    if unknown or not arguments:
        raise InputError(
            f"order key '{name}' should take arguments out of {', '.join(KEY_ARGUMENTS)}; found "
            f"{', '.join(unknown) or 'none'}."
        )
    meaning = (inspect.getdoc(function) or "user-defined key").splitlines()[0]
    return Order(name, meaning, USER_CODE, "user-defined", "now" in arguments, function)
