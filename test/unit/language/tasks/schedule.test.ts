import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/value.js';
import { load } from '../../../../src/language/load-journey.js';
import { ScriptedBackend } from '../../../../src/scenarios/scripted-backend.js';
import { Simulation } from '../../../../src/scenarios/virtual/simulation.js';
import { VirtualClock } from '../../../../src/scenarios/virtual/virtual-clock.js';
import { VirtualEffects } from '../../../../src/scenarios/virtual/virtual-effects.js';
import { document, mapper, now, read, run } from './planned.js';

describe('schedule:v1 in a run', () => {
  it('evaluates every field, literal or mapper, and continues with next (R0-01, R0-02, R0-08)', async () => {
    const task = {
      startAt: mapper('context.from'),
      interval: mapper('"P" ++ context.months ++ "M"'),
      maxRuns: mapper('context.months * 2'),
      subjectId: mapper('context.user'),
      context: mapper('{ token: context.token }'),
      onExisting: 'upsert',
    };
    const { made, outcome } = await run(task, { from: '2030-01-31T09:00:00+01:00', months: 3, user: 'u', token: 't' });
    expect(outcome).toMatchObject({ phase: 'SUCCEEDED', terminatedAtState: 'done' });
    expect(made).toEqual([
      {
        journeyName: 'planned',
        journeyVersion: '2.1.0',
        startStateId: 'work',
        subjectId: 'u',
        startAt: '2030-01-31T08:00:00.000Z',
        interval: 'P3M',
        maxRuns: 6,
        onExisting: 'upsert',
        creator: expect.stringMatching(/\/plan#1$/),
        context: { token: 't' },
      },
    ]);
  });

  it('defaults to the whole context, no subject and the current time, and fails on an existing one (R0-02)', async () => {
    const { made } = await run({ interval: 'P1D', maxRuns: 1 }, { a: 1 });
    expect(made[0]).toMatchObject({
      context: { a: 1 },
      subjectId: null,
      startAt: '2030-01-01T12:00:00.000Z',
      onExisting: 'fail',
    });
    const again = {
      plan2: { type: 'task', task: { kind: 'schedule:v1', start: 'work', interval: 'P1D', maxRuns: 1 }, next: 'end' },
      done: { type: 'choice', choices: [{ when: { predicate: { lang: 'dataweave', expr: 'true' } }, next: 'plan2' }] },
      end: { type: 'succeed' },
    };
    const { outcome } = await run({ interval: 'P1D', maxRuns: 1 }, {}, again);
    expect(outcome.error).toMatchObject({ code: 'SCHEDULE_ALREADY_EXISTS', state: 'plan2' });
  });

  it.each([
    ['now', 'now()', '2030-01-01T12:00:00.000Z'],
    ['the past', '"2029-12-31T23:59:59.999Z"', '2029-12-31T23:59:59.000Z'],
    ['the future', '"2030-01-01T12:00:00.251Z"', '2030-01-01T12:00:01.000Z'],
  ])('counts from the first whole second at or after %s, unless it has passed (R0-02)', async (_, expr, startAt) => {
    const { made } = await run({ interval: 'P1D', maxRuns: 1, startAt: mapper(expr) });
    expect(made[0]).toMatchObject({ startAt });
  });

  it.each([
    ['interval', { interval: mapper('"PT30S"') }, 'The shortest allowed is 1 minute.'],
    ['interval', { interval: mapper('"15m"') }, 'Give an ISO-8601 duration, like P1D or P1M.'],
    ['interval', { interval: mapper('7') }, 'Give an ISO-8601 duration, like P1D or P1M.'],
    ['interval', { interval: mapper('null') }, 'Give an ISO-8601 duration, like P1D or P1M.'],
    ['startAt', { startAt: mapper('"2030-02-30T00:00:00Z"') }, expect.stringContaining('2027-01-31T09:00:00Z')],
    ['startAt', { startAt: mapper('5') }, expect.stringContaining('RFC 3339')],
    ['maxRuns', { maxRuns: mapper('1.5') }, 'Give a whole number, at least 1.'],
    ['maxRuns', { maxRuns: mapper('"3"') }, 'Give a whole number, at least 1.'],
    ['maxRuns', { maxRuns: mapper('-1') }, 'Give a whole number, at least 1.'],
    ['subjectId', { subjectId: mapper('null') }, expect.stringContaining('1 to 256')],
    ['context', { context: mapper('"text"') }, expect.stringContaining('object')],
    ['context', { context: mapper('null') }, expect.stringContaining('object')],
  ])('rejects an invalid %s at run time, with a hint (R0-02, R0-09)', async (field, change, hint) => {
    const { outcome, made } = await run({ interval: 'P1D', maxRuns: 1, ...change });
    expect(outcome).toMatchObject({ phase: 'FAILED', terminationKind: 'RuntimeError' });
    expect(outcome.error).toMatchObject({ code: 'SCHEDULE_INVALID', state: 'plan', pointer: `/task/${field}`, hint });
    expect(made).toEqual([]);
  });

  it('rejects a context larger than the input of a run may be', async () => {
    const { outcome } = await run({ interval: 'P1D', maxRuns: 1 }, { big: 'x'.repeat(300_000) });
    expect(outcome.error).toMatchObject({ code: 'CONTEXT_TOO_LARGE', pointer: '/task/context' });
  });

  const task = { interval: 'P1D', maxRuns: 1 };
  const ask = { type: 'wait', wait: { channel: 'manual', input: { schema: true } }, next: 'done' };
  it('rejects a document whose scheduled path waits, also in a branch or a subjourney (R0-07)', () => {
    const branch = { name: 'b', start: 'ask', states: { ask: { ...ask, next: 'end' }, end: { type: 'succeed' } } };
    const parallel = {
      type: 'parallel',
      parallel: { branches: [branch], join: { strategy: 'allOf', mapper: mapper('{}').mapper, resultVar: 'j' } },
      next: 'done',
    };
    for (const work of [ask, parallel])
      expect(read(task, { work: work as unknown as JsonObject }).findings).toMatchObject([
        { code: 'SCHED_PATH_INTERACTIVE', pointer: '/spec/states/plan/task/start' },
      ]);
    const called = document(task, { work: { type: 'subjourney', subjourney: { ref: 'sub' }, next: 'done' } });
    const sub = { start: 'ask', states: branch.states };
    const text = JSON.stringify({ ...called, spec: { ...called.spec, subjourneys: { sub } } });
    expect(load({ text }).findings).toMatchObject([{ code: 'SCHED_PATH_INTERACTIVE' }]);
  });

  it('ends a scheduled run that meets a wait nevertheless with an internal error (R0-07)', async () => {
    const { definition } = read(task, { work: { type: 'succeed' } });
    const states = { ...definition!.states, plan: { type: 'wait' as const, schema: true, next: 'done' } };
    const clock = new VirtualClock(now);
    const effects = new VirtualEffects(clock, new ScriptedBackend([]));
    const info = { scheduled: true };
    const simulation = new Simulation({ ...definition!, states }, {}, { clock, effects, info });
    await simulation.toEnd();
    expect(simulation.outcome).toMatchObject({
      phase: 'FAILED',
      terminationKind: 'RuntimeError',
      error: { code: 'urn:journeyforge:error:internal', cause: 'SCHED_PATH_INTERACTIVE' },
    });
  });

  it('is rejected in an Api (R0-01)', () => {
    const api = { ...document(task), kind: 'Api' };
    expect(load({ text: JSON.stringify(api) }).findings.map(({ code }) => code)).toContain('SCHED_IN_API');
  });

  it('rejects intervals below the configured minimum, which is a minute by default (R0-09)', () => {
    const codes = (minScheduleIntervalSec?: number) =>
      load(
        { text: JSON.stringify(document({ ...task, interval: 'PT59S' })) },
        minScheduleIntervalSec === undefined ? {} : { minScheduleIntervalSec },
      ).findings.map(({ code }) => code);
    expect(codes()).toEqual(['SCHED_INTERVAL']);
    expect(codes(1)).toEqual([]);
  });
});

describe('schedule:v1 in a document', () => {
  it.each([
    ['interval', 'P999999999D', 'SCHED_INTERVAL', 'too long'],
    ['interval', 'PT90.5S', 'SCHED_INTERVAL', 'fraction of a second'],
    ['startAt', '9999-01-01T00:00:00Z', 'SCHED_STARTAT', 'years 2000 to 2100'],
  ])('FLT-16 %s: %s is rejected when it is loaded, as the task would reject it', (field, text, code, why) => {
    const { findings } = read({ interval: 'P1D', maxRuns: 2, [field]: text });
    expect(findings).toMatchObject([{ code, message: expect.stringContaining(why), hint: expect.any(String) }]);
  });
});
