import { expect, it } from 'vitest';
import { type Access, canAccess, fullAccess, libraryVisibleTo } from '../../../src/service/access.js';
import { libraryOf } from '../../../src/service/library-interface.js';
import { ownerOf } from '../../../src/temporal/runs/run-ids.js';
import { searchable } from '../../../workflows/shared/run-search-attributes.js';
import { journey } from '../../support/journey.js';

const client: Access = { ...fullAccess('key:shop'), runs: 'own', journeys: ['order-*', 'refund'] };

it.each([
  ['its own', { journeyName: 'refund', startedBy: 'key:shop' }, true],
  ['its own run, by a name prefix', { journeyName: 'order-eu', startedBy: 'key:shop' }, true],
  ['somebody else’s', { journeyName: 'refund', startedBy: 'key:shop2' }, false],
  ['a run without an owner', { journeyName: 'refund' }, false],
  ['its own run of another journey', { journeyName: 'refunds', startedBy: 'key:shop' }, false],
])('R14-access: a client and %s', (_, run, reached) => {
  expect(canAccess(client, run)).toBe(reached);
  expect(canAccess({ ...client, runs: 'all', journeys: ['*'] }, run)).toBe(true);
});

it('R14-access: a library shows only documents that the caller may access', () => {
  const entry = (name: string, kind: 'Journey' | 'Api' = 'Journey') => ({
    definition: journey(name, { kind }),
    hash: name,
  });
  const known = libraryVisibleTo(
    client,
    libraryOf([entry('refund'), entry('payroll'), entry('order-price', 'Api'), entry('x', 'Api')]),
  );
  expect([known.names(), known.find('payroll'), known.apis().map(({ hash }) => hash)]).toEqual([
    ['refund'],
    undefined,
    ['order-price'],
  ]);
});

it('R14-access: callers with long names and a common prefix are distinct', () => {
  const [a, b] = ['a', 'b'].map((end) => ownerOf(`sub:${'x'.repeat(500)}${end}`));
  expect(searchable(a!)).not.toBe(searchable(b!));
  const odd = `sub:${'"'.repeat(76)}`;
  expect(ownerOf(odd)).toBe(odd);
  expect(searchable(odd).length).toBeLessThanOrEqual(255);
  // Neither can a caller pretend to be another by choosing its hashed name.
  expect(ownerOf(a!)).not.toBe(a);
});
