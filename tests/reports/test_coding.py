"""What is packed can be unpacked."""

from __future__ import annotations

import base64
import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.reports.coding import packed, varints
from tests.reports.varint_reader import read_varints

numbers = st.lists(st.integers(-(2**41), 2**41), max_size=50)


@given(numbers, st.booleans())
def test_round_trip(values, delta):
    content = varints(np.array(values, np.int64), delta=delta) + b"rest"
    found, rest = read_varints(content, len(values), delta=delta)
    assert found.tolist() == values
    assert rest == b"rest"


def test_small_numbers_take_one_byte():
    assert len(varints(np.arange(-64, 64))) == 128
    assert len(varints(np.arange(1_000_000, 1_000_100), delta=True)) == 102  # 3 for the first


def test_too_few_bytes():
    with pytest.raises(ValueError, match="expected 3 numbers"):
        read_varints(varints(np.array([1, 2])), 3)


def test_packed_is_gzip_and_always_the_same():
    text = packed(b"the same" * 100)
    assert text == packed(b"the same" * 100)
    assert gzip.decompress(base64.b64decode(text)) == b"the same" * 100
