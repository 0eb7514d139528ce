import { describe, expect, it } from 'vitest';
import type { TrailItem, VisitItem } from '../../../src/console/api/run-types.js';
import { retriedVisit, visitOfInterest } from '../../../src/console/pages/run/default-and-retried-visit.js';

const at = '2030-01-01T00:00:00Z';

function visit(n: number, state: string, more: Partial<VisitItem> = {}): VisitItem {
  return { n, kind: 'visit', id: String(n), state, type: '', number: 1, enteredAt: at, outcome: 'left', ...more };
}

const call = { calls: [{ kind: 'http', at, outcome: 'answered' as const }] };
const ended: TrailItem = { n: 9, kind: 'ended', at, phase: 'FAILED' };

describe('the visit that the page of a run selects', () => {
  it('is the failed state of the run', () => {
    const trail = [visit(1, 'a'), visit(2, 'b', { outcome: 'failed' }), ended];
    expect(retriedVisit(trail, { code: 'X', reason: '', state: 'b' })?.n).toBe(2);
    expect(visitOfInterest(trail)?.n).toBe(2);
  });

  it('is the last task before a `fail` state for a retry, preferably in the same graph', () => {
    const trail = [
      visit(1, 'pay', call),
      visit(2, 'ask', { ...call, within: 'each#1.0' }),
      visit(3, 'unpaid', { outcome: 'failed', code: 'UNPAID' }),
      ended,
    ];
    expect(retriedVisit(trail, { code: 'UNPAID', reason: '' })?.state).toBe('pay');
    expect(retriedVisit(trail.slice(1), { code: 'UNPAID', reason: '' })?.state).toBe('ask');
    expect(retriedVisit(trail.slice(2), { code: 'UNPAID', reason: '' })?.state).toBe('unpaid');
    expect(visitOfInterest(trail)?.state).toBe('unpaid');
  });

  it('is the latest visit of a run that has not failed', () => {
    expect(visitOfInterest([visit(1, 'a'), visit(2, 'b', { outcome: 'running' })])?.n).toBe(2);
    expect(visitOfInterest([])).toBeUndefined();
  });
});
