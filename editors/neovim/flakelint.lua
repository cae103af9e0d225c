-- Copyright (c) 2026, The flakelint Authors
--
-- This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
-- For a list of all contributors, see the git history of this repository.

-- flakelint in Neovim 0.7 and newer: `require('flakelint').setup()`.

local M = {}

local NAME = 'flakelint'
local FIX_ALL = 'source.fixAll.flakelint'
local uv = vim.uv or vim.loop

M.defaults = {
  cmd = { 'flakelint', 'server' },
  filetypes = { 'python', 'markdown' },
  root_markers = { 'flakelint.toml', 'pyproject.toml', '.git' },
  -- what the server understands, such as `{ inlayHints = 'narrow' }`
  settings = {},
}

-- what a code lens runs: lists the launches of a kernel
local function show_launches(command, context)
  local _, _, locations = unpack(command.arguments)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local items = vim.lsp.util.locations_to_items(locations, client.offset_encoding)
  vim.fn.setqflist({}, ' ', { title = command.title, items = items })
  if #items > 0 then
    vim.cmd('copen')
  end
end

local function root_of(path, markers)
  local folder = vim.fn.fnamemodify(path, ':p:h')
  local top = folder
  while true do
    for _, marker in ipairs(markers) do
      if uv.fs_stat(folder .. '/' .. marker) then
        return folder
      end
    end
    local above = vim.fn.fnamemodify(folder, ':h')
    if above == folder then
      return top
    end
    folder = above
  end
end

-- Neovim 0.7 does not see by itself that a server already runs for a root
local function start_client(config, clients)
  local id = clients[config.root_dir]
  if not id or vim.lsp.client_is_stopped(id) then
    id = vim.lsp.start_client(config)
    clients[config.root_dir] = id
  end
  if id then
    vim.lsp.buf_attach_client(0, id)
  end
end

-- fixes all that can be fixed safely in the buffer; Neovim 0.7 asks first
function M.fix_all()
  local context = { only = { FIX_ALL }, diagnostics = {} }
  if vim.fn.has('nvim-0.8') == 1 then
    vim.lsp.buf.code_action({ context = context, apply = true })
  else
    vim.lsp.buf.code_action(context)
  end
end

function M.setup(options)
  options = vim.tbl_extend('force', M.defaults, options or {})
  local has_settings = next(options.settings) ~= nil
  local config = {
    name = NAME,
    cmd = options.cmd,
    init_options = has_settings and options.settings or nil,
    settings = has_settings and { [NAME] = options.settings } or nil,
  }
  vim.lsp.commands['flakelint.showLaunches'] = show_launches
  if vim.fn.has('nvim-0.11') == 1 then
    config.filetypes = options.filetypes
    config.root_markers = options.root_markers
    vim.lsp.config(NAME, config)
    vim.lsp.enable(NAME)
    return
  end
  local clients = {}
  vim.api.nvim_create_autocmd('FileType', {
    pattern = options.filetypes,
    callback = function(event)
      local here = vim.deepcopy(config)
      here.root_dir = root_of(event.file, options.root_markers)
      if vim.lsp.start then
        vim.lsp.start(here)
      else
        start_client(here, clients)
      end
    end,
  })
end

return M
