import type { SiteKind } from './expression.js';

/** Every kind of site an expression can stand at. */
export const allSites: ReadonlySet<SiteKind> = new Set<SiteKind>([
  'predicate',
  'mapper',
  'statusExpr',
  'join',
  'outcome',
  'compensation',
  'error',
  'key',
  'schedule',
]);

/** What a site is called in a message to an author. */
export const siteNames: Readonly<Record<SiteKind, string>> = {
  predicate: 'a predicate',
  mapper: 'a mapper',
  statusExpr: 'a status expression',
  join: 'a join mapper',
  outcome: 'an outcome predicate',
  compensation: 'a compensation predicate',
  error: 'an error mapper',
  key: 'a key expression',
  schedule: 'a timer or schedule expression',
};

/**
 * Which language may serve which site, for the languages the journey language names. Those without an engine here are
 * listed so that their refusal can say what would be wrong even with one.
 */
export const siteMatrix: Readonly<Record<string, ReadonlySet<SiteKind>>> = {
  dataweave: allSites,
  jsonata: allSites,
  jq: allSites,
  jolt: new Set<SiteKind>(['mapper', 'error']),
};
