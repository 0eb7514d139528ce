import { createHash } from 'node:crypto';
import { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { prepareNamespace } from '../../src/app/namespace.js';
import type { Config } from '../../src/config/config.js';
import { loadConfig } from '../../src/config/load.js';
import { canonical } from '../../src/json/value.js';
import { type Connected, connect } from '../../src/temporal/connection.js';
import { clientConverter } from '../../src/temporal/encryption/converter.js';
import { namespaceSecret } from '../../src/temporal/namespace-secret.js';
import { keyedJourneyId } from '../../src/temporal/run-ids.js';
import { TemporalRuns } from '../../src/temporal/runs.js';
import { bindingId, earlierBindingId, idOfBinding } from '../../src/temporal/schedules/binding-id.js';
import { removeExhausted } from '../../src/temporal/schedules/maintenance.js';
import { TemporalSchedules } from '../../src/temporal/schedules/manage.js';
import { type RunningServer, startServer } from '../../src/temporal/server/start.js';
import { prepared } from '../support/prepared.js';
import { journeyOf } from './support/rig.js';

const nap = journeyOf(`
apiVersion: v1
kind: Journey
metadata: { name: nap, version: 1.0.0 }
spec:
  start: done
  lifecycle: { startMode: async }
  states:
    done: { type: succeed }
`);

/** What was public before: anybody could compute an id with it. */
const constant = 'journeyman/default';
const identity = (subjectId: string) => ({
  journeyName: 'nap',
  journeyVersion: '1.0.0',
  subjectId,
  startStateId: 'tick',
});

// A server without workers: nothing of what is asked here needs one.
async function serverOfItsOwn(): Promise<{ config: Config; server: RunningServer }> {
  const config = loadConfig({
    env: {
      JOURNEYMAN_SERVER_IN_MEMORY: 'true',
      JOURNEYMAN_SERVER_PORT: '0',
      JOURNEYMAN_SERVER_UI_PORT: '0',
      JOURNEYMAN_SERVER_ARGS: inject('serverArgs'),
    },
  });
  return { config, server: await startServer(config) };
}

describe('ids that nobody can compute', () => {
  let config: Config;
  let server: RunningServer;
  let connected: Connected;
  beforeAll(async () => {
    ({ config, server } = await serverOfItsOwn());
    connected = await connect(config, { address: server.address });
  });
  afterAll(async () => {
    await connected?.close();
    await server?.stop();
  });

  /** A client that has asked nothing yet, as in another process. */
  const another = () =>
    new Client({ connection: connected.connection, namespace: 'default', dataConverter: clientConverter(config) });
  const start = async (client: Client, key: string, with_: Config = config) =>
    (
      await new TemporalRuns(client, with_).start({
        ...prepared(nap),
        mode: 'async',
        caller: 'key:shop',
        idempotencyKey: key,
      })
    ).id;
  const oldRun = (key: string) => keyedJourneyId(constant, 'key:shop', 'nap', key);

  it('FLT-18 what an earlier version made is still found: a key’s run and a binding', async () => {
    const { client } = connected;
    await client.workflow.start('journey', { workflowId: oldRun('old'), taskQueue: 'none', args: [{}] });
    const old = earlierBindingId(identity('old'));
    await client.schedule.create({
      scheduleId: old,
      spec: {},
      action: { type: 'startWorkflow', workflowType: 'journey', workflowId: old, taskQueue: 'none', args: [{}] },
      state: { paused: true },
    });
    await expect.poll(async () => (await client.workflow.count(`WorkflowType = 'journey'`)).count).toBe(1);
    expect(await start(client, 'old')).toBe(oldRun('old'));
    expect(await idOfBinding(client, identity('old'))).toBe(old);
    expect((await namespaceSecret(client)).legacy).toBe(true);
  });

  it('FLT-18 a new key and a new binding get ids that need the namespace’s secret', async () => {
    const { value } = await namespaceSecret(another());
    expect(value).toMatch(/^[\w-]{43}$/);
    const id = await start(another(), 'new');
    expect(id).not.toBe(oldRun('new'));
    expect(id).toBe(keyedJourneyId(value, 'key:shop', 'nap', 'new'));
    expect(await start(another(), 'new'), 'the same key is the same run, in every process').toBe(id);
    const made = await idOfBinding(another(), identity('new'));
    expect(made).toBe(bindingId(identity('new'), value));
    const known = createHash('sha256').update(canonical(['nap', '1.0.0', 'new', 'tick']));
    expect(made).not.toContain(known.digest().subarray(0, 16).toString('base64url'));
  });

  it('FLT-18 a configured secret outranks it, and keys of before still find their runs', async () => {
    const before = await start(another(), 'moved');
    const own: Config = { ...config, secrets: { 'secret://journeyman/idempotency': { env: 'PATH' } } };
    expect(await start(another(), 'moved', own)).toBe(before);
    expect(await start(another(), 'fresh', own)).toBe(keyedJourneyId(process.env.PATH!, 'key:shop', 'nap', 'fresh'));
  });

  it('FLT-18 it is not one of our schedules: neither listed, nor shown, nor deleted, nor tidied away', async () => {
    const schedules = new TemporalSchedules(connected.client, config);
    const { value } = await namespaceSecret(another());
    const unknown = { problem: { code: 'SCHEDULE_UNKNOWN' } };
    await expect(schedules.show('journeyman-secret')).rejects.toMatchObject(unknown);
    await expect(schedules.delete('journeyman-secret')).rejects.toMatchObject(unknown);
    await removeExhausted(connected.client, 0, Date.now() + 1000);
    expect((await schedules.list({ pageSize: 100 })).items.map((it) => it.scheduleId)).not.toContain(
      'journeyman-secret',
    );
    expect((await namespaceSecret(another())).value).toBe(value);
  });
});

it('FLT-18 a namespace gets its secret before its first run, and then never looks for ids of before', async () => {
  const { config, server } = await serverOfItsOwn();
  await prepareNamespace(config, server.address);
  const { client, close } = await connect(config, { address: server.address });
  try {
    await client.workflow.start('journey', { workflowId: 'first', taskQueue: 'none', args: [{}] });
    expect((await namespaceSecret(client)).legacy).toBe(false);
  } finally {
    await close();
    await server.stop();
  }
});

it('FLT-18 of many who ask at once for a secret that is not there, all get the same', async () => {
  const { config, server } = await serverOfItsOwn();
  const { connection, close } = await connect(config, { address: server.address });
  try {
    const clients = Array.from(
      { length: 12 },
      () => new Client({ connection, namespace: 'default', dataConverter: clientConverter(config) }),
    );
    const secrets = await Promise.all(clients.map(namespaceSecret));
    expect(new Set(secrets.map(({ value }) => value)).size).toBe(1);
    expect(secrets[0]?.legacy, 'nothing was there before').toBe(false);
  } finally {
    await close();
    await server.stop();
  }
});
