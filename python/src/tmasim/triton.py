"""Launches of Triton's kernels, as records that `tmasim.run` takes.

Triton is needed here, but no GPU: `capture` compiles a kernel for the arguments of a launch.

    >>> record = tmasim.triton.capture(softmax, (4096,), out, rows, 2048)
    >>> tmasim.run(record).lines()
"""

from __future__ import annotations

import json
import re
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, cast

from tmasim._library import fail
from tmasim._types import DataType, Swizzle
from tmasim.errors import ScenarioError
from tmasim.launch import Launch
from tmasim.tensor_map import TensorMap

__all__ = ["capture", "capturing", "record_of"]

#: Types of PyTorch and their names in Triton's signatures.
TYPES = {
    "float16": "fp16",
    "bfloat16": "bf16",
    "float32": "fp32",
    "float64": "fp64",
    "float8_e4m3fn": "fp8e4nv",
    "float8_e5m2": "fp8e5",
    "bool": "i1",
    **{f"int{bits}": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"u{bits}" for bits in (8, 16, 32, 64)},
}
#: Types that a tensor map has under another name.
MAP_TYPES = {
    "int8": "uint8",
    "float8_e4m3fn": "uint8",
    "float8_e5m2": "uint8",
    "int16": "uint16",
    "bool": "uint8",
}
#: The modes of ``tensordesc_meta``.
SWIZZLES: Tuple[Swizzle, ...] = ("none", "32b", "64b", "128b")


def capture(
    kernel: Any,
    grid: Any,
    *args: Any,
    config: Any = None,
    gpu: str = "h100_sxm",
    **kwargs: Any,
) -> Launch:
    """Compiles a kernel for the arguments of a launch and records it; launches nothing.

    Tensors may be on any device, ``"meta"`` too: only type, size and alignment are read.

    Args:
        kernel: A function with ``@triton.jit``, below ``@triton.autotune`` or
            ``@triton.heuristics`` or not.
        grid: The grid, as ``kernel[grid]`` takes it.
        args: The arguments: tensors, numbers, tensor descriptors of the host.
        config: One of ``kernel.configs`` of an autotuned kernel; default: ``best_config`` where it
            was tuned.
        gpu: The machine of the record.
        kwargs: Arguments by name, and options such as ``num_warps``.

    Raises:
        ScenarioError: An argument is of a kind that is not known; an autotuned kernel has no
            configuration yet.
    """
    while not hasattr(kernel, "params"):  # a decorator around it
        if hasattr(kernel, "configs"):
            config = config or getattr(kernel, "best_config", None)
            if config is None:
                fail(ScenarioError, "the kernel is not tuned: config has to be one of its configs")
            kwargs = {**kwargs, **config.all_kwargs()}
            hook = getattr(config, "pre_hook", None)
            if hook is not None:
                hook({**dict(zip(kernel.arg_names, args)), **kwargs})
        else:
            for name, rule in kernel.values.items():
                kwargs[name] = rule({**dict(zip(kernel.arg_names, args)), **kwargs})
        kernel = kernel.fn
    values, options = _bound(kernel, args, kwargs)
    compiled = _compile(kernel, values, options)
    sizes = grid(values) if callable(grid) else grid
    return record_of(compiled, sizes, values, gpu=gpu, options=options)


@contextmanager
def capturing(match: str = "", *, gpu: str = "h100_sxm") -> Iterator[List[Launch]]:
    """Records what is launched inside the block; needs a GPU, as launches do.

    An autotuned kernel is recorded with each configuration that is tried, a kernel of
    ``torch.compile`` with the one that PyTorch chose. Each different launch is recorded once.

    Args:
        match: A regular expression that the kernel's name has to match; default: all.
        gpu: The machine of the records.
    """
    from triton.runtime.jit import JITFunction

    records: List[Launch] = []

    def add(
        compiled: Any, grid: Any, values: Mapping[str, Any], options: Mapping[str, Any]
    ) -> None:
        if re.search(match, compiled.metadata.name):
            sizes = grid(values) if callable(grid) else grid
            made = record_of(compiled, sizes, values, gpu=gpu, options=options)
            if made not in records:
                records.append(made)

    def launched(self: Any, compiled: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        if compiled is not None:
            given = {name: kwargs[name] for name in kwargs if name not in ("grid", "warmup")}
            add(compiled, kwargs["grid"], *_bound(self, args, given))

    def launched_by_pytorch(
        self: Any, _: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        launcher = self.launchers[0]
        config = launcher.config
        passed, grid = self._interpret_args_grid(args, config)
        signature = self.triton_meta["signature"]
        names = [name for i, name in enumerate(signature) if i not in self.fn.constexprs]
        options = {"num_warps": config.num_warps, "num_stages": config.num_stages}
        add(_cached(self, launcher), grid, {**config.kwargs, **dict(zip(names, passed))}, options)

    with ExitStack() as hooks:
        hooks.enter_context(_hooked(JITFunction, launched))
        if "torch" in sys.modules:
            from torch._inductor.runtime.triton_heuristics import CachingAutotuner

            hooks.enter_context(_hooked(CachingAutotuner, launched_by_pytorch))
        yield records


@contextmanager
def _hooked(launcher: Any, behind: Callable[..., None]) -> Iterator[None]:
    """Has ``behind`` called with what each call of ``launcher.run`` got and gave."""
    original = launcher.run

    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(self, *args, **kwargs)
        behind(self, result, args, kwargs)
        return result

    launcher.run = run
    try:
        yield
    finally:
        launcher.run = original


def _cached(autotuner: Any, launcher: Any) -> Any:
    """The kernel of one of PyTorch's launchers, as `record_of` takes it, from Triton's cache."""
    from torch._inductor.runtime.triton_heuristics import triton_cache_dir

    meta = autotuner.triton_meta
    folder = Path(triton_cache_dir(meta.get("device", 0))) / launcher.cache_hash
    path = next(folder.glob("*.ptx"))
    return SimpleNamespace(
        metadata=SimpleNamespace(**json.loads(path.with_suffix(".json").read_text())),
        asm={"ptx": path.read_text()},
        src=SimpleNamespace(signature=meta["signature"]),
        n_regs=launcher.n_regs,
    )


def record_of(
    compiled: Any,
    grid: Sequence[int],
    values: Mapping[str, Any],
    *,
    gpu: str = "h100_sxm",
    options: Optional[Mapping[str, Any]] = None,
) -> Launch:
    """The record of a kernel that is compiled.

    Args:
        compiled: A ``CompiledKernel``: ``asm["ptx"]``, ``metadata`` and ``src.signature``.
        grid: CTAs in up to three dimensions.
        values: The arguments by name.
        gpu: The machine.
        options: What else made the kernel, for `Launch.constants`.

    Raises:
        ScenarioError: The arguments do not fit the signature in the PTX.
    """
    metadata = compiled.metadata
    ptx = cast(str, compiled.asm["ptx"])
    signature = cast(Mapping[str, Any], compiled.src.signature)
    constants: Dict[str, Any] = dict(options or {})
    made = _Parameters(list(getattr(metadata, "tensordesc_meta", None) or []))
    for name, kind in signature.items():
        if kind == "constexpr":
            constants[name] = values.get(name)
        else:
            made.add(name, values.get(name), str(kind))
    expected = _parameter_types(ptx, metadata.name)
    # Scratch memory of the kernel and of the profiler stand behind the arguments.
    scratch = len(expected) - len(made.parameters)
    if not 0 <= scratch <= 2:
        fail(
            ScenarioError,
            f"{metadata.name} has {len(expected)} parameters in the PTX; the arguments make "
            f"{len(made.parameters)}, and scratch memory at most 2",
        )
    made.parameters += [{"pointer": None}] * scratch
    fields: Dict[str, Any] = {
        "kernel": metadata.name,
        "gpu": gpu,
        "grid": [int(size) for size in grid],
        "block": [32 * int(metadata.num_warps)],
        "dynamic_shared": int(metadata.shared),
        "buffers": made.buffers,
        "parameters": made.parameters,
    }
    if metadata.num_ctas > 1:
        # Triton's grid counts clusters.
        fields["grid"][0] *= int(metadata.num_ctas)
        fields["cluster"] = [int(metadata.num_ctas)]
    if getattr(compiled, "n_regs", None):
        fields["registers"] = int(compiled.n_regs)
    if not made.buffers:
        del fields["buffers"]
    return Launch(str(metadata.name), fields, ptx, constants)


class _Parameters:
    """The parameters of a launch file, and its buffers."""

    def __init__(self, metas: List[Mapping[str, Any]]) -> None:
        self.metas = metas
        self.parameters: List[Dict[str, Any]] = []
        self.buffers: Dict[str, Dict[str, Any]] = {}
        self._storage: Dict[int, str] = {}

    def add(self, name: str, value: Any, kind: str) -> None:
        """Adds an argument."""
        if _is_descriptor(value):
            self._add_descriptor(name, value)
        elif hasattr(value, "data_ptr"):
            self.parameters.append({"pointer": self._buffer(name, value), "name": name})
        elif value is None:
            self.parameters.append({"pointer": None, "name": name})
        elif isinstance(value, (bool, int)):
            form = {"i1": "u8", "u1": "u8"}.get(kind, kind.replace("i", "s"))
            self.parameters.append({form: int(value), "name": name})
        elif isinstance(value, float):
            self.parameters.append({f"f{kind[2:]}": value, "name": name})
        else:
            fail(ScenarioError, f"argument {name} is a {type(value).__name__}, which is not known")

    def _buffer(self, name: str, tensor: Any) -> str:
        """The buffer of a tensor; tensors of one address have one."""
        address = int(tensor.data_ptr())
        size = max(1, int(tensor.numel()) * int(tensor.element_size()))
        known = self._storage.setdefault(address, name) if address else name
        before = self.buffers.get(known, {}).get("bytes", 0)
        self.buffers[known] = {"bytes": max(before, size), "data_type": _element(tensor)}
        return known

    def _add_descriptor(self, name: str, value: Any) -> None:
        """A tensor descriptor of the host is a tensor map, its shape and its strides."""
        meta = self.metas.pop(0)
        buffer = self._buffer(name, value.base)
        element = _element(value.base)
        size = int(value.base.element_size())
        made = TensorMap(
            data_type=cast(DataType, MAP_TYPES.get(element, element)),
            global_dim=[int(number) for number in value.shape][::-1],
            global_strides=[int(number) * size for number in value.strides[-2::-1]],
            box_dim=[int(number) for number in meta["block_size"]][::-1],
            swizzle=SWIZZLES[int(meta["swizzle"])],
            l2_promotion="128b",  # Triton promotes all reads
            oob_fill="nan" if str(getattr(value, "padding", "zero")) == "nan" else "zeros",
        )
        fields = made.to_dict()
        fields.pop("global_address", None)
        self.parameters.append({"map": fields, "buffer": buffer, "name": name})
        self.parameters += [{"s32": int(number)} for number in value.shape]
        self.parameters += [{"s64": int(number)} for number in value.strides]


def _bound(
    kernel: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """The arguments of a launch by name, with the defaults, and what else it was given: options."""
    values = dict(zip(kernel.arg_names, args))
    values.update((name, kwargs[name]) for name in kernel.arg_names if name in kwargs)
    for parameter in kernel.params:
        if parameter.name not in values and parameter.has_default:
            values[parameter.name] = parameter.default
    return values, {name: item for name, item in kwargs.items() if name not in values}


def _element(tensor: Any) -> str:
    """The type of a tensor's elements, by PyTorch's name without its module."""
    return str(getattr(tensor, "dtype", "")).replace("torch.", "")


def _is_descriptor(value: Any) -> bool:
    return all(hasattr(value, name) for name in ("base", "shape", "strides", "block_shape"))


def _compile(kernel: Any, values: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
    """Compiles for an H100 without asking for a device."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    signature: Dict[str, str] = {}
    constants: Dict[str, Any] = {}
    attributes: Dict[Tuple[int, ...], List[List[Any]]] = {}
    for number, parameter in enumerate(kernel.params):
        name = parameter.name
        value = values.get(name)
        signature[name] = "constexpr" if parameter.is_constexpr else _type_of(name, value)
        if not parameter.is_constexpr and type(value) is int and value == 1:
            if not parameter.do_not_specialize:
                signature[name] = "constexpr"  # as a launch does
        if signature[name] == "constexpr":
            constants[name] = value
        elif not parameter.do_not_specialize and _is_aligned(value):
            attributes[(number,)] = [["tt.divisibility", 16]]
    source = ASTSource(kernel, signature, constants, attributes)
    return triton.compile(source, target=GPUTarget("cuda", 90, 32), options=dict(options))


def _is_aligned(value: Any) -> bool:
    """Whether a launch tells the compiler that 16 divides the address or the number."""
    if hasattr(value, "data_ptr"):
        return int(value.data_ptr()) % 16 == 0
    return type(value) is int and value % 16 == 0


def _type_of(name: str, value: Any) -> str:
    """The type of an argument in Triton's signature."""
    if value is None:
        return "constexpr"
    if isinstance(value, bool):
        return "u1"
    if isinstance(value, int):
        if -(2**31) <= value < 2**31:
            return "i32"
        return "i64" if value < 2**63 else "u64"
    if isinstance(value, float):
        return "fp32"
    tensor = value.base if _is_descriptor(value) else value
    element = TYPES.get(_element(tensor))
    if element is None:
        fail(ScenarioError, f"argument {name} is a {type(value).__name__}, which is not known")
    if _is_descriptor(value):
        return f"tensordesc<{element}{[int(size) for size in value.block_shape]}>"
    return f"*{element}"


def _parameter_types(ptx: str, kernel: str) -> List[str]:
    """The parameters of an entry, as the PTX declares them."""
    entry = re.search(rf"\.entry\s+{re.escape(kernel)}\s*\(([^)]*)\)", ptx)
    if entry is None:
        fail(ScenarioError, f"the PTX has no entry {kernel} with parameters")
    return re.findall(r"\.param\b[^,]*", entry.group(1))
