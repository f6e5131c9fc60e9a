"""The names of enumerations, for type checkers. They are those of the library's tables."""

from __future__ import annotations

from typing import Literal

Kind = Literal["tiled", "im2col", "im2col_w", "im2col_w128"]
DataType = Literal[
    "uint8",
    "uint16",
    "uint32",
    "int32",
    "uint64",
    "int64",
    "float16",
    "float32",
    "float64",
    "bfloat16",
    "float32_ftz",
    "tfloat32",
    "tfloat32_ftz",
    "16u4_align8b",
    "16u4_align16b",
    "16u6_align16b",
]
Swizzle = Literal[
    "none",
    "32b",
    "64b",
    "128b",
    "128b_atom_32b",
    "128b_atom_32b_flip_8b",
    "128b_atom_64b",
    "96b",
]
SwizzleOrFit = Literal[Swizzle, "fit"]
Interleave = Literal["none", "16b", "32b"]
L2Promotion = Literal["none", "64b", "128b", "256b"]
OobFill = Literal["zeros", "nan"]
Architecture = Literal["sm_90", "sm_100", "sm_103", "sm_120"]
Instruction = Literal[
    "ld.shared.b8",
    "ld.shared.b16",
    "ld.shared.b32",
    "ld.shared.b64",
    "ld.shared.b128",
    "st.shared.b8",
    "st.shared.b16",
    "st.shared.b32",
    "st.shared.b64",
    "st.shared.b128",
    "ldmatrix.x1",
    "ldmatrix.x2",
    "ldmatrix.x4",
    "stmatrix.x1",
    "stmatrix.x2",
    "stmatrix.x4",
    "red.shared.b32",
    "wgmma",
]
Lanes = Literal[
    "row",
    "column",
    "transposed",
    "strided",
    "matrix",
    "fragment_a",
    "fragment_b",
    "distribution",
    "descriptor",
]
Raking = Literal["thread_raked", "warp_raked", "block_raked"]
Sampling = Literal["usual", "careful"]
