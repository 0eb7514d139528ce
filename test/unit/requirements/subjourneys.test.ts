import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/value.js';
import { load } from '../../../src/language/load-journey.js';
import { document } from '../engine/harness.js';
import { play, seconds } from './play.js';

const bad = { start: 'no', states: { no: { type: 'fail', errorCode: 'INNER', reason: 'inner' } } };
const nap = {
  start: 'sleep',
  states: { sleep: { type: 'timer', timer: { duration: 'PT1M' }, next: 'end' }, end: { type: 'succeed' } },
};

/** A journey that only calls one subjourney. */
const calling = (subjourney: JsonObject, subjourneys: JsonObject): JsonObject => ({
  start: 'call',
  states: { call: { type: 'subjourney', subjourney, next: 'end' }, end: { type: 'succeed' } },
  subjourneys,
});

describe('a subjourney', () => {
  it('R1-06 R1-23 is part of the run’s position, with its name, and can wait', async () => {
    const { start, states } = calling({ ref: 'nap' }, {});
    const middle = { start: start!, states: states! };
    const { run } = await play(calling({ ref: 'middle' }, { middle, nap }));
    expect(run.status).toMatchObject({
      currentState: 'sleep',
      activeStates: [{ state: 'sleep', type: 'timer', within: 'call#1.middle/call#1.nap', dueAt: expect.any(String) }],
    });
    await run.toEnd();
    expect(run.visits.map(({ frame, state }) => `${frame}:${state}`)).toEqual([
      ':call',
      'call#1.middle:call',
      'call#1.middle/call#1.nap:sleep',
      'call#1.middle/call#1.nap:end',
      'call#1.middle:end',
      ':end',
    ]);
    expect(run.endedAt).toBe(seconds(60));
  });

  it('R1-07 that fails and propagates leaves its output variable unset', async () => {
    const { run } = await play(calling({ ref: 'bad', resultVar: 'r' }, { bad }), { input: { a: 1 } });
    expect({ ...run.context }).toEqual({ a: 1 });
  });

  it('R1-07 that fails and propagates preserves the previous value of its output variable', async () => {
    const { run } = await play(calling({ ref: 'bad', resultVar: 'a' }, { bad }), { input: { a: 1 } });
    expect({ ...run.context }).toEqual({ a: 1 });
  });

  it('R1-20 that fails ends the run as a fail state would', async () => {
    const fail = { start: 'call', states: { call: { type: 'fail', errorCode: 'INNER', reason: 'inner' } } };
    const called = (await play(calling({ ref: 'bad' }, { bad }), { input: { a: 1 } })).run;
    const direct = (await play(fail, { input: { a: 1 } })).run;
    expect(called.outcome).toEqual(direct.outcome);
    expect(called.outcome).toMatchObject({ phase: 'FAILED', terminationKind: 'Fail', terminatedAtState: 'call' });
  });

  it.each([
    ['R1-17 success', { ref: 'nap' }, { phase: 'SUCCEEDED', terminationKind: 'Success', output: {}, error: null }],
    [
      'R1-18 failure',
      { ref: 'bad', onFailure: { behavior: 'capture' } },
      { phase: 'FAILED', terminationKind: 'Fail', output: null, error: { code: 'INNER', reason: 'inner' } },
    ],
  ])('%s has an outcome of exactly four fields', async (_, call, outcome) => {
    const spec = calling({ ...call, resultVar: 'r', resultKind: 'outcome' }, { nap, bad });
    const { run } = await play(spec);
    expect((await run.toEnd()).context?.r).toEqual(outcome);
  });

  it('R1-18 that ends with a runtime error has code and reason as texts', async () => {
    const stuck = {
      start: 'pick',
      states: { pick: { type: 'choice', choices: [{ when: '1 > 2', next: 'end' }] }, end: { type: 'succeed' } },
    };
    const call = { ref: 'stuck', resultVar: 'r', resultKind: 'outcome', onFailure: { behavior: 'capture' } };
    const { run } = await play(calling(call, { stuck }));
    expect(run.context?.r).toMatchObject({
      phase: 'FAILED',
      terminationKind: 'RuntimeError',
      output: null,
      error: { code: 'CHOICE_NO_MATCH', reason: expect.any(String) },
    });
  });

  it('R1-09 of one document is unknown in another', () => {
    const codes = (spec: JsonObject) =>
      load({ text: JSON.stringify(document(spec, 'jsonata')) })
        .findings.filter(({ severity }) => severity === 'error')
        .map(({ code }) => code);
    expect(codes(calling({ ref: 'nap' }, { nap }))).toEqual([]);
    expect(codes(calling({ ref: 'nap' }, {}))).toEqual(['SUBJ_REF_UNKNOWN']);
  });
});
