"""What a compiled Triton kernel says of itself, as a dict that JSON can hold.

This module uses neither libtmasim nor numpy, so that a file copied to a machine with a GPU can
record kernels there: `tmasim.triton` makes scenarios of the records anywhere.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Sequence, Tuple

#: Version of the layout of a record.
FORMAT = 1


def without_locations(ttgir: str) -> str:
    """The text of a module without the places in the source that it comes from."""
    lines = (re.sub(r" loc\((?:[^()]|\([^()]*\))*\)", "", line) for line in ttgir.splitlines())
    return "\n".join(line for line in lines if not line.startswith("#loc"))


def is_descriptor(value: Any) -> bool:
    """Whether an argument is a tensor descriptor of the host (triton.tools.tensor_descriptor)."""
    return all(hasattr(value, name) for name in ("base", "shape", "strides", "block_shape"))


def describe(value: Any, meta: Dict[str, Any]) -> Dict[str, Any]:
    """A tensor descriptor, with what the compiler chose for its tensor map.

    Shapes and strides are in elements, with the innermost dimension last, as Triton has them.
    """
    return {
        "address": value.base.data_ptr(),
        "data_type": str(value.base.dtype).replace("torch.", ""),
        "shape": [int(size) for size in value.shape],
        "strides": [int(stride) for stride in value.strides],
        "block": [int(size) for size in value.block_shape],
        "padding": str(getattr(value, "padding", "zero")),
        "box": [int(size) for size in meta["block_size"]],
        "swizzle": int(meta["swizzle"]),
    }


def capture(kernel: Any, grid: Any, *args: Any, **kwargs: Any) -> Dict[str, Any]:
    """Compiles a kernel for these arguments and records it; does not launch it.

    Args:
        kernel: A function with ``@triton.jit``.
        grid: The grid of the launch, as ``kernel[grid]`` takes it.
        args: The arguments of the launch.
        kwargs: The same, and options such as ``num_warps``.

    Returns:
        The record: ``tmasim.triton.Compiled.from_record`` takes it.
    """
    compiled = kernel.warmup(*args, grid=grid, **kwargs)
    values = dict(zip(kernel.arg_names, args))
    values.update((name, value) for name, value in kwargs.items() if name in kernel.arg_names)
    sizes = grid(values) if callable(grid) else grid
    return record_of(compiled, sizes, values)


def record_of(compiled: Any, grid: Sequence[int], values: Dict[str, Any]) -> Dict[str, Any]:
    """The record of a compiled kernel, with the values of its arguments by name."""
    if hasattr(compiled, "_init_handles"):
        compiled._init_handles()
    metadata = compiled.metadata
    described: Dict[str, Any] = {}
    metas: List[Dict[str, Any]] = list(getattr(metadata, "tensordesc_meta", None) or [])
    descriptors: List[Tuple[str, Any]] = [
        (name, value) for name, value in values.items() if is_descriptor(value)
    ]
    for (name, value), meta in zip(descriptors, metas):
        described[name] = describe(value, meta)
    target = metadata.target
    return {
        "format": FORMAT,
        "name": metadata.name,
        "target": f"sm_{target.arch}",
        "grid": [int(size) for size in grid],
        "num_warps": metadata.num_warps,
        "num_stages": metadata.num_stages,
        "num_ctas": metadata.num_ctas,
        "shared_bytes": metadata.shared,
        "registers": getattr(compiled, "n_regs", None) or 0,
        "spills": getattr(compiled, "n_spills", None) or 0,
        "arguments": {
            name: int(value)
            for name, value in values.items()
            if isinstance(value, int) and not isinstance(value, bool)
        },
        "descriptors": described,
        "ttgir": without_locations(compiled.asm["ttgir"]),
    }
