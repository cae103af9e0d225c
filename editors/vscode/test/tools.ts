// Copyright (c) 2026, The flakelint Authors
//
// This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
// For a list of all contributors, see the git history of this repository.

/** A faulty kernel, the server that finds what is wrong with it, and how to wait for that. */

import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';

/** A Python that has flakelint with its server. */
export const PYTHON = process.env['FLAKELINT_PYTHON'] || 'python3';

export const ROOT = path.join(__dirname, '..', '..');
export const MANIFEST = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));

export const KERNEL = `import triton
import triton.language as tl


@triton.jit
def scale_bwd_kernel(x, y, N, D: tl.constexpr):
    i_n = tl.program_id(0)
    o_d = tl.arange(0, D)
    b_x = tl.load(x + i_n * N + o_d)
    tl.store(y + i_n * N + o_d, b_x)


def scale_bwd(x, y):
    scale_bwd_kernel[(x.shape[0],)](x, y, x.shape[1], D=64)
`;

export const CODE = 'TRI101';
export const FAULTY = 'tl.program_id(0)';
export const FIXED = 'tl.program_id(0).to(tl.int64)';
export const FIXED_KERNEL = KERNEL.replace(FAULTY, FIXED);

/** Long enough for a machine that has other things to do. */
const PATIENCE = 120_000;

export async function until(what: string, holds: () => unknown): Promise<void> {
    const end = Date.now() + PATIENCE;
    while (!(await holds())) {
        if (Date.now() > end) {
            throw new Error(`in vain waited until ${what}`);
        }
        await new Promise(resolve => setTimeout(resolve, 50));
    }
}

const FOLDERS: string[] = [];
process.once('exit', () => FOLDERS.forEach(made => rmSync(made, { recursive: true, force: true })));

/** A folder that is removed at the end of the process. */
export function folder(): string {
    const made = realpathSync(mkdtempSync(path.join(tmpdir(), 'flakelint-')));
    FOLDERS.push(made);
    return made;
}
