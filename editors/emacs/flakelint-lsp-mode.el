;;; flakelint-lsp-mode.el --- flakelint in Emacs by lsp-mode  -*- lexical-binding: t; -*-

;; Copyright (c) 2026, The flakelint Authors
;;
;; This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
;; For a list of all contributors, see the git history of this repository.

;;; Commentary:

;; Load this file, then `M-x lsp' in a buffer of Python.  It runs beside another server for Python.
;; Not tried: no test runs lsp-mode.

;;; Code:

(require 'lsp-mode)

(defvar flakelint-command '("flakelint" "server")
  "How the server is started.")

(defvar flakelint-settings nil
  "What the server understands, such as `((inlayHints . \"narrow\"))'.")

(lsp-register-client
 (make-lsp-client
  :new-connection (lsp-stdio-connection (lambda () flakelint-command))
  :activation-fn (lsp-activate-on "python" "markdown")
  :server-id 'flakelint
  :add-on? t
  :initialization-options (lambda () flakelint-settings)))

(provide 'flakelint-lsp-mode)
;;; flakelint-lsp-mode.el ends here
