"""An experiment as it is written down: which pictures, which types, how often, and what was published."""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import msgspec

from rectoverso.changes import changed_params
from rectoverso.errors import BadInputError
from rectoverso.images.wear import Wear
from rectoverso.parameters import PRESETS, Params


def _inside(name: str) -> None:
    """Refuse the name of a file that is not below the folder it is looked for in."""
    if not name or name.startswith(("/", "\\")) or ".." in PurePosixPath(name).parts or ":" in name or "\0" in name:
        raise ValueError(f"{name!r} is not the name of something inside the folder of pictures")


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the paper reports of a set; percentages, and seconds a puzzle."""

    direct: float | None = None
    neighbor: float | None = None
    neighbor_average: float | None = None
    perfect: int | None = None
    images: int | None = None
    seconds: float | None = None


class Pair(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A two-sided puzzle: the picture on the back may have to be turned to match the front."""

    front: str
    back: str
    turn_back: bool = False
    published: Published = Published()

    def __post_init__(self) -> None:
        _inside(self.front)
        _inside(self.back)


class ImageSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A set of pictures in a folder, or pairs of pictures for two-sided puzzles, and how they are cut.

    A picture is first shrunk by ``reduce`` (each pixel the mean of a square of so many), then cut from ``offset``
    (rows, columns) on; what is left over at the right and the bottom is cut off. Sets that cut the same folder
    differently need different names.
    """

    name: str
    pieces: int
    folder: str = ""
    offset: tuple[int, int] = (0, 0)
    reduce: int = 1
    images: list[str] = []
    pairs: list[Pair] = []
    runs: int | None = None
    published: Published = Published()

    def __post_init__(self) -> None:
        for name in (self.folder or self.name, *self.images):
            _inside(name)
        if min(self.offset) < 0:
            raise ValueError(f"the offset of {self.name} is {list(self.offset)}, and cannot be below 0")
        if self.reduce < 1:
            raise ValueError(f"{self.name} is reduced by {self.reduce}; 1 leaves it as it is")


class Variant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A change of parameters that an ablation tries, or of the seconds that the puzzles of a set are given."""

    name: str
    params: dict[str, Any] = {}
    time_limits: dict[str, float] = {}


class Experiment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table: every set solved so many times, by every variant; or only its candidates judged, by every measure.

    ``wear`` lists conditions as ``cut --wear`` takes them: all of it is done with pieces of each, "" being clean ones.
    """

    name: str
    title: str
    type: int
    sets: list[ImageSet]
    kind: Literal["solve", "measure"] = "solve"
    preset: str = "paper"
    runs: int = 1
    size: int = 28
    text: str = ""
    wear: tuple[str, ...] = ()
    variants: tuple[Variant, ...] = (Variant(""),)

    def __post_init__(self) -> None:
        # Its results go into files of this name.
        if not re.fullmatch(r"\w[\w .+-]*", self.name):
            raise ValueError(f"an experiment cannot have the name {self.name!r}: letters, digits, . + - are allowed")
        if self.preset not in PRESETS:
            raise ValueError(f"there is no preset {self.preset!r}; there are {', '.join(PRESETS)}")
        if self.type not in range(1, 8) or self.size < 2 or self.runs < 1:
            raise ValueError("types are 1 to 7, pieces have 2 or more pixels, and there is at least one run")
        if len({Wear.of(text) for text in self.wear}) < len(self.wear):
            raise ValueError(f"two of its conditions of wear are the same ({'; '.join(self.wear)})")

    def named(self, name: str) -> ImageSet:
        """The set of a name; one of which nothing is published if there is none."""
        return next((chosen for chosen in self.sets if chosen.name == name), ImageSet(name, 0))

    def params(self, variant: Variant) -> Params:
        """The parameters of a variant."""
        return changed_params(PRESETS[self.preset], variant.params)


def load_experiment(name: str, *, preset: str | None = None, type: int | None = None) -> Experiment:
    """Read an experiment: a TOML file, or the name of one in the folder ``experiments``.

    With another preset or type it is another experiment, and goes by another name.
    """
    path = Path(name) if name.endswith(".toml") else Path("experiments") / f"{name}.toml"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        experiment = msgspec.convert({"name": path.stem, **data}, Experiment)
        names = [chosen.name for chosen in experiment.sets]
        if len(set(names)) < len(names):
            raise ValueError(f"two of its sets have the same name ({', '.join(names)})")
        changes = {"preset": preset, "type": type}
        changed = {key: value for key, value in changes.items() if value not in (None, getattr(experiment, key))}
        suffix = "".join(f"-{key}-{value}" for key, value in changed.items())
        experiment = msgspec.structs.replace(experiment, name=experiment.name + suffix, **changed)
        for variant in experiment.variants:
            experiment.params(variant)
            for limited, seconds in variant.time_limits.items():
                if not 0 < seconds < math.inf:
                    raise ValueError(f"a time limit must be positive and finite, not {seconds} seconds")
                if limited not in names:
                    raise ValueError(f"{variant.name} limits the time of {limited}, which is none of its sets")
    except FileNotFoundError as error:
        if not path.parent.is_dir():
            said = f"There is no folder {path.parent} here; call this in a clone of the project, which has it."
            raise BadInputError(said) from error
        there = ", ".join(sorted(p.stem for p in path.parent.glob("*.toml"))) or "none"
        raise BadInputError(f"There is no experiment {path}; in {path.parent} there are: {there}.") from error
    except (OSError, ValueError, TypeError, KeyError, RecursionError, BadInputError) as error:
        raise BadInputError(f"{path} is not an experiment: {str(error).removesuffix('.')}.") from error
    return experiment
