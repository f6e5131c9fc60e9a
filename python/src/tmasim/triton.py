"""Scenarios from compiled Triton kernels.

Where Triton and a GPU are, `capture` compiles a kernel for the arguments of a launch and records
what the compiler says of it; the record is a dict that JSON can hold. Anywhere, `Compiled` makes a
scenario of the record: the grid, the tensor maps of its descriptors, and a program that is read
from the TTGIR: its pipeline of loads, matrix products, stores, and roughly its other work.

    >>> compiled = tmasim.triton.capture(gemm, grid, a, b, c, M, N, K, BM, BN, BK)
    >>> compiled.scenario().run().time_ns
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union, cast

from tmasim import triton_capture
from tmasim._library import machine
from tmasim._translate import BARRIER, COSTS, SWIZZLES, TranslationError, Translator
from tmasim._ttgir import parse
from tmasim._types import DataType, Swizzle
from tmasim.scenario import Scenario
from tmasim.tensor_map import TensorMap

__all__ = ["Compiled", "Descriptor", "TranslationError", "capture"]

#: Triton promotes all reads of tensor maps to 128 bytes.
L2_PROMOTION = "128b"


@dataclass(frozen=True)
class Descriptor:
    """A tensor descriptor. Dimensions are as in Triton: the innermost is the last one.

    Attributes:
        data_type: Type of one element.
        shape: Size of the tensor, in elements.
        strides: Distance between neighbours in each dimension, in elements; the last is 1.
        box: The box of the tensor map, in elements: a part of the block where that is too large.
        swizzle: The mode that the compiler chose.
        block: The block that the kernel moves at once, in elements; default: the box.
        address: Of the tensor, in bytes; None: the scenario finds one.
        padding: ``"zero"`` or ``"nan"``.
    """

    data_type: str
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]
    box: Tuple[int, ...]
    swizzle: Swizzle = "none"
    block: Tuple[int, ...] = ()
    address: Optional[int] = None
    padding: str = "zero"

    @classmethod
    def from_bytes(cls, data: bytes, block: Sequence[int] = ()) -> "Descriptor":
        """The descriptor that the 128 bytes of a ``CUtensorMap`` encode.

        Raises:
            TensorMapError: The data are not 128 bytes.
        """
        decoded = TensorMap.decode(data)
        element = _element_bytes(decoded)
        return cls(
            data_type=decoded.data_type,
            shape=decoded.global_dim[::-1],
            strides=tuple(stride // element for stride in decoded.global_strides[::-1]) + (1,),
            box=decoded.box_dim[::-1],
            swizzle=decoded.swizzle,
            block=tuple(block),
            address=decoded.global_address,
            padding="nan" if decoded.oob_fill == "nan" else "zero",
        )

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Descriptor":
        """The descriptor of a record."""
        return cls(
            data_type=str(record["data_type"]),
            shape=tuple(record["shape"]),
            strides=tuple(record["strides"]),
            box=tuple(record["box"]),
            swizzle=cast(Swizzle, SWIZZLES[record["swizzle"]]),
            block=tuple(record["block"]),
            address=record.get("address"),
            padding=str(record.get("padding", "zero")),
        )

    def tensor_map(self) -> TensorMap:
        """The tensor map that Triton makes of the descriptor.

        Raises:
            TensorMapError: A number does not fit its field.
        """
        fields: Dict[str, Any] = {} if self.address is None else {"global_address": self.address}
        made = TensorMap(
            data_type=cast(DataType, _DATA_TYPES.get(self.data_type, self.data_type)),
            global_dim=self.shape[::-1],
            box_dim=self.box[::-1],
            swizzle=self.swizzle,
            l2_promotion=cast(Any, L2_PROMOTION),
            oob_fill="nan" if self.padding == "nan" else "zeros",
            **fields,
        )
        element = _element_bytes(made)
        return made.replace(global_strides=[stride * element for stride in self.strides[-2::-1]])


#: Types of PyTorch that a tensor map has under another name.
_DATA_TYPES = {
    "int8": "uint8",
    "float8_e4m3fn": "uint8",
    "float8_e5m2": "uint8",
    "int16": "uint16",
    "bool": "uint8",
}


def _element_bytes(made: TensorMap) -> int:
    line = TensorMap(data_type=made.data_type, global_dim=[16, 2], box_dim=[16, 1])
    return line.global_strides[0] // 16


@dataclass(frozen=True)
class Compiled:
    """A kernel that Triton compiled for the arguments of a launch.

    Attributes:
        name: The kernel.
        target: The architecture, for example ``"sm_90"``.
        grid: CTAs in x, y and z.
        num_warps: Warps of a CTA.
        num_stages: The option of the compilation.
        num_ctas: CTAs of a cluster.
        shared_bytes: Shared memory of a CTA.
        registers: Of a thread; 0: not known.
        arguments: The integer arguments by name.
        descriptors: The tensor descriptors by the name of their argument.
        ttgir: The kernel in Triton's GPU dialect.
    """

    name: str
    target: str
    grid: Tuple[int, ...]
    num_warps: int
    num_stages: int
    num_ctas: int
    shared_bytes: int
    registers: int
    arguments: Mapping[str, int]
    descriptors: Mapping[str, Descriptor]
    ttgir: str
    notes: List[str] = field(default_factory=list, compare=False, repr=False)

    @classmethod
    def from_record(cls, record: Union[Mapping[str, Any], str, "os.PathLike[str]"]) -> "Compiled":
        """The kernel of a record: a dict, or the path of a JSON file.

        Raises:
            ValueError: The record has another format.
        """
        if not isinstance(record, Mapping):
            record = cast(Mapping[str, Any], json.loads(Path(record).read_text()))
        if record.get("format") != triton_capture.FORMAT:
            raise ValueError(
                f"the record has format {record.get('format')!r}; expected {triton_capture.FORMAT}"
            )
        described = cast(Mapping[str, Mapping[str, Any]], record["descriptors"])
        return cls(
            name=record["name"],
            target=record["target"],
            grid=tuple(record["grid"]),
            num_warps=record["num_warps"],
            num_stages=record["num_stages"],
            num_ctas=record["num_ctas"],
            shared_bytes=record["shared_bytes"],
            registers=record["registers"],
            arguments=dict(record["arguments"]),
            descriptors={name: Descriptor.from_record(item) for name, item in described.items()},
            ttgir=record["ttgir"],
        )

    @property
    def tensor_maps(self) -> Dict[str, TensorMap]:
        """The tensor maps of the descriptors that are arguments."""
        return {name: item.tensor_map() for name, item in self.descriptors.items()}

    def scenario_dict(
        self, *, gpu: Optional[str] = None, initial_cache: str = "cold"
    ) -> Dict[str, Any]:
        """The scenario as a dict, which can be changed and written.

        Args:
            gpu: The machine's file; default: that of an H200.
            initial_cache: ``"cold"``: L2 holds nothing of the tensors; ``"warm"``: the same kernel
                ran just before.

        Raises:
            TranslationError: The kernel has something that is not understood.
        """
        if self.num_ctas > 1:
            raise TranslationError("kernels with clusters (num_ctas) are not understood")
        boxes = {name: item.box for name, item in self.descriptors.items()}
        made = Translator(parse(self.ttgir), self.arguments, boxes, self.grid).translate()
        self.notes[:] = made.notes
        maps = {name: made_map.to_dict() for name, made_map in self.tensor_maps.items()}
        for name, fields in made.made_maps.items():
            maps[name] = {**fields, "l2_promotion": "none"}
        for name, descriptor in self.descriptors.items():
            if descriptor.address is None:
                del maps[name]["global_address"]
        ctas = 1
        for size in self.grid:
            ctas *= size
        kernel: Dict[str, Any] = {
            "ctas": ctas,
            "registers": min(self.registers, 255),
            "initial_cache": initial_cache,
            "costs": COSTS,
            "rings": made.rings,
            "barriers": [BARRIER],
            "roles": {"program": {"warps": self.num_warps, "program": made.program}},
        }
        if made.buffers:
            kernel["buffers"] = made.buffers
        if self.shared_bytes >= made.shared_bytes:
            kernel["shared_memory"] = self.shared_bytes
        return {
            "name": self.name,
            "description": f"{self.name} as Triton compiled it for {self.target}",
            "gpu": gpu or machine("h200"),
            "tensor_maps": maps,
            "kernel": kernel,
        }

    def scenario(self, *, gpu: Optional[str] = None, initial_cache: str = "cold") -> Scenario:
        """The scenario; arguments and errors as of `scenario_dict`.

        Raises:
            ScenarioError: The machine cannot run it.
        """
        return Scenario(
            self.scenario_dict(gpu=gpu, initial_cache=initial_cache), name=f"{self.name}.yaml"
        )


def capture(kernel: Any, grid: Any, *args: Any, **kwargs: Any) -> Compiled:
    """Compiles a kernel for the arguments of a launch; does not launch it. Needs Triton and a GPU.

    Args:
        kernel: A function with ``@triton.jit``.
        grid: The grid, as ``kernel[grid]`` takes it.
        args: The arguments, tensor descriptors of the host among them.
        kwargs: The same by name, and options such as ``num_warps``.
    """
    return Compiled.from_record(triton_capture.capture(kernel, grid, *args, **kwargs))
