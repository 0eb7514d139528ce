/**
 * Journeys that can only be played in virtual time: every path depends on the hour of the day, or creates a schedule whose runs would
 * interfere with the scenario. `journeys-http.ts` tests them over HTTP.
 */
export const journeysWithoutLiveScenario: readonly string[] = [
  'business-hours-payment-authorization',
  // No broker is available.
  'event-publish-kafka',
  'recurring-payment',
];
