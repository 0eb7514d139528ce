import type { Json, JsonObject } from '../../base/json/value.js';

const dataweave = (expr: string): JsonObject => ({ lang: 'dataweave', expr });
const orderSchema: JsonObject = {
  type: 'object',
  required: ['orderId'],
  properties: { orderId: { type: 'string', minLength: 1 }, total: { type: 'number' } },
};
const personSchema: JsonObject = { type: 'object', properties: { person: { type: 'object' } } };
const verdictSchema: JsonObject = { type: 'object', properties: { ok: { type: 'boolean' } } };

/**
 * Examples of each block of `spec`, all from one fictional shop. The examples of states and tasks refer to its mappers, policies,
 * subjourneys and APIs.
 */
export const blockExamples: Readonly<Record<string, Json[]>> = {
  subjourneys: [
    {
      check: {
        input: { schema: personSchema },
        output: { schema: verdictSchema },
        start: 'ask',
        states: {
          ask: {
            type: 'task',
            task: {
              kind: 'httpCall:v1',
              method: 'GET',
              url: 'https://check.example.com/${context.person.id}',
              resultVar: 'verdict',
            },
            next: 'done',
          },
          done: { type: 'succeed', outputVar: 'verdict' },
        },
      },
    },
  ],
  key: [
    { ...dataweave('context.orderId'), onExisting: 'reject', once: true },
    { mapper: dataweave('context.orderId') },
  ],
  input: [{ schema: orderSchema }],
  output: [
    {
      schema: { type: 'object', properties: { status: { const: 'PAID' }, receipt: { type: 'string' } } },
      response: { outputVar: 'receipt' },
    },
  ],
  context: [{ schema: orderSchema }],
  apis: [
    { shop: { openApiRef: 'apis/shop.openapi.yaml' } },
    { shop: { openApiRef: 'apis/shop.openapi.yaml', server: '${platform.config.shop}' } },
  ],
  defaults: [{ http: { timeoutMs: 5000, headers: { 'X-Channel': 'web' } }, tasks: { resiliencePolicyRef: 'patient' } }],
  platform: [
    { config: { limit: { type: 'number', required: true, description: 'Orders above it need an approval.' } } },
    { config: { shop: { type: 'string', default: 'https://shop.example.com', description: 'Base URL of the shop.' } } },
  ],
  execution: [
    {
      maxDurationSec: 604_800,
      onTimeout: { errorCode: 'EXPIRED', reason: 'The order was not finished within a week' },
    },
  ],
  compensation: [
    {
      mode: 'sync',
      alsoFor: [{ when: { predicate: dataweave('output.status == "CANCELLED"') } }],
      start: 'release',
      states: {
        release: {
          type: 'task',
          task: {
            kind: 'httpCall:v1',
            operationRef: 'shop.releaseStock',
            params: { path: { reservationId: '${context.reservationId}' } },
            resultVar: 'release',
          },
          next: 'released',
        },
        released: { type: 'succeed' },
      },
    },
  ],
  httpSurface: [{ links: { enabled: false } }],
  lifecycle: [{ cancellable: false, startMode: 'async' }],
  metadata: [
    {
      bindings: {
        tags: {
          fromPayload: [{ path: 'customer.segment' }],
          fromHeaders: [{ header: 'X-Channel' }],
          fromBaggage: [{ key: 'campaign' }],
        },
        attributes: {
          fromPayload: { subjectId: { path: 'customer.id' } },
          fromHeaders: { tenantId: { header: 'X-Tenant' } },
          fromBaggage: { campaign: { key: 'campaign' } },
        },
      },
    },
  ],
  mappers: [
    {
      isLarge: dataweave('context.total > 500'),
      summary: dataweave('{ total: sum(context.lines map ((line) -> line.price)) }'),
    },
  ],
  policies: [
    {
      httpResilience: {
        default: 'patient',
        definitions: {
          patient: {
            maxAttempts: 4,
            retryOn: ['NETWORK_ERROR', 'HTTP_5XX', 'HTTP_429'],
            backoff: { kind: 'exponential', baseDelayMs: 500, maxDelayMs: 10_000, jitter: 'full' },
            circuitBreaker: { enabled: true, failureRateThreshold: 0.5, slidingWindowSize: 20, openTimeoutSec: 30 },
            bulkhead: { maxConcurrent: 10, queueSize: 20 },
            onUncertain: 'fail',
          },
        },
      },
      httpClientAuth: {
        default: 'partner',
        definitions: {
          partner: { kind: 'bearerStatic', tokenRef: 'secret://partner/token' },
          orders: {
            kind: 'oauth2ClientCredentials',
            tokenEndpoint: 'https://login.example.com/token',
            auth: { method: 'clientSecretPost', clientId: 'journeys', clientSecretRef: 'secret://oauth/orders' },
            form: { scope: 'orders.write' },
          },
          stock: {
            kind: 'oauth2ClientCredentials',
            tokenEndpoint: 'https://login.example.com/token',
            auth: { method: 'tlsClientAuth', clientId: 'journeys', clientCertRef: 'secret://certs/journeys' },
          },
          bank: {
            kind: 'mtlsClient',
            clientCertRef: 'secret://certs/bank',
            trustAnchors: [{ pemRef: 'secret://certs/bank-ca' }],
          },
        },
      },
    },
  ],
  bindings: [
    {
      http: {
        start: {
          headersToContext: { 'X-Channel': 'channel' },
          queryToContext: { coupon: 'order.coupon' },
          headersPassthrough: [{ from: 'X-Request-Id', to: 'X-Correlation-Id' }],
        },
        steps: {
          approve: {
            headersToContext: { 'X-User': 'approvedBy' },
            queryToContext: { note: 'approval.note' },
            headersPassthrough: [{ from: 'X-Request-Id', to: 'X-Correlation-Id' }],
          },
        },
      },
    },
    { http: { route: { path: '/products/{sku}', method: 'GET' }, start: { pathToContext: { sku: 'sku' } } } },
    {
      http: {
        route: { path: '/pages/product', method: 'POST' },
        apiResponses: {
          rules: [
            { when: { phase: 'FAILED', errorType: 'PRODUCT_UNKNOWN' }, status: 404 },
            {
              when: { phase: 'SUCCEEDED', predicate: dataweave('output.created == true') },
              statusExpr: dataweave('201'),
            },
          ],
          default: { SUCCEEDED: 200, FAILED: 'fromProblemStatus' },
        },
      },
    },
    { cli: {} },
  ],
  outcomes: [{ approvedByHand: { when: { phase: 'SUCCEEDED', predicate: dataweave('output.approvedBy != null') } } }],
  cookies: [
    {
      jar: { domains: [{ pattern: '.shop.example.com' }] },
      returnToClient: { mode: 'filtered', include: { names: ['session'], namePatterns: ['^cart_'] } },
    },
  ],
  access: [{ read: { guardRef: 'check' } }],
  errors: [
    {
      canonicalFormat: 'rfc9457',
      normalisers: {
        shop: { mapper: dataweave('{ code: payload.body.error, title: payload.body.message }') },
        bank: dataweave('{ code: payload.body.reason }'),
      },
      envelope: { format: 'custom', mapper: dataweave('{ error: { code: error.code, message: error.title } }') },
    },
  ],
};
