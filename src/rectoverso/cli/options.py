"""Options that several commands share."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rectoverso.engines.seeds import MAX_SEED
from rectoverso.errors import one_line

if TYPE_CHECKING:
    from rectoverso.parameters import Params

PATH = click.Path(path_type=Path)


class Extent(click.ParamType[tuple[int, int]]):
    """Two whole numbers like 35x11, in the order that they are said in; of one number both, where that is allowed."""

    def __init__(self, name: str, least: int, one_for_both: bool) -> None:
        self.name, self.least, self.one_for_both = name, least, one_for_both

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """The two numbers."""
        if isinstance(value, tuple):
            return value
        parts = str(value).lower().split("x")
        if len(parts) == 1 and self.one_for_both:
            parts *= 2
        if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
            self.fail(f"{value!r} is not {self.name}.", param, ctx)
        first, second = map(int, parts)
        if min(first, second) < self.least:
            self.fail(f"{value!r} is too small: {self.least} is the least.", param, ctx)
        return first, second


class TileExtent(Extent):
    """A tile as width x height on the command line; inside it is height and width."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """The height and the width."""
        return value if isinstance(value, tuple) else super().convert(value, param, ctx)[::-1]


SIZE = TileExtent("a size like 28 or 35x11 (width x height)", 2, one_for_both=True)
FRAME = Extent("a frame like 23x35 (rows x columns)", 1, one_for_both=False)
PRESET_NAMES = ("best", "paper", "quick")
"""The names in ``rectoverso.PRESETS``, which would be slow to load for help."""
MEASURE_NAMES = ("lab", "mgc", "prediction", "blend")
"""The names in ``rectoverso.parameters.MeasureName``."""


def _checked_seed(ctx: click.Context, param: click.Parameter, value: int) -> int:
    if not 0 <= value <= MAX_SEED:
        raise click.BadParameter(f"{value} is not in the range from 0 to {MAX_SEED}.")
    return value


seed_option = click.option(
    "--seed",
    type=int,
    callback=_checked_seed,
    default=0,
    show_default=True,
    metavar="S",
    help="A number that decides everything random: the same seed gives the same result.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print the result as one JSON object, for other programs."
)
verbose_option = click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Also show how the solver works: each generation, its costs, how pieces were placed, the timing.",
)
preset_option = click.option(
    "--preset",
    type=click.Choice(PRESET_NAMES),
    default="best",
    show_default=True,
    help="best: the most accurate; paper: the published algorithm; quick: the same, small and only until it stalls.",
)
measure_option = click.option(
    "--measure", type=click.Choice(MEASURE_NAMES), help="How edges are compared, instead of as the preset does."
)
population_option = click.option(
    "--population", type=int, metavar="N", help="How many arrangements a generation has, instead of the preset's."
)
threads_option = click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many threads to use; the result does not depend on it.  [default: all processors]",
)


params_option = click.option(
    "--params",
    "params_file",
    type=PATH,
    metavar="FILE",
    help="A TOML file of parameters that replace the preset's; see rectoverso params.",
)
traces_option = click.option(
    "--no-traces",
    is_flag=True,
    help="Do not use what JPEG compression left in the picture, to compare with other solvers.",
)


@dataclass(frozen=True)
class Choices:
    """What can be said about the parameters on the command line; None is the preset's."""

    preset: str
    params_file: Path | None = None
    measure: str | None = None
    population: int | None = None
    generations: int | None = None
    time_limit: float | None = None
    no_traces: bool = False

    def params(self, given: Params | None = None) -> Params:
        """The parameters of the preset (or those given) with all that was chosen; nonsense is a usage error."""
        import rectoverso

        params = given or rectoverso.PRESETS[self.preset]
        genetic = {"population": self.population, "generations": self.generations}
        changes: dict[str, Any] = {"genetic": {name: value for name, value in genetic.items() if value is not None}}
        if self.time_limit is not None:
            if not self.time_limit > 0:
                raise click.UsageError(f"a time limit must be positive, not {self.time_limit} seconds.")
            changes["time_limit"] = self.time_limit
        if self.measure is not None:
            changes["objective"] = {"measure": self.measure}
        try:
            params = rectoverso.changed_params(params, _read_toml(self.params_file) if self.params_file else {})
            if self.no_traces and params.objective.relative is not None:
                changes.setdefault("objective", {})["relative"] = {"traces": False}
            params = rectoverso.changed_params(params, changes)
        except ValueError as error:
            raise click.UsageError(one_line(f"{error}.")) from error
        if params.objective.measure == "custom":
            raise click.UsageError("a custom measure is a function, so it can be given from Python only.")
        return params


def _read_toml(path: Path) -> dict[str, Any]:
    from rectoverso.errors import BadInputError
    from rectoverso.storage import MAX_TEXT, read_file

    try:
        return tomllib.loads(read_file(path, limit=MAX_TEXT).decode())
    except (ValueError, RecursionError) as error:
        said = f"{path} is not a TOML file of parameters: {error}. See rectoverso params --preset best."
        raise BadInputError(said) from error
