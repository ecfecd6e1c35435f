"""Train the measure of worn pieces: ``python training/train.py --data FOLDER --minutes 60 -o weights.npz``."""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import NamedTuple

import numpy as np
import torch
from network import Edges
from pictures import cut_out, pages, photographs
from torch import Tensor
from torch.nn import functional
from wearing import Lesson, lesson

from rectoverso import Puzzle, find_candidates
from rectoverso.geometry import DOWN, LEFT, RIGHT, UP
from rectoverso.matching.lists import CandidateLists
from rectoverso.matching.strips import side_rows
from rectoverso.puzzle.types import PuzzleType
from rectoverso.worn.named import named_measures, usual_levels
from rectoverso.worn.network import DEPTH, banded, whitening_of
from rectoverso.worn.texture import conditions, texture_of

SIDE = 14
"""Tiles along a part of a picture."""
PITCHES, SHARES = (28, 20, 24, 32, 40), (0.6, 0.1, 0.1, 0.12, 0.08)
PAGES = 0.12
"""The share of lessons with pages of text."""
HARD, LISTED, DRAWN, QUERIES = 5, 48, 12, 170
"""A seam is compared with the hardest candidates by the vectors and by the blend, and with some drawn from all that a
solve would list; and for how many seams of a lesson. With the hardest ones alone, scores of all others run wild."""
RATE = 2e-3
"""The first learning rate; it falls to nothing along a cosine."""
SAVED = 60
"""Weights are saved every so many seconds."""


def seams(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """The two edges of all seams of tiles that lie in place."""
    number = np.arange(rows * columns).reshape(rows, columns) * 4
    one = np.concatenate([(number[:, :-1] + RIGHT).ravel(), (number[:-1] + DOWN).ravel()])
    other = np.concatenate([(number[:, 1:] + LEFT).ravel(), (number[1:] + UP).ravel()])
    return np.concatenate([one, other]), np.concatenate([other, one])


def strips_of(tiles: np.ndarray) -> np.ndarray:
    """Edges x rows x pixels x RGB."""
    flat = tiles.reshape(-1, *tiles.shape[-3:])
    rows = np.stack([side_rows(flat, row) for row in range(min(DEPTH, flat.shape[1]))], axis=2)
    return rows.reshape(-1, *rows.shape[2:])


def told(given: Lesson, rng: np.random.Generator) -> np.ndarray:
    """The conditions, as well as they could be estimated."""
    light = max(0.0, given.light * rng.uniform(0.7, 1.3) + (rng.uniform(0, 0.4) if rng.random() < 0.3 else 0))
    return conditions(texture_of(given.tiles), given.gap, light)


class Exercise(NamedTuple):
    """A lesson as the network sees it."""

    strips: Tensor
    told: Tensor
    whitening: Tensor
    side: int
    lists: CandidateLists
    levels: np.ndarray


def exercise(given: Lesson, rng: np.random.Generator) -> Exercise:
    """What a puzzle of these tiles would give to the network."""
    rows, columns, height, width, _ = given.tiles.shape
    pixels = np.ascontiguousarray(given.tiles.reshape(rows * columns, 1, height, width, 3))
    puzzle = Puzzle(pixels, PuzzleType.TYPE_2, rows, columns)
    lists = find_candidates(puzzle, measure="blend", num_candidates=LISTED, least_group=pixels.size)
    conditions_, strips = told(given, rng), strips_of(given.tiles)
    whitening = whitening_of(strips, np.expm1(conditions_[0]))
    shown = banded(strips).transpose(0, 1, 3, 2).reshape(len(strips), -1, strips.shape[2])
    tensors = (torch.from_numpy(each) for each in (np.ascontiguousarray(shown), conditions_, whitening))
    return Exercise(*tensors, rows, lists, usual_levels(lists))


def give_lessons(data: Path, fonts: Path, seed: int, queue: Queue[Exercise]) -> None:
    """Go on making exercises of parts of pictures."""
    rng = np.random.default_rng(seed)
    photos, texts = photographs(data), pages(data, fonts)
    while True:
        picture, least = texts[rng.integers(len(texts))] if rng.random() < PAGES else photos[rng.integers(len(photos))]
        pitch = int(rng.choice(PITCHES, p=SHARES))
        side = SIDE if min(picture.size) > SIDE * pitch + 8 else (min(picture.size) - 4) // pitch
        if side < 6:
            continue
        queue.put(exercise(lesson(cut_out(picture, least, side * pitch, side * pitch, rng), pitch, rng), rng))


def loss_of(net: Edges, given: Exercise) -> tuple[Tensor, Tensor, float, float]:
    """What both stages lose, and which share of the true neighbors each ranks first."""
    one, other = (torch.from_numpy(each) for each in seams(given.side, given.side))
    near, far = net.seen(given.strips, given.told, True), net.seen(given.strips.flip(2), given.told, False)
    logits = net.distances(near, far)[one]
    pieces = torch.arange(len(given.strips)) // 4
    logits = logits.masked_fill(pieces[one][:, None] == pieces[None], -1e4)
    first = functional.cross_entropy(logits, other)
    best = float((logits.argmax(1) == other).float().mean())
    some = torch.randperm(len(one))[:QUERIES]
    one, other, logits = one[some], other[some], logits[some]
    candidates, stands_for = candidates_of(given, logits, one, other)
    flat, others = one[:, None].expand_as(candidates).reshape(-1), candidates.reshape(-1)
    named = named_of(given, flat.numpy(), others.numpy())
    judged = net.judged(near, far, given.whitening, named, given.told, flat, others).reshape(candidates.shape)
    judged = judged + net.share * logits.gather(1, candidates) + stands_for
    # The same candidate by both ways counts once.
    again = (candidates[:, :, None] == candidates[:, None]).tril(-1).any(2)
    judged = judged.masked_fill(again, -1e4)
    second = functional.cross_entropy(judged, torch.zeros(len(one), dtype=torch.long))
    return first, second, best, float((judged.argmax(1) == 0).float().mean())


def candidates_of(given: Exercise, logits: Tensor, one: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """The true neighbor, the hardest others by the vectors and by the blend, and some that are drawn.

    With the logarithm of how many listed candidates each of them stands for.
    """
    near = logits.detach().scatter(1, other[:, None], -1e4).topk(LISTED, dim=1).indices
    blend = torch.from_numpy(given.lists.candidates[one.numpy()].astype(np.int64))
    blend = torch.where(blend < logits.shape[1], blend, near[:, : blend.shape[1]])
    rest = torch.cat([near[:, HARD:], blend[:, HARD:]], dim=1)
    drawn = rest.gather(1, torch.rand(rest.shape).topk(DRAWN, dim=1).indices)
    candidates = torch.cat([other[:, None], near[:, :HARD], blend[:, :HARD], drawn], dim=1)
    stands_for = torch.zeros(candidates.shape[1])
    stands_for[-DRAWN:] = math.log(rest.shape[1] / DRAWN)
    return candidates, stands_for


def named_of(given: Exercise, one: np.ndarray, other: np.ndarray) -> Tensor:
    """What the named measures say, beside what they usually say."""
    usual = (given.levels[one] + given.levels[other]) / 2
    return torch.from_numpy(named_measures(given.lists.descriptors, one, other) - usual)


def start_from(net: Edges, path: Path) -> None:
    """Begin with weights that were learned before, as far as they are of the same shapes."""
    known, there = np.load(path), net.state_dict()
    fits = {name: name in known and known[name].shape == tuple(value.shape) for name, value in there.items()}
    found = {name: torch.from_numpy(known[name].astype(np.float32)) for name in there if fits[name]}
    net.load_state_dict({**there, **found})


def train(net: Edges, queue: Queue[Exercise], seconds: float, rate: float, output: Path) -> None:
    """Learn for some time; what is kept is a running mean of the weights."""
    mean = {name: value.clone() for name, value in net.state_dict().items()}
    adam = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-4)
    started, told_at, step, sums = time.monotonic(), time.monotonic(), 0, []
    while (share := (time.monotonic() - started) / seconds) < 1:
        for group in adam.param_groups:
            group["lr"] = rate * min(1, (step + 1) / 100) * (0.5 + 0.5 * math.cos(math.pi * share)) + 1e-5
        first, second, *tops = loss_of(net, queue.get())
        adam.zero_grad()
        (first + second).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        adam.step()
        step += 1
        for name, value in net.state_dict().items():
            mean[name].lerp_(value, max(0.002, 1 / (step + 1)))
        sums.append((first.item(), second.item(), *tops))
        if time.monotonic() - told_at > SAVED:
            told_at = time.monotonic()
            print(f"{share:.3f} step {step}", *(f"{value:.3f}" for value in np.mean(sums, axis=0)), flush=True)
            sums.clear()
            save(mean, output)
    save(mean, output)


def save(weights: dict[str, Tensor], output: Path) -> None:
    """Write weights as they are shipped."""
    np.savez(output, **{name: value.numpy().astype(np.float16) for name, value in weights.items()})


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="The folder of picture sets.")
    parser.add_argument("--fonts", type=Path, default=Path("/usr/share/fonts"), help="Fonts to set pages with.")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rate", type=float, default=RATE, help="The first learning rate.")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=Path, help="Weights to go on from.")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    queue: Queue[Exercise] = Queue(4)
    pictures = options.data, options.fonts, options.seed
    Thread(target=give_lessons, args=(*pictures, queue), daemon=True).start()
    net = Edges()
    if options.start:
        start_from(net, options.start)
    train(net, queue, 60 * options.minutes, options.rate, options.output)


if __name__ == "__main__":
    main()
