import type { SiteKind } from './expression-engine-interface.js';

/** All kinds of sites. */
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

/** Names of sites in messages. */
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
 * Sites that each language may be used at. Languages of the journey language without an engine here are listed too, so that their rejection
 * can name a wrong site.
 */
export const siteMatrix: Readonly<Record<string, ReadonlySet<SiteKind>>> = {
  dataweave: allSites,
  jsonata: allSites,
  jq: allSites,
  jolt: new Set<SiteKind>(['mapper', 'error']),
};
