"""The loaded library: names of values, texts, errors."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, NoReturn, Type

from tmasim._native import ffi, lib
from tmasim.errors import DeadlockError, Diagnostic, Error, FaultError, RaceError, RunError

TEXT_BYTES = 1200


def text(characters: Any) -> str:
    """A C string as text. What is no UTF-8 shows as escapes."""
    return str(ffi.string(characters).decode("utf-8", "backslashreplace"))


class Names:
    """The names of an enumeration's values, from the library's own table."""

    def __init__(self, table: Any) -> None:
        self.what = text(table.what)
        items = [table.items[i] for i in range(table.count)]
        self.by_value: Dict[int, str] = {item.value: text(item.name) for item in items}
        self.by_name: Dict[str, int] = {name: value for value, name in self.by_value.items()}

    def name(self, value: int) -> str:
        """The name of a value; ``"?"`` if it has none."""
        return self.by_value.get(value, "?")

    def value(self, name: str, what: str, error: Type[Error]) -> int:
        """The value of a name. Raises ``error`` with the names that are allowed."""
        value = self.by_name.get(name) if isinstance(name, str) else None
        if value is None:
            allowed = ", ".join(self.by_name)
            fail(error, f"{what} is {name!r}; allowed: {allowed}")
        return value


ARCHITECTURES = Names(lib.tma_architecture_names)
DATA_TYPES = Names(lib.tma_data_type_names)
SWIZZLES = Names(lib.tma_swizzle_names)
INTERLEAVES = Names(lib.tma_interleave_names)
L2_PROMOTIONS = Names(lib.tma_l2_promotion_names)
OOB_FILLS = Names(lib.tma_oob_fill_names)
MAP_KINDS = Names(lib.tma_map_kind_names)
INSTRUCTIONS = Names(lib.tma_shared_instruction_names)
LANE_MAPS = Names(lib.tma_lane_map_names)
RAKINGS = Names(lib.tma_raking_names)
SAMPLINGS = Names(lib.tma_sampling_names)


def written(write: Callable[..., None], subject: Any) -> str:
    """The text that a function of the library writes into a buffer."""
    buffer = ffi.new("char[]", TEXT_BYTES)
    write(subject, buffer, TEXT_BYTES)
    return text(buffer)


def meaning(code: int) -> str:
    """The general meaning of an error code."""
    return text(lib.tma_error_meaning(code))


ARGUMENT = "an argument is outside its range"


def fail(error: Type[Error], message: str) -> NoReturn:
    """Raises an error about an argument of a Python call."""
    raise error([Diagnostic(message, ARGUMENT)])


def raise_error(error: Type[Error], of: Any) -> NoReturn:
    """Raises an error with the text of a struct tma_error."""
    raise error([Diagnostic(text(of.text), meaning(of.code))])


def run_error(code: int) -> Type[RunError]:
    """The exception for the code with which a run failed."""
    special: Mapping[int, Type[RunError]] = {
        lib.TMA_ERROR_DEADLOCK: DeadlockError,
        lib.TMA_ERROR_FAULT: FaultError,
        lib.TMA_ERROR_RACE: RaceError,
    }
    return special.get(code, RunError)


def diagnostics_of(items: Any) -> List[Diagnostic]:
    """The entries of a struct tma_diagnostics."""
    found = []
    for i in range(items.count):
        item = items.items[i]
        found.append(
            Diagnostic(
                text=text(item.text),
                code=meaning(item.code),
                file=text(item.at.file) if item.at.file != ffi.NULL else None,
                line=item.at.line or None,
                column=item.at.column or None,
            )
        )
    if items.dropped > 0:
        found.append(Diagnostic(f"and {items.dropped} more errors", ARGUMENT))
    return found


def version() -> str:
    """The version of the library that the package was built with."""
    return text(lib.py_version())


def configs() -> Path:
    """The folder with the machines, the scenarios and the library of kernels.

    It lies beside the library: below the source tree, or below ``PREFIX/share/tmasim``. The
    environment variable ``TMASIM_CONFIGS`` names another one.

    Raises:
        FileNotFoundError: There is none.
    """
    chosen = os.environ.get("TMASIM_CONFIGS")
    folder = Path(text(lib.py_library_path())).resolve().parent
    candidates = [
        folder / "../../configs",
        folder / "../share/tmasim/configs",
        folder / "../../share/tmasim/configs",
    ]
    for candidate in [Path(chosen)] if chosen else candidates:
        if (candidate / "gpus").is_dir():
            return candidate.resolve()
    raise FileNotFoundError(f"no folder configs near {folder}; TMASIM_CONFIGS can name it")


def machine(name: str = "h200") -> str:
    """The path of a machine's file, for the key ``gpu`` of a scenario.

    Args:
        name: The name of a file in ``configs()/gpus``, without ``.yaml``.

    Raises:
        FileNotFoundError: There is no such machine. The text lists those that there are.
    """
    folder = configs() / "gpus"
    path = folder / f"{name}.yaml"
    if not path.exists():
        known = ", ".join(sorted(item.stem for item in folder.glob("*.yaml")))
        raise FileNotFoundError(f"no machine {name!r}; there are: {known}")
    return str(path)
