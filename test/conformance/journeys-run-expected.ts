/**
 * Public journeys that need what this engine does not execute yet, and the places that say so: starting them is refused there.
 * When a feature arrives its journeys leave this list and get scenarios in test/fixtures/scenarios.
 */
export const expectedNotYet: ReadonlyMap<string, readonly string[]> = new Map([
  ['auth-jwt-mtls', ['/spec/states/validateJwt/task/kind', '/spec/states/validateMtls/task/kind']],
  ['auth-outbound-client-credentials', ['/spec/states/callBackend/task/auth']],
  ['auth-user-info', ['/spec/bindings/http/start/headersPassthrough', '/spec/states/validateJwt/task/kind']],
  [
    'customer-onboarding-kyc',
    [
      '/spec/states/validateAmlResultSecret/task/kind',
      '/spec/states/validateKycResultSecret/task/kind',
      '/spec/states/validateRiskDecisionSecret/task/kind',
    ],
  ],
  ['ecommerce-order-split-shipment', ['/spec/states/validateFulfillmentSecret/task/kind']],
  ['payment-callback', ['/spec/states/validateWebhookSecret/task/kind']],
]);

/**
 * Journeys that only virtual time can play: every path depends on the hour of the day, or makes a schedule whose own runs would mix
 * with the scenario (schedules have their own tests on a real server).
 */
export const journeysWithoutLiveScenario: readonly string[] = [
  'business-hours-payment-authorization',
  // There is no broker.
  'event-publish-kafka',
  'recurring-payment',
];
