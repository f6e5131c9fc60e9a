"""Consumers: the instructions with which warps access a tile in shared memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Optional

from tmasim._library import INSTRUCTIONS, LANE_MAPS, RAKINGS, SWIZZLES, fail
from tmasim._native import ffi
from tmasim._types import Instruction, Lanes, Raking, Swizzle
from tmasim.errors import TensorMapError


@dataclass(frozen=True)
class Distribution:
    """A tile distribution: which thread of a block takes which elements (``lanes="distribution"``).

    Attributes:
        block_size: Threads of the block.
        raking: How warps and iterations divide the rows of the tile.
        y_per_tile: Rows that the block covers; default: the tile's rows.
        x_per_tile: Elements of a row; default: those of the tile's row.
        vec_size: Elements that a thread accesses at once; default: what the instruction moves.
        warp_size: Threads of a warp, 32 or 64.
        wave_groups: Groups into which the warps are divided; each covers the whole tile.
    """

    block_size: int
    raking: Raking = "thread_raked"
    y_per_tile: Optional[int] = None
    x_per_tile: Optional[int] = None
    vec_size: Optional[int] = None
    warp_size: int = 32
    wave_groups: int = 1


@dataclass(frozen=True)
class MatrixDescriptor:
    """The matrix descriptor of a wgmma operand (``lanes="descriptor"``).

    Without ``swizzle`` and offsets, the descriptor is the one that fits the tile.

    Attributes:
        mn: Extent along M or N of one wgmma, in elements: 64 for A, N for B; default: 64.
        panel_rows: Rows of a panel; default: all rows of the tile.
        major: ``"k"``: rows are indices along M or N; ``"mn"``: along K.
        swizzle: The swizzle in the descriptor.
        leading_bytes: Leading dimension byte offset.
        stride_bytes: Stride dimension byte offset.
    """

    mn: Optional[int] = None
    panel_rows: Optional[int] = None
    major: Literal["k", "mn"] = "k"
    swizzle: Optional[Swizzle] = None
    leading_bytes: Optional[int] = None
    stride_bytes: Optional[int] = None


@dataclass(frozen=True)
class Consumer:
    """What a warp does with the tile. The names are the keys of ``workload.consumers``.

    Attributes:
        instruction: The instruction, for example ``"ldmatrix.x4"``.
        lanes: Which lane accesses which bytes of the tile.
        stride: Of strided lanes: distance of neighbouring lanes' vectors, in vectors.
        transposed: Whether ldmatrix and stmatrix have ``.trans``.
        distribution: Only for ``lanes="distribution"``, which needs it.
        descriptor: Only for ``lanes="descriptor"``.
    """

    instruction: Instruction
    lanes: Lanes
    stride: int = 1
    transposed: bool = False
    distribution: Optional[Distribution] = None
    descriptor: Optional[MatrixDescriptor] = None

    def __str__(self) -> str:
        return f"{self.instruction} {self.lanes}{' .trans' if self.transposed else ''}"


def native_consumer(consumer: Consumer) -> Any:
    """The consumer as a struct of the library."""
    if not isinstance(consumer, Consumer):
        fail(TensorMapError, f"{consumer!r} is no consumer; expected a tmasim.Consumer")
    native = ffi.new("struct tma_consumer *")
    native.instruction = INSTRUCTIONS.value(consumer.instruction, "instruction", TensorMapError)
    native.lanes = LANE_MAPS.value(consumer.lanes, "lanes", TensorMapError)
    native.transposed = consumer.transposed
    native.repeat = 1
    if not 1 <= consumer.stride <= 1024:
        fail(TensorMapError, f"stride is {consumer.stride}; expected 1 to 1024")
    native.stride = consumer.stride
    if consumer.distribution is not None:
        _set_distribution(native.distribution, consumer.distribution)
    if consumer.descriptor is not None:
        _set_descriptor(native.wgmma, consumer.descriptor)
    return native


def _set_distribution(native: Any, distribution: Distribution) -> None:
    native.raking = RAKINGS.value(distribution.raking, "distribution.raking", TensorMapError)
    native.block_size = distribution.block_size
    native.y_per_tile = distribution.y_per_tile or 0
    native.x_per_tile = distribution.x_per_tile or 0
    native.vec_size = distribution.vec_size or 0
    native.warp_size = distribution.warp_size
    native.wave_groups = distribution.wave_groups


def _set_descriptor(native: Any, descriptor: MatrixDescriptor) -> None:
    native.mn = descriptor.mn or 0
    native.panel_rows = descriptor.panel_rows or 0
    native.mn_major = descriptor.major == "mn"
    given = (descriptor.swizzle, descriptor.leading_bytes, descriptor.stride_bytes)
    native.descriptor_given = any(value is not None for value in given)
    swizzle = descriptor.swizzle or "none"
    native.swizzle = SWIZZLES.value(swizzle, "descriptor.swizzle", TensorMapError)
    native.leading_bytes = descriptor.leading_bytes or 0
    native.stride_bytes = descriptor.stride_bytes or 0
