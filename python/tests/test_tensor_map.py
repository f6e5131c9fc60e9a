"""TensorMap: fields, rules, the 128 bytes; compared with the driver of an H200 and the command."""

from __future__ import annotations

import json
import pickle
from typing import Any, Callable, Dict, List

import numpy as np
import pytest

import tmasim
from conftest import Command, integers, records
from tmasim import TensorMap, TensorMapError, _library

DRIVER_BUFFER = 0x7F0000000000
KINDS = {"tile": "tiled", "im2col": "im2col", "im2col_w": "im2col_w", "im2col_w128": "im2col_w128"}


def map_of(row: Dict[str, str]) -> TensorMap:
    """The encoder's arguments in a record."""
    rank = int(row["rank"])
    kind = KINDS[row["mode"]]
    fields: Dict[str, Any] = {
        "kind": kind,
        "data_type": _library.DATA_TYPES.name(int(row["dtype"])),
        "interleave": _library.INTERLEAVES.name(int(row["interleave"])),
        "swizzle": _library.SWIZZLES.name(int(row["swizzle"])),
        "l2_promotion": _library.L2_PROMOTIONS.name(int(row["l2promo"])),
        "oob_fill": _library.OOB_FILLS.name(int(row["oobfill"])),
        "global_address": DRIVER_BUFFER + int(row["tensor_offset"]),
        "global_dim": integers(row["global_dim"])[:rank],
        "global_strides": integers(row["global_stride"])[: rank - 1],
        "element_strides": integers(row["element_stride"])[:rank],
    }
    if kind == "tiled":
        fields["box_dim"] = integers(row["box_dim"])[:rank]
    else:
        corners = max(1, rank - 2) if kind == "im2col" else 1
        fields["lower_corner"] = integers(row["lower_corner"])[:corners]
        fields["upper_corner"] = integers(row["upper_corner"])[:corners]
        fields["channels_per_pixel"] = int(row["channels_per_pixel"])
        fields["pixels_per_column"] = int(row["pixels_per_column"])
    return TensorMap(**fields)


def test_every_record_of_the_driver_is_encoded_and_decoded() -> None:
    accepted = rejected = 0
    for row in records("encode.tsv"):
        if not row["rank"].isdigit() or not 1 <= int(row["rank"]) <= 5:
            continue  # a rank that no list of Python has
        if row["encode_rc"] != "0":
            rejected += 1
            with pytest.raises(TensorMapError):  # here, where a value has no name
                map_of(row).encode()
            continue
        made = map_of(row)
        accepted += 1
        assert made.check() == [], row["id"]
        encoded = made.encode()
        assert encoded.hex() == row["descriptor"], row["id"]
        decoded = TensorMap.decode(encoded)
        assert decoded.encode() == encoded, row["id"]
    assert accepted > 5000
    assert rejected > 3000


TILE: Dict[str, Any] = {"data_type": "float16", "global_dim": [256, 64], "box_dim": [64, 8]}
COLUMN: Dict[str, Any] = {
    "kind": "im2col",
    "data_type": "float16",
    "global_dim": [64, 16, 16, 8],
    "lower_corner": [-1, -1],
    "upper_corner": [-1, -1],
    "channels_per_pixel": 32,
    "pixels_per_column": 64,
}


@pytest.mark.parametrize(
    "fields",
    [
        TILE,
        {**TILE, "swizzle": "128b", "l2_promotion": "256b", "oob_fill": "nan"},
        {**TILE, "global_strides": [520], "swizzle": "64b"},
        {**TILE, "global_dim": [0, 2**40], "box_dim": [300, 0], "global_address": 24},
        {**TILE, "interleave": "16b", "element_strides": [9, 1]},
        {**TILE, "data_type": "16u4_align16b", "swizzle": "128b_atom_64b"},
        COLUMN,
        {**COLUMN, "lower_corner": [-200, 0], "pixels_per_column": 2000},
        {**COLUMN, "kind": "im2col_w", "lower_corner": [0], "upper_corner": [0]},
    ],
)
@pytest.mark.parametrize("architecture", ["sm_90", "sm_100", "sm_120"])
def test_check_says_what_the_command_says(
    fields: Dict[str, Any], architecture: Any, command_json: Callable[..., Any]
) -> None:
    made = TensorMap(**fields)
    said = command_json("check", "--json", "--arch", architecture, text=json.dumps(fields))
    expected = said["tensor_maps"][0]
    assert made.is_usable(architecture) == expected["usable"]
    same = ("rule", "field", "index", "value", "nearest", "text", "why", "fix", "source")
    assert [
        {key: getattr(violation, key) for key in same} for violation in made.check(architecture)
    ] == [{key: item[key] for key in same} for item in expected["violations"]]
    assert [(a.advice, a.field, a.index, a.text) for a in made.advise(architecture)] == [
        (a["advice"], a["field"], a["index"], a["text"]) for a in expected["advice"]
    ]


@pytest.mark.parametrize("fields", [TILE, {**TILE, "swizzle": "fit"}, COLUMN])
def test_encode_writes_what_the_command_writes(fields: Dict[str, Any], command: Command) -> None:
    assert TensorMap(**fields).encode().hex() == command("encode", text=json.dumps(fields)).strip()


def test_findings_are_those_of_the_command(command: Command, tmp_path: Any) -> None:
    data = bytearray(TensorMap(**TILE).encode())
    data[127] = 1
    data[8] |= 0x80
    decoded = TensorMap.decode(data)
    assert decoded.findings
    dump = tmp_path / "map.hex"
    dump.write_text(data.hex())
    said = command("decode", str(dump)).splitlines()
    assert [f"unexpected: {finding}" for finding in decoded.findings] == [
        line for line in said if line.startswith("unexpected: ")
    ]


@pytest.mark.parametrize(
    "fields, said",
    [
        ({**TILE, "data_type": "half"}, "data_type is 'half'; allowed: uint8, uint16,"),
        ({**TILE, "swizzle": "256b"}, "swizzle is '256b'; allowed: none, 32b,"),
        ({**TILE, "global_dim": []}, "global_dim has length 0; expected 1 to 5"),
        ({**TILE, "global_dim": [1] * 6}, "global_dim has length 6; expected 1 to 5"),
        ({**TILE, "box_dim": [64]}, "box_dim has length 1; expected 2"),
        ({**TILE, "box_dim": [64, -1]}, "box_dim[1] is -1; expected 0 to 4294967295"),
        ({**TILE, "box_dim": [64, 1.5]}, "box_dim[1] is 1.5; expected a whole number"),
        ({**TILE, "box_dim": None}, "box_dim is missing; tiled maps need it"),
        ({**TILE, "global_strides": [512, 8]}, "global_strides has length 2; expected 1"),
        (
            {**TILE, "global_address": 2**64},
            "global_address is 18446744073709551616; expected 0 to",
        ),
        ({**TILE, "lower_corner": [0]}, "lower_corner is only for im2col maps; kind is tiled"),
        ({**COLUMN, "box_dim": [1]}, "box_dim is only for tiled maps; kind is im2col"),
        ({**COLUMN, "lower_corner": None}, "lower_corner is missing; im2col maps need it"),
        ({**COLUMN, "lower_corner": [0]}, "lower_corner has length 1; expected 2"),
        (
            {**COLUMN, "pixels_per_column": None},
            "pixels_per_column is missing; im2col maps need it",
        ),
    ],
)
def test_what_no_map_can_have_is_an_error(fields: Dict[str, Any], said: str) -> None:
    with pytest.raises(TensorMapError) as caught:
        TensorMap(**fields)
    assert str(caught.value).startswith(said)
    assert caught.value.diagnostics[0].line is None


def test_other_arguments_are_checked() -> None:
    made = TensorMap(**TILE)
    for call, said in [
        (lambda: made.check("sm_80"), "architecture is 'sm_80'; allowed: sm_90,"),  # type: ignore[arg-type]
        (lambda: TensorMap.decode(b"1234"), "a tensor map has 128 bytes; these are 4"),
        (lambda: made.place((1, 2, 3)), "coordinates has length 3; expected 2"),
        (lambda: made.place((2**31, 0)), "coordinates[0] is 2147483648; expected -2147483648 to"),
        (lambda: made.place(direction="prefetch"), "direction is 'prefetch'; allowed: load,"),  # type: ignore[arg-type]
        (lambda: made.place(shared_address=4), "shared"),
    ]:
        with pytest.raises(TensorMapError) as caught:
            call()
        assert str(caught.value).startswith(said)


def test_a_map_is_a_value() -> None:
    made = TensorMap(**TILE, swizzle="fit")
    assert made == TensorMap(**{**TILE, "global_dim": np.array([256, 64])}, swizzle="128b")
    assert made != made.replace(swizzle="none")
    assert len({made, made.replace(), made.replace(l2_promotion="64b")}) == 2
    assert pickle.loads(pickle.dumps(made)) == made
    assert eval(repr(made)) == made
    column = TensorMap(**COLUMN)
    assert eval(repr(column)) == column
    assert column.box_dim == () and column.lower_corner == (-1, -1) and made.lower_corner == ()
    line = TensorMap(data_type="uint8", global_dim=[4096], box_dim=[256])
    assert line.replace(box_dim=[128]).box_dim == (128,)


def test_repair_gives_a_legal_map() -> None:
    wrong = TensorMap(**{**TILE, "global_strides": [520], "box_dim": [300, 8]})
    repaired = wrong.repair()
    assert repaired.check() == []
    assert repaired.global_strides == (528,)
    assert wrong.global_strides == (520,)


def test_compare_gives_what_the_command_gives(command_json: Callable[..., Any]) -> None:
    scenario = tmasim.Scenario("gemm_unswizzled")
    said = command_json("compare", scenario_path("gemm_unswizzled"), "--format", "json")
    comparison = scenario.tensor_maps["A"].compare([tmasim.Consumer("ldmatrix.x4", "matrix")])
    assert comparison.best == said["best"] == "128b"
    legal: List[str] = [mode.swizzle for mode in comparison.modes if mode.legal]
    layouts = said["consumers"][0]["layouts"]
    assert legal == [layout["layout"] for layout in layouts]
    for layout in layouts:
        mode = next(mode for mode in comparison.modes if mode.swizzle == layout["layout"])
        cost = mode.consumers[0]
        assert cost.instructions == layout["instructions"]
        assert cost.wavefronts == layout["wavefronts"]
        assert cost.ideal_wavefronts == layout["ideal_wavefronts"]
        assert cost.excess_wavefronts == layout["excess_wavefronts"]
        assert cost.ways == layout["worst"]["ways"]
        assert cost.banks_used == layout["banks_used"]
    for mode, other in zip(comparison.modes, said["modes"]):
        assert mode.legal == other["legal"]
        if not mode.legal:
            assert mode.reason in other["reason"]


def test_compare_refuses_what_is_no_consumer() -> None:
    tensor_map = tmasim.Scenario("gemm_unswizzled").tensor_maps["A"]
    wrong: Any = [3]
    with pytest.raises(tmasim.TensorMapError, match="3 is no consumer; expected a tmasim.Consumer"):
        tensor_map.compare(wrong)


def test_compare_takes_distributions_and_descriptors() -> None:
    made = TensorMap(data_type="float16", global_dim=[256, 256], box_dim=[64, 64], swizzle="128b")
    wgmma = tmasim.Consumer("wgmma", "descriptor", descriptor=tmasim.MatrixDescriptor(mn=64))
    block = tmasim.Consumer(
        "ld.shared.b128", "distribution", distribution=tmasim.Distribution(block_size=128)
    )
    modes = {mode.swizzle: mode for mode in made.compare([wgmma, block]).modes}
    assert [cost.excess_wavefronts for cost in modes["128b"].consumers] == [0, 0]
    wrong = tmasim.Consumer("ldmatrix.x4", "row")
    mode = made.compare([wrong]).modes[0]
    assert not mode.legal and "ldmatrix" in mode.reason


def scenario_path(name: str) -> str:
    """A scenario of the repository."""
    return str(tmasim.configs() / "scenarios" / f"{name}.yaml")
