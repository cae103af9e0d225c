;;; flakelint-eglot.el --- flakelint in Emacs by eglot  -*- lexical-binding: t; -*-

;; Copyright (c) 2026, The flakelint Authors
;;
;; This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
;; For a list of all contributors, see the git history of this repository.

;;; Commentary:

;; Load this file, then `M-x eglot' in a buffer of Python, or add `eglot-ensure' to `python-mode-hook'.
;; eglot runs one server for a buffer, so that flakelint takes the place of another server for Python.

;;; Code:

(require 'eglot)

(defvar flakelint-command '("flakelint" "server")
  "How the server is started.")

(defvar flakelint-settings nil
  "What the server understands, such as `(:inlayHints \"narrow\" :ignore [\"DOC\"])'.")

(add-to-list 'eglot-server-programs
             (cons '(python-mode python-ts-mode markdown-mode)
                   (lambda (&rest _) flakelint-command)))

;; settings of other servers, and of a folder in its `.dir-locals.el', stay
(when (listp (default-value 'eglot-workspace-configuration))
  (setq-default eglot-workspace-configuration
                (append (and flakelint-settings (list :flakelint flakelint-settings))
                        (default-value 'eglot-workspace-configuration))))

(defun flakelint-fix-all ()
  "Fix all that can be fixed safely in this buffer."
  (interactive)
  (eglot-code-actions (point-min) (point-max) "source.fixAll.flakelint" t))

(provide 'flakelint-eglot)
;;; flakelint-eglot.el ends here
