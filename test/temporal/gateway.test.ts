import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processMetrics } from '../../src/app/telemetry/metrics.js';
import { createGateway } from '../../src/gateway/create-gateway.js';
import { type Listening, listen } from '../../src/gateway/http-server.js';
import { gatewayDocument } from '../../src/library/read-gateway-openapi.js';
import { readLibrary } from '../../src/library/read-library.js';
import { TemporalPipelines } from '../../src/temporal/pipelines/temporal-pipelines.js';
import { TemporalSchedules } from '../../src/temporal/schedules/bindings/temporal-bindings.js';
import { automation } from '../support/automation.js';
import { type Rig, rig } from './support/rig.js';

const parcel = `
apiVersion: v1
kind: Journey
metadata: { name: parcel-SUFFIX, version: 1.0.0, tags: [parcels] }
spec:
  metadata:
    bindings:
      attributes:
        fromPayload:
          subjectId: { path: customer }
          a1: { path: big }
          a2: { path: big }
          a3: { path: big }
          a4: { path: big }
          a5: { path: big }
          a6: { path: big }
          a7: { path: big }
          a8: { path: big }
  input:
    schema:
      type: object
      required: [customer, weight]
      properties: { customer: { type: string }, weight: { type: number, exclusiveMinimum: 0 } }
  bindings: { http: { steps: { pickUp: { headersToContext: { X-Courier: courier } } } } }
  start: pickUp
  states:
    pickUp:
      type: wait
      wait: { channel: manual, input: { schema: { type: object, required: [at] } } }
      next: done
    done: { type: succeed }
`;

describe('the gateway on a real server', () => {
  let rigged: Rig;
  let http: Listening;
  let folder: string;
  const name = `parcel-${process.pid}`;
  beforeAll(async () => {
    rigged = await rig({ env: { JOURNEYMAN_GATEWAY_BODY_LIMIT: '6000' } });
    folder = mkdtempSync(join(tmpdir(), 'journeyman-specs-'));
    writeFileSync(join(folder, 'parcel.journey.yaml'), parcel.replace('SUFFIX', String(process.pid)));
    const journeys = await readLibrary({ specs: folder, catalogue: { overlays: [] } });
    expect(journeys.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    const app = createGateway({
      config: rigged.config,
      journeys,
      runs: rigged.runs,
      schedules: new TemporalSchedules(rigged.client, rigged.config),
      pipelines: new TemporalPipelines(rigged.client, rigged.config),
      channels: {},
      guards: { admit: async () => undefined },
      automation: automation(),
      apis: { call: () => Promise.reject(new Error('no Apis here')) },
      log: pino({ level: 'silent' }),
      metrics: processMetrics(),
      ready: async () => undefined,
      openApi: gatewayDocument,
    });
    http = await listen(app, { host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await http.close();
    await rigged.stop();
    rmSync(folder, { recursive: true });
  });

  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${http.url}/api/v1/journeys/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const runsOfThis = async () => (await rigged.client.workflow.count(`JourneyName = '${name}'`)).count;

  it('rejects invalid starts with distinct errors without creating a workflow', async () => {
    expect(await post('parcels/start', {})).toMatchObject({ status: 404, body: { code: 'JOURNEY_UNKNOWN' } });
    expect(await post(`${name}/start`, '{"customer": ')).toMatchObject({
      status: 400,
      body: { code: 'BODY_INVALID_JSON' },
    });
    expect(await post(`${name}/start`, { customer: 'x'.repeat(7000) })).toMatchObject({
      status: 413,
      body: { code: 'BODY_TOO_LARGE' },
    });
    const refused = await post(`${name}/start`, { weight: -1 });
    expect(refused).toMatchObject({ status: 400, body: { code: 'INPUT_INVALID' } });
    const errors = refused.body.errors as { pointer: string }[];
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual(['/customer', '/weight']);
    expect(await runsOfThis()).toBe(0);
  });

  it('starts one run per Idempotency-Key and returns the same response', async () => {
    const key = { 'idempotency-key': 'parcel-1' };
    const first = await post(`${name}/start`, { customer: 'kim', weight: 2 }, key);
    expect(first).toMatchObject({
      status: 200,
      body: { phase: 'RUNNING', currentState: 'pickUp', tags: ['parcels'], attributes: { subjectId: 'kim' } },
    });
    const again = await post(`${name}/start`, { customer: 'kim', weight: 2 }, key);
    expect(again).toEqual(first);
    expect(await post(`${name}/start`, { customer: 'kim', weight: 3 }, key)).toMatchObject({ status: 422 });
    await expect.poll(runsOfThis).toBe(1);
  });

  it('accepts a step with the values that its binding copies from the request, and returns the result', async () => {
    const { body } = await post(`${name}/start`, { customer: 'lee', weight: 1 });
    const id = String(body.journeyId);
    expect((await fetch(`${http.url}/api/v1/journeys/${id}/result`)).status).toBe(409);
    expect(await post(`${id}/steps/pickUp`, {})).toMatchObject({ status: 400, body: { code: 'STEP_INVALID' } });
    const step = await post(`${id}/steps/pickUp`, { at: 'noon' }, { 'x-courier': 'Ada' });
    expect(step).toMatchObject({ status: 200, body: { phase: 'SUCCEEDED' } });
    const result = await fetch(`${http.url}/api/v1/journeys/${id}/result`);
    expect(await result.json()).toMatchObject({ output: { customer: 'lee', courier: 'Ada' } });
    expect(await post(`${id}/steps/pickUp`, { at: 'one' })).toMatchObject({ status: 409 });
    expect((await fetch(`${http.url}/api/v1/journeys/nobody-knows-this-one`)).status).toBe(404);
  });

  it('shows the last known state of a terminated run', async () => {
    const { body } = await post(`${name}/start`, { customer: 'max', weight: 1 });
    const id = String(body.journeyId);
    await rigged.client.workflow.getHandle(id).terminate('by hand');
    const known = { phase: 'FAILED', tags: ['parcels'], attributes: { subjectId: 'max' } };
    const get = async (path: string) => (await fetch(`${http.url}/api/v1/journeys/${id}${path}`)).json();
    expect(await get('')).toMatchObject({ ...known, currentState: 'pickUp' });
    expect(await get('/result')).toMatchObject({ ...known, error: { code: 'RUN_TERMINATED' } });
  });

  it('finds runs by subjects with any characters, and supports the maximum number of attributes', async () => {
    const customer = 'CORP\\ann "the \'first\'"';
    const started = await post(`${name}/start`, { customer, weight: 1, big: 'ü'.repeat(256) });
    expect(started).toMatchObject({ status: 200, body: { attributes: { subjectId: customer } } });
    const found = async () => {
      const query = new URLSearchParams({ subjectId: customer, 'attributes.subjectId': customer });
      const response = await fetch(`${http.url}/api/v1/journeys?${query}`);
      return ((await response.json()) as { items: { journeyId: string; attributes: unknown }[] }).items;
    };
    await expect
      .poll(found)
      .toMatchObject([{ journeyId: started.body.journeyId, attributes: { subjectId: customer } }]);
  });

  it('keeps the outcome of its journey even if its status is long', async () => {
    const { body } = await post(`${name}/start`, { customer: 'sue', weight: 1, status: 'S'.repeat(5000) });
    const step = await post(`${String(body.journeyId)}/steps/pickUp`, { at: 'noon' });
    expect(step).toMatchObject({ status: 200, body: { phase: 'SUCCEEDED' } });
    const ended = async () => (await fetch(`${http.url}/api/v1/journeys/${String(body.journeyId)}`)).json();
    await expect.poll(ended).toMatchObject({ phase: 'SUCCEEDED', currentState: 'done' });
  });

  it('pages through lists, and rejects foreign page tokens', async () => {
    await post(`${name}/start`, { customer: 'ann', weight: 1 });
    await post(`${name}/start`, { customer: 'bob', weight: 1 });
    const list = async (query: string) => {
      const response = await fetch(`${http.url}/api/v1/journeys?journeyName=${name}&${query}`);
      return (await response.json()) as { code?: string; items: { journeyId: string }[]; nextPageToken: string };
    };
    await expect.poll(async () => (await list('pageSize=50')).items.length).toBeGreaterThanOrEqual(2);
    const first = await list('pageSize=1');
    const second = await list(`pageSize=1&pageToken=${first.nextPageToken}`);
    expect(second.items[0]!.journeyId).not.toBe(first.items[0]!.journeyId);
    expect(await list('pageToken=abc')).toMatchObject({ code: 'QUERY_INVALID' });
    expect(await list(`phase=FAILED&pageToken=${first.nextPageToken}`)).toMatchObject({ code: 'QUERY_INVALID' });
    const schedules = await fetch(`${http.url}/api/v1/schedules?pageToken=abc`);
    expect(await schedules.json()).toMatchObject({ status: 400, code: 'QUERY_INVALID' });
  });
});
