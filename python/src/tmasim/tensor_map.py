"""Tensor maps: check, encode, decode, place and compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional, Sequence, Tuple, Union, cast

import numpy as np
import numpy.typing as npt

from tmasim._library import (
    ARCHITECTURES,
    DATA_TYPES,
    INTERLEAVES,
    L2_PROMOTIONS,
    MAP_KINDS,
    OOB_FILLS,
    SWIZZLES,
    fail,
    meaning,
    raise_error,
    text,
    written,
)
from tmasim._native import ffi, lib
from tmasim._types import (
    Architecture,
    DataType,
    Interleave,
    Kind,
    L2Promotion,
    OobFill,
    Swizzle,
    SwizzleOrFit,
)
from tmasim.consumers import Consumer, native_consumer
from tmasim.errors import Advice, TensorMapError, Violation

#: Where the reader of scenarios puts the first tensor: where cudaMalloc puts large allocations.
FIRST_ADDRESS = 0x7F0000000000

MAX_RANK = 5
_U32 = (0, 2**32 - 1)
_I32 = (-(2**31), 2**31 - 1)
_U64 = (0, 2**64 - 1)
_SM_90 = ARCHITECTURES.by_name["sm_90"]

_FIELDS: Dict[str, int] = {text(lib.tma_field_info(i).name): i for i in range(lib.TMA_FIELD_COUNT)}
_FIELD_NAMES: Dict[int, str] = {number: name for name, number in _FIELDS.items()}
_ENUMERATIONS = {
    "kind": MAP_KINDS,
    "data_type": DATA_TYPES,
    "interleave": INTERLEAVES,
    "swizzle": SWIZZLES,
    "l2_promotion": L2_PROMOTIONS,
    "oob_fill": OOB_FILLS,
}
_DIRECTIONS = {
    "load": lib.TMA_LOAD,
    "store": lib.TMA_STORE,
    "reduce": lib.TMA_REDUCE,
}
_ACCESS_OF_KIND = {
    lib.TMA_MAP_TILED: lib.TMA_ACCESS_TILE,
    lib.TMA_MAP_IM2COL: lib.TMA_ACCESS_IM2COL,
    lib.TMA_MAP_IM2COL_W: lib.TMA_ACCESS_IM2COL_W,
    lib.TMA_MAP_IM2COL_W128: lib.TMA_ACCESS_IM2COL_W128,
}

Number = Union[int, "np.integer[Any]"]


@dataclass(frozen=True)
class ConsumerCost:
    """What one pass of a consumer over the tile takes. Wavefronts are 128 bytes a cycle at most.

    Attributes:
        consumer: The consumer.
        instructions: Warp instructions.
        wavefronts: Wavefronts that they take.
        ideal_wavefronts: The same without bank conflicts.
        ways: The worst conflict: wavefronts of one phase; 1 is conflict-free.
        worst_bank: The bank of that conflict.
        banks_used: Banks that the pass accesses, of 32.
    """

    consumer: Consumer
    instructions: int
    wavefronts: int
    ideal_wavefronts: int
    ways: int
    worst_bank: int
    banks_used: int

    @property
    def excess_wavefronts(self) -> int:
        """What bank conflicts add."""
        return self.wavefronts - self.ideal_wavefronts


@dataclass(frozen=True)
class ComparedMode:
    """A tile under one swizzle mode.

    Attributes:
        swizzle: The mode.
        legal: Whether the rules accept the map, and the consumers its tile.
        reason: Why not; ``""`` for a legal mode.
        consumers: The cost of each consumer, in their order; empty for an illegal mode.
    """

    swizzle: Swizzle
    legal: bool
    reason: str
    consumers: Tuple[ConsumerCost, ...]

    @property
    def wavefronts(self) -> int:
        """Wavefronts of all consumers."""
        return sum(cost.wavefronts for cost in self.consumers)

    @property
    def ideal_wavefronts(self) -> int:
        """The same without bank conflicts."""
        return sum(cost.ideal_wavefronts for cost in self.consumers)

    @property
    def excess_wavefronts(self) -> int:
        """What bank conflicts add."""
        return self.wavefronts - self.ideal_wavefronts

    @property
    def ways(self) -> int:
        """The worst conflict of all consumers; 1: none, 0: no consumer."""
        return max((cost.ways for cost in self.consumers), default=0)

    def to_dict(self) -> Dict[str, Any]:
        """The mode as a row of a table."""
        return {
            "swizzle": self.swizzle,
            "legal": self.legal,
            "wavefronts": self.wavefronts if self.legal else None,
            "ideal_wavefronts": self.ideal_wavefronts if self.legal else None,
            "excess_wavefronts": self.excess_wavefronts if self.legal else None,
            "ways": self.ways if self.legal else None,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Comparison:
    """A tile under every swizzle mode.

    Attributes:
        modes: All modes, in the order of the library.
        best: The legal mode with the fewest wavefronts, the first of them; None: no mode is legal.
    """

    modes: Tuple[ComparedMode, ...]
    best: Optional[Swizzle]

    def to_records(self) -> List[Dict[str, Any]]:
        """A row for each mode: ``pandas.DataFrame(comparison.to_records())``."""
        return [mode.to_dict() for mode in self.modes]


class TensorMap:
    """A tensor map: the arguments of ``cuTensorMapEncodeTiled`` and its relatives.

    The names, units and defaults are those of ``tensor_maps`` in a scenario. Lists have dimension
    0, the innermost, first: a row-major tensor of shape ``(M, K)`` has ``global_dim=[K, M]``. A map
    does not change; `replace` makes another one. Any values make a map: `check` says whether a
    driver accepts it.

    Args:
        data_type: Type of one element.
        global_dim: Size of the tensor in each dimension, in elements; as many as the rank, 1 to 5.
        global_strides: Distance between neighbours in dimensions 1, 2, ..., in bytes; one fewer
            than the rank. Default: those of a dense tensor.
        box_dim: Tiled maps, which need it: size of the box in each dimension, in elements.
        element_strides: Distance between the elements that are loaded, in each dimension, in
            elements. Default: 1.
        global_address: Address of the tensor in global memory, in bytes.
        swizzle: Permutation of the tile's bytes in shared memory; ``"fit"``: the mode whose span is
            a row of the box, 128 bytes at most.
        interleave: Layout of the channels in global memory.
        l2_promotion: Size of the blocks that L2 fetches on a miss.
        oob_fill: Value of the elements outside the tensor.
        kind: The encoder: tiled, im2col or its wide modes.
        lower_corner: Im2col maps, which need it: offset of the bounding box from the image's first
            pixel, in pixels: W, H, D.
        upper_corner: The same from the last pixel.
        channels_per_pixel: Im2col maps, which need it: channels that an operation loads of a pixel.
        pixels_per_column: Im2col maps, which need it: pixels that an operation loads.

    Raises:
        TensorMapError: A name is not known, a list has the wrong length, a number does not fit its
            field, or a field is missing.
    """

    __slots__ = ("_map", "_findings", "__weakref__")

    def __init__(
        self,
        *,
        data_type: DataType,
        global_dim: Sequence[Number],
        global_strides: Optional[Sequence[Number]] = None,
        box_dim: Optional[Sequence[Number]] = None,
        element_strides: Optional[Sequence[Number]] = None,
        global_address: Number = FIRST_ADDRESS,
        swizzle: SwizzleOrFit = "none",
        interleave: Interleave = "none",
        l2_promotion: L2Promotion = "none",
        oob_fill: OobFill = "zeros",
        kind: Kind = "tiled",
        lower_corner: Optional[Sequence[Number]] = None,
        upper_corner: Optional[Sequence[Number]] = None,
        channels_per_pixel: Optional[Number] = None,
        pixels_per_column: Optional[Number] = None,
    ) -> None:
        self._map = native = ffi.new("struct tma_tensor_map *")
        self._findings: Tuple[str, ...] = ()
        native.kind = MAP_KINDS.value(kind, "kind", TensorMapError)
        native.data_type = DATA_TYPES.value(data_type, "data_type", TensorMapError)
        native.interleave = INTERLEAVES.value(interleave, "interleave", TensorMapError)
        native.l2_promotion = L2_PROMOTIONS.value(l2_promotion, "l2_promotion", TensorMapError)
        native.oob_fill = OOB_FILLS.value(oob_fill, "oob_fill", TensorMapError)
        rank = len(global_dim)
        if not 1 <= rank <= MAX_RANK:
            fail(TensorMapError, f"global_dim has length {rank}; expected 1 to {MAX_RANK}")
        native.rank = rank
        native.global_address = _number("global_address", global_address, _U64)
        self._set_list("global_dim", global_dim, rank, _U64)
        self._set_list("element_strides", element_strides or [1] * rank, rank, _U32)
        if kind == "tiled":
            self._set_tiled(box_dim)
        else:
            self._set_im2col(lower_corner, upper_corner, channels_per_pixel, pixels_per_column)
        given = {
            "box_dim": box_dim is not None and kind != "tiled",
            "lower_corner": lower_corner is not None and kind == "tiled",
            "upper_corner": upper_corner is not None and kind == "tiled",
            "channels_per_pixel": channels_per_pixel is not None and kind == "tiled",
            "pixels_per_column": pixels_per_column is not None and kind == "tiled",
        }
        for name, wrong in given.items():
            if wrong:
                family = "tiled" if name == "box_dim" else "im2col"
                fail(TensorMapError, f"{name} is only for {family} maps; kind is {kind}")
        if global_strides is not None:
            self._set_list("global_strides", global_strides, rank - 1, _U64)
        else:
            lib.tma_tensor_map_set_dense(native)
        if swizzle == "fit":
            native.swizzle = lib.tma_fitting_swizzle(native)
        else:
            native.swizzle = SWIZZLES.value(swizzle, "swizzle", TensorMapError)

    def _set_list(
        self, name: str, values: Sequence[Number], length: int, limits: Tuple[int, int]
    ) -> None:
        if len(values) != length:
            fail(TensorMapError, f"{name} has length {len(values)}; expected {length}")
        entries = getattr(self._map, name)
        for i, value in enumerate(values):
            entries[i] = _number(f"{name}[{i}]", value, limits)

    def _set_tiled(self, box_dim: Optional[Sequence[Number]]) -> None:
        if box_dim is None:
            fail(TensorMapError, "box_dim is missing; tiled maps need it")
        self._set_list("box_dim", box_dim, self._map.rank, _U32)

    def _set_im2col(
        self,
        lower_corner: Optional[Sequence[Number]],
        upper_corner: Optional[Sequence[Number]],
        channels_per_pixel: Optional[Number],
        pixels_per_column: Optional[Number],
    ) -> None:
        native = self._map
        if native.kind == lib.TMA_MAP_IM2COL_W128 and pixels_per_column is None:
            pixels_per_column = 128  # the mode has no other number, and ignores this one
        corners = max(1, lib.tma_field_count(native, _FIELDS["lower_corner"]))
        for name, corner in (("lower_corner", lower_corner), ("upper_corner", upper_corner)):
            if corner is None:
                fail(TensorMapError, f"{name} is missing; im2col maps need it")
            self._set_list(name, corner, corners, _I32)
        for name, value in (
            ("channels_per_pixel", channels_per_pixel),
            ("pixels_per_column", pixels_per_column),
        ):
            if value is None:
                fail(TensorMapError, f"{name} is missing; im2col maps need it")
            setattr(native, name, _number(name, value, _U32))

    @classmethod
    def _of(cls, native: Any, findings: Tuple[str, ...] = ()) -> "TensorMap":
        """A map with a copy of a struct tma_tensor_map."""
        made = cls.__new__(cls)
        made._map = ffi.new("struct tma_tensor_map *", native[0])
        made._findings = findings
        return made

    @classmethod
    def _of_bytes(cls, data: bytes, findings: Tuple[str, ...]) -> "TensorMap":
        native = ffi.new("struct tma_tensor_map *")
        ffi.memmove(native, data, len(data))
        return cls._of(native, findings)

    def __reduce__(self) -> Any:
        return (TensorMap._of_bytes, (bytes(ffi.buffer(self._map)), self._findings))

    @property
    def kind(self) -> Kind:
        """The encoder of the map."""
        return cast(Kind, MAP_KINDS.name(self._map.kind))

    @property
    def data_type(self) -> DataType:
        """Type of one element."""
        return cast(DataType, DATA_TYPES.name(self._map.data_type))

    @property
    def rank(self) -> int:
        """Number of dimensions, 1 to 5."""
        return int(self._map.rank)

    @property
    def global_address(self) -> int:
        """Address of the tensor, in bytes."""
        return int(self._map.global_address)

    @property
    def global_dim(self) -> Tuple[int, ...]:
        """Size of the tensor in each dimension, in elements; dimension 0 first."""
        return self._list("global_dim")

    @property
    def global_strides(self) -> Tuple[int, ...]:
        """Strides of dimensions 1, 2, ..., in bytes."""
        return self._list("global_strides")

    @property
    def box_dim(self) -> Tuple[int, ...]:
        """Size of the box in each dimension, in elements; empty for im2col maps."""
        return self._list("box_dim")

    @property
    def element_strides(self) -> Tuple[int, ...]:
        """Distance between the elements that are loaded, in elements."""
        return self._list("element_strides")

    @property
    def lower_corner(self) -> Tuple[int, ...]:
        """Im2col maps: offset of the bounding box from the first pixel, in pixels."""
        return self._list("lower_corner")

    @property
    def upper_corner(self) -> Tuple[int, ...]:
        """Im2col maps: offset of the bounding box from the last pixel, in pixels."""
        return self._list("upper_corner")

    @property
    def channels_per_pixel(self) -> Optional[int]:
        """Im2col maps: channels that an operation loads of each pixel, in elements."""
        return None if self.kind == "tiled" else int(self._map.channels_per_pixel)

    @property
    def pixels_per_column(self) -> Optional[int]:
        """Im2col maps: pixels that an operation loads."""
        return None if self.kind == "tiled" else int(self._map.pixels_per_column)

    @property
    def interleave(self) -> Interleave:
        """Layout of the channels in global memory."""
        return cast(Interleave, INTERLEAVES.name(self._map.interleave))

    @property
    def swizzle(self) -> Swizzle:
        """Permutation of the tile's bytes in shared memory."""
        return cast(Swizzle, SWIZZLES.name(self._map.swizzle))

    @property
    def l2_promotion(self) -> L2Promotion:
        """Size of the blocks that L2 fetches on a miss."""
        return cast(L2Promotion, L2_PROMOTIONS.name(self._map.l2_promotion))

    @property
    def oob_fill(self) -> OobFill:
        """Value of the elements outside the tensor."""
        return cast(OobFill, OOB_FILLS.name(self._map.oob_fill))

    @property
    def findings(self) -> Tuple[str, ...]:
        """Of a decoded map: bits and codes that no known map has. Else empty."""
        return self._findings

    def _list(self, name: str) -> Tuple[int, ...]:
        entries = getattr(self._map, name)
        return tuple(entries[i] for i in range(lib.tma_field_count(self._map, _FIELDS[name])))

    def to_dict(self) -> Dict[str, Any]:
        """The fields that the map's kind has, as keyword arguments of this class."""
        fields: Dict[str, Any] = {}
        for name, number in _FIELDS.items():
            if name != "rank" and (name == "kind" or lib.tma_field_count(self._map, number) > 0):
                value = getattr(self, name)
                fields[name] = list(value) if isinstance(value, tuple) else value
        if self.rank == 1:
            fields["global_strides"] = []
        return fields

    def replace(self, **changes: Any) -> "TensorMap":
        """A map with other values of some fields. Strides stay what they are unless given.

        Raises:
            TensorMapError: As the constructor does.
        """
        return TensorMap(**{**self.to_dict(), **changes})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorMap) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(repr(self.to_dict()))

    def __repr__(self) -> str:
        fields = self.to_dict()
        fields["global_address"] = hex(self.global_address)
        inside = ", ".join(
            f"{name}={value}" if name == "global_address" else f"{name}={value!r}"
            for name, value in fields.items()
        )
        return f"TensorMap({inside})"

    def check(self, architecture: Architecture = "sm_90") -> List[Violation]:
        """All rules of the architecture that the map breaks; empty: a driver accepts the map."""
        number = _architecture(architecture)
        count = lib.tma_tensor_map_check(self._map, number, ffi.NULL, 0)
        if count == 0:
            return []
        violations = ffi.new("struct tma_violation[]", count)
        lib.tma_tensor_map_check(self._map, number, violations, count)
        return [_violation(violations + i) for i in range(count)]

    def is_usable(self, architecture: Architecture = "sm_90") -> bool:
        """Whether the architecture has an operation on maps of this kind."""
        return bool(lib.tma_map_kind_is_usable(self._map.kind, _architecture(architecture)))

    def advise(self, architecture: Architecture = "sm_90") -> List[Advice]:
        """What is legal but slow, with an estimate of the cost; empty for an illegal map."""
        advice = ffi.new("struct tma_advice[]", lib.TMA_MAX_ADVICE)
        count = lib.tma_tensor_map_advise(
            self._map, _architecture(architecture), ffi.NULL, advice, lib.TMA_MAX_ADVICE
        )
        return [_advice(advice + i) for i in range(count)]

    def repair(self, architecture: Architecture = "sm_90") -> "TensorMap":
        """The map with each illegal field at its nearest legal value.

        Raises:
            TensorMapError: Repairing field by field does not make the map legal.
        """
        repaired = TensorMap._of(self._map)
        if lib.tma_tensor_map_repair(repaired._map, _architecture(architecture)) < 0:
            raise TensorMapError(self.check(architecture))
        return repaired

    def encode(self, architecture: Architecture = "sm_90") -> bytes:
        """The 128 bytes of the ``CUtensorMap`` that a driver makes of this map.

        Raises:
            TensorMapError: The map breaks a rule; the diagnostics are those of `check`.
        """
        encoded = ffi.new("unsigned char[128]")
        if lib.py_encode(self._map, _architecture(architecture), encoded) != 0:
            raise TensorMapError(self.check(architecture))
        return bytes(ffi.buffer(encoded))

    @classmethod
    def decode(cls, data: Union[bytes, bytearray, memoryview]) -> "TensorMap":
        """The map that 128 bytes encode. `findings` says which bits no known map has.

        Raises:
            TensorMapError: The data are not 128 bytes.
        """
        data = bytes(data)
        if len(data) != 128:
            fail(TensorMapError, f"a tensor map has 128 bytes; these are {len(data)}")
        native = ffi.new("struct tma_tensor_map *")
        findings = ffi.new("struct tma_finding[]", lib.TMA_MAX_FINDINGS)
        count = lib.py_decode(data, native, findings, lib.TMA_MAX_FINDINGS)
        texts = tuple(written(lib.tma_finding_text, findings + i) for i in range(count))
        return cls._of(native, texts)

    def place(
        self,
        coordinates: Sequence[Number] = (),
        *,
        direction: Literal["load", "store", "reduce"] = "load",
        gather4: bool = False,
        shared_address: Number = 0,
        im2col_offsets: Sequence[Number] = (),
        w_halo: Number = 0,
        w_offset: Number = 0,
        unit: Literal["bytes", "bits"] = "bytes",
    ) -> npt.NDArray[np.unsignedinteger[Any]]:
        """Where each element of the operation's tile lies in shared memory.

        Args:
            coordinates: Coordinates of the operation, in elements, dimension 0 first; default: 0.
                ``gather4``: the column, then four rows.
            direction: Stores and reductions read the tile; that of padded sub-byte types lies
                otherwise then.
            gather4: ``tile::gather4``, or ``tile::scatter4`` for stores: four rows of a tensor of
                rank 2.
            shared_address: Address of the tile in shared memory, in bytes; a multiple of 128.
            im2col_offsets: Loads of im2col maps: position in the filter, in pixels: W, H, D.
            w_halo: im2col_w modes: the halo along W, in pixels.
            w_offset: im2col_w modes: the offset along W, in pixels.
            unit: Bytes, or bits for elements smaller than a byte.

        Returns:
            Addresses in shared memory, after the swizzle, of each element's lowest byte or bit.
            Shape, slowest dimension first:

            - tiled maps: the box with its element strides; ``box_dim=[64, 8]`` gives ``(8, 64)``;
            - gather4: ``(4, box_dim[0])``;
            - im2col maps: ``(rows, channels_per_pixel)``, halo rows included.

            Elements of an interleaved layout are pixels of 16 or 32 bytes of one slice of the
            channels: that dimension has length 1. Elements outside the tensor have places too:
            loads fill them.

        Raises:
            TensorMapError: The map is illegal, does not have the operation, or hardware would stop
                the kernel.
        """
        operation = self._operation(coordinates, direction, gather4, shared_address)
        _set_offsets(operation, im2col_offsets, w_halo, w_offset)
        error = ffi.new("struct tma_error *")
        rows = ffi.new("uint32_t *")
        columns = ffi.new("uint32_t *")
        if lib.py_box_shape(self._map, operation, rows, columns, error) != lib.TMA_OK:
            raise_error(TensorMapError, error)
        bits = np.empty(rows[0] * columns[0], dtype=np.uint64)
        target = ffi.cast("uint64_t *", bits.ctypes.data)
        if lib.py_place(self._map, operation, target, error) != lib.TMA_OK:
            raise_error(TensorMapError, error)
        shape = self._tile_shape(rows[0], columns[0], gather4)
        if unit == "bits":
            return bits.reshape(shape)
        return (bits // np.uint64(8)).astype(np.uint32).reshape(shape)

    def _tile_shape(self, rows: int, columns: int, gather4: bool) -> Tuple[int, ...]:
        if gather4 or self.kind != "tiled":
            return (rows, columns)
        counts = [-(-box // step) for box, step in zip(self.box_dim, self.element_strides)]
        if self.interleave == "none":
            counts[0] = columns  # the hardware ignores the stride of dimension 0
        else:
            counts[-2] = 1  # an operation has one slice of the channels
        return tuple(reversed(counts))

    def _operation(
        self,
        coordinates: Sequence[Number],
        direction: str,
        gather4: bool,
        shared_address: Number,
    ) -> Any:
        operation = ffi.new("struct tma_operation *")
        if direction not in _DIRECTIONS:
            fail(TensorMapError, f"direction is {direction!r}; allowed: {', '.join(_DIRECTIONS)}")
        expected = 5 if gather4 else self.rank
        if len(coordinates) not in (0, expected):
            fail(
                TensorMapError,
                f"coordinates has length {len(coordinates)}; expected {expected}",
            )
        operation.direction = _DIRECTIONS[direction]
        operation.access = lib.TMA_ACCESS_GATHER4 if gather4 else _ACCESS_OF_KIND[self._map.kind]
        operation.shared_address = _number("shared_address", shared_address, _U32)
        for i, value in enumerate(coordinates):
            operation.coordinates[i] = _number(f"coordinates[{i}]", value, _I32)
        return operation

    def compare(
        self,
        consumers: Sequence[Consumer],
        *,
        coordinates: Sequence[Number] = (),
        shared_address: Number = 0,
        architecture: Architecture = "sm_90",
    ) -> Comparison:
        """The bank conflicts of consumers of the tile under every swizzle mode.

        Nothing is simulated: the conflicts follow from the layout. ``tmasim compare`` also gives
        the cycles of each mode.

        Args:
            consumers: What the warps do with the tile.
            coordinates: As of `place`.
            shared_address: As of `place`.
            architecture: Whose rules the modes have to keep.
        """
        modes = tuple(
            self._compared(name, consumers, coordinates, shared_address, architecture)
            for name in SWIZZLES.by_name
        )
        legal = [mode for mode in modes if mode.legal]
        best = min(legal, key=lambda mode: mode.wavefronts).swizzle if legal else None
        return Comparison(modes, best)

    def _compared(
        self,
        name: str,
        consumers: Sequence[Consumer],
        coordinates: Sequence[Number],
        shared_address: Number,
        architecture: Architecture,
    ) -> ComparedMode:
        swizzle = cast(Swizzle, name)
        other = TensorMap._of(self._map)
        other._map.swizzle = SWIZZLES.by_name[name]
        violations = other.check(architecture)
        if violations:
            return ComparedMode(swizzle, False, violations[0].text, ())
        operation = other._operation(coordinates, "load", False, shared_address)
        tile = ffi.new("struct tma_tile *")
        error = ffi.new("struct tma_error *")
        if lib.py_tile(other._map, operation, tile, error) != lib.TMA_OK:
            return ComparedMode(swizzle, False, text(error.text), ())
        costs = []
        for consumer in consumers:
            native = native_consumer(consumer)
            if lib.tma_consumer_check(native, tile, error) != lib.TMA_OK:
                return ComparedMode(swizzle, False, text(error.text), ())
            costs.append(_cost(consumer, lib.tma_consumer_measure(native, tile)))
        return ComparedMode(swizzle, True, "", tuple(costs))


def _architecture(name: str) -> int:
    number = ARCHITECTURES.by_name.get(name)
    return ARCHITECTURES.value(name, "architecture", TensorMapError) if number is None else number


def _number(name: str, value: Number, limits: Tuple[int, int]) -> int:
    try:
        number = value.__index__()
    except (AttributeError, TypeError):
        fail(TensorMapError, f"{name} is {value!r}; expected a whole number")
    low, high = limits
    if not low <= number <= high:
        fail(TensorMapError, f"{name} is {number}; expected {low} to {high}")
    return number


def _set_offsets(
    operation: Any, im2col_offsets: Sequence[Number], w_halo: Number, w_offset: Number
) -> None:
    if len(im2col_offsets) > 3:
        fail(TensorMapError, f"im2col_offsets has length {len(im2col_offsets)}; expected 3 at most")
    for i, value in enumerate(im2col_offsets):
        operation.im2col_offsets[i] = _number(f"im2col_offsets[{i}]", value, (0, 2**16 - 1))
    operation.w_halo = _number("w_halo", w_halo, (0, 2**16 - 1))
    operation.w_offset = _number("w_offset", w_offset, (-(2**15), 2**15 - 1))


def _field_value(field: str, value: int) -> Any:
    names = _ENUMERATIONS.get(field)
    if names is not None:
        return names.by_value.get(value, value)
    if field in ("global_dim", "global_strides", "global_address") and value < 0:
        return value + 2**64
    return value


def _violation(violation: Any) -> Violation:
    field = _FIELD_NAMES[violation.field]
    rule = violation.rule
    return Violation(
        text=written(lib.tma_violation_text, violation),
        code=meaning(2),
        rule=text(rule.id),
        field=field,
        index=violation.index if violation.index >= 0 else None,
        value=_field_value(field, violation.value),
        nearest=_field_value(field, violation.nearest),
        why=text(rule.why),
        fix=text(rule.fix),
        source=text(rule.source),
    )


def _advice(advice: Any) -> Advice:
    unit = text(advice.rule.unit)
    return Advice(
        advice=text(advice.rule.id),
        text=written(lib.tma_advice_text, advice),
        field=_FIELD_NAMES[advice.field],
        index=advice.index if advice.index >= 0 else None,
        cost=advice.cost if unit else None,
        ideal=advice.ideal if unit else None,
        unit=unit,
    )


def _cost(consumer: Consumer, report: Any) -> ConsumerCost:
    return ConsumerCost(
        consumer=consumer,
        instructions=report.instructions,
        wavefronts=report.wavefronts,
        ideal_wavefronts=report.ideal_wavefronts,
        ways=report.worst.ways,
        worst_bank=report.worst.worst_bank,
        banks_used=bin(report.banks_used).count("1"),
    )
