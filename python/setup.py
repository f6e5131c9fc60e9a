"""What pyproject.toml cannot say: the extension over libtmasim."""

from setuptools import setup

setup(cffi_modules=["native/build.py:builder"])
