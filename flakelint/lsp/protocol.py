# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the server does differently from pygls where the two meet a client."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol, lsp_method

# `ServerCancelled` of the specification: what was asked was overtaken, and may be asked again
SERVER_CANCELLED = -32802
CONTENT_MODIFIED = -32801
PARSE_ERROR = -32700
INVALID_REQUEST = -32600


def overtaken() -> JsonRpcException:
    """The answer to a request for diagnostics that a change of the document overtook."""
    return JsonRpcException('the document changed', SERVER_CANCELLED, {'retriggerRequest': True})


def modified() -> JsonRpcException:
    """The answer to any other request that a change of the document overtook."""
    return JsonRpcException('the document changed', CONTENT_MODIFIED)


class Protocol(LanguageServerProtocol):
    """Keeps no texts, since Python counts its lines otherwise than `str.splitlines`, and answers requests that it cannot read."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message as an object; a request that cannot be made one is answered with an error."""
        try:
            return super().structure_message(data)
        except JsonRpcException:
            if 'id' in data and 'method' in data:
                problem = JsonRpcInvalidParams(f'the parameters of `{data["method"]}` are not valid')
                self._send_response(data['id'], None, problem.to_response_error())
            raise

    def refuse(self, error: Exception) -> None:
        """Answer what is no message, and so has no number to answer to."""
        is_read = isinstance(error, JsonRpcException)
        code, reason = (INVALID_REQUEST, error.message) if is_read else (PARSE_ERROR, f'not JSON: {error}')
        self._send_data({'jsonrpc': self.VERSION, 'id': None, 'error': {'code': code, 'message': reason}})

    def handle_message(self, message: Any) -> None:
        """Pass on a message; what is no message of the protocol is refused."""
        if not hasattr(message, 'jsonrpc'):
            self.refuse(JsonRpcException(f'not a JSON-RPC message: {json.dumps(message, default=str)[:200]}', INVALID_REQUEST))
            return
        method = getattr(message, 'method', None)
        asks = method is not None and hasattr(message, 'id')
        if asks and (self._shutdown or (method == types.INITIALIZE and self._workspace is not None)):
            reason = 'the server was shut down' if self._shutdown else 'the server is initialized'
            self._send_response(message.id, None, types.ResponseError(INVALID_REQUEST, reason))
            return
        super().handle_message(message)


def _passed_on(method: str) -> Callable[[Protocol, Any], Iterator[Any]]:
    """A built-in feature that does nothing but ask ours."""

    @lsp_method(method)
    def pass_on(protocol: Protocol, params: Any) -> Iterator[Any]:
        yield protocol.fm.features[method], (params,), None

    return pass_on


for _name, _method in (
    ('lsp_text_document__did_open', types.TEXT_DOCUMENT_DID_OPEN),
    ('lsp_text_document__did_change', types.TEXT_DOCUMENT_DID_CHANGE),
    ('lsp_text_document__did_close', types.TEXT_DOCUMENT_DID_CLOSE),
    ('lsp_notebook_document__did_open', types.NOTEBOOK_DOCUMENT_DID_OPEN),
    ('lsp_notebook_document__did_change', types.NOTEBOOK_DOCUMENT_DID_CHANGE),
    ('lsp_notebook_document__did_close', types.NOTEBOOK_DOCUMENT_DID_CLOSE),
):
    setattr(Protocol, _name, _passed_on(_method))
