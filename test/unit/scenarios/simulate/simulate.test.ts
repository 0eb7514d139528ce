import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { simulateCommand } from '../../../../src/cli/author/simulate/simulate.js';
import { validate } from '../../../../src/json-schema/validate.js';
import { schemaSample } from '../../../../src/scenarios/simulate/schema-samples.js';
import { runTest } from '../run-test.js';

const specs = fileURLToPath(new URL('../../../../specs', import.meta.url));
const fixtures = fileURLToPath(new URL('fixtures', import.meta.url));
afterEach(() => {
  process.exitCode = 0;
  vi.unstubAllEnvs();
});

/** Runs the command; `answers` are typed in a terminal. */
async function simulate(args: string[], answers?: string[]) {
  let [out, error] = ['', ''];
  const left = [...(answers ?? [])];
  await simulateCommand({
    out: { write: (text) => (out += text) },
    error: { write: (text) => (error += text) },
    terminal: () =>
      answers && {
        ask: async (question) => {
          out += question;
          if (left.length === 0) throw new Error(`nobody answers: ${question}`);
          return left.shift()!;
        },
        close: () => undefined,
      },
  }).parseAsync(args, { from: 'user' });
  return { out, error, exitCode: process.exitCode, left };
}

describe('R15-simulate', () => {
  it('shows time, state, event and changes', async () => {
    const { out, exitCode } = await simulate([`${specs}/hello.journey.yaml`, '--input', '{"name": "Ada"}']);
    expect(out).toContain('hello 1.0.0, from 2026-01-01T00:00:00.000Z\n');
    expect(out).toMatch(/\+0s +greet +succeed: SUCCEEDED/);
    expect(out).toContain('SUCCEEDED GREETED in greet after 0s\n  output {"greeting":"Hello, Ada!"');
    expect(exitCode).toBe(0);
  });

  it('finds a journey of the configured folder by name', async () => {
    vi.stubEnv('JOURNEYMAN_SPECS', specs);
    expect((await simulate(['hello', '--input', '{"name": "Ada"}'])).out).toContain('SUCCEEDED GREETED');
    await expect(simulate(['helo'])).rejects.toMatchObject({
      problem: { code: 'JOURNEY_UNKNOWN', hint: 'Did you mean "hello"?' },
    });
  });

  it('plays a scenario of a script', async () => {
    const script = ['--script', `${specs}/checkout.scenario.yaml`, '--scenario', 'a large order is approved'];
    const { out } = await simulate([`${specs}/checkout.journey.yaml`, ...script]);
    expect(out).toMatch(/\+0s +addUp +transform → reserve\n +\+ total: \d/);
    expect(out).toMatch(/\+20m +approval +wait: submitted → approved/);
    expect(out).toMatch(/POST https:\/\/shop.example.com\/payments → 201 \{"id":"pay-1"\}/);
  });

  it('adds no submissions or replies to a scenario, also on a terminal', async () => {
    const script = ['--script', `${specs}/recurring-payment.scenario.yaml`, '--scenario', 'nobody agrees'];
    const { out, exitCode } = await simulate([`${specs}/recurring-payment.journey.yaml`, ...script], []);
    expect(out).toContain('FAILED NO_CONSENT in noConsent after 7d');
    expect(exitCode).toBe(0);

    const folder = mkdtempSync(join(tmpdir(), 'journeyman-simulate-'));
    const file = join(folder, 'unanswered.scenario.yaml');
    const text = readFileSync(`${specs}/checkout.scenario.yaml`, 'utf8');
    writeFileSync(file, text.replace(/^ {2}backend:\n(?: {4}.*\n)+/m, ''));
    const args = [`${specs}/checkout.journey.yaml`, '--catalogue', specs, '--script', file];
    const unanswered = await simulate(args, []);
    rmSync(folder, { recursive: true });
    expect(unanswered.out).toContain('missing No reply is scripted for POST https://shop.example.com/reservations');
    expect(unanswered.exitCode).toBe(1);
  });

  it('generates values from schemas without a script and a terminal', async () => {
    const { out, exitCode } = await simulate([`${specs}/checkout.journey.yaml`, '--catalogue', specs]);
    expect(out).toContain('submitted {"address":"text","express":true}');
    expect(out).toContain('SUCCEEDED CONFIRMED');
    expect(exitCode).toBe(0);
  });

  it('reports a missing reply once, and fails', async () => {
    const { out, exitCode } = await simulate([`${fixtures}/daily.journey.yaml`, '--until', 'P3D']);
    expect(out.match(/missing There is no reply for GET https:\/\/shop.test\/day:/g)).toHaveLength(1);
    expect(exitCode).toBe(1);
  });

  it('--idle lets a step time out', async () => {
    const { out } = await simulate([`${specs}/recurring-payment.journey.yaml`, '--idle']);
    expect(out).toMatch(/\+7d +consent +wait: no submission within 7d → noConsent/);
    expect(out).toContain('FAILED NO_CONSENT in noConsent after 7d');
  });

  it('prompts with a value from the schema as the default, until the answer is valid', async () => {
    const typed = ['{customerId: kim, amount: 5}', '{}', '{token: t}'];
    const { out, left } = await simulate([`${specs}/recurring-payment.journey.yaml`], typed);
    expect(left).toEqual([]);
    expect(out).toContain('consent waits for a submission, until 2026-01-08T00:00:00.000Z');
    expect(out).toContain('Submission: JSON or YAML, wait, or cancel [{"token":"text"}] ');
    expect(out).toContain('  /token is required\n');
    expect(out).toContain('SUCCEEDED AGREED');
  });

  it('prompts for the reply of a call', async () => {
    const state = ['--state', 'work', '--context', '{count: 1}'];
    const { out } = await simulate([`${fixtures}/daily.journey.yaml`, ...state], ['503 {busy: ', '503 {busy: true}']);
    expect(out).toContain('For example 200 {"id": 7}, or 404, or timeout.');
    expect(out).toContain('GET https://shop.test/day → 503 {"busy":true}');
  });

  it('--state shows the next state of a single state', async () => {
    const { out } = await simulate([
      `${fixtures}/daily.journey.yaml`,
      '--state',
      'count',
      '--context',
      '{count: 4, day: {body: {id: 3}}}',
    ]);
    expect(out).toContain('count leads to done after 0s\n  context {"count":5,"last":3}\n');
    await expect(simulate([`${fixtures}/daily.journey.yaml`, '--state', 'cuont'])).rejects.toMatchObject({
      problem: { code: 'STATE_UNKNOWN', hint: 'Did you mean "count"?' },
    });
  });

  it('--schedule plays every run of a year, with its context, the count and the reason of the end', async () => {
    const args = [`${fixtures}/daily.journey.yaml`, '--schedule', '--script', `${fixtures}/script.yaml`];
    const { out } = await simulate(args);
    expect(out).toContain('  365  2026-12-31T00:00:00.000Z  SUCCEEDED    count: 364 → 365\n');
    expect(out).toContain(
      '365 of 400 runs: end of the simulated time; the next run would be at 2027-01-01T00:00:00.000Z.',
    );
    expect((await simulate([...args, '--for', 'P2Y'])).out).toContain('400 of 400 runs: all 400 runs are done.');
  });

  it('--schedule plays a job at its times', async () => {
    const times = ['--schedule', '--cron', '0 9 * * 1', '--timezone', 'Europe/Rome', '--for', 'P1M'];
    const { out } = await simulate([`${specs}/hello.journey.yaml`, ...times]);
    expect(out).toMatch(/4 {2}2026-01-26T08:00:00.000Z {2}SUCCEEDED {2}GREETED/);
    expect(out).toContain('4 runs at 4 times');
  });

  it('--schedule reports once why and where runs failed, for schedules and for jobs', async () => {
    const journey = `${fixtures}/nightly.journey.yaml`;
    const why =
      / failed the run of (\S+) ended in add: DW_TYPE_MISMATCH: 'upper' does not accept \(Array\) .*nightly.journey.yaml:18:5\n/;
    const { out } = await simulate([journey, '--schedule']);
    expect(out).toMatch(why);
    expect(out.match(/DW_TYPE_MISMATCH/g)).toHaveLength(1);
    const refused = ['--schedule', '--every', 'P1D', '--for', 'P3D'];
    const job = await simulate([`${specs}/hello.journey.yaml`, ...refused, '--script', `${fixtures}/nobody.yaml`]);
    expect(job.out).toMatch(
      / failed the run of 2026-01-01T00:00:00.000Z ended in nobody: NOBODY_THERE: There is nobody/,
    );
  });

  it('test reports why and where a run of a schedule failed unexpectedly', async () => {
    const { out } = await runTest(`${fixtures}/nightly.scenario.yaml`);
    expect(out).toMatch(
      /✗ another error\n +schedules\[0\].runs\[0\].errorCode: .*\n +the run of 2026-01-02T00:00:00.000Z ended in add: DW_TYPE_MISMATCH: .*:18:5\n/,
    );
    expect(out).toMatch(/✗ the error is foreseen, the count is not\n +schedules\[0\].runsExecuted: .*\n1 passed/);
  });

  it('--json has the events, the outcome and missing replies', async () => {
    const { out } = await simulate([`${specs}/checkout.journey.yaml`, '--json']);
    const { events, ...rest } = JSON.parse(out);
    expect(rest).toMatchObject({ journey: 'checkout', phase: 'SUCCEEDED', missing: [] });
    expect(events[0]).toMatchObject({ state: 'addUp', changes: [{ path: 'total' }] });
    expect(events.at(-1)).toMatchObject({ state: 'confirmed', changes: [] });
  });

  it('--save writes a passing scenario', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'simulate-'));
    const saved = join(folder, 'saved.scenario.yaml');
    await simulate([`${specs}/checkout.journey.yaml`, '--catalogue', specs, '--save', saved]);
    expect(readFileSync(saved, 'utf8')).toContain('operation: shop.reserveStock');
    const { out } = await runTest(saved, '--catalogue', specs);
    rmSync(folder, { recursive: true });
    expect(out).toMatch(/1 passed, 0 failed\n$/);
  });
});

it.each([
  { type: 'string', minLength: 6, maxLength: 8 },
  { type: 'string', format: 'email' },
  { type: 'integer', minimum: 7, multipleOf: 5 },
  { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 2 },
  { type: 'array', minItems: 2, items: { enum: ['a', 'b'] } },
  {
    allOf: [
      { type: 'object', required: ['a'], properties: { a: { const: 1 } } },
      { required: ['b'], properties: { b: { type: 'boolean' } } },
    ],
  },
  { $ref: '#/$defs/id', $defs: { id: { type: 'string', format: 'uuid' } } },
  { type: ['null', 'object'], properties: { at: { type: 'string', format: 'date-time' } }, required: ['at'] },
  { oneOf: [{ type: 'integer' }, { type: 'string' }] },
])('R15-simulate a generated value matches its schema: %j', (schema) => {
  expect(validate(schema, schemaSample(schema)!)).toEqual([]);
});
