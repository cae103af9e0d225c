;;; drive_emacs.el --- does in Emacs what a person does  -*- lexical-binding: t; -*-

;; Copyright (c) 2026, The flakelint Authors
;;
;; This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
;; For a list of all contributors, see the git history of this repository.

;;; Commentary:

;; Writes what is seen on the way to a file.

;;; Code:

(require 'cl-lib)
(require 'json)

(defvar task (json-read-file (getenv "FLAKELINT_TASK")))
(defvar seen (list (cons 'version emacs-version)))

(defun task (key)
  (alist-get key task))

(defun see (key value)
  (push (cons key value) seen))

(defun wait (what holds)
  (let ((end (+ (float-time) (task 'patience))))
    (while (not (funcall holds))
      (when (> (float-time) end)
        (error "In vain waited until %s" what))
      (accept-process-output nil 0.05))))

(defun findings ()
  "What is shown, each as a code and a line; the code stands in brackets in the text."
  (mapcar (lambda (one)
            (let ((text (flymake-diagnostic-text one)))
              (list (cons 'line (line-number-at-pos (flymake-diagnostic-beg one)))
                    (cons 'text text))))
          (flymake-diagnostics)))

(defun place (line column)
  (goto-char (point-min))
  (forward-line (1- line))
  (forward-char (1- column)))

(defun change (old new)
  "Replace a text, and tell the server without the pause of a person that no batch has."
  (place (task 'line) 1)
  (search-forward old)
  (replace-match new t t)
  (eglot--signal-textDocument/didChange))

(defun quick-fix ()
  "Choose the first quick fix; gives what there was to choose from."
  (let (titles (before (buffer-string)) (last-nonmenu-event t))
    (cl-letf (((symbol-function 'completing-read)
               (lambda (_prompt items &rest _)
                 (setq titles (mapcar #'car items))
                 (car titles))))
      ;; `eglot-code-action-quickfix' of eglot 1.9 applies nothing
      (eglot-code-actions (point) nil "quickfix" t))
    (wait "a fix is applied" (lambda () (not (equal before (buffer-string)))))
    titles))

(defun drive ()
  (package-initialize)
  (add-to-list 'load-path (expand-file-name "emacs" (task 'editors)))
  (setq flakelint-command (append (task 'command) nil)
        flakelint-settings (cl-loop for (key . value) in (task 'settings)
                                    append (list (intern (format ":%s" key)) value)))
  (require 'flakelint-eglot)
  (see 'eglot (package-version-join (package-desc-version (cadr (assq 'eglot package-alist)))))
  (setq eglot-sync-connect t
        eglot-connect-timeout (task 'patience)
        eglot-autoshutdown t)
  (find-file (task 'file))
  (python-mode)
  (call-interactively #'eglot)
  (wait "one thing is found" (lambda () (equal 1 (length (findings)))))
  (see 'found (vconcat (findings)))

  (change (task 'faulty) (task 'fixed))
  (wait "nothing is found" (lambda () (null (findings))))
  (change (task 'fixed) (task 'faulty))
  (wait "it is found again" #'findings)

  (place (task 'hover_line) (task 'hover_column))
  (let (hover)
    (set-window-buffer (selected-window) (current-buffer))
    (eglot-hover-eldoc-function (lambda (text &rest _) (setq hover (or text hover))))
    (wait "a hover comes" (lambda () hover))
    (see 'hover (substring-no-properties hover)))

  (place (task 'line) (task 'column))
  (see 'titles (vconcat (quick-fix)))
  (see 'fixed (buffer-substring-no-properties (point-min) (point-max)))
  (eglot--signal-textDocument/didChange)
  (wait "nothing is found" (lambda () (null (findings))))

  (change (task 'fixed) (task 'faulty))
  (flakelint-fix-all)
  (see 'fixed_all (buffer-substring-no-properties (point-min) (point-max)))

  (let ((server (eglot-current-server)))
    (set-buffer-modified-p nil)
    (kill-buffer)
    (wait "the server ends" (lambda () (not (jsonrpc-running-p server))))))

(condition-case problem
    (drive)
  (error (see 'problem (error-message-string problem))))
(see 'messages (with-current-buffer "*Messages*" (buffer-string)))
(with-temp-file (task 'report)
  (insert (json-encode seen)))
(kill-emacs 0)

;;; drive_emacs.el ends here
