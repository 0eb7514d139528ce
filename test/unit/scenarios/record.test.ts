import { readFileSync } from 'node:fs';
import { defaultDataConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../../src/json/value.js';
import { readScenarios } from '../../../src/scenarios/read-scenarios.js';
import { recordScenario } from '../../../src/scenarios/record/record.js';
import { redacted } from '../../../src/scenarios/record/redact.js';
import { runScenario } from '../../../src/scenarios/run-scenario.js';
import { readRecording } from '../../../src/temporal/recording.js';

const { History } = proto.temporal.api.history.v1;

async function recordingIn(name: string) {
  const file = new URL(`../../histories/0.1.0/${name}.history`, import.meta.url);
  return await readRecording(History.decode(readFileSync(file)).events, defaultDataConverter);
}

/** Records the run of a history, and plays what came of it. */
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

describe('R15-record a scenario from the history of a real run', () => {
  it('has the calls with their answers, those of local activities and lost ones too', async () => {
    const { scenario } = await recorded('http-get-post-notify');
    expect(scenario.backend).toMatchObject([
      { call: expect.stringMatching(/^GET http.*\/a$/), reply: { status: 200, body: { ok: true, path: '/a' } } },
      { call: expect.stringMatching(/^POST http.*\/b$/), reply: { status: 200, body: { ok: true, path: '/b' } } },
      { reply: { status: 200 } },
      { reply: { fail: 'network' } },
    ]);
    expect(scenario.expect).toMatchObject({ phase: 'SUCCEEDED' });
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
  ])('the scenario of %s holds', async (name) => {
    const { run, scenario } = await recorded(name);
    expect(scenario.expect).toMatchObject({ phase: run.outcome!.phase });
  });

  it('refuses the run of a schedule by name', async () => {
    const run = await recordingIn('scheduled-run');
    await expect(recordScenario(run, run.input.definition, './it.journey.yaml', 'it')).rejects.toMatchObject({
      problem: { code: 'SCENARIO_RECORD', detail: expect.stringContaining('schedule') },
    });
  });

  it('a run that would take another way is refused with what differs, and nothing is written', async () => {
    const run = await recordingIn('http-get-post-notify');
    const outcome = { ...run.outcome!, phase: 'FAILED' as const, error: { code: 'OTHER', reason: '' } };
    await expect(
      recordScenario({ ...run, outcome }, run.input.definition, './it.journey.yaml', 'it'),
    ).rejects.toMatchObject({
      problem: { code: 'SCENARIO_RECORD', errors: [{ message: expect.stringContaining('phase') }, {}] },
    });
  });
});

it('R15-record what looks like a secret by its name is replaced, everywhere the same', () => {
  const { value, places } = redacted({
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
