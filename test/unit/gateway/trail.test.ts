import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { ApiKeyConfig, Role } from '../../../src/config/config-types.js';
import type { TrailEntry } from '../../../src/service/run-trail.js';
import { gateway, runView } from './harness.js';

const key = (role: Role): ApiKeyConfig => ({
  id: role,
  roles: [role],
  hash: `sha256:${createHash('sha256').update(`jm_${role}_4f1d9c`).digest('hex')}`,
});
const as = (role: Role) => ({ 'x-api-key': `jm_${role}_4f1d9c` });
const at = '2030-01-01T00:00:00.000Z';
const value = 'for operators';
const entries: TrailEntry[] = [
  { n: 0, kind: 'started', at },
  {
    n: 1,
    kind: 'visit',
    id: 'buy#1',
    state: 'buy',
    type: 'task',
    number: 1,
    enteredAt: at,
    leftAt: at,
    outcome: 'failed',
    code: 'TIMEOUT',
    reason: value,
    calls: [
      {
        kind: 'http',
        at,
        outcome: 'failed',
        attempts: 1,
        code: 'TIMEOUT',
        about: value,
        message: value,
        request: value,
        response: value,
      },
    ],
    submissions: [{ at, payload: value }],
  },
  { n: 2, kind: 'signal', at, name: 'ask', by: value, payload: value },
  { n: 3, kind: 'cancel', at, by: value },
  { n: 4, kind: 'blocked', at, message: value },
  { n: 5, kind: 'migrated', at, from: '1.0.0', to: '2.0.0' },
  { n: 6, kind: 'ended', at, phase: 'FAILED', status: 'X', code: 'X', reason: value, output: value },
];

it('clients see events, operators also values', async () => {
  const { get, runs } = await gateway({ apiKeys: [key('client'), key('operator')] });
  runs.known.set('r', runView('r'));
  runs.entries = entries;
  const [client, operator] = await Promise.all(
    (['client', 'operator'] as const).map((role) => get('/api/v1/journeys/r/trail', as(role))),
  );
  expect(operator!.body).toMatchObject({ journeyId: 'r', complete: true, cursor: '7', entries });
  expect(client!.text).not.toContain(value);
  expect(client!.body.entries).toHaveLength(entries.length);
  expect(client!.body.entries[1]).toMatchObject({ code: 'TIMEOUT', calls: [{ outcome: 'failed', code: 'TIMEOUT' }] });
  expect((await get('/api/v1/journeys/r/trail/1/context', as('client'))).status).toBe(403);
  expect((await get('/api/v1/journeys/r/trail/1/context', as('operator'))).body).toMatchObject({ after: { a: 1 } });
});

it('the query is passed on, and an invalid one is rejected', async () => {
  const { get, runs } = await gateway();
  runs.known.set('checkout/4711', runView('checkout/4711'));
  const path = '/api/v1/journeys/checkout/by-key/4711/trail';
  expect((await get(`${path}?pageSize=5&after=3&waitSec=20`)).status).toBe(200);
  expect(runs.trails).toMatchObject([{ pageSize: 5, after: '3', waitMs: 20_000 }]);
  for (const query of [
    'pageSize=0',
    'pageSize=1001',
    'after=',
    'waitSec=5',
    'after=1&waitSec=26',
    'after=1&pageToken=x',
    'limit=5',
  ])
    expect((await get(`${path}?${query}`)).body, query).toMatchObject({ status: 400, code: 'QUERY_INVALID' });
});
