import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asActivities } from '../../activities/effects-as-activities.js';
import { createHttpClient } from '../../activities/http-call/http-client.js';
import { httpEffect } from '../../activities/http-call/http-effect.js';
import { loadConfig } from '../../src/config/load-config.js';
import { TemporalRuns } from '../../src/temporal/runs/temporal-runs.js';
import { prepared } from '../support/prepared.js';
import { journeyOf, type Rig, rig } from './support/rig.js';

const asking = `
apiVersion: v1
kind: Journey
metadata: { name: asking, version: 1.0.0 }
spec:
  start: ask
  states:
    ask: { type: wait, wait: { channel: manual, input: { schema: { type: object } } }, next: done }
    done: { type: succeed }
`;

const calling = (url: string) => `
apiVersion: v1
kind: Journey
metadata: { name: calling, version: 1.0.0 }
spec:
  start: call
  states:
    call: { type: task, task: { kind: "httpCall:v1", method: POST, url: "${url}", body: {}, timeoutMs: 60000, resultVar: r }, next: done }
    done: { type: succeed, outputVar: r }
`;

describe('a repeated start with an idempotency key', () => {
  let rigged: Rig;
  const http = createHttpClient({
    http: loadConfig({ env: {} }).http,
    log: { warn: () => undefined, debug: () => undefined },
    loopbackAllowed: true,
  });
  const waiting: ServerResponse[] = [];
  const service = createServer((_, response) => waiting.push(response));
  beforeAll(async () => {
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    rigged = await rig({ activities: asActivities({ http: httpEffect(http) }) });
  });
  afterAll(async () => {
    await rigged.stop();
    await http.close();
    service.closeAllConnections();
    await new Promise((resolve) => service.close(resolve));
  });

  const updates = async (id: string) => {
    const { events } = await rigged.client.workflow.getHandle(id).fetchHistory();
    return (events ?? []).filter((it) => it.workflowExecutionUpdateAcceptedEventAttributes).length;
  };

  it('FLT-7 does not consume updates of the run, which submissions need', async () => {
    const start = () => rigged.start(asking, { n: 1 }, { idempotencyKey: 'again' });
    const first = await start();
    for (let n = 0; n < 10; n++) expect(await start()).toMatchObject({ journeyId: first.journeyId, steps: ['ask'] });
    expect(await updates(first.journeyId)).toBe(1);
  });

  it('FLT-7 two hundred times at once creates one run and returns its result to all callers', async () => {
    const start = () => rigged.start(asking, { n: 2 }, { idempotencyKey: 'at once' });
    const answers = await Promise.all(Array.from({ length: 200 }, start));
    const [first] = answers;
    expect(answers.filter(({ journeyId, steps }) => journeyId === first?.journeyId && steps[0] === 'ask')).toHaveLength(
      200,
    );
    expect(await updates(first!.journeyId)).toBe(1);
  });

  it('FLT-7 through another gateway responds when the run has ended, like the first', async () => {
    const definition = journeyOf(calling(`http://127.0.0.1:${(service.address() as AddressInfo).port}/`));
    const request = { ...prepared(definition), mode: 'sync', caller: 'test' } as const;
    const other = new TemporalRuns(rigged.client, rigged.config);
    const first = rigged.runs.start({ ...request, idempotencyKey: 'elsewhere' });
    await expect.poll(() => waiting.length).toBe(1);
    const second = other.start({ ...request, idempotencyKey: 'elsewhere' });
    waiting[0]?.end();
    const [one, two] = await Promise.all([first, second]);
    expect(two).toMatchObject({ journeyId: one.journeyId, phase: 'SUCCEEDED', outcome: one.outcome });
    expect(await updates(one.journeyId)).toBe(1);
  });
});
