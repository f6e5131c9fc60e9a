"""Names and versions that stand in more than one place are the same."""

from __future__ import annotations

import re
from typing import Any, get_args

import pytest

import tmasim
from conftest import ROOT
from tmasim import _library, _types, launch


@pytest.mark.parametrize(
    "hint, table",
    [
        (_types.Kind, _library.MAP_KINDS),
        (_types.DataType, _library.DATA_TYPES),
        (_types.Swizzle, _library.SWIZZLES),
        (_types.Interleave, _library.INTERLEAVES),
        (_types.L2Promotion, _library.L2_PROMOTIONS),
        (_types.OobFill, _library.OOB_FILLS),
        (_types.Architecture, _library.ARCHITECTURES),
        (_types.Instruction, _library.INSTRUCTIONS),
        (_types.Lanes, _library.LANE_MAPS),
        (_types.Raking, _library.RAKINGS),
        (_types.Sampling, _library.SAMPLINGS),
    ],
    ids=lambda value: getattr(value, "what", ""),
)
def test_the_hints_have_the_names_of_the_library(hint: Any, table: _library.Names) -> None:
    assert list(get_args(hint)) == list(table.by_name)


def test_the_package_has_the_version_of_the_library() -> None:
    project = (ROOT / "python" / "pyproject.toml").read_text()
    assert re.findall(r'^version = "(.*)"', project, re.MULTILINE) == [tmasim.__version__]
    header = (ROOT / "sim" / "base" / "version.h").read_text()
    assert f'TMA_VERSION "{tmasim.__version__}"' in header


def test_what_warps_wait_for_has_the_names_of_the_library() -> None:
    header = (ROOT / "sim" / "core" / "core_run.h").read_text()
    assert re.findall(r'X\(TMA_STALL_\w+, "(\w+)"', header) == list(launch.REASONS)


def test_every_public_name_has_a_docstring() -> None:
    for name in tmasim.__all__:
        assert getattr(tmasim, name).__doc__, name
