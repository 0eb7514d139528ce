import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { temporal } from '@temporalio/proto';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { asActivities } from '../../activities/effects-as-activities.js';
import { changedSinceRun } from '../../src/app/content-drift.js';
import { startGateway } from '../../src/app/start-gateway.js';
import { encryptionCheck } from '../../src/cli/doctor/namespace-checks.js';
import { pipelineListText } from '../../src/cli/pipeline/pipeline-text.js';
import { definitionHash } from '../../src/library/read-document-file.js';
import { fullAccess } from '../../src/service/access.js';
import { libraryOf } from '../../src/service/library-interface.js';
import { connect } from '../../src/temporal/connection.js';
import { keyIdOf } from '../../src/temporal/encryption/payload-codec.js';
import { namespaceSecret } from '../../src/temporal/namespace-secret.js';
import { runReport } from '../../src/temporal/runs/run-diagnostics.js';
import { TemporalSchedules } from '../../src/temporal/schedules/bindings/temporal-bindings.js';
import { msToTs } from '../../src/temporal/sdk-internals.js';
import { lineOf, PipelineRig } from './support/pipelines.js';
import { journeyOf, type Rig, type RigOptions, rig } from './support/rig.js';
import { binding, counting, until } from './support/schedules.js';
import { temporalCli } from './support/temporal-cli.js';

/** A text that appears only in values: anything that contains it has leaked a value. */
const marker = 'sunflower-marker';

const noted = `
apiVersion: v1
kind: Journey
metadata: { name: noted, version: 1.0.0, description: About ${marker} }
spec:
  start: ask
  states:
    ask:
      type: wait
      wait: { channel: manual, input: { schema: { type: object } } }
      next: tell
    tell: { type: task, task: { kind: "httpCall:v1", method: POST, url: "https://orders.example.com/${marker}", body: { mapper: { lang: dataweave, expr: context } }, resultVar: told }, next: nap }
    nap: { type: timer, timer: { duration: PT0.1S }, next: deny }
    deny: { type: fail, errorCode: DENIED, reason: "${marker} is not known" }
`;

process.env.FIRST_KEY = Buffer.alloc(32, 1).toString('base64');
process.env.SECOND_KEY = Buffer.alloc(32, 2).toString('hex');
const first = { id: 'first', key: { env: 'FIRST_KEY' } };
const second = { id: 'second', key: { env: 'SECOND_KEY' } };
const keys = (...given: object[]) => ({ JOURNEYMAN_ENCRYPTION_KEYS: JSON.stringify(given) });

const activities = asActivities({ http: async () => ({ ok: true, status: 200, headers: {}, body: { said: marker } }) });

/** Rigs of one task queue: processes of one installation, replaced one after another. */
async function replaced(taskQueue: string, given: object[], options: RigOptions = {}): Promise<Rig> {
  return await rig({ activities, ...options, env: { JOURNEYMAN_TEMPORAL_TASK_QUEUE: taskQueue, ...keys(...given) } });
}

/** Everything that the server stores about a run, in its stored form. */
async function storedData(
  { client }: Rig,
  workflowId: string,
): Promise<{ bytes: Buffer; ids: (string | undefined)[] }> {
  const [{ namespace }, execution] = [client.options, { workflowId }];
  const [{ history }, described] = await Promise.all([
    client.workflowService.getWorkflowExecutionHistory({ namespace, execution }),
    client.workflowService.describeWorkflowExecution({ namespace, execution }),
  ]);
  const responses = temporal.api.workflowservice.v1;
  const bytes = Buffer.concat([
    temporal.api.history.v1.History.encode(history!).finish(),
    responses.DescribeWorkflowExecutionResponse.encode(described).finish(),
  ]);
  const started = history!.events![0]!.workflowExecutionStartedEventAttributes!;
  return { bytes, ids: [...started.input!.payloads!, ...Object.values(started.memo!.fields!)].map(keyIdOf) };
}

const submit = ({ runs }: Rig, id: string) =>
  runs.submit({ id, stepId: 'ask', payload: { said: marker }, caller: 'test', headers: {} });

describe('with encryption', () => {
  let rigged: Rig;
  let ended: string;
  beforeAll(async () => {
    rigged = await replaced(`encrypted-${randomUUID()}`, [first]);
    ({ journeyId: ended } = await rigged.start(noted, { who: marker }));
    await submit(rigged, ended);
  });
  afterAll(() => rigged.stop());

  it('ENC-1 callers see all values of a run; readers of Temporal see none', async () => {
    await expect
      .poll(() =>
        rigged.runs.result(ended).then(
          ({ outcome }) => outcome,
          () => undefined,
        ),
      )
      .toMatchObject({ phase: 'FAILED', error: { code: 'DENIED', reason: `${marker} is not known` } });
    const { bytes, ids } = await storedData(rigged, ended);
    expect(new Set(ids)).toEqual(new Set(['first']));
    expect(bytes.includes(marker), 'history, memo, summaries, failures').toBe(false);
    expect(bytes.includes('noted'), 'the type of a run stays').toBe(true);
  });

  it('ENC-2 a schedule stores journey and context encrypted, and passes the context on', async () => {
    const user = `user-${randomUUID()}`;
    const journey = counting({ interval: 'P1D', maxRuns: 3, startAt: '2090-01-01T00:00:00Z' });
    await rigged.start(journey, { user, n: 5 });
    const id = binding(user);
    const schedules = new TemporalSchedules(rigged.client, rigged.config);
    await schedules.runNow(id, 'r-1');
    const { raw, context } = await until(
      rigged,
      id,
      ({ record, running }) => record.runsExecuted === 1 && !running.length,
    );
    expect(context).toMatchObject({ n: 6, seen: [5] });
    const { startWorkflow } = raw.schedule!.action!;
    const payloads = [...startWorkflow!.input!.payloads!, ...Object.values(startWorkflow!.memo!.fields!)];
    expect(new Set(payloads.map(keyIdOf))).toEqual(new Set(['first']));
  });

  it('ENC-3 after a key rotation old values stay readable, and a schedule uses the new key from its next run', async () => {
    const { taskQueue } = rigged.config.temporal;
    const { journeyId: waiting } = await rigged.start(noted, { who: marker });
    const user = `user-${randomUUID()}`;
    await rigged.start(counting({ interval: 'P1D', startAt: '2090-01-01T00:00:00Z' }), { user, n: 1 });
    await rigged.stop();
    rigged = await replaced(taskQueue, [second, first]);
    await submit(rigged, waiting);
    const { journeyId } = await rigged.start(noted, { who: marker });
    expect(new Set((await storedData(rigged, journeyId)).ids)).toEqual(new Set(['second']));
    expect(new Set((await storedData(rigged, waiting)).ids)).toEqual(new Set(['first']));
    await new TemporalSchedules(rigged.client, rigged.config).runNow(binding(user), 'r-1');
    const { raw } = await until(rigged, binding(user), (it) => it.record.runsExecuted === 1 && !it.running.length);
    const { startWorkflow } = raw.schedule!.action!;
    const payloads = [...startWorkflow!.input!.payloads!, ...Object.values(startWorkflow!.memo!.fields!)];
    expect(new Set(payloads.map(keyIdOf))).toEqual(new Set(['second']));
  });

  it('ENC-4 Temporal’s CLI decrypts for operators only', async () => {
    const hash = (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`;
    const apiKeys = (['operator', 'client'] as const).map((role) => ({
      id: role,
      hash: hash(`jm_${role}`),
      roles: [role],
    }));
    const config = { ...rigged.config, gateway: { ...rigged.config.gateway, port: 0, auth: { apiKeys } } };
    const gateway = await startGateway(config, libraryOf([]), pino({ level: 'silent' }), inject('temporalAddress'));
    const show = async (...codec: string[]) =>
      unpacked(await run(await temporalCli(), ['workflow', 'show', '-w', ended, '--output', 'json', ...codec]));
    try {
      const endpoint = ['--codec-endpoint', `${gateway.url}/codec`, '--codec-auth'];
      expect(await show()).not.toContain(marker);
      expect(await show(...endpoint, 'Bearer jm_operator')).toContain(marker);
      expect(await show(...endpoint, 'Bearer jm_client')).not.toContain(marker);
    } finally {
      await gateway.stop();
    }
  });
});

it('ENC-1 the built worker loads the converter that encrypts failure reasons', async () => {
  const built = new URL('../../dist/src/temporal/encryption/data-converter.js', import.meta.url);
  const { workerEncryption } = (await import(
    built.href
  )) as typeof import('../../src/temporal/encryption/data-converter.js');
  const bundle = new URL('../../dist/workflow-bundle.js', import.meta.url);
  const config = { encryption: { keys: [first] } } as never;
  const { dataConverter } = workerEncryption(config, fileURLToPath(bundle));
  expect(existsSync(dataConverter.failureConverterPath!)).toBe(true);
});

it('ENC-5 a run started without encryption continues with it; a worker and doctor without the key name the missing key', async () => {
  const taskQueue = `changing-${randomUUID()}`;
  const plain = await replaced(taskQueue, []);
  const { journeyId: before } = await plain.start(noted, { who: marker });
  await plain.stop();
  const encrypting = await replaced(taskQueue, [first]);
  await submit(encrypting, before);
  const { journeyId } = await encrypting.start(noted, { who: marker });
  await encrypting.stop();

  const reading = await replaced(taskQueue, [first], { worker: false });
  const without = await replaced(taskQueue, [second]);
  try {
    await reading.client.workflow.getHandle(journeyId).signal('ask', {});
    await expect
      .poll(async () => (await runReport(reading.client, reading.runs, journeyId)).failingTask?.reason)
      .toBe('It was encrypted with the key "first"; this process has "second".');
    expect(await encryptionCheck(without.config, without.client)).toMatchObject({
      status: 'bad',
      detail: expect.stringContaining('"first" ('),
    });
    // An unreadable schedule prevents neither the listing of others nor any start.
    const query = { journeyName: 'noted', currentState: 'ask', pageSize: 200, tags: [], attributes: {} };
    const listed = async () => (await without.runs.list(query)).items.find((it) => it.journeyId === journeyId);
    await expect.poll(listed).toMatchObject({ phase: 'RUNNING', journeyVersion: '1.0.0' });
    const { listsGuarded: _, ...others } = fullAccess('shop');
    expect((await without.runs.as(others).list(query)).items.map((it) => it.journeyId)).not.toContain(journeyId);
    const definition = journeyOf(noted);
    expect(await changedSinceRun(without.client, [{ definition, hash: definitionHash(definition) }])).toEqual([]);
  } finally {
    await without.stop();
    await reading.stop();
  }
});

it('ENC-5 a start and a step with an undecryptable response take effect and return what Temporal shows of the run', async () => {
  const taskQueue = `ahead-${randomUUID()}`;
  const ahead = await replaced(taskQueue, [second, first]);
  const behind = await replaced(taskQueue, [first], { worker: false });
  try {
    const unread = { code: 'PAYLOAD_KEY_UNKNOWN', detail: expect.stringContaining('"second"') };
    const started = await behind.start(noted, { who: marker }, { idempotencyKey: randomUUID() });
    expect(started).toMatchObject({ phase: 'RUNNING', status: { currentState: 'ask' }, unread });
    await expect(
      behind.runs.submit({ id: started.journeyId, stepId: 'ask', payload: 7, caller: 'test', headers: {} }),
      'a rejected step does not take effect',
    ).rejects.toMatchObject({ problem: { code: 'PAYLOAD_KEY_UNKNOWN' } });
    expect(await submit(behind, started.journeyId)).toMatchObject({ journeyId: started.journeyId, unread });
    await ahead.client.workflow
      .getHandle(started.journeyId)
      .result()
      .catch(() => undefined);
    expect(await ahead.runs.result(started.journeyId)).toMatchObject({ outcome: { error: { code: 'DENIED' } } });
  } finally {
    await behind.stop();
    await ahead.stop();
  }
});

it('ENC-5 a list of pipelines includes undecryptable ones', async () => {
  const taskQueue = `listing-${randomUUID()}`;
  const [sealed, open] = [`sealed-${randomUUID()}`, `open-${randomUUID()}`];
  const deployer = `team-${randomUUID()}`;
  const [one, other] = [await replaced(taskQueue, [first]), await replaced(`${taskQueue}-2`, [second])];
  try {
    await new PipelineRig(one).deploy(lineOf(sealed), undefined, deployer);
    const { pipelines } = new PipelineRig(other);
    await new PipelineRig(other).deploy(lineOf(open), undefined, deployer);
    await pipelines.pause(open, 'a while');
    const both = async () => (await pipelines.list()).filter(({ name }) => [sealed, open].includes(name));
    await expect.poll(both).toHaveLength(2);
    const listed = await both();
    expect(listed).toMatchObject([
      { name: open, version: '1.0.0', status: 'paused', deployer },
      {
        name: sealed,
        version: '1.0.0',
        status: 'running',
        deployer,
        problem: { code: 'PAYLOAD_KEY_UNKNOWN', detail: expect.stringContaining('"first"') },
      },
    ]);
    expect(listed[0]).not.toHaveProperty('problem');
    // A deployment does not stop at it either: it reports it, and pauses the others.
    expect(await pipelines.removeOthers(deployer, [])).toEqual([
      { name: open },
      { name: sealed, problem: listed[1]!.problem },
    ]);
    expect(pipelineListText(listed)).toMatch(/sealed-.* running +team-\S+ +PAYLOAD_KEY_UNKNOWN: It was encrypted with/);
  } finally {
    for (const [rigged, name] of [
      [one, sealed],
      [other, open],
    ] as const) {
      await new PipelineRig(rigged).entity(name).terminate();
      await rigged.stop();
    }
  }
});

it('ENC-6 the secret of a namespace is encrypted and outlives its first key', async () => {
  const [namespace, scheduleId] = [`secret-${randomUUID()}`, 'journeyman-secret'];
  const { config, client, stop } = await replaced('none', [], { worker: false });
  const { workflowService } = client;
  await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: msToTs(86_400_000) });
  const asked = async (...given: { id: string; key: { env: string } }[]) => {
    const own = { ...config, temporal: { ...config.temporal, namespace }, encryption: { keys: given, origins: [] } };
    const { client: asking, close } = await connect(own);
    return await namespaceSecret(asking)
      .catch(({ problem }) => problem)
      .finally(close);
  };
  // A new namespace takes a moment to reach all parts of the server.
  await expect.poll(() => asked(first)).toMatch(/^[\w-]{43}$/);
  const made = await asked(first);
  const { memo } = await workflowService.describeSchedule({ namespace, scheduleId });
  expect(Object.values(memo!.fields!).map(keyIdOf)).toEqual(['first']);
  expect(await asked(second, first)).toEqual(made);
  await expect.poll(() => asked(second)).toEqual(made);
  expect(await asked()).toMatchObject({ code: 'PAYLOAD_KEY_UNKNOWN' });
  await stop();
});

/** The output of a command, regardless of its exit code. */
function run(command: string, args: string[]): Promise<string> {
  return new Promise((resolve) => {
    const at = ['--address', inject('temporalAddress')];
    const env = { ...process.env, TEMPORAL_CODEC_ENDPOINT: '' };
    execFile(command, [...args, ...at], { env }, (_, out, err) => resolve(out + err));
  });
}

/** The text with its base64 parts decoded. */
function unpacked(printed: string): string {
  return printed.replace(/"data": "([^"]*)"/g, (_, data) => Buffer.from(data, 'base64').toString());
}
