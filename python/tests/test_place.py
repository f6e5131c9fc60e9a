"""TensorMap.place: compared with what an H200 wrote, with the command, and with the PTX ISA."""

from __future__ import annotations

import csv
import zlib
from typing import Any, Dict, Tuple

import numpy as np
import numpy.typing as npt
import pytest

import tmasim
from conftest import Command, integers, records
from test_tensor_map import map_of
from tmasim import TensorMap, TensorMapError

ELEMENT_BYTES = {"uint8": 1, "uint16": 2, "uint32": 4, "int32": 4, "uint64": 8, "int64": 8}
ELEMENT_BYTES.update({"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8})


def hashed(words: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """What the capture program filled memory with (tests/hardware/README.md)."""
    words = words * np.uint32(2654435761)
    words ^= words >> np.uint32(15)
    words *= np.uint32(2246822519)
    words ^= words >> np.uint32(13)
    words *= np.uint32(3266489917)
    return words ^ (words >> np.uint32(16))


def global_bytes(addresses: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """The bytes of global memory at these addresses in the capture program's buffer."""
    words = hashed((addresses // 4).astype(np.uint32))
    return ((words >> (addresses % 4 * 8).astype(np.uint32)) & np.uint32(0xFF)).astype(np.uint8)


def shared_before(count: int) -> npt.NDArray[np.uint8]:
    """Shared memory before the load."""
    words = hashed(np.arange(count // 4, dtype=np.uint32) + np.uint32(0x51000000))
    return (words | np.uint32(0x01010101)).view(np.uint8).copy()


def load(row: Dict[str, str], made: TensorMap) -> npt.NDArray[np.uint8]:
    """The window of shared memory after the load, by TensorMap.place and indices alone."""
    rank, size = made.rank, ELEMENT_BYTES[made.data_type]
    start = integers(row["coord"])[:rank]
    places = made.place(start, shared_address=int(row["smem_offset"])).astype(np.int64)
    steps = (1, *made.element_strides[1:])  # the hardware ignores the stride of dimension 0
    address = np.int64(int(row["tensor_offset"]))
    inside = np.ones(places.shape, dtype=bool)
    for d in range(rank):
        shape = [1] * rank
        shape[rank - 1 - d] = places.shape[rank - 1 - d]
        index = start[d] + steps[d] * np.arange(shape[rank - 1 - d]).reshape(shape)
        inside &= (index >= 0) & (index < made.global_dim[d])
        address = address + index * (size if d == 0 else made.global_strides[d - 1])
    window = shared_before(int(row["window"]))
    for byte in range(size):
        window[places + byte] = np.where(inside, global_bytes(address + byte), 0)
    return window


def test_place_is_where_an_h200_wrote() -> None:
    compared = 0
    for row in records("load_tile.tsv"):
        made = map_of(row)
        plain = made.interleave == "none" and made.oob_fill == "zeros"
        if row["outcome"] != "ok" or not plain or made.data_type not in ELEMENT_BYTES:
            continue
        compared += 1
        assert f"{zlib.crc32(load(row, made)):08x}" == row["crc"], row["id"]
        if compared == 600:
            break
    assert compared == 600


@pytest.mark.parametrize(
    "name, operation, start",
    [("conv_halo", 0, (0, -1, -1)), ("volume_3d", 0, (0, 0, 0)), ("gemm_tile", 1, (0, 0))],
)
def test_place_is_where_the_command_says(
    name: str, operation: int, start: Tuple[int, ...], command: Command
) -> None:
    scenario = tmasim.Scenario(name)
    made = list(scenario.tensor_maps.values())[operation]
    path = str(tmasim.configs() / "scenarios" / f"{name}.yaml")
    places = made.place(start, shared_address=16384 * operation)
    for index in [(0,) * made.rank, (1,) * made.rank, tuple(n - 1 for n in places.shape)]:
        element = ",".join(str(a + i) for a, i in zip(start, reversed(index)))
        arguments = ("--operation", str(operation), "--element", element, "--format", "csv")
        rows = list(csv.DictReader(command("layout", path, *arguments).splitlines()))
        assert [int(row["shared_address"]) for row in rows] == [places[index]]


def swizzled(address: npt.NDArray[np.int64], bits: int) -> npt.NDArray[np.int64]:
    """The PTX ISA's swizzle: bits 4... are combined with bits 7... by exclusive or."""
    return address ^ (((address >> 7) & ((1 << bits) - 1)) << 4)


@pytest.mark.parametrize("swizzle, bits", [("none", 0), ("32b", 1), ("64b", 2), ("128b", 3)])
def test_place_follows_the_swizzle(swizzle: Any, bits: int) -> None:
    columns = max(16, 16 << bits)
    made = TensorMap(
        data_type="uint8", global_dim=[256, 256], box_dim=[columns, 24], swizzle=swizzle
    )
    places = made.place(shared_address=2048)
    assert places.shape == (24, columns) and places.dtype == np.uint32
    expected = swizzled(2048 + np.arange(24 * columns).reshape(24, columns), bits)
    assert (places == expected).all()


def shape_of(places: npt.NDArray[Any]) -> Tuple[int, ...]:
    """The shape, if no two elements lie at one place."""
    assert len(np.unique(places)) == places.size
    return places.shape


def test_the_shape_is_that_of_the_box() -> None:
    volume = TensorMap(data_type="float32", global_dim=[64, 8, 8, 4], box_dim=[32, 4, 2, 1])
    assert shape_of(volume.place((0, 7, -1, 0))) == (1, 2, 4, 32)
    sampled = volume.replace(element_strides=[1, 3, 1, 1])
    assert shape_of(sampled.place()) == (1, 2, 2, 32)
    line = TensorMap(data_type="int64", global_dim=[100], box_dim=[50])
    assert shape_of(line.place()) == (50,)
    column = TensorMap(
        kind="im2col",
        data_type="float16",
        global_dim=[64, 16, 16, 8],
        lower_corner=[-1, -1],
        upper_corner=[-1, -1],
        channels_per_pixel=32,
        pixels_per_column=64,
    )
    assert shape_of(column.place((0, -1, -1, 0), im2col_offsets=(1, 2))) == (64, 32)
    gathered = TensorMap(data_type="float16", global_dim=[64, 64], box_dim=[64, 1])
    assert shape_of(gathered.place((0, 3, 1, 4, 1), gather4=True)) == (4, 64)
    sliced = TensorMap(
        data_type="float16", global_dim=[32, 8, 4], box_dim=[16, 2, 1], interleave="16b"
    )
    assert shape_of(sliced.place()) == (1, 1, 16)
    assert shape_of(sliced.replace(element_strides=[3, 1, 1]).place()) == (1, 1, 6)


def test_elements_smaller_than_a_byte_have_bits() -> None:
    packed = TensorMap(data_type="16u4_align8b", global_dim=[256, 8], box_dim=[64, 4])
    bits = packed.place(unit="bits")
    assert bits[1, :3].tolist() == [256, 260, 264]
    assert packed.place()[1, :3].tolist() == [32, 32, 33]
    padded = TensorMap(data_type="16u4_align16b", global_dim=[256, 8], box_dim=[128, 4])
    assert padded.place(unit="bits")[0, 15:18].tolist() == [60, 128, 132]


def test_what_hardware_does_not_do_is_an_error() -> None:
    wide = TensorMap(data_type="float16", global_dim=[64, 64, 4], box_dim=[64, 4, 1])
    with pytest.raises(TensorMapError) as caught:
        wide.place((0, 0, 1, 2, 3), gather4=True)
    assert "gather4" in str(caught.value)
