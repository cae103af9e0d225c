-- Copyright (c) 2026, The flakelint Authors
--
-- This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
-- For a list of all contributors, see the git history of this repository.

-- Does in Neovim what a person does, and writes what is seen on the way to a file.

local task = vim.fn.json_decode(vim.fn.readfile(vim.env.FLAKELINT_TASK))
local seen = { version = vim.fn.matchstr(vim.fn.execute('version'), [[v\d\+\.\d\+\.\d\+]]) }

local function wait(what, holds)
  if not vim.wait(task.patience * 1000, holds, 50) then
    error('in vain waited until ' .. what)
  end
end

local function findings()
  local found = {}
  for _, one in ipairs(vim.diagnostic.get(0)) do
    table.insert(found, { code = one.code, line = one.lnum + 1, source = one.source })
  end
  return found
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n') .. '\n'
end

local function replace(line, old, new)
  local before = vim.api.nvim_buf_get_lines(0, line - 1, line, true)[1]
  local start, stop = before:find(old, 1, true)
  vim.api.nvim_buf_set_lines(0, line - 1, line, true, { before:sub(1, start - 1) .. new .. before:sub(stop + 1) })
end

local function place(line, column)
  vim.api.nvim_win_set_cursor(0, { line, column - 1 })
end

local function clients()
  return (vim.lsp.get_clients or vim.lsp.get_active_clients)()
end

local function hover()
  local position = vim.lsp.util.make_position_params(0, clients()[1].offset_encoding)
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/hover', position, task.patience * 1000)
  local _, answer = next(answers)
  return answer.result.contents.value
end

local function quick_fix()
  local titles = {}
  vim.ui.select = function(items, options, choose)
    for _, item in ipairs(items) do
      table.insert(titles, (options.format_item(item)))
    end
    choose(items[1], 1)
  end
  local context = { only = { 'quickfix' } }
  vim.lsp.buf.code_action(vim.fn.has('nvim-0.8') == 1 and { context = context } or context)
  local before = text()
  wait('a fix is applied', function() return text() ~= before end)
  return titles
end

local function run()
  package.path = task.editors .. '/neovim/?.lua;' .. package.path
  require('flakelint').setup({ cmd = task.command, settings = task.settings })
  vim.cmd('filetype on')
  vim.cmd('edit ' .. vim.fn.fnameescape(task.file))
  wait('one thing is found', function() return #findings() == 1 end)
  seen.found = findings()

  replace(task.line, task.faulty, task.fixed)
  wait('nothing is found', function() return #findings() == 0 end)
  replace(task.line, task.fixed, task.faulty)
  wait('it is found again', function() return #findings() > 0 end)

  place(task.hover_line, task.hover_column)
  seen.hover = hover()

  vim.lsp.codelens.refresh()
  local lenses = {}
  wait('a lens is shown', function()
    lenses = vim.lsp.codelens.get(0)
    return lenses[1] and lenses[1].command
  end)
  seen.lens = lenses[1].command.title
  place(lenses[1].range.start.line + 1, 1)
  vim.lsp.codelens.run()
  wait('the launches are listed', function() return #vim.fn.getqflist() > 0 end)
  seen.launches = vim.tbl_map(function(one) return one.lnum end, vim.fn.getqflist())
  vim.cmd('cclose')

  place(task.line, task.column)
  seen.titles = quick_fix()
  seen.fixed = text()
  wait('nothing is found', function() return #findings() == 0 end)

  replace(task.line, task.fixed, task.faulty)
  local before = text()
  require('flakelint').fix_all()
  wait('all is fixed', function() return text() ~= before end)
  seen.fixed_all = text()

  local id = clients()[1].id
  vim.cmd('bdelete!')
  vim.lsp.stop_client(id)
  wait('the server ends', function() return vim.lsp.client_is_stopped(id) end)
end

local ok, problem = xpcall(run, debug.traceback)
seen.problem = not ok and problem or nil
seen.messages = vim.fn.execute('messages')
vim.fn.writefile({ vim.fn.json_encode(seen) }, task.report)
vim.cmd('qa!')
