/**
 * Public journeys that need what this engine does not execute yet, and the places that say so: starting them is refused there.
 * When a feature arrives its journeys leave this list and get scenarios in test/fixtures/scenarios.
 */
export const expectedNotYet: ReadonlyMap<string, readonly string[]> = new Map([
  ['auth-outbound-client-credentials', ['/spec/states/callBackend/task/auth']],
  ['cache-user-profile', ['/spec/states/readCache/task/kind', '/spec/states/storeCache/task/kind']],
  ['event-publish-kafka', ['/spec/states/emitEvent/task/kind']],
  ['http-compensation', ['/spec/compensation', '/spec/compensation/states/notify/task/kind']],
  ['http-cookie-jar', ['/spec/cookies']],
]);

/**
 * Journeys that only virtual time can play: every path depends on the hour of the day, or makes a schedule whose own runs would mix
 * with the scenario (schedules have their own tests on a real server).
 */
export const journeysWithoutLiveScenario: readonly string[] = [
  'business-hours-payment-authorization',
  'recurring-payment',
];
