import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startUp, type Up } from './support/up.js';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The package as npm packs it, unpacked beside nothing but what it depends on: the packages that the lock file has without `dev`. The same
 * as `npm install` of the tarball in an empty folder, without asking a registry.
 */
describe('an installed package', () => {
  let folder: string;
  let main: string;
  let up: Up | undefined;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'journeyman-installed-'));
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
    linkDependencies();
    main = join(installed, 'dist/src/cli/main.js');
  });
  afterAll(async () => {
    await up?.stop('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  function linkDependencies(): void {
    const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: true; optional?: true }>;
    };
    for (const [path, { dev, optional }] of Object.entries(lock.packages)) {
      if (dev || optional || !/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)) continue;
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      symlinkSync(join(repository, path), join(folder, path));
    }
  }

  const flows = () => join(folder, 'flows');
  const journeyman = async (args: string[], cwd = flows(), env: NodeJS.ProcessEnv = {}) =>
    (await run(process.execPath, [main, ...args], { cwd, env: { ...process.env, ...env } })).stdout;

  it('needs no bundler, and ships the bundles of this build', async () => {
    const there = readdirSync(join(folder, 'node_modules'));
    expect(there).toContain('yaml');
    for (const name of ['webpack', 'memfs', '@swc', 'swagger-ui-dist', 'typescript']) expect(there).not.toContain(name);
    const { isFresh } = (await import(join(main, '../../temporal/bundle.js'))) as { isFresh(): boolean };
    expect(isFresh()).toBe(true);
    const shipped = readdirSync(join(main, '../../..'), { recursive: true, encoding: 'utf8' });
    expect(shipped.filter((path) => /\.(map|d\.ts|tsbuildinfo)$|^harness/.test(path))).toEqual([]);
  });

  it('makes a folder that is valid and passes its scenarios, with every template', async () => {
    await journeyman(['init', 'flows'], folder);
    const list = JSON.parse(await journeyman(['new', '--list', '--json'])) as { name: string }[];
    await Promise.all(list.map(({ name }) => journeyman(['new', name])));
    expect(await journeyman(['validate'])).toContain('valid: 0 errors, 0 warnings');
    expect(await journeyman(['test'])).toMatch(/ passed, 0 failed\n$/);
  });

  describe.concurrent('with that folder', () => {
    it('passes the scenarios of every template on a real server', async () => {
      const printed = await journeyman(['test', '--temporal'], flows(), {
        TEMPORAL_ADDRESS: inject('temporalAddress'),
      });
      expect(printed).toMatch(/ passed, 0 failed/);
    });

    it('runs the folder with `up`, and what it says to try works', async () => {
      up = await startUp(main, flows());
      const [, command] = /^ {2}(curl -s .*)$/m.exec(up.printed) ?? [];
      expect(up.printed).toContain('welcome');
      expect(command).toContain(up.url);
      const start = await fetch(`${up.url}/api/v1/journeys/welcome/start`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Ada', email: 'ada@example.org' }),
      });
      expect(await start.json()).toMatchObject({
        phase: 'SUCCEEDED',
        output: { greeting: 'Hello, Ada!', mailed: false },
      });
      expect((await fetch(`${up.url}/docs/swagger-ui.js`)).status).toBe(200);
      expect(await up.stop('SIGTERM')).toBe(0);
      up = undefined;
    });
  });
});
