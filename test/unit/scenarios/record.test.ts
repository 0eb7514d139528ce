import { readFileSync } from 'node:fs';
import { defaultDataConverter, defaultPayloadConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import Long from 'long';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../../src/base/json/value.js';
import type { Outcome } from '../../../src/engine/outcome.js';
import { load } from '../../../src/language/load-journey.js';
import { readScenarios } from '../../../src/scenarios/read/read-scenario-file.js';
import type { AnsweredEffect } from '../../../src/scenarios/record/record-scenario.js';
import { recordScenario, redactSecrets } from '../../../src/scenarios/record/record-scenario.js';
import { runScenario } from '../../../src/scenarios/run-scenario.js';
import { readRecordedRun } from '../../../src/temporal/runs/history/read-run-from-history.js';

const { History } = proto.temporal.api.history.v1;

type Events = Parameters<typeof readRecordedRun>[0][number][];

async function recordingIn(name: string, change: (events: Events) => void = () => undefined) {
  const file = new URL(`../../histories/0.1.0/${name}.history`, import.meta.url);
  const events: Events = [...History.decode(readFileSync(file)).events];
  change(events);
  return await readRecordedRun(events, defaultDataConverter);
}

/** Records the run of a history as a scenario, and plays it. */
async function recorded(name: string) {
  const run = await recordingIn(name);
  const { definition } = run.input;
  const { text } = await recordScenario(run, definition, './it.journey.yaml', 'recorded');
  const { scenarios, findings } = readScenarios(text, 'it.scenario.yaml');
  expect(findings).toEqual([]);
  const report = await runScenario(definition, scenarios[0]!.scenario);
  expect(report.mismatches).toEqual([]);
  const { scenarios: written } = parse(text) as { scenarios: Record<string, JsonObject> };
  return { run, scenario: Object.values(written)[0]! };
}

/** Waits for an approval, sends a reminder after five seconds, then ships. */
const order = `
apiVersion: v1
kind: Journey
metadata: { name: order, version: 1.0.0 }
spec:
  start: approval
  states:
    approval:
      type: parallel
      parallel:
        branches:
          - name: decision
            start: approve
            states:
              approve: { type: wait, wait: { channel: manual, input: { schema: {} } }, next: decided }
              decided: { type: succeed }
          - name: clock
            start: first
            states:
              first: { type: timer, timer: { duration: PT5S }, next: remind }
              remind: { type: task, task: { kind: 'httpCall:v1', mode: notify, method: POST, url: https://mail.test/reminders }, next: second }
              second: { type: timer, timer: { duration: PT1H }, next: over }
              over: { type: succeed }
        join: { strategy: anyOf, mapper: { lang: dataweave, expr: '{}' }, resultVar: decision }
      next: ship
    ship: { type: task, task: { kind: 'httpCall:v1', method: PUT, url: 'https://shop.test/orders/\${context.id}', resultVar: shipment }, next: done }
    done: { type: succeed }
`;

const shipped = { ok: true, status: 200, headers: {}, body: null };
const asked: AnsweredEffect[] = [
  { name: 'http', label: 'remind', ms: 40, answer: { ok: true, status: 202, headers: {}, body: null } },
  { name: 'http', label: 'ship', ms: 60, answer: shipped },
];

function readOrder(text: string) {
  const { definition, findings } = load({ text, path: 'order.journey.yaml' });
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  return definition!;
}

/** Records a run of the order that was approved at the given time, with the journey as it is now. */
async function recordedOrder(
  { atMs, text: journey = order }: { atMs: number; text?: string },
  answers: AnsweredEffect[] = asked,
  now = readOrder(journey),
) {
  const run = {
    input: { definition: readOrder(journey), context: { id: 'no 1' }, info: { environment: 'test', config: {} } },
    startedAt: Date.parse('2026-03-01T09:00:00Z'),
    answers,
    inputs: [{ step: 'approve', payload: { ok: true }, atMs }],
    outcome: { phase: 'SUCCEEDED', error: null, output: {} } as unknown as Outcome,
  };
  const { text } = await recordScenario(run, now, './order.journey.yaml', 'recorded');
  const { scenarios } = parse(text) as { scenarios: { recorded: JsonObject } };
  return { text, scenario: scenarios.recorded };
}

describe('R15-record a scenario from the history of a real run', () => {
  it('has the calls with their responses, including local activities and lost calls', async () => {
    const { scenario } = await recorded('http-get-post-notify');
    expect(scenario.backend).toMatchObject([
      { call: expect.stringMatching(/^GET http.*\/a$/), reply: { status: 200, body: { ok: true, path: '/a' } } },
      { call: expect.stringMatching(/^POST http.*\/b$/), reply: { status: 200, body: { ok: true, path: '/b' } } },
      { reply: { status: 200 } },
      { reply: { fail: 'network' } },
    ]);
    expect(scenario.expect).toMatchObject({ phase: 'SUCCEEDED' });
  });

  it('has a call that the worker returned for a retry once, with its total duration', async () => {
    const plain = await recordingIn('http-get-post-notify');
    const again = await recordingIn('http-get-post-notify', (events) => {
      const at = events.findIndex((it) => it.activityTaskScheduledEventAttributes);
      const asked = events[at]!;
      const early = { ...asked.eventTime, seconds: asked.eventTime!.seconds!.sub(20) };
      const result = { payloads: [defaultPayloadConverter.toPayload({ retryLater: { afterMs: 19_000, attempt: 2 } })] };
      const done = { scheduledEventId: Long.fromNumber(9001), result };
      events.splice(
        at,
        0,
        { ...asked, eventId: Long.fromNumber(9001), eventTime: early },
        { eventId: Long.fromNumber(9002), eventTime: early, activityTaskCompletedEventAttributes: done },
      );
    });
    expect(again.answers.map(({ name, answer }) => ({ name, answer }))).toEqual(
      plain.answers.map(({ name, answer }) => ({ name, answer })),
    );
    const at = plain.answers.findIndex(({ ms }, i) => ms !== again.answers[i]!.ms);
    expect(again.answers[at]!.ms - plain.answers[at]!.ms).toBe(20_000);
  });

  it('has the submissions', async () => {
    const { scenario } = await recorded('wait-step');
    expect(scenario.steps).toMatchObject([{ step: 'ask', payload: { yes: true } }]);
  });

  it.each([
    'fail',
    'cancelled',
    'parallel-all-any-nested',
    'subjourney',
    'transform-choice-succeed',
    'webhook-signal-timeout',
  ])('recorded from %s passes', async (name) => {
    const { run, scenario } = await recorded(name);
    expect(scenario.expect).toMatchObject({ phase: run.outcome!.phase });
  });

  it('has a step at its time, and the calls of the run', async () => {
    const { text, scenario } = await recordedOrder({ atMs: 12_345 });
    expect(scenario.steps).toEqual([{ step: 'approve', payload: { ok: true }, delay: 'PT12S' }]);
    expect(scenario.expect).toMatchObject({
      phase: 'SUCCEEDED',
      callsInAnyOrder: ['POST https://mail.test/reminders', 'PUT https://shop.test/orders/no%201'],
    });
    expect(text).not.toContain('after:');
  });

  it('omits delays of less than a second', async () => {
    const { scenario } = await recordedOrder({ atMs: 800 }, [{ name: 'http', label: 'ship', ms: 20, answer: shipped }]);
    expect(scenario.steps).toEqual([{ step: 'approve', payload: { ok: true } }]);
    expect(scenario.expect).toMatchObject({ calls: ['PUT https://shop.test/orders/no%201'] });
  });

  it('has times in milliseconds if whole seconds would change the order', async () => {
    const { scenario } = await recordedOrder({ atMs: 5_800, text: order.replace('PT5S', 'PT5.5S') });
    expect(scenario.steps).toEqual([{ step: 'approve', payload: { ok: true }, at: 'PT5.8S' }]);
  });

  it('has a call that was abandoned before its response', async () => {
    const text = order.replace('mode: notify, method: POST', 'method: GET');
    const given = [{ name: 'http', label: 'remind', ms: 0 }, asked[1]!];
    const { scenario } = await recordedOrder({ atMs: 6_200, text }, given);
    expect(scenario.backend).toMatchObject([{ reply: { fail: 'timeout' } }, { reply: { status: 200 } }]);
  });

  it('is refused if the run made calls that it would not make again', async () => {
    const answers = [...asked, { name: 'http', label: 'ship', ms: 1, answer: shipped }];
    await expect(recordedOrder({ atMs: 12_345 }, answers)).rejects.toMatchObject({
      problem: { code: 'SCENARIO_RECORD', errors: [{ message: expect.stringContaining('ship') }] },
    });
  });

  it('is refused for a path through a branch that the journey no longer has', async () => {
    const now = readOrder(order.replace('PT5S', 'PT5M'));
    await expect(recordedOrder({ atMs: 12_345 }, asked, now)).rejects.toMatchObject({
      problem: { code: 'SCENARIO_RECORD', errors: [{ message: expect.stringContaining('remind') }] },
    });
  });

  it('is refused for the run of a schedule', async () => {
    const run = await recordingIn('scheduled-run');
    await expect(recordScenario(run, run.input.definition, './it.journey.yaml', 'it')).rejects.toMatchObject({
      problem: { code: 'SCENARIO_RECORD', detail: expect.stringContaining('schedule') },
    });
  });

  it('is refused with the differences if the run would take another path', async () => {
    const run = await recordingIn('http-get-post-notify');
    const outcome = { ...run.outcome!, phase: 'FAILED' as const, error: { code: 'OTHER', reason: '' } };
    await expect(
      recordScenario({ ...run, outcome }, run.input.definition, './it.journey.yaml', 'it'),
    ).rejects.toMatchObject({
      problem: { code: 'SCENARIO_RECORD', errors: [{ message: expect.stringContaining('phase') }, {}] },
    });
  });
});

it('R15-record callback URLs are those of virtual time: they are useless, and comparisons with them have the same result', async () => {
  const definition = readOrder(`
apiVersion: v1
kind: Journey
metadata: { name: paid, version: 1.0.0 }
spec:
  start: register
  states:
    register: { type: task, task: { kind: 'httpCall:v1', method: POST, url: 'https://pay.test/hooks?to=\${platform.run.callbacks.paid}', resultVar: hook }, next: same }
    same: { type: choice, choices: [{ when: { predicate: { lang: dataweave, expr: context.hook.body.url == platform.run.callbacks.paid } }, next: paid }], default: other }
    paid: { type: webhook, webhook: { input: { schema: {} } }, next: told }
    told: { type: transform, transform: { mapper: { lang: dataweave, expr: '{ url: platform.run.callbacks.paid }' }, target: { kind: var }, resultVar: told }, next: done }
    other: { type: fail, errorCode: OTHER, reason: other }
    done: { type: succeed, outputVar: told }
`);
  const token = `tq4x1c.${'aB3-_'.repeat(9).slice(0, 43)}`;
  const url = `https://journeys.example.com/api/v1/journeys/h3Kq0mXg9xJ5c2b1uVYp7A/steps/paid?callback=${token}`;
  const body = {
    url,
    quoted: JSON.stringify({ url }),
    back: `https://pay.test/?to=${encodeURIComponent(url)}`,
    token: 1,
    only: token,
  };
  const run = {
    input: { definition, context: {}, info: { environment: 'test', config: {}, callbacks: { paid: url } } },
    startedAt: Date.parse('2026-03-01T09:00:00Z'),
    answers: [
      { name: 'http', label: 'register', ms: 5, answer: { ok: true, status: 200, headers: { location: url }, body } },
    ],
    inputs: [{ step: 'paid', payload: { from: `see ${url}.` }, atMs: 900 }],
    outcome: { phase: 'SUCCEEDED', error: null, output: { url } } as unknown as Outcome,
  };
  const { text, leftOut } = await recordScenario(run, definition, './paid.journey.yaml', 'recorded');
  expect(text).not.toContain(token.slice(0, 20));
  expect(text).not.toContain(token.slice(-20));
  expect(leftOut).toEqual([]);
  const { scenarios } = readScenarios(text, 'it.scenario.yaml');
  expect((await runScenario(definition, scenarios[0]!.scenario)).mismatches).toEqual([]);
});

it('R15-record a secret is also replaced in URLs, where it is percent-encoded', () => {
  const { value } = redactSecrets({
    input: { token: 'a b/c+d' },
    backend: [{ call: 'GET https://a.test/x?t=a%20b%2Fc%2Bd' }],
  });
  expect(value.backend).toEqual([{ call: 'GET https://a.test/x?t=redacted-1' }]);
});

it('R15-record a value whose name suggests a secret is replaced, consistently everywhere', () => {
  const { value, places } = redactSecrets({
    input: { apiKey: 'k-12345678', name: 'kim' },
    backend: [{ reply: { body: { accessToken: 't-87654321', note: 'use t-87654321 with k-12345678' } } }],
    steps: [{ payload: { token: 't-87654321' } }],
  });
  expect(value).toEqual({
    input: { apiKey: 'redacted-1', name: 'kim' },
    backend: [{ reply: { body: { accessToken: 'redacted-2', note: 'use redacted-2 with redacted-1' } } }],
    steps: [{ payload: { token: 'redacted-2' } }],
  });
  expect(places).toEqual(['input.apiKey', 'backend[0].reply.body.accessToken', 'steps[0].payload.token']);
});
