/** Public journeys that must be refused, and with which codes; every other one must load without an error. */
export const expectedRefusals: ReadonlyMap<string, readonly string[]> = new Map([
  // States slipped into other states, branches that jump out of their graph, and no join.
  ['healthcare-appointment-referral', ['PAR_JOIN_MISSING', 'REF_UNKNOWN', 'UNKNOWN_FIELD']],
  // A wait whose fields slipped out of it.
  ['travel-booking-bundle', ['STATE_BLOCK', 'UNKNOWN_FIELD']],
  // A default that names no state.
  ['mortgage-repricing-rate-lock', ['REF_UNKNOWN']],
  ['http-problem-details', ['REF_UNKNOWN']],
  // A list where a schema must stand.
  ['market-open-order-submission', ['SCHEMA_INVALID']],
]);

/** Journeys whose verdict is special without being a refusal: valid, but failing by their own logic when they run. */
export const knownCorpus: readonly string[] = ['transform-pipeline', 'cache-user-profile'];

/** Journeys that follow the language to the letter: strict mode has nothing to say about them. */
export const cleanCorpus: readonly string[] = [
  'choice-multi-branch',
  'event-publish-kafka',
  'http-204-no-content',
  'http-aggregate-errors',
  'http-chained-calls',
  'http-chained-calls-api',
  'http-content-check',
  'http-cookie-jar',
  'http-failure-branch',
  'http-header-interpolation',
  'http-notify-audit',
  'http-post-json',
  'named-outcomes',
  'payment-callback',
];
