import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { blocksOf } from '../support/doc-blocks.js';
import { installPackage, repository } from './support/installed-package.js';

const run = promisify(execFile);

/** Files of the application that docs/library.md does not show. */
const others = {
  'workflows.ts': `
import { proxyActivities } from '@temporalio/workflow';
const { http } = proxyActivities<{ http(name: string): Promise<string> }>({ startToCloseTimeout: '1 minute' });
export const hello = async (name: string) => [await http(name), Error.stackTraceLimit, Object.isExtensible(Array.prototype)];
`,
  'activities.ts': 'export const http = async (name: string) => `The application greets ${name}.`;\n',
  'required.cts': `
import worker = require('journeyman-temporal/worker');
import client = require('journeyman-temporal/client');
import testing = require('journeyman-temporal/testing');
import language = require('journeyman-temporal/language');
void (async () => {
  const { documents } = await language.load('specs/hello.journey.yaml');
  const played = await testing.expectScenarios('specs/hello.scenario.yaml');
  console.log(worker.journeyman().name, client.errorCodeOf(new Error()), documents[0]?.name, played);
})();
`,
  'refused.ts': `
import { connectJourneys } from 'journeyman-temporal/client';
import type { Journeys } from './journeys.js';
export async function refused() {
  const journeys = await connectJourneys<Journeys>();
  // @ts-expect-error There is no such journey.
  await journeys.start('helo', { name: 'Ada' });
  // @ts-expect-error The input has another field.
  await journeys.start('hello', { nam: 'Ada' });
  const checkout = journeys.runByKey('checkout', 'c-1');
  // @ts-expect-error The payload has another type.
  await checkout.submit('approval', { approved: 'no', by: 'ada' });
  // @ts-expect-error There is no such step.
  await checkout.submit('aproval', {});
  const result = await checkout.result();
  // @ts-expect-error Only a successful run has an output.
  result.output.total;
  if (result.phase === 'SUCCEEDED') result.output.total.toFixed();
}
`,
};

/** An application with the installed package and the files that docs/library.md shows. */
describe('the library in an application', () => {
  let folder: string;
  let main: string;
  let app: string;
  const env = () => ({
    ...process.env,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    JOURNEYMAN_TEMPORAL_TASK_QUEUE: taskQueue,
  });
  const taskQueue = `journeys-${randomUUID()}`;
  const node = async (...args: string[]) => (await run(process.execPath, args, { cwd: app, env: env() })).stdout;

  beforeAll(async () => {
    ({ folder, main } = await installPackage());
    app = join(folder, 'app');
    for (const name of ['typescript', 'vitest', '@types/node']) {
      mkdirSync(dirname(join(app, 'node_modules', name)), { recursive: true });
      symlinkSync(join(repository, 'node_modules', name), join(app, 'node_modules', name));
    }
    cpSync(join(repository, 'specs'), join(app, 'specs'), { recursive: true });
    for (const { lang, text } of blocksOf('docs/library.md')) {
      const [, name] = /^\/\/ (\S+)\n/.exec(text) ?? [];
      if (lang === 'ts') writeFileSync(join(app, name!), text);
    }
    writeFileSync(join(app, 'package.json'), '{ "type": "module", "private": true }');
    // The SDK's own types need `skipLibCheck`.
    const always = { skipLibCheck: true, strict: true, types: ['node'] };
    const compilerOptions = { ...always, module: 'nodenext', target: 'es2023', outDir: 'out' };
    writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', '*.cts'] }));
    for (const [name, text] of Object.entries(others)) writeFileSync(join(app, name), text);
    expect(await node(main, 'types', '--out', 'journeys.d.ts')).toBe('journeys.d.ts\n');
    await run(process.execPath, [join(repository, 'node_modules/typescript/bin/tsc')], { cwd: app });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('compiles against the types, and loads every entry with `require`', async () => {
    expect(await node('out/required.cjs')).toBe('journeyman-temporal undefined hello 3\n');
  });

  it('has self-contained types', () => {
    const types = join(main, '../../app/embed');
    const declared = readdirSync(types).filter((name) => name.endsWith('.d.ts'));
    const imported = declared.flatMap((name) =>
      [...readFileSync(join(types, name), 'utf8').matchAll(/(?:from |import\()["']([^"']+)/g)].map(([, it]) => it!),
    );
    expect(declared.length).toBe(5);
    expect(new Set(imported)).toEqual(new Set(['./project.js', '@temporalio/worker']));
  });

  /** Runs a program of the application until `work` is done; it must then exit normally on SIGTERM. */
  async function whileRunning(program: string, work: () => Promise<void>): Promise<void> {
    const child = spawn(process.execPath, [program], { cwd: app, env: env(), stdio: ['ignore', 'ignore', 'pipe'] });
    let logged = '';
    child.stderr.on('data', (chunk) => {
      logged += String(chunk);
    });
    const exited = once(child, 'exit');
    const ended = exited.then(() => Promise.reject(new Error(`${program} ended:\n${logged}`)));
    await Promise.race([work(), ended]).finally(() => child.kill());
    expect(await exited).toEqual([0, null]);
  }

  it('runs `hello` in the worker of the application, whose own `hello` is unchanged', async () => {
    const connection = await Connection.connect({ address: inject('temporalAddress') });
    await whileRunning('out/worker.js', async () => {
      expect(await node('out/start.js')).toBe("{ greeting: 'Hello, Ada!', status: 'GREETED' }\n");
      const client = new Client({ connection });
      const own = { taskQueue: 'orders', workflowId: randomUUID(), args: ['Ada'] };
      expect(await client.workflow.execute('hello', own)).toEqual(['The application greets Ada.', 10, true]);
    });
    await connection.close();
  });

  it('runs a worker for journeys only', async () => {
    await whileRunning('out/journeys-worker.js', async () => {
      // Its exit code is that of the run.
      expect(await node(main, 'run', 'start', 'hello', '--field', 'name=Kim', '--watch')).toContain('greet');
    });
  });

  it('plays scenarios in vitest', async () => {
    const vitest = join(app, 'node_modules/vitest/vitest.mjs');
    expect(await node(vitest, 'run', 'journeys.test.ts')).toMatch(/1 passed/);
  });

  it('steps through a run on a virtual clock in node:test', async () => {
    expect(await node('--test', 'out/checkout.test.js')).toMatch(/pass 1\n[\s\S]*fail 0\n/);
  });

  it('loads, draws, estimates and checks journeys', async () => {
    const printed = await node('out/tools.js');
    expect(printed).toMatch(/^flowchart TD/);
    expect(printed).toMatch(/\n\d+\n\[\s*'Write apiVersion: v1\.'/);
  });
});
