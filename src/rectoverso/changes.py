"""Parameters as nested tables: changed by them, and written as a TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, cast

from rectoverso.parameters import Genetic, Objective, Params, Relative, Repair


def changed_params(params: Params, changes: Mapping[str, Any]) -> Params:
    """Parameters with some of them changed, nested as they are in a TOML file; unknown names are refused.

    A part that is left out in ``params`` begins with its own defaults; ``False`` leaves a part out.

    >>> from rectoverso import PRESETS
    >>> changed_params(PRESETS["paper"], {"genetic": {"population": 50}}).genetic.population
    50
    >>> changed_params(PRESETS["best"], {"repair": {"steps": 50}})
    Traceback (most recent call last):
    ValueError: there is no parameter repair.steps; repair has regrow_steps, patch_steps, segment_moves, exchange_cells
    """
    return cast("Params", _changed(params, changes, ""))


_PARTS: dict[str, type] = {"genetic": Genetic, "objective": Objective, "objective.relative": Relative, "repair": Repair}


def _changed(part: Any, changes: Mapping[str, Any], path: str) -> Any:
    names = [each.name for each in fields(part)]
    values = {}
    for name, value in changes.items():
        full = f"{path}.{name}" if path else name
        if name not in names:
            raise ValueError(f"there is no parameter {full}; {path or 'the whole'} has {', '.join(names)}")
        if full in _PARTS:
            values[name] = _changed_part(getattr(part, name), value, full)
        else:
            values[name] = _of_type(value, getattr(part, name), full)
    return replace(part, **values)


def _changed_part(part: Any, value: Any, path: str) -> Any:
    if value is None or value is False:
        if path in ("genetic", "objective"):
            raise ValueError(f"{path} cannot be left out")
        return None
    if not isinstance(value, Mapping):
        raise ValueError(f"{path} is a part with parameters of its own, not {value!r}")
    return _changed(_PARTS[path]() if part is None else part, value, path)


def _of_type(value: Any, usual: Any, path: str) -> Any:
    """A value of the type that the parameter has; a whole number will do for a real one."""
    wanted = type(usual)
    if wanted is float and type(value) is int:
        return float(value)
    if type(value) is not wanted:
        raise ValueError(f"{path} must be of type {wanted.__name__}, not {value!r}")
    return value


def as_toml(params: Params) -> str:
    """Parameters as a TOML file, which :func:`changed_params` takes back; a part that is left out is ``false``."""
    lines = [f"time_limit = {_toml_value(params.time_limit)}", *(["repair = false"] if params.repair is None else [])]
    for path, part in (
        ("genetic", params.genetic),
        ("objective", params.objective),
        ("objective.relative", params.objective.relative),
        ("repair", params.repair),
    ):
        if part is not None:
            values = {each.name: getattr(part, each.name) for each in fields(part)}
            lines += ["", f"[{path}]"]
            lines += [
                f"{name} = {_toml_value(value)}"
                for name, value in values.items()
                if f"{path}.{name}" not in _PARTS or value is None
            ]
    return "\n".join(lines).strip() + "\n"


def _toml_value(value: Any) -> str:
    if value is None:
        return "false"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
