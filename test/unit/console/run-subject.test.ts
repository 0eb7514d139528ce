import { expect, it } from 'vitest';
import { runSubject, runTitle } from '../../../src/console/pages/run-subject.js';

const run = { journeyId: 'h3Kq0mXg9xJ5c2b1uVYp7A', journeyName: 'checkout' };

it('names a run by its business key, otherwise by its subject', () => {
  const attributes = { subjectId: 'ada' };
  expect(runTitle({ ...run, journeyId: 'checkout/order-4711', attributes })).toBe('checkout · order-4711');
  expect(runTitle({ ...run, attributes: { ...attributes, key: 'k' } })).toBe('checkout · k');
  expect(runTitle({ ...run, attributes })).toBe('checkout · ada');
});

it('names a run without either by its journey alone', () => {
  expect(runSubject({ ...run, attributes: { subjectId: '' } })).toBeUndefined();
  expect(runTitle(run)).toBe('checkout');
});
