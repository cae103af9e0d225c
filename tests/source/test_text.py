# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Bytes become text as in Python, or a DecodeError says why not."""

import pytest

from flakelint.source.text import DecodeError, decode

# codecs that make bytes of bytes or text of text, that refuse with errors of their own, and one that does not exist
ODD_CODECS = ('base64', 'bz2', 'hex', 'idna', 'nothing', 'punycode', 'quopri', 'rot13', 'undefined', 'uu', 'zlib')


@pytest.mark.parametrize('codec', ODD_CODECS)
def test_a_cookie_that_names_no_encoding_of_files(codec: str) -> None:
    with pytest.raises(DecodeError, match=codec):
        decode(f'# coding: {codec}\nx = "é{"a" * 80}"\n'.encode())


@pytest.mark.parametrize(('data', 'line'), [(b'x\n\xff', 2), (b'# coding: ascii\n# \xe9', 2), (b'# coding: utf-7\n+\xff', 2)])
def test_a_bad_byte_has_a_line(data: bytes, line: int) -> None:
    with pytest.raises(DecodeError, match='is not valid') as caught:
        decode(data)
    assert caught.value.line == line


def test_a_mark_and_a_cookie_that_disagree() -> None:
    with pytest.raises(DecodeError, match='byte order mark'):
        decode(b'\xef\xbb\xbf# coding: latin-1\n')
    assert decode(b'\xef\xbb\xbf# coding: UTF-8\n').bom
