import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The root of the repository. */
export const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** A folder with the package in its `node_modules`. */
export interface InstalledPackage {
  readonly folder: string;
  /** The file of its command. */
  readonly main: string;
}

/**
 * Unpacks the package, as packed by npm, next to its dependencies: the packages in the lock file without `dev`. The result equals
 * `npm install` of the tarball in an empty folder, but needs no registry.
 */
export async function installPackage(): Promise<InstalledPackage> {
  const folder = mkdtempSync(join(tmpdir(), 'journeyman-installed-'));
  const clone = join(folder, 'clone');
  const { files } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { files: string[] };
  const tops = new Set(files.filter((it) => !it.startsWith('!')).map((it) => it.split('/')[0]!));
  for (const name of [...tops, 'src', 'workflows', 'activities', 'packaging', 'package.json', 'tsconfig.json']) {
    cpSync(join(repository, name), join(clone, name), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(join(repository, 'node_modules'), join(clone, 'node_modules'));
  await run('npm', ['pack', '--pack-destination', folder], { cwd: clone });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  const installed = join(folder, 'node_modules', 'journeyman-temporal');
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, tarball), '-C', installed, '--strip-components=1']);
  linkDependencies(folder);
  return { folder, main: join(installed, 'dist/src/cli/main.js') };
}

function linkDependencies(folder: string): void {
  const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; optional?: true }>;
  };
  for (const [path, { dev, optional }] of Object.entries(lock.packages)) {
    if (dev || optional || !/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(repository, path), join(folder, path));
  }
}
