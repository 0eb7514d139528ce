import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { refuse } from '../problems/problem.js';

const run = promisify(execFile);
const mostBytes = 64_000_000;

/** A folder of documents for as long as somebody needs it. */
export interface Checkout {
  readonly path: string;
  close(): Promise<void>;
}

/** A file or folder as it is, or `folder` as it was at a git revision. */
export async function checkout(what: string, folder: string): Promise<Checkout> {
  if (existsSync(what)) return { path: what, close: async () => undefined };
  const around = existsSync(folder) ? resolve(folder) : process.cwd();
  const git = async (...args: string[]) =>
    (await run('git', ['-C', around, ...args], { maxBuffer: mostBytes, encoding: 'buffer' })).stdout;
  // Nothing that begins with a dash is a revision; git would take it for an option.
  const commit = what.startsWith('-')
    ? undefined
    : await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${what}^{commit}`).then(
        (it) => it.toString().trim(),
        () => undefined,
      );
  if (commit === undefined)
    return refuse(
      'DIFF_SOURCE_UNKNOWN',
      `${JSON.stringify(what)} is neither a file, a folder nor a git revision here.`,
    );
  const top = (await git('rev-parse', '--show-toplevel')).toString().trim();
  const below = relative(top, around) || '.';
  const listed = await run('git', ['-C', top, 'ls-tree', '-r', '-z', '--name-only', commit, '--', below], {
    maxBuffer: mostBytes,
  });
  const path = await mkdtemp(join(tmpdir(), 'journeyman-diff-'));
  for (const file of listed.stdout.split('\0').filter((it) => /\.(ya?ml|json)$/i.test(it))) {
    const { stdout } = await run('git', ['-C', top, 'show', `${commit}:${file}`], {
      maxBuffer: mostBytes,
      encoding: 'buffer',
    });
    const to = join(path, relative(below, file));
    await mkdir(dirname(to), { recursive: true });
    await writeFile(to, stdout);
  }
  return { path, close: () => rm(path, { recursive: true, force: true }) };
}
