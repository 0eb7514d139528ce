import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker, type WorkerPlugin } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

import { msToTs } from '../../src/temporal/sdk-internals.js';
// Installs the SDK's Runtime for all tests.
import './support/rig.js';

/** Built files, because the workflow bundle is next to them. */
const built = async <T>(name: string) => (await import(`../../dist/src/app/embed/${name}.js`)) as T;
const { connectJourneys, errorCodeOf } = await built<typeof import('../../src/app/embed/client.js')>('client');
const { createWorker, journeyman } = await built<typeof import('../../src/app/embed/worker.js')>('worker');

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
const bundle = (workflowsPath: string, plugins: WorkerPlugin[] = []) =>
  bundleWorkflowCode({ workflowsPath: fixture(workflowsPath), plugins, logger: new DefaultLogger('ERROR') });

describe('the plugin in the worker of an application', () => {
  const journeysQueue = `journeys-${randomUUID()}`;
  let folder: string;
  let connection: NativeConnection;
  let client: Client;
  let application: Awaited<ReturnType<typeof bundle>>;

  beforeAll(async () => {
    const address = inject('temporalAddress');
    folder = mkdtempSync(join(tmpdir(), 'journeyman-plugin-'));
    mkdirSync(join(folder, 'specs'));
    cpSync('specs/hello.journey.yaml', join(folder, 'specs/hello.journey.yaml'));
    const config = { temporal: { address, taskQueue: journeysQueue }, log: { level: 'error' } };
    writeFileSync(join(folder, 'journeyman.config.yaml'), JSON.stringify(config));
    connection = await NativeConnection.connect({ address });
    client = new Client({ connection: await Connection.connect({ address }) });
    application = await bundle('application-workflows.ts');
  });
  afterAll(async () => {
    await client?.connection.close();
    await connection?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A worker of the application, on its own queue, with or without journeys. */
  const worker = async (plugins: WorkerPlugin[], workflowBundle = application) => {
    const taskQueue = `application-${randomUUID()}`;
    const activities = { http: async (name: string) => `the application's answer to ${name}` };
    return { taskQueue, worker: await Worker.create({ connection, taskQueue, workflowBundle, activities, plugins }) };
  };
  const greeting = async () => {
    const journeys = await connectJourneys({ folder });
    const run = await journeys.start('hello', { name: 'Ada' });
    return await run.result().finally(() => journeys.close());
  };

  /** Properties of the sandbox of the application's workflow. */
  const ofApplication = async (plugins: WorkerPlugin[]) => {
    const it = await worker(plugins);
    const args = ['Ada'];
    return await it.worker.runUntil(async () => ({
      result: await client.workflow.execute('hello', { taskQueue: it.taskQueue, workflowId: randomUUID(), args }),
      greeting: plugins.length === 0 ? undefined : await greeting(),
    }));
  };

  it('runs journeys without affecting the application’s workflows, activities and sandbox', async () => {
    const without = await ofApplication([]);
    const beside = await ofApplication([journeyman({ folder })]);
    expect(beside.greeting).toMatchObject({ phase: 'SUCCEEDED', output: { greeting: 'Hello, Ada!' } });
    expect(beside.result).toEqual(without.result);
    expect(beside.result).toEqual({
      answer: "the application's answer to Ada",
      workflowType: 'hello',
      stackTraceLimit: 10,
      extensible: [true, true, true, true, true],
      globals: [],
    });
  });

  it('does not change the failure of an unknown workflow type', async () => {
    const failure = async (plugins: WorkerPlugin[]) => {
      const it = await worker(plugins);
      return await it.worker.runUntil(async () => {
        const options = { taskQueue: it.taskQueue, workflowId: randomUUID(), args: [] };
        const handle = await client.workflow.start('helo', options);
        const failed = async () =>
          (await handle.fetchHistory()).events
            ?.map((event) => event.workflowTaskFailedEventAttributes?.failure?.message)
            .find(Boolean);
        await expect.poll(failed).toBeDefined();
        await handle.terminate();
        return await failed();
      });
    };
    const message = await failure([journeyman({ folder })]);
    expect(message).toBe(await failure([]));
    expect(message).toContain("Failed to initialize workflow of type 'helo': no such function");
  });

  it('keeps the application’s default workflow, also for the type of a journey', async () => {
    const it = await worker([journeyman({ folder })], await bundle('application-default-workflow.ts'));
    const execute = (type: string) =>
      client.workflow.execute(type, { taskQueue: it.taskQueue, workflowId: randomUUID(), args: [{ name: 'Ada' }] });
    await it.worker.runUntil(async () => {
      for (const type of ['anything', 'hello']) expect(await execute(type)).toEqual({ type, args: [{ name: 'Ada' }] });
      expect((await greeting()).phase).toBe('SUCCEEDED');
    });
  });

  it('adds nothing to a bundle of the application, so that prebuilt ones work', async () => {
    const { code } = await bundle('application-workflows.ts', [journeyman({ folder })]);
    expect(code).toBe(application.code);
  });

  it.each([
    ['the queue of the journeys', journeysQueue],
    ['the queue of an orchestrator', `${journeysQueue}.main`],
  ])('refuses to share %s', async (_, taskQueue) => {
    const shared = Worker.create({
      connection,
      taskQueue,
      workflowBundle: application,
      plugins: [journeyman({ folder })],
    });
    expect(await shared.then(() => undefined, errorCodeOf)).toBe('CONFIG_VALUE_INVALID');
  });

  it('stops with the worker, after which journeys are not executed', async () => {
    const it = await worker([journeyman({ folder })]);
    await it.worker.runUntil(greeting);
    const journeys = await connectJourneys({ folder });
    const run = await journeys.start('hello', { name: 'Ada' });
    expect(await run.result({ timeoutMs: 3_000 }).catch(errorCodeOf)).toBe('RESULT_NOT_READY');
    const own = createWorker({ folder });
    const running = own.run();
    expect(await run.result()).toMatchObject({ phase: 'SUCCEEDED' });
    own.shutdown();
    await running;
    await journeys.close();
  });

  it('prevents the start of the worker if the service of the journeys does not respond', async () => {
    const temporal = { address: '127.0.0.1:1' };
    writeFileSync(join(folder, 'away.yaml'), JSON.stringify({ temporal }));
    const refused = await worker([journeyman({ folder, config: 'away.yaml' })]).catch(errorCodeOf);
    expect(refused).toBe('TEMPORAL_UNREACHABLE');
  });

  it('shuts the worker down with an error if the journeys can no longer run', async () => {
    const namespace = `removed-${randomUUID()}`;
    const workflowExecutionRetentionPeriod = msToTs('1 day');
    await client.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
    const temporal = { address: inject('temporalAddress'), namespace };
    writeFileSync(join(folder, 'removed.yaml'), JSON.stringify({ temporal, log: { level: 'fatal' } }));
    const it = await worker([journeyman({ folder, config: 'removed.yaml' })]);
    const failed = it.worker.run().then(
      () => undefined,
      (error: unknown) => error,
    );
    await expect.poll(() => it.worker.getState()).toBe('RUNNING');
    await client.connection.operatorService.deleteNamespace({ namespace });
    expect(await failed).toBeInstanceOf(Error);
    expect(it.worker.getState()).toBe('STOPPED');
  });
});
