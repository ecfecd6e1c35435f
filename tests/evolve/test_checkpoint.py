"""A solve that was stopped and resumed is the solve that was never stopped; bad checkpoints are refused."""

from __future__ import annotations

import json
import zipfile
from dataclasses import asdict, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import lists_of, small_puzzle

from rectoverso import (
    PRESETS,
    BadInputError,
    Checkpoint,
    Genetic,
    Params,
    Progress,
    Puzzle,
    Result,
    Solver,
    State,
    changed_params,
    find_candidates,
    load_checkpoint,
    save_checkpoint,
    solve,
)
from rectoverso.errors import PuzzleWarning
from rectoverso.evolve.checkpoint import check_checkpoint_place
from rectoverso.evolve.observers import Observer
from rectoverso.evolve.stop import MaxGenerations, Stop
from rectoverso.storage import write_file

PARAMS = Params(Genetic(population=24, generations=6, elites=2, mutation=0.02))
SEED = 2**64 - 3
DOUBTED = "is damaged, or was written by a rectoverso with other parameters"


class Keeper(Observer):
    """Keeps the state of every generation."""

    def __init__(self) -> None:
        self.states: list[State] = []

    def on_progress(self, progress: Progress) -> None:
        """Keep one more."""
        if progress.state is not None:
            self.states.append(progress.state)


def tale(result: Result) -> tuple[object, ...]:
    """Everything that a result tells but its times."""
    history = [replace(record, seconds=0.0) for record in result.history]
    return result.arrangement, result.cost, result.params, result.seed, result.reason, history, result.placements


@pytest.mark.parametrize("type", range(1, 8))
def test_resumed_at_any_generation(tmp_path: Path, type: int) -> None:
    """Wherever it was stopped, through a file and back, the end is the same to the last bit."""
    puzzle = small_puzzle("flat", type, rows=4, columns=5)
    keeper = Keeper()
    whole = solve(puzzle, params=PARAMS, seed=SEED, threads=1, observers=[keeper])
    assert [state.generation for state in keeper.states] == list(range(7))
    for state in keeper.states:
        save_checkpoint(state, tmp_path / "state")
        loaded = load_checkpoint(tmp_path / "state", puzzle)
        assert tale(solve(puzzle, resume=loaded, threads=2)) == tale(whole)


def test_state_survives_its_file(tmp_path: Path) -> None:
    """All of it is read as it was written, and read-only."""
    puzzle = small_puzzle("distinct", 4)
    keeper = Keeper()
    solve(puzzle, params=PARAMS, seed=SEED, observers=[keeper])
    state = keeper.states[-1]
    save_checkpoint(state, tmp_path / "state")
    loaded = load_checkpoint(str(tmp_path / "state"), puzzle)
    for name in ("puzzle", "params", "seed", "stale", "history"):
        assert getattr(loaded, name) == getattr(state, name)
    for name in ("population", "costs", "best"):
        assert np.array_equal(getattr(loaded, name), getattr(state, name))
        with pytest.raises(ValueError, match="read-only"):
            getattr(loaded, name)[0] = 0
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_all_parts_of_the_params_survive(tmp_path: Path) -> None:
    """With the relative objective and repair, and with one of them left out; a time limit ends one run only."""
    puzzle = small_puzzle("distinct", 2)
    best = changed_params(PRESETS["best"], {"genetic": {"population": 24}})
    for params in (best, replace(best, repair=None), replace(best, time_limit=60.0), PARAMS):
        state = next(iter(Solver(puzzle, lists_of(puzzle, params), params)))
        save_checkpoint(state, tmp_path / "state")
        kept = replace(params, time_limit=0.0)
        assert load_checkpoint(tmp_path / "state", puzzle).params == state.params == kept


def test_resumed_with_another_limit() -> None:
    """More generations, another patience or another time limit give the run that had them from the start."""
    puzzle = small_puzzle("distinct", 2)
    keeper = Keeper()
    solve(puzzle, params=PARAMS, seed=1, observers=[keeper])
    for limits in (
        {"genetic": {"generations": 9}},
        {"genetic": {"generations": 40, "patience": 3}},
        {"time_limit": 1e9},
    ):
        longer = changed_params(PARAMS, limits)
        for state in keeper.states[2:5:2]:
            assert tale(solve(puzzle, params=longer, resume=state)) == tale(solve(puzzle, params=longer, seed=1))


def test_resumed_after_its_end() -> None:
    """A solve that was over is over at once, for the same reason."""
    puzzle = small_puzzle("distinct", 2)
    keeper = Keeper()
    whole = solve(puzzle, params=PARAMS, observers=[keeper])
    again = Keeper()
    assert tale(solve(puzzle, resume=keeper.states[-1], observers=[again])) == tale(whole)
    assert len(again.states) == 1


@pytest.mark.parametrize(
    "given",
    [
        {"seed": 2},
        {"params": changed_params(PARAMS, {"genetic": {"population": 25}})},
        {"params": changed_params(PARAMS, {"genetic": {"mutation": 0.0}})},
        {"params": changed_params(PARAMS, {"objective": {"num_candidates": 31}})},
        {"params": changed_params(PARAMS, {"objective": {"relative": {}}})},
    ],
)
def test_resumed_with_something_else(given: dict[str, Any]) -> None:
    """Another seed, puzzle or operator would not be the same solve."""
    puzzle = small_puzzle("distinct", 2)
    keeper = Keeper()
    solve(puzzle, params=PARAMS, seed=1, observers=[keeper])
    state = keeper.states[3]
    with pytest.raises(ValueError, match="only its limits may change"):
        solve(puzzle, resume=state, **given)
    with pytest.raises(ValueError, match="only its limits may change"):
        solve(small_puzzle("distinct", 2, seed=5), resume=state)


def test_what_cannot_be_resumed_is_refused_before_the_preparation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for the preparation of a large puzzle to be told so: no observer hears of a start."""
    puzzle = small_puzzle("distinct", 2)
    keeper = Keeper()
    solve(puzzle, params=PARAMS, seed=1, observers=[keeper])
    state = keeper.states[3]
    heard = []

    class Ear(Observer):
        def on_start(self, *_: object) -> None:
            heard.append("start")

        def on_progress(self, progress: Progress) -> None:
            heard.append(progress.stage)

    monkeypatch.setattr("rectoverso.solving.prepare", lambda *_, **__: pytest.fail("it was prepared"))
    others = (
        (puzzle, PARAMS, 2),
        (puzzle, changed_params(PARAMS, {"genetic": {"population": 25}}), 1),
        (puzzle, changed_params(PARAMS, {"objective": {"relative": {}}}), 1),
        (small_puzzle("distinct", 2, seed=5), PARAMS, 1),
    )
    for other, params, seed in others:
        with pytest.raises(ValueError, match="only its limits may change"):
            state.check_fits(other, params, seed)
        with pytest.raises(ValueError, match="only its limits may change"):
            solve(other, params=params, seed=seed, resume=state, observers=[Ear()])
    assert heard == []
    state.check_fits(puzzle, PARAMS, 1)
    state.check_fits(puzzle, changed_params(PARAMS, {"genetic": {"generations": 99}, "time_limit": 5.0}), 1)


def test_seconds_go_on() -> None:
    """The time before the stop counts; the time between stop and resume does not."""
    puzzle = small_puzzle("distinct", 2)
    lists = find_candidates(puzzle)

    def seconds(state: State | None, ticks: list[float]) -> tuple[State, list[float]]:
        clock = iter(ticks)
        found = []
        for bred in Solver(puzzle, lists, PARAMS, state=state, clock=lambda: next(clock)):
            found.append(bred.seconds)
            if len(found) == 3:
                return bred, found
        raise AssertionError

    state, before = seconds(None, [100, 101, 103, 106])
    assert before == [1, 3, 6]
    assert seconds(state, [5000, 5002, 5005])[1] == [6, 8, 11]


class Generations(Observer):
    """Which generation a checkpoint is at, whenever a generation has been bred."""

    def __init__(self, path: Path, puzzle: Puzzle) -> None:
        self.path, self.puzzle, self.found = path, puzzle, list[int]()

    def on_progress(self, progress: Progress) -> None:
        """Look into the file."""
        if progress.state is not None:
            self.found.append(load_checkpoint(self.path, self.puzzle).generation)


@pytest.mark.parametrize(("stop", "last"), [(None, 6), (MaxGenerations(4), 4)])
def test_checkpoint_every_few_generations(tmp_path: Path, stop: Stop | None, last: int) -> None:
    """The file is at most so many generations behind, and at the last one when the solve is over."""
    puzzle, path = small_puzzle("distinct", 2), tmp_path / "state"
    generations = Generations(path, puzzle)
    solve(puzzle, params=PARAMS, stop=stop, observers=[Checkpoint(path, every=3), generations])
    assert generations.found == [0, 0, 0, 3, 3, 3, 6][: last + 1]
    assert load_checkpoint(path, puzzle).generation == last


def test_checkpoint_that_cannot_be_written(tmp_path: Path) -> None:
    """A disk that fails while solving costs the checkpoint, not the solve."""
    checkpoint = Checkpoint(tmp_path / "nowhere" / "state", every=1)
    with pytest.warns(PuzzleWarning, match="No checkpoint was written, and the next one will be tried") as caught:
        solve(small_puzzle("distinct", 2), params=PARAMS, observers=[checkpoint])
    assert len(caught) == 1
    assert not checkpoint.written
    with pytest.raises(ValueError, match="not every 0"):
        Checkpoint(tmp_path / "state", every=0)


def test_a_checkpoint_that_failed_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that was full is not full for ever: the next checkpoint is written, and each spell is said once."""
    puzzle, tries, saved = small_puzzle("distinct", 2), [], tmp_path / "state"

    def fail_in_turn(path: Path, data: bytes) -> None:
        tries.append(path)
        if len(tries) in (2, 3, 5):
            raise BadInputError("it is full")
        write_file(path, data)

    monkeypatch.setattr("rectoverso.evolve.checkpoint.write_file", fail_in_turn)
    checkpoint = Checkpoint(saved, every=1)
    with pytest.warns(PuzzleWarning, match="it is full") as caught:
        solve(puzzle, params=PARAMS, observers=[checkpoint])
    assert (len(tries), len(caught)) == (7, 2)
    assert checkpoint.written
    assert load_checkpoint(saved, puzzle).generation == 6


def test_the_end_is_written_if_the_last_checkpoint_was_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the end there is one more try, of what is not on the disk yet."""
    puzzle, tries = small_puzzle("distinct", 2), []

    def fail_first(path: Path, data: bytes) -> None:
        tries.append(path)
        if len(tries) < 3:
            raise BadInputError("it is full")
        write_file(path, data)

    monkeypatch.setattr("rectoverso.evolve.checkpoint.write_file", fail_first)
    with pytest.warns(PuzzleWarning, match="it is full"):
        solve(puzzle, params=PARAMS, observers=[Checkpoint(tmp_path / "state", every=6)])
    assert load_checkpoint(tmp_path / "state", puzzle).generation == 6


def npz(method: int = zipfile.ZIP_STORED, **arrays: bytes) -> bytes:
    """An archive of arrays as they are given in bytes."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in arrays.items():
            archive.writestr(f"{name}.npy", data)
    return buffer.getvalue()


def npy(array: np.ndarray, **head: object) -> bytes:
    """An array in bytes, with another head if one is given."""
    buffer = BytesIO()
    about = {"descr": np.lib.format.dtype_to_descr(array.dtype), "fortran_order": False, "shape": array.shape} | head
    np.lib.format.write_array_header_1_0(buffer, about)
    return buffer.getvalue() + array.tobytes()


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("huge", "not a whole one"),
        ("packed", "not a whole one"),
        ("swapped", "not a whole one"),
        ("objects", "not a whole one"),
        ("other method", "not a whole one"),
        ("deep", "is not a checkpoint"),
        ("digits", "is not a checkpoint|is damaged"),
        ("infinite", "is damaged|is not a checkpoint"),
    ],
)
def test_checkpoints_made_to_hurt(tmp_path: Path, kind: str, says: str) -> None:
    """Arrays that are said to be huge, bombs, foreign byte orders, pickles, and JSON that no parser likes."""
    puzzle, path = small_puzzle("distinct", 2), tmp_path / "state"
    solve(puzzle, params=PARAMS, observers=[Checkpoint(path)])
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    about = arrays["about"].tobytes()
    data = {name: npy(array) for name, array in arrays.items()}
    method = zipfile.ZIP_STORED
    if kind == "huge":
        data["population"] = npy(arrays["population"], shape=(2**40, 2**20))
    elif kind == "packed":
        method, data["population"] = zipfile.ZIP_DEFLATED, npy(np.zeros((10**6, 15), np.uint32))
    elif kind == "swapped":
        data["population"] = npy(arrays["population"].astype(">u4"))
    elif kind == "objects":
        data["costs"] = npy(arrays["costs"], descr="|O")
    elif kind == "other method":
        method = zipfile.ZIP_LZMA
    else:
        changed = {
            "deep": b"[" * 10**5 + b"]" * 10**5,
            "digits": about.replace(b'"seed":', b'"seed":' + b"9" * 5000),
            "infinite": about.replace(b'"mean_cost":', b'"mean_cost":1e999,"x":', 1),
        }[kind]
        data["about"] = npy(np.frombuffer(changed, np.uint8))
    path.write_bytes(npz(method, **data))
    with pytest.raises(BadInputError, match=says):
        load_checkpoint(path, puzzle)


def test_a_broken_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stops a write before it is complete leaves the older checkpoint whole, and nothing else."""
    puzzle = small_puzzle("distinct", 2)
    keeper = Keeper()
    solve(puzzle, params=PARAMS, observers=[keeper])
    save_checkpoint(keeper.states[2], tmp_path / "state")

    def fail(*args: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(BadInputError, match="cannot be written"):
        save_checkpoint(keeper.states[3], tmp_path / "state")
    assert load_checkpoint(tmp_path / "state", puzzle).generation == 2
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_place_of_a_checkpoint(tmp_path: Path) -> None:
    """A new file, or an older checkpoint; nothing else is overwritten."""
    puzzle, path = small_puzzle("distinct", 2), tmp_path / "state"
    check_checkpoint_place(path)
    assert not path.exists()
    solve(puzzle, params=PARAMS, observers=[Checkpoint(path)])
    check_checkpoint_place(path)
    (tmp_path / "diary.txt").write_text("dear diary")
    with pytest.raises(BadInputError, match=r"diary.txt is there already and is no checkpoint"):
        check_checkpoint_place(tmp_path / "diary.txt")
    for place in (tmp_path, tmp_path / "nowhere" / "state", tmp_path / "diary.txt" / "state"):
        with pytest.raises(BadInputError, match="cannot be written"):
            check_checkpoint_place(place)


@pytest.fixture
def puzzle() -> Puzzle:
    """The puzzle of the bad checkpoints."""
    return small_puzzle("distinct", 2)


@pytest.fixture
def path(tmp_path: Path, puzzle: Puzzle) -> Path:
    """A good checkpoint, to be made bad."""
    solve(puzzle, params=PARAMS, seed=1, observers=[Checkpoint(tmp_path / "state")])
    return tmp_path / "state"


def refusal(path: Path, puzzle: Puzzle) -> str:
    """The sentence with which a checkpoint is refused."""
    with pytest.raises(BadInputError) as caught:
        load_checkpoint(path, puzzle)
    sentence = str(caught.value)
    assert str(path) in sentence
    assert "\n" not in sentence
    return sentence


def edit(path: Path, arrays: dict[str, Any] | None = None, **about: Any) -> None:
    """Change arrays or entries of a checkpoint; None takes an array away."""
    with np.load(path) as archive:
        held: dict[str, Any] = dict(archive)
    text = json.loads(held["about"].tobytes()) | about
    held["about"] = np.frombuffer(json.dumps(text).encode(), np.uint8)
    buffer = BytesIO()
    np.savez(buffer, **{name: array for name, array in (held | (arrays or {})).items() if array is not None})
    path.write_bytes(buffer.getvalue())


def test_not_a_checkpoint(path: Path, puzzle: Puzzle, tmp_path: Path) -> None:
    """Nothing there, a folder, an empty file, text, a lone array, an archive of something else, a pickle."""
    assert "does not exist" in refusal(tmp_path / "nowhere", puzzle)
    assert "is a folder" in refusal(tmp_path, puzzle)
    lone, pickled = BytesIO(), BytesIO()
    np.save(lone, np.arange(3))
    np.savez(pickled, about=np.array([{}], object))
    for data in (b"", b"not a checkpoint", b"PK\x03\x04", lone.getvalue(), pickled.getvalue()):
        path.write_bytes(data)
        assert "is not a checkpoint of rectoverso, or not a whole one" in refusal(path, puzzle)


def test_truncated_checkpoint(path: Path, puzzle: Puzzle) -> None:
    """However much is missing or changed, it is said in one sentence."""
    data = path.read_bytes()
    for length in (10, 100, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:length])
        assert "not a whole one" in refusal(path, puzzle)
    at = data.index(b"population.npy") + 400
    path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    assert "not a whole one" in refusal(path, puzzle)


def test_checkpoint_of_another_puzzle(path: Path) -> None:
    """A checkpoint knows which puzzle it belongs to."""
    assert "another puzzle" in refusal(path, small_puzzle("distinct", 1))


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ({"version": 3}, "has version 3; this rectoverso reads checkpoints up to 2"),
        ({"version": 3, "params": None}, "has version 3"),
        ({"version": 1, "params": {"population": 24, "generations": 6}}, "there is no parameter population"),
        ({"format": "rectoverso/puzzle"}, "'rectoverso/checkpoint' is needed"),
        ({"seed": "one"}, "is not a checkpoint of rectoverso"),
        ({"seed": -1}, "is damaged"),
        ({"seed": 2**64}, "is damaged"),
        ({"params": {}}, "with other parameters"),
        ({"history": []}, "is damaged"),
        ({"stale": 8}, "is damaged"),
    ],
)
def test_wrong_entries(path: Path, puzzle: Puzzle, about: dict[str, Any], words: str) -> None:
    """What does not fit in the small things is named."""
    edit(path, **about)
    assert words in refusal(path, puzzle)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"population": 1}, f"{DOUBTED}: population must be at least 2, not 1."),
        ({"elites": "four"}, f"{DOUBTED}: genetic.elites must be of type int, not 'four'."),
        ({"populaton": 30}, f"{DOUBTED}: there is no parameter genetic.populaton; genetic has "),
        ({"population": 30}, "is damaged"),
    ],
)
def test_wrong_params(path: Path, puzzle: Puzzle, wrong: dict[str, Any], words: str) -> None:
    """Parameters that make no sense, or that are not those of the population."""
    params = asdict(PARAMS)
    edit(path, params=params | {"genetic": params["genetic"] | wrong})
    assert words in refusal(path, puzzle)


def test_a_parameter_that_the_file_does_not_know(path: Path, puzzle: Puzzle) -> None:
    """What is missing in any part would change the result without a word."""
    params = asdict(PARAMS)
    for name in params:
        edit(path, params={other: value for other, value in params.items() if other != name})
        assert "with other parameters" in refusal(path, puzzle)
    for part in ("genetic", "objective"):
        for name in params[part]:
            fewer = {other: value for other, value in params[part].items() if other != name}
            edit(path, params=params | {part: fewer})
            assert "with other parameters" in refusal(path, puzzle)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("population", lambda array: array[:-1]),
        ("population", lambda array: array.astype(np.int64)),
        ("population", lambda array: array * 0),
        ("population", lambda array: array + 4),
        ("best", lambda array: array[:-1]),
        ("best", lambda array: array + 2**31),
        ("costs", lambda array: array[1:]),
        ("costs", lambda array: array * np.nan),
    ],
)
def test_wrong_arrays(path: Path, puzzle: Puzzle, name: str, change: Any) -> None:
    """Arrays that would lead the native code astray."""
    with np.load(path) as archive:
        changed = change(archive[name])
    edit(path, {name: changed})
    assert "is damaged" in refusal(path, puzzle)


@pytest.mark.parametrize("name", ["about", "population", "costs", "best"])
def test_missing_arrays(path: Path, puzzle: Puzzle, name: str) -> None:
    """Every array is needed."""
    edit(path, {name: None})
    assert "not a whole one" in refusal(path, puzzle)


@pytest.mark.parametrize(("type", "change"), [(1, lambda array: array ^ 1), (3, lambda array: array[:, ::-1])])
def test_what_the_type_forbids(tmp_path: Path, type: int, change: Any) -> None:
    """Pieces that are turned where rotations are known, or not in their cells where those are."""
    puzzle, path = small_puzzle("distinct", type), tmp_path / "state"
    solve(puzzle, params=PARAMS, observers=[Checkpoint(path)])
    with np.load(path) as archive:
        changed = change(archive["population"])
    edit(path, {"population": changed})
    assert "is damaged" in refusal(path, puzzle)
