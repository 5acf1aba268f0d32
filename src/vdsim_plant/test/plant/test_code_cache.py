"""Compiled code is loaded from no folder that another user could exchange."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from vdsim_plant.compiled import code_cache

OTHER = 12345
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
needs_root = pytest.mark.skipif(not IS_ROOT, reason="only root gives files away")


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that holds those of each state of the sources."""
    made = tmp_path / "vdsim"
    made.mkdir(mode=0o700)
    monkeypatch.setenv("VDSIM_CACHE_DIR", str(made))
    return made


def found(base: Path) -> bool:
    """Whether a folder below `base` is used."""
    folder = code_cache._cache_folder()
    return folder is not None and folder.parent == base


def test_a_folder_of_this_user_is_used(base: Path) -> None:
    assert found(base)


def test_a_folder_that_everybody_may_write_to_is_not_used(base: Path) -> None:
    base.chmod(0o777)
    assert not found(base)
    base.chmod(0o1777)  # in one that is sticky, as /tmp is, nobody renames what is not his
    assert found(base)


@needs_root
def test_a_link_is_followed_where_this_user_made_it(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = base.parent / "link"
    link.symlink_to(base)
    monkeypatch.setenv("VDSIM_CACHE_DIR", str(link))
    assert found(link)
    os.chown(link, OTHER, OTHER, follow_symlinks=False)
    assert not found(link)


@needs_root
def test_a_folder_of_another_user_is_not_used(base: Path) -> None:
    os.chown(base, OTHER, OTHER)
    assert not found(base)


def test_a_folder_whose_owner_is_another_user_is_not_used(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As seen by another user than its owner, who is not root."""
    if base.stat().st_uid == 0:
        os.chown(base, OTHER + 1, OTHER + 1)
    monkeypatch.setattr(code_cache, "_user", lambda: OTHER)
    assert not found(base)
