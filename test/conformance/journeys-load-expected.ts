/** Public journeys that must be rejected, with their codes; every other one must load without an error. */
export const expectedRefusals: ReadonlyMap<string, readonly string[]> = new Map([
  // Misindented states, branches that jump out of their graph, and a missing join.
  ['healthcare-appointment-referral', ['PAR_JOIN_MISSING', 'REF_UNKNOWN', 'UNKNOWN_FIELD']],
  // A wait with misindented fields.
  ['travel-booking-bundle', ['STATE_BLOCK', 'UNKNOWN_FIELD']],
  // A default without an existing state.
  ['mortgage-repricing-rate-lock', ['REF_UNKNOWN']],
  ['http-problem-details', ['REF_UNKNOWN']],
  // A list in place of a schema.
  ['market-open-order-submission', ['SCHEMA_INVALID']],
]);

/** Valid journeys that fail at run time because of their own logic. */
export const knownCorpus: readonly string[] = ['transform-pipeline', 'cache-user-profile'];

/** Journeys without findings in strict mode. */
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
