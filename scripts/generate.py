#!/usr/bin/env python3
"""Makes what follows from the declarations of table types (plugins/*/TYPE.xml) and of the daemon, and the calls of
clients (clients/calls).

    generate.py PROGRAM [--check]

PROGRAM: the command line of a build, which reads and checks the declarations. --check: nothing is written; files that
differ are named, and the exit status is 1. Each module of scripts/generate makes the files of one language.
"""

import importlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted(path.stem for path in (ROOT / "scripts/generate").glob("to_*.py"))
FOLDERS = sorted(path.parent for path in ROOT.glob("plugins/*/*.xml"))


def schema_of(program: str, folder: Path) -> bytes:
    return subprocess.run(
        [program, "schema", "--json", "--plugins", folder], check=True, stdout=subprocess.PIPE
    ).stdout


def main(arguments: list[str]) -> int:
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(ROOT / "scripts"))
    model = importlib.import_module("generate.model")
    types = model.read([schema_of(arguments[0], folder) for folder in FOLDERS], ROOT / "clients/calls")
    differing = 0
    for module in MODULES:
        for name, text in importlib.import_module(f"generate.{module}").files(types).items():
            path = ROOT / name
            if path.exists() and path.read_text() == text:
                continue
            differing += 1
            if "--check" in arguments:
                print(f"{name} is not what the declarations make of it: ./mk generate")
            else:
                path.write_text(text)
                print(f"generate: {name}")
    return 1 if differing and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
