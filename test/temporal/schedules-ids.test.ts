import { createHash } from 'node:crypto';
import { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { canonical } from '../../src/base/json/value.js';
import type { Config } from '../../src/config/config-types.js';
import { loadConfig } from '../../src/config/load-config.js';
import { type Connected, connect } from '../../src/temporal/connection.js';
import { clientConverter } from '../../src/temporal/encryption/data-converter.js';
import { namespaceSecret } from '../../src/temporal/namespace-secret.js';
import { keyedJourneyId } from '../../src/temporal/runs/run-ids.js';
import { TemporalRuns } from '../../src/temporal/runs/temporal-runs.js';
import { bindingId, idOfBinding } from '../../src/temporal/schedules/bindings/binding-id.js';
import { TemporalSchedules } from '../../src/temporal/schedules/bindings/temporal-bindings.js';
import { removeExhausted } from '../../src/temporal/schedules/daily-maintenance.js';
import { type RunningServer, startServer } from '../../src/temporal/server/start-server.js';
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

const identity = (subjectId: string) => ({
  journeyName: 'nap',
  journeyVersion: '1.0.0',
  subjectId,
  startStateId: 'tick',
});

// A server without workers: these tests do not need any.
async function isolatedServer(): Promise<{ config: Config; server: RunningServer }> {
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

describe('ids that depend on the secret of the namespace', () => {
  let config: Config;
  let server: RunningServer;
  let connected: Connected;
  beforeAll(async () => {
    ({ config, server } = await isolatedServer());
    connected = await connect(config, { address: server.address });
  });
  afterAll(async () => {
    await connected?.close();
    await server?.stop();
  });

  /** A client without cached data, as in another process. */
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
    ).journeyId;

  it('FLT-18 ids of new keys and new bindings cannot be computed without the secret', async () => {
    const value = await namespaceSecret(another());
    expect(value).toMatch(/^[\w-]{43}$/);
    const id = await start(another(), 'new');
    expect(id).toBe(keyedJourneyId(value, 'key:shop', 'nap', 'new'));
    expect(await start(another(), 'new'), 'the same key is the same run, in every process').toBe(id);
    const made = await idOfBinding(another(), identity('new'));
    expect(made).toBe(bindingId(identity('new'), value));
    const known = createHash('sha256').update(canonical(['nap', '1.0.0', 'new', 'tick']));
    expect(made).not.toContain(known.digest().subarray(0, 16).toString('base64url'));
  });

  it('FLT-18 a configured secret takes precedence, and earlier keys still identify their runs', async () => {
    const before = await start(another(), 'moved');
    const own: Config = { ...config, secrets: { 'secret://journeyman/idempotency': { env: 'PATH' } } };
    expect(await start(another(), 'moved', own)).toBe(before);
    expect(await start(another(), 'fresh', own)).toBe(keyedJourneyId(process.env.PATH!, 'key:shop', 'nap', 'fresh'));
  });

  it('FLT-18 its Schedule cannot be listed, shown or deleted, and maintenance keeps it', async () => {
    const schedules = new TemporalSchedules(connected.client, config);
    const value = await namespaceSecret(another());
    const unknown = { problem: { code: 'SCHEDULE_UNKNOWN' } };
    await expect(schedules.show('journeyman-secret')).rejects.toMatchObject(unknown);
    await expect(schedules.delete('journeyman-secret')).rejects.toMatchObject(unknown);
    await removeExhausted(connected.client, 0, Date.now() + 1000);
    expect((await schedules.list({ pageSize: 100 })).items.map((it) => it.scheduleId)).not.toContain(
      'journeyman-secret',
    );
    expect(await namespaceSecret(another())).toBe(value);
  });
});

it('FLT-18 concurrent first readers of the secret all get the same one', async () => {
  const { config, server } = await isolatedServer();
  const { connection, close } = await connect(config, { address: server.address });
  try {
    const clients = Array.from(
      { length: 12 },
      () => new Client({ connection, namespace: 'default', dataConverter: clientConverter(config) }),
    );
    const secrets = await Promise.all(clients.map(namespaceSecret));
    expect(new Set(secrets).size).toBe(1);
  } finally {
    await close();
    await server.stop();
  }
});
