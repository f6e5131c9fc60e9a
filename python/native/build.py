"""Builds the extension tmasim._native: cffi (API mode) over libtmasim.

The library and its headers are found in this order:

1. The environment variable TMASIM_PREFIX: a folder where `make install PREFIX=...` installed
   the library, or a source tree where `make` built it.
2. pkg-config.
3. The source tree that this folder is a part of.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import cffi

HERE = Path(__file__).resolve().parent
WARNINGS = [
    "-std=gnu17",
    "-Wall",
    "-Wextra",
    "-Werror=incompatible-pointer-types",
    "-Wno-unused-parameter",
    "-Wno-unused-function",
]


class Library:
    """Where the library lies."""

    def __init__(self, include: list[str], folders: list[str], private: bool) -> None:
        self.include = include
        self.folders = folders
        #: Whether the dynamic linker needs to be told the folder.
        self.private = private


def in_source_tree(root: Path) -> Library | None:
    """A source tree: headers in sim/, libraries in build/release."""
    built = root / "build" / "release"
    if (root / "sim" / "tmasim.h").exists() and (built / "libtmasim.so").exists():
        return Library([str(root / "sim")], [str(built)], private=True)
    return None


def installed(prefix: Path) -> Library | None:
    """A folder that `make install` filled."""
    for folder in sorted((prefix / "lib").glob("**/libtmasim.so")):
        return Library([str(prefix / "include" / "tmasim")], [str(folder.parent)], private=True)
    return None


def pkg_config(option: str) -> list[str]:
    """The words that pkg-config prints; empty where it does not know tmasim."""
    try:
        done = subprocess.run(
            ["pkg-config", option, "tmasim"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return []
    return shlex.split(done.stdout)


def from_pkg_config() -> Library | None:
    """What pkg-config says. Its folder is a private one unless the system's linker searches it."""
    include = [word[2:] for word in pkg_config("--cflags-only-I")]
    libdir = [word[2:] for word in pkg_config("--libs-only-L")]
    if not include and not pkg_config("--libs"):
        return None
    private = any(not folder.startswith(("/usr/lib", "/lib")) for folder in libdir)
    return Library(include, libdir, private)


def find_library() -> Library:
    """The first place that has the library."""
    prefix = os.environ.get("TMASIM_PREFIX")
    if prefix:
        found = in_source_tree(Path(prefix).resolve()) or installed(Path(prefix).resolve())
        if found is None:
            raise SystemExit(f"TMASIM_PREFIX: {prefix} has no libtmasim.so: build or install it")
        return found
    found = from_pkg_config() or in_source_tree(HERE.parent.parent)
    if found is None:
        raise SystemExit(
            "libtmasim is not found: set TMASIM_PREFIX to the folder where it is installed or"
            " built, or PKG_CONFIG_PATH to the folder of tmasim.pc"
        )
    return found


def make_builder() -> cffi.FFI:
    """The builder that setup.py names."""
    library = find_library()
    builder = cffi.FFI()
    builder.cdef((HERE / "declarations.h").read_text())
    builder.set_source(
        "tmasim._native",
        '#include "native.c"\n',
        include_dirs=[str(HERE), *library.include],
        library_dirs=library.folders,
        runtime_library_dirs=library.folders if library.private else [],
        libraries=["tmasim"],
        depends=[
            str(path)
            for folder in (HERE, *map(Path, library.include))
            for path in sorted(folder.rglob("*.[ch]"))
        ],
        extra_compile_args=WARNINGS,
        extra_link_args=["-ldl"],
    )
    return builder


builder = make_builder()
