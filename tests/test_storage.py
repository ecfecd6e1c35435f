"""Files are there whole or not at all, sets of files likewise; and what cannot be read is said in a sentence."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from rectoverso import storage, swapping
from rectoverso.errors import BadInputError, TooLargeError
from rectoverso.storage import has_file, is_empty, kind_of, read_file, write_file, write_files
from rectoverso.swapping import PART, PLAN, PUZZLE, RESULT, settle, swap_files

OLD = {"solution.json": b"old solution", "front.png": b"old front", "report.html": b"old report"}
NEW = {"solution.json": b"new solution", "front.png": b"new front", "log.jsonl": b"new log"}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the result of an earlier solve and somebody's diary."""
    folder = tmp_path / "out"
    folder.mkdir()
    swap_files(folder, OLD, RESULT)
    (folder / "diary.txt").write_bytes(b"dear diary")
    return folder


def test_a_set_of_files_replaces_another(folder: Path) -> None:
    """What the new one does not have goes, and what is not ours stays."""
    swap_files(folder, NEW, RESULT)
    assert contents(folder) == NEW | {"diary.txt": b"dear diary"}


def calls(monkeypatch: pytest.MonkeyPatch, fail: Callable[[int, str], None]) -> list[str]:
    """Have each change of the disk counted, and let one fail before or after it is made."""
    made: list[str] = []

    def watched(name: str) -> None:
        real = getattr(os, name)

        def change(*args: object, **options: object) -> object:
            made.append(name)
            fail(len(made), "before")
            done = real(*args, **options)
            fail(len(made), "after")
            return done

        monkeypatch.setattr(os, name, change)

    for name in ("open", "replace", "unlink", "fsync"):
        watched(name)
    return made


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_whenever_it_fails_the_files_are_of_one_set(
    folder: Path, monkeypatch: pytest.MonkeyPatch, when: str, error: BaseException
) -> None:
    """An interrupt or a full disk at any change of the disk: the set is old or new, at the latest for the next run."""
    seen, at = set(), 0
    while True:
        at += 1

        def fail(number: int, moment: str, at: int = at) -> None:
            if (number, moment) == (at, when):
                raise error

        swap_files(folder, OLD, RESULT)
        with monkeypatch.context() as patched:
            made = calls(patched, fail)
            with suppress(KeyboardInterrupt, BadInputError):
                swap_files(folder, NEW, RESULT)
        if len(made) < at:
            break
        settle(folder)
        found = {name: data for name, data in contents(folder).items() if not name.startswith(PART)}
        assert found.pop("diary.txt") == b"dear diary"
        assert found in (OLD, NEW)
        seen.add(found == NEW)
    assert seen == {False, True}
    assert set(contents(folder)) == {*NEW, "diary.txt"}


KILLED = """
import os, sys
from pathlib import Path
from rectoverso.swapping import RESULT, swap_files

def dying(name, real):
    def change(*args, **options):
        global left
        left -= 1
        if left == 0:
            os._exit(9)
        return real(*args, **options)
    return change

left = int(sys.argv[2])
for name in ("open", "replace", "unlink", "fsync", "close"):
    setattr(os, name, dying(name, getattr(os, name)))
swap_files(Path(sys.argv[1]), eval(sys.argv[3]), RESULT)
"""


def test_whenever_it_is_killed_the_files_are_of_one_set(folder: Path) -> None:
    """Whoever comes next finds the old set or finishes the new one, and what was left beside is taken away."""
    seen, at = set(), 1
    while True:
        swap_files(folder, OLD, RESULT)
        code = subprocess.run([sys.executable, "-c", KILLED, folder, str(at), repr(NEW)], check=False).returncode
        settle(folder)
        write_file(folder / "diary.txt", b"dear diary")
        found = contents(folder)
        del found["diary.txt"]
        assert found in (OLD, NEW)
        seen.add(found == NEW)
        if code == 0:
            break
        assert code == 9
        at += 3
    assert seen == {False, True}


def test_a_part_that_was_left_is_taken_away(tmp_path: Path) -> None:
    (tmp_path / f"{PART}0123").write_bytes(b"half of some")
    assert is_empty(tmp_path)
    write_file(tmp_path / "a", b"1")
    assert contents(tmp_path) == {"a": b"1"}


def test_a_part_that_is_being_written_is_left(tmp_path: Path) -> None:
    """Another process may be writing into the same folder."""
    part = tmp_path / f"{PART}0123"
    with swapping.held(tmp_path, alone=False):
        part.write_bytes(b"half of some")
        write_file(tmp_path / "a", b"1")
        assert part.exists()
    write_file(tmp_path / "a", b"1")
    assert not part.exists()


def test_many_write_at_once(tmp_path: Path) -> None:
    """Nobody takes away what another is writing, and sets do not mix."""
    sets = [{name: bytes([number]) * 1000 for name in RESULT} for number in range(4)]
    failed: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(10):
                swap_files(tmp_path, sets[number], RESULT)
                write_file(tmp_path / f"own-{number}", bytes([turn]))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    found = contents(tmp_path)
    assert {name: found[name] for name in RESULT} in sets
    assert set(found) == {*RESULT, *(f"own-{number}" for number in range(4))}


@pytest.mark.parametrize(
    "plan",
    [
        {"../victim": None, "diary.txt": None, "front.png": "../victim"},
        {"front.png": f"{PART}../../victim", "back.png": 3},
        [],
        "x",
    ],
)
def test_a_foreign_plan_reaches_nothing_else(folder: Path, plan: object) -> None:
    (folder.parent / "victim").write_bytes(b"mine")
    (folder / PLAN).write_text(json.dumps(plan))
    settle(folder)
    assert contents(folder) == OLD | {"diary.txt": b"dear diary"}
    assert (folder.parent / "victim").read_bytes() == b"mine"


def test_a_folder_in_the_way_is_found_before_anything_is_decided(folder: Path) -> None:
    (folder / "back.png").mkdir()
    with pytest.raises(BadInputError, match=r"out cannot be written \(back.png is a folder\)"):
        swap_files(folder, NEW, RESULT)
    (folder / "back.png").rmdir()
    assert contents(folder) == OLD | {"diary.txt": b"dear diary"}


def test_links_are_replaced_and_not_followed(folder: Path) -> None:
    (folder.parent / "victim").write_bytes(b"mine")
    (folder / "front.png").unlink()
    (folder / "front.png").symlink_to(folder.parent / "victim")
    swap_files(folder, NEW, RESULT)
    (folder / "diary.txt").unlink()
    (folder / "diary.txt").symlink_to(folder.parent / "victim")
    write_file(folder / "diary.txt", b"again")
    assert (folder.parent / "victim").read_bytes() == b"mine"
    assert contents(folder) == NEW | {"diary.txt": b"again"}


def test_an_interrupt_after_the_rename_is_an_interrupt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file has its name, and nobody says that it could not be written."""
    replace = os.replace

    def interrupted(*args: str) -> None:
        replace(*args)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_file(tmp_path / "a", b"1")
    assert contents(tmp_path) == {"a": b"1"}


def test_bytes_are_on_the_disk_before_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = calls(monkeypatch, lambda number, moment: None)
    write_file(tmp_path / "a", b"1")
    assert made.index("fsync") < made.index("replace")


def test_a_new_folder_that_cannot_be_filled_is_not_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(swapping, "write_part", full)
    with pytest.raises(BadInputError, match="No space left"):
        write_files(tmp_path / "new", {"puzzle.json": b"{}"}, PUZZLE)
    assert not (tmp_path / "new").exists()


def test_names_that_are_too_long_are_explained(tmp_path: Path) -> None:
    """As is everything that the system does not like of a path."""
    path = tmp_path / ("x" * 300)
    for look in (kind_of, read_file, lambda path: has_file(path, "a"), is_empty):
        with pytest.raises(BadInputError, match="cannot be read"):
            look(path)
    for write in (lambda path: write_file(path, b""), lambda path: write_files(path / "a.zip", {}, ())):
        with pytest.raises(BadInputError, match="cannot be written"):
            write(path)


def test_long_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(bytes(2000))
    with pytest.raises(TooLargeError, match="longer than"):
        read_file(tmp_path / "long", limit=1999)
    assert len(read_file(tmp_path / "long", limit=2000)) == 2000
    with pytest.raises(TooLargeError, match="longer than"):
        read_file(Path("/dev/zero"), limit=10**6)


def zip_with(path: Path, data: bytes, method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("puzzle.json", data)
    return path


def test_long_files_are_not_unpacked(tmp_path: Path) -> None:
    """A file of spaces is a thousand times smaller in a zip file."""
    path = zip_with(tmp_path / "a.zip", b" " * 10**6)
    with pytest.raises(TooLargeError, match=r"puzzle.json would unpack to"):
        read_file(path, "puzzle.json", 10**5)
    assert len(read_file(path, "puzzle.json", 10**6)) == 10**6


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_methods_of_compression_are_refused(tmp_path: Path, method: int) -> None:
    with pytest.raises(BadInputError, match="compressed by another method than deflate"):
        read_file(zip_with(tmp_path / "a.zip", b"{}", method), "puzzle.json")


def test_damaged_zips_are_explained(tmp_path: Path) -> None:
    """Each byte of a small one changed in turn: zlib, versions, flags, lengths, names."""
    whole = zip_with(tmp_path / "a.zip", b"[1, 2, 3]" * 20).read_bytes()
    for place in range(len(whole)):
        for change in (0x01, 0x80, 0xFF):
            (tmp_path / "b.zip").write_bytes(whole[:place] + bytes([whole[place] ^ change]) + whole[place + 1 :])
            has_file(tmp_path / "b.zip", "puzzle.json")
            with suppress(BadInputError, TooLargeError):
                read_file(tmp_path / "b.zip", "puzzle.json")


def test_a_zip_of_a_later_version_is_explained(tmp_path: Path) -> None:
    data = bytearray(zip_with(tmp_path / "a.zip", b"{}").read_bytes())
    struct.pack_into("<H", data, data.index(b"PK\1\2") + 6, 99)
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(BadInputError, match=r"intact \.zip file"):
        read_file(tmp_path / "a.zip", "puzzle.json")


def test_the_limit_of_unpacking_is_one_for_all_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "MAX_UNPACKED", 1000)
    with pytest.raises(TooLargeError):
        read_file(zip_with(tmp_path / "a.zip", bytes(1001)), "puzzle.json")
