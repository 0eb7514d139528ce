import { expect, it } from 'vitest';
import type { OpenStepItem } from '../../../src/console/api/run-types.js';
import { soonestDueFirst } from '../../../src/console/pages/soonest-due-first.js';

it('lists the step that is due soonest first, and steps without a time limit last', () => {
  const due = [null, '2030-01-02T00:00:00Z', null, '2030-01-01T23:00:00-02:00', '2030-01-01T00:00:00Z'];
  const steps = due.map((dueAt, number) => ({ step: String(number), dueAt }) as OpenStepItem);
  expect(soonestDueFirst(steps).map(({ step }) => step)).toEqual(['4', '1', '3', '0', '2']);
});
