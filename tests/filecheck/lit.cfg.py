"""Configuration of `lit tests/filecheck`: runs the RUN lines of `run/*.dyn`.

`%dynomite` is the command line, `%filecheck` the program of the package `filecheck`.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import lit.formats  # pyright: ignore[reportMissingTypeStubs]

config.name = "dynomite"  # noqa: F821  # pyright: ignore
config.test_format = lit.formats.ShTest(execute_external=False)  # noqa: F821  # pyright: ignore
config.suffixes = [".dyn"]  # noqa: F821  # pyright: ignore
config.excludes = ["ir"]  # noqa: F821  # pyright: ignore
config.test_source_root = str(Path(__file__).parent)  # noqa: F821  # pyright: ignore
config.test_exec_root = tempfile.mkdtemp()  # noqa: F821  # pyright: ignore
beside = Path(sys.executable).parent / "filecheck"
checker = str(beside) if beside.exists() else shutil.which("filecheck") or "filecheck"
config.substitutions += [  # noqa: F821  # pyright: ignore
    ("%dynomite", f"{sys.executable} -m dynomite"),
    ("%filecheck", checker),
]
config.environment["PYTHONPATH"] = os.pathsep.join(  # noqa: F821  # pyright: ignore
    [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
)
