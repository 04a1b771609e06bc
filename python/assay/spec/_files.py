# SPDX-License-Identifier: Apache-2.0
"""Text and JSON files, written whole or not at all."""
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def write_text(path: Path | str, text: str) -> None:
    """Writes a new file next to the old one and renames it; a pipe or device is written
    directly."""
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        target.write_text(text, encoding="utf-8")
        return
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def read_json_object(path: Path | str) -> dict[str, Any]:
    """The object in a JSON file; Python's NaN and Infinity are understood."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path} is not a JSON file; give a results file") from error
    if not isinstance(found, dict):
        raise ValueError(f"{path} holds a JSON {type(found).__name__}, not an object; give a "
                         f"results file")
    return found
