import { expect, it } from 'vitest';
import type { Json } from '../../../src/base/json/value.js';
import { play } from '../requirements/play.js';

const ending = (schema: Json) => ({
  start: 'end',
  output: { schema },
  states: { end: { type: 'succeed', outputVar: 'result' } },
});
const contract = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string' }, total: { type: 'number' } },
};

it('JL-A27 an output that violates its schema adds a note and nothing else', async () => {
  const { run } = await play(ending(contract), { input: { result: { status: 5, total: 'x' } } });
  expect(run.outcome).toMatchObject({ phase: 'SUCCEEDED', output: { status: 5, total: 'x' } });
  expect(run.notes).toEqual(['The output does not match its schema: /status must be string, and 1 more.']);
});

it('JL-A27 a valid output adds no note', async () => {
  const { run } = await play(ending(contract), { input: { result: { status: 'fine' } } });
  expect(run.notes).toEqual([]);
});
