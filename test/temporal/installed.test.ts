import { execFile } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { installPackage } from './support/installed-package.js';
import { startUp, type Up } from './support/up.js';

const run = promisify(execFile);

describe('an installed package', () => {
  let folder: string;
  let main: string;
  let up: Up | undefined;
  beforeAll(async () => {
    ({ folder, main } = await installPackage());
  });
  afterAll(async () => {
    await up?.stop('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  const flows = () => join(folder, 'flows');
  const journeyman = async (args: string[], cwd = flows(), env: NodeJS.ProcessEnv = {}) =>
    (await run(process.execPath, [main, ...args], { cwd, env: { ...process.env, ...env } })).stdout;

  it('depends on the whole SDK, and ships only the bundle of this build and the types of its exports', async () => {
    const there = readdirSync(join(folder, 'node_modules'));
    expect(there).toContain('yaml');
    for (const name of ['swagger-ui-dist', '@scarf', 'typescript']) expect(there).not.toContain(name);
    const sdk = createRequire(main).resolve('@temporalio/worker');
    expect(sdk).toBe(createRequire(join(folder, 'index.js')).resolve('@temporalio/worker'));
    const { isFresh } = (await import(join(main, '../../temporal/worker/workflow-bundle.js'))) as {
      isFresh(): boolean;
    };
    expect(isFresh()).toBe(true);
    const shipped = readdirSync(join(main, '../../..'), { recursive: true, encoding: 'utf8' });
    expect(shipped.filter((path) => /\.(map|tsbuildinfo)$|^harness/.test(path))).toEqual([]);
    const types = shipped.filter((path) => path.endsWith('.d.ts'));
    expect(new Set(types.map((path) => dirname(path)))).toEqual(new Set(['src/app/embed']));
  });

  it('scaffolds a project that is valid and passes its scenarios, with every template', async () => {
    await journeyman(['init', 'flows'], folder);
    const list = JSON.parse(await journeyman(['new', '--list', '--json'])) as { name: string }[];
    await Promise.all(list.map(({ name }) => journeyman(['new', name])));
    expect(await journeyman(['validate'])).toContain('valid: 0 errors, 0 warnings');
    expect(await journeyman(['test'])).toMatch(/ passed, 0 failed\n$/);
  });

  describe.concurrent('in that project', () => {
    it('passes the scenarios of every template on a real server', async () => {
      const printed = await journeyman(['test', '--temporal'], flows(), {
        TEMPORAL_ADDRESS: inject('temporalAddress'),
      });
      expect(printed).toMatch(/ passed, 0 failed/);
    });

    it('runs the project with `up`, whose suggested command works', async () => {
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
