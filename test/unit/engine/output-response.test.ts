import { expect, it } from 'vitest';
import type { Json } from '../../../src/base/json/value.js';
import { play } from '../requirements/play.js';

/** A journey that sets the projected variable from its input and ends with the given state. */
const spec = (end: object) => ({
  output: { response: { outputVar: 'view', schema: { type: 'object' } } },
  start: 'set',
  states: {
    set: {
      type: 'transform',
      transform: { mapper: 'context.given', target: { kind: 'var' }, resultVar: 'view' },
      next: 'end',
    },
    end,
  } as unknown as Json,
});

const projection = async (given: Json, end: object = { type: 'succeed', outputVar: 'nothing' }) =>
  (await play(spec(end), { input: { given } })).run.outcome?.projection;

it.each([
  ['fields beside the standard ones', { price: 5, nested: { a: [1] } }, { price: 5, nested: { a: [1] } }],
  [
    'nothing under a reserved name',
    {
      journeyId: 1,
      journeyName: 1,
      phase: 1,
      status: 1,
      output: 1,
      error: 1,
      tags: 1,
      attributes: 1,
      _links: 1,
      ok: 1,
    },
    { ok: 1 },
  ],
  ['nothing if the value is not an object', [1], {}],
  ['nothing if the value is null', null, {}],
])('JL-U7 output.response adds %s', async (_, given, expected) => {
  expect(await projection(given)).toEqual(expected);
});

it('JL-U7 output.response adds fields to a failure too, and none if its variable is not set', async () => {
  const fail = { type: 'fail', errorCode: 'NO', reason: 'No.' };
  expect(await projection({ price: 5 }, fail)).toEqual({ price: 5 });
  const { run } = await play({ ...spec(fail), start: 'end', states: { end: { type: 'succeed' } } });
  expect(run.outcome).toMatchObject({ phase: 'SUCCEEDED', projection: {} });
});
