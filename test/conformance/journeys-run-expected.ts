/**
 * Journeys that only virtual time can play: every path depends on the hour of the day, or makes a schedule whose own runs would mix
 * with the scenario. They go over HTTP all the same: `journeys-http.ts`.
 */
export const journeysWithoutLiveScenario: readonly string[] = [
  'business-hours-payment-authorization',
  // There is no broker.
  'event-publish-kafka',
  'recurring-payment',
];
