import { expect, it } from 'vitest';
import { emptyObject, type JsonObject } from '../../../src/base/json/value.js';
import { unusedBudgets } from '../../../src/engine/budgets.js';
import { OpenSteps, Submissions } from '../../../src/engine/step-submissions.js';
import { itemsKey, itemToken, visibleCallbacks } from '../../../src/engine/steps/item-callback-urls.js';
import { type KnownStep, partsOfAddress, stepAddress, stepPath } from '../../../src/engine/steps/step-address.js';

const item = (index: number, key?: string) => ({ value: null, index, ...(key && { key }), spent: unusedBudgets(0) });

it('LESS-9 the address of a step includes the index or key of its item, and is split at the first slash', () => {
  expect(stepAddress('approve', undefined)).toBe('approve');
  expect(stepAddress('approve', item(2))).toBe('approve/2');
  expect(stepAddress('approve', item(2, 'ada@example.com'))).toBe('approve/ada@example.com');
  expect(partsOfAddress('approve')).toEqual({ stepId: 'approve' });
  expect(partsOfAddress('approve/a/b')).toEqual({ stepId: 'approve', item: 'a/b' });
  expect(partsOfAddress('approve/')).toEqual({ stepId: 'approve', item: '' });
  expect(stepPath('to approve/ä?')).toBe('to%20approve/%C3%A4%3F');
});

it('LESS-9 an item sees its own callback URLs, but not the token that they are derived from', () => {
  const signed = `abc123.${'x'.repeat(43)}`;
  const url = (step: string) => `https://j.example/steps/${step}?callback=${signed}`;
  const callbacks: JsonObject = { paid: url('paid'), [itemsKey('paid')]: url('paid/'), [itemsKey('ask')]: url('ask/') };
  expect(visibleCallbacks(callbacks)).toEqual(Object.assign(emptyObject(), { paid: url('paid') }));
  const seen = visibleCallbacks(callbacks, item(0, 'a b'));
  expect(seen.ask).toBe(`https://j.example/steps/ask/a%20b?callback=${itemToken(signed, 'a b')}`);
  expect(seen.paid).not.toBe(url('paid'));
  expect(itemToken(signed, 'a b')).toMatch(/^abc123\.[0-9a-f]{64}$/);
  expect(itemToken(signed, 'a b')).not.toBe(itemToken(signed, 'a c'));
  expect(JSON.stringify(seen)).not.toContain(signed);
});

const uses = new Map<string, KnownStep>([
  ['ask', { alone: false, inItems: true, schema: true }],
  ['pay', { alone: true, inItems: false, schema: true }],
  ['both', { alone: true, inItems: true, schema: true }],
]);

it('LESS-9 a submission with a wrong address is rejected with a hint, and such a signal is dropped', () => {
  const notes: string[] = [];
  const submissions = new Submissions(
    () => uses,
    [],
    (text) => notes.push(text),
  );
  const steps = new OpenSteps();
  const code = (address: string) => submissions.refusal(steps, address, 1)?.code;
  expect(code('ask')).toBe('STEP_ITEM_REQUIRED');
  expect(code('ask/1')).toBe('STEP_NOT_ACTIVE');
  expect(code('pay')).toBe('STEP_NOT_ACTIVE');
  expect(code('pay/1')).toBe('STEP_UNKNOWN');
  expect([code('both'), code('both/x')]).toEqual(['STEP_NOT_ACTIVE', 'STEP_NOT_ACTIVE']);
  for (const item of ['', 'a/b', '.', ' a', 'x'.repeat(129), 'a\nb']) expect(code(`ask/${item}`)).toBe('STEP_UNKNOWN');
  const state = { type: 'wait', schema: true };
  for (let i = 0; i < 12; i += 1)
    steps.open({ id: `ask/${i}`, state, frame: {} as never, dueAt: undefined, take: () => undefined });
  expect(submissions.refusal(steps, 'ask', 1)?.hint).toBe(
    'Submit it as ask/<item>. Waiting now: ask/0, ask/1, ask/2, ask/3, ask/4, ask/5, ask/6, ask/7, ask/8, ask/9, and 2 more.',
  );
  submissions.signal(steps, 'ask', 1);
  submissions.signal(steps, `ask/${'x'.repeat(500)}`, 1);
  expect(submissions.kept()).toEqual([]);
  expect(notes).toHaveLength(2);
  expect(notes[0]).toContain('Waiting now: ask/0');
  submissions.signal(steps, 'ask/77', 1);
  expect(submissions.kept()).toEqual([['ask/77', [{ payload: 1 }]]]);
});

it('LESS-9 the addresses of stored signals count towards their size limit', () => {
  const submissions = new Submissions(() => uses, [], undefined, 1_000);
  for (let i = 0; i < 100; i += 1) submissions.signal(new OpenSteps(), `ask/${'x'.repeat(100)}${i}`, 1);
  expect(JSON.stringify(submissions.kept()).length).toBeLessThan(1_100);
});
