import { expect, it } from 'vitest';
import { type KeptRequest, RequestVault } from '../../../src/service/kept-request-store.js';

const kept = (value: string): KeptRequest => ({
  request: { headers: { 'x-key': value }, query: new URLSearchParams() },
  passed: {},
});

it('a request is found by its id and run, until it is forgotten or expires', () => {
  let now = 0;
  const vault = new RequestVault({ keepSec: 10, maxBytes: 100_000 }, () => now);
  const [a, b] = [vault.keep('run-1', 'ada', kept('a')), vault.keep('run-2', 'bob', kept('b'))];
  expect(a).toMatch(/^[A-Za-z0-9_-]{22}$/);
  expect(vault.find(a, 'run-1')).toEqual(kept('a'));
  expect(vault.find(a, 'run-2')).toBeUndefined();
  vault.forget(a);
  vault.forget(a);
  expect(vault.find(a, 'run-1')).toBeUndefined();
  now = 9_999;
  expect(vault.find(b, 'run-2')).toEqual(kept('b'));
  now = 10_000;
  expect(vault.find(b, 'run-2')).toBeUndefined();
  expect(vault.size).toBe(0);
});

const full = expect.objectContaining({
  problem: expect.objectContaining({ code: 'REQUESTS_FULL', retryAfterSec: 5 }),
});

it('the store is bounded: requests in use are kept, and new ones are rejected', () => {
  let now = 0;
  const vault = new RequestVault({ keepSec: 10, maxBytes: 10_000 }, () => now);
  const ids = [1, 2, 3, 4].map((i) => vault.keep(`run-${i}`, 'ada', kept('k')));
  expect(() => vault.keep('run-5', 'ada', kept('k'))).toThrowError(full);
  expect(vault.find(ids[0]!, 'run-1')).toBeDefined();
  vault.forget(ids[0]!);
  expect(() => vault.keep('run-5', 'ada', kept('x'.repeat(5_000)))).toThrow();
  vault.keep('run-5', 'ada', kept('k'));
  now = 10_000;
  for (let i = 0; i < 4; i++) vault.keep('run-6', 'ada', kept('k'));
});

it('one caller cannot fill it: each may use half of the remaining space', () => {
  const vault = new RequestVault({ keepSec: 10, maxBytes: 100_000 }, () => 0);
  const fill = (caller: string) => {
    const ids: string[] = [];
    expect(() => {
      for (;;) ids.push(vault.keep('run', caller, kept('k')));
    }).toThrowError(full);
    return ids;
  };
  const [ada, bob, carol] = [fill('ada'), fill('bob'), fill('carol')];
  expect([ada.length, bob.length, carol.length]).toEqual([49, 24, 12]);
  for (const id of bob) vault.forget(id);
  expect(fill('carol').length).toBeGreaterThan(5);
});
