import { expect, it } from 'vitest';
import { bodyOf, confirmed, type Questions } from '../../../src/cli/run/ask-for-body.js';

const schema = {
  type: 'object',
  required: ['name', 'size', 'address'],
  properties: {
    name: { type: 'string', description: 'Who' },
    size: { enum: ['small', 'large'] },
    count: { type: 'integer', minimum: 1, default: 1 },
    gift: { type: 'boolean' },
    address: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } },
  },
};

function answering(...answers: string[]): Questions & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    canAsk: true,
    ask: async (question) => {
      asked.push(question);
      return answers.shift() ?? '';
    },
  };
}
const nobody: Questions = { canAsk: false, ask: () => Promise.reject(new Error('nobody is there')) };

it('R15-RUNS asks for each field of the schema, and again after an invalid answer', async () => {
  const questions = answering('12', 'tiny', '', 'large', '', 'yes', 'Rome');
  expect(await bodyOf({ field: [] }, schema, questions)).toEqual({
    name: '12',
    size: 'large',
    count: 1,
    gift: true,
    address: { city: 'Rome' },
  });
  expect(questions.asked[0]).toBe('name (string) Who: ');
  expect(questions.asked[1]).toBe('size (small | large): ');
  expect(questions.asked[2]).toContain('must be one of "small", "large"');
  expect(questions.asked[4]).toBe('count (integer, 1 if empty): ');
});

it('R15-RUNS does not prompt without a terminal or with options; a field is a string if its schema says so', async () => {
  expect(await bodyOf({ field: [] }, schema, nobody)).toEqual({});
  const field = ['name=7', 'count=3', 'gift=no', 'address.city=Bonn', 'other=[1]'];
  expect(await bodyOf({ field, input: { size: 'small' } }, schema, nobody)).toEqual({
    name: '7',
    size: 'small',
    count: 3,
    gift: false,
    address: { city: 'Bonn' },
    other: [1],
  });
  await expect(bodyOf({ field, input: [] }, schema, nobody)).rejects.toMatchObject({
    problem: { code: 'BODY_NOT_OBJECT' },
  });
});

it('R15-RUNS needs confirmation before changing several runs', async () => {
  await expect(confirmed('Sure?', undefined, nobody)).rejects.toMatchObject({ problem: { code: 'USAGE_INVALID' } });
  expect(await confirmed('Sure?', undefined, answering('n'))).toBe(false);
  expect(await confirmed('Sure?', undefined, answering('y'))).toBe(true);
  expect(await confirmed('Sure?', true, nobody)).toBe(true);
});
