# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the server does differently from pygls where the two meet a client."""

import json
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol, lsp_method

# `ServerCancelled` of the specification: what was asked was overtaken, and may be asked again
SERVER_CANCELLED = -32802
PARSE_ERROR = -32700
INVALID_REQUEST = -32600


def overtaken() -> JsonRpcException:
    """The answer to a request for diagnostics that a change of the document overtook."""
    return JsonRpcException('the document changed', SERVER_CANCELLED, {'retriggerRequest': True})


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
        is_text = isinstance(error, JsonRpcException)
        code, reason = (INVALID_REQUEST, error.message) if is_text else (PARSE_ERROR, f'not JSON: {error}')
        self._send_data({'jsonrpc': self.VERSION, 'id': None, 'error': {'code': code, 'message': reason}})

    def handle_message(self, message: Any) -> None:
        """Pass on a message; what is no message of the protocol is refused."""
        if not hasattr(message, 'jsonrpc'):
            self.refuse(JsonRpcException(f'not a JSON-RPC message: {json.dumps(message, default=str)[:200]}', INVALID_REQUEST))
            return
        super().handle_message(message)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Any:
        """A document was opened."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Any:
        """A document was changed."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Any:
        """A document was closed."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(self, params: types.DidOpenNotebookDocumentParams) -> Any:
        """A notebook was opened."""
        yield self.fm.features[types.NOTEBOOK_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, params: types.DidChangeNotebookDocumentParams) -> Any:
        """A notebook was changed."""
        yield self.fm.features[types.NOTEBOOK_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(self, params: types.DidCloseNotebookDocumentParams) -> Any:
        """A notebook was closed."""
        yield self.fm.features[types.NOTEBOOK_DOCUMENT_DID_CLOSE], (params,), None
