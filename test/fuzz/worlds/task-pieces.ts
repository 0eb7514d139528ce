import type { JsonObject } from '../../../src/base/json/value.js';
import type { EffectFact, ErrorEntry, HttpFact, Retry } from './facts.js';
import { duration, type JourneyBuilder, type Piece, variables, type Where } from './journey-builder.js';

/** Policies that every generated journey declares. */
export const policies: Readonly<Record<string, Retry>> = {
  twice: { attempts: 2, on: ['NETWORK_ERROR', 'HTTP_5XX'], delayMs: 331 },
  often: { attempts: 4, on: ['NETWORK_ERROR', 'HTTP_5XX', 'HTTP_429'], delayMs: 1_207 },
  patient: { attempts: 3, on: ['HTTP_5XX'], delayMs: 11_113 },
};

/** `spec.policies` with them. */
export const declaredPolicies: JsonObject = {
  httpResilience: {
    definitions: Object.fromEntries(
      Object.entries(policies).map(([name, { attempts, on, delayMs }]) => [
        name,
        {
          maxAttempts: attempts,
          retryOn: [...on],
          backoff: { kind: 'fixed', baseDelayMs: delayMs, maxDelayMs: 20_000 },
        },
      ]),
    ),
  },
};

/** Entries for failures, sometimes without a match. */
function errorEntries({ random }: JourneyBuilder, next: string): ErrorEntry[] {
  if (random.chance(0.6)) return [{ next }];
  const on = random.pick([['HTTP_4XX'], ['HTTP_5XX', 'TIMEOUT'], ['NETWORK', 'TIMEOUT', 'HTTP_429']]);
  return random.chance(0.7) ? [{ on, next }, { next }] : [{ on, next }];
}

/** Entries for the result of a task with its own failures. */
function anyError({ random }: JourneyBuilder, next: string): ErrorEntry[] | undefined {
  return random.chance(0.4) ? [{ next }] : undefined;
}

function onErrorOf(entries: ErrorEntry[] | undefined): JsonObject {
  if (!entries) return {};
  const [only] = entries;
  if (entries.length === 1 && !only!.on) return { onError: only!.next };
  return { onError: entries.map(({ on, next }) => ({ ...(on && { on: [...on] }), next })) };
}

const httpCall: Piece = (builder, states, next, where) => {
  const { random } = builder;
  const id = builder.id('call');
  const unsafe = random.chance(0.65);
  const method = unsafe ? random.pick(['POST', 'POST', 'PUT', 'DELETE', 'PATCH']) : 'GET';
  const notify = unsafe && random.chance(0.08);
  const retryName = random.chance(0.5) ? random.pick(Object.keys(policies)) : undefined;
  const timeoutMs = builder.ms(random.pick([1, 3, 9]));
  const once = unsafe && random.chance(0.2);
  const poll =
    !unsafe && random.chance(0.25) ? { everyMs: builder.ms(random.below(4) + 1), max: 1 + random.below(3) } : undefined;
  const onError = !notify && random.chance(0.4) ? errorEntries(builder, next) : undefined;
  const task = {
    kind: 'httpCall:v1',
    method,
    url: `https://service.test/${id}${where.inItem ? '/${index}' : ''}`,
    timeoutMs,
    ...(method !== 'GET' && method !== 'DELETE' && { body: builder.mapper(`context.${random.pick(variables)}`) }),
    ...(notify ? { mode: 'notify' } : { resultVar: id }),
    ...(retryName !== undefined && { resiliencePolicyRef: retryName }),
    ...(once && { onUncertain: 'fail' }),
  };
  const fact: HttpFact = {
    is: 'http',
    next,
    unsafe,
    timeoutMs,
    notify,
    ...(!notify && { resultVar: id }),
    // A notification is sent once.
    ...(retryName !== undefined && !notify && { retry: policies[retryName]! }),
    once,
    ...(onError && { onError }),
    ...(poll && { poll }),
  };
  const until = builder.expression('result.status == 200');
  const polling = poll && { poll: { until, every: duration(poll.everyMs), max: poll.max } };
  builder.add(states, id, { type: 'task', task, ...polling, next, ...onErrorOf(onError) }, fact);
  if (unsafe && !notify) {
    if (where.itemCalls) where.itemCalls.push(id);
    else if (where.seenAs !== undefined)
      builder.undos.push({ undo: { call: id }, condition: `${where.seenAs}.${id} != null` });
  }
  return id;
};

function effect(
  kind: string,
  task: (builder: JourneyBuilder, id: string, where: Where) => JsonObject,
  hasOk = false,
): Piece {
  return (builder, states, next, where) => {
    const id = builder.id('task');
    const block = task(builder, id, where);
    const onError = hasOk ? anyError(builder, next) : undefined;
    const { resultVar } = block;
    const fact: EffectFact = {
      is: 'effect',
      kind,
      next,
      ...(typeof resultVar === 'string' && { resultVar }),
      ...(onError && { onError }),
    };
    builder.feature(kind);
    return builder.add(states, id, { type: 'task', task: { kind, ...block }, next, ...onErrorOf(onError) }, fact);
  };
}

const cache = effect('cache:v1', (builder, id, where) => {
  const { random } = builder;
  const key = builder.mapper(`"${where.graph}"`);
  if (random.chance(0.5)) return { operation: 'get', key, resultVar: id };
  return { operation: 'put', key, value: builder.mapper('context.a'), ttlSeconds: 1 + random.below(20) };
});

const kafka = effect('kafkaPublish:v1', (builder) => ({
  topic: 'events',
  value: builder.mapper('{"a": context.a}'),
}));

const signal = effect(
  'signal:v1',
  (builder, id) => ({
    journey: 'other',
    key: builder.mapper('"k"'),
    step: 'paid',
    payload: builder.mapper('context.b'),
    resultVar: id,
  }),
  true,
);

const activity = effect(
  'activity:v1',
  (builder, id) => {
    const { random } = builder;
    return {
      activity: 'Work',
      taskQueue: 'others',
      args: builder.mapper('[context.a]'),
      timeouts: { startToClose: 'PT4S', scheduleToClose: 'PT30S' },
      ...(random.chance(0.5) && {
        retry: { maximumAttempts: 2, initialInterval: 'PT1.021S', nonRetryableErrorTypes: ['FATAL'] },
      }),
      ...(random.chance(0.3) && { safe: true }),
      resultVar: id,
    };
  },
  true,
);

const jwt = effect('jwtValidate:v1', () => ({ authVar: 'auth' }));
const mtls = effect('mtlsValidate:v1', () => ({ authVar: 'auth', allowAnyFromTrusted: true }));
const apiKey = effect('apiKeyValidate:v1', () => ({ authVar: 'auth' }));
const plugin = effect('stamp:v1', (builder, id) => ({
  text: `\${context.${builder.random.pick(variables)}}`,
  resultVar: id,
}));

/** Creates a schedule of the journey's own runs, and sometimes stops it at once. */
const schedule: Piece = (builder, states, next) => {
  builder.schedules = true;
  const stop = builder.random.chance(0.5) ? unschedule(builder, states, next) : next;
  const id = builder.id('task');
  builder.feature('schedule:v1');
  const task = {
    kind: 'schedule:v1',
    start: 'scheduled',
    startAt: '2090-01-31T09:00:00Z',
    interval: 'P1D',
    maxRuns: 2,
    subjectId: builder.mapper(`"${id}"`),
    context: builder.mapper('{"a": context.a, "b": context.b, "c": context.c}'),
  };
  return builder.add(states, id, { type: 'task', task, next: stop }, { is: 'effect', kind: 'schedule:v1', next: stop });
};

function unschedule(builder: JourneyBuilder, states: JsonObject, next: string): string {
  builder.schedules = true;
  builder.feature('unschedule:v1');
  const id = builder.id('task');
  const task = { kind: 'unschedule:v1', start: 'scheduled', resultVar: id };
  return builder.add(
    states,
    id,
    { type: 'task', task, next },
    { is: 'effect', kind: 'unschedule:v1', next, resultVar: id },
  );
}

/** Decodes the text `x` of the context, or `broken`, which is not XML. */
const xml: Piece = (builder, states, next) => {
  const id = builder.id('xml');
  const valid = builder.random.chance(0.9);
  const task = {
    kind: 'xmlDecode:v1',
    sourceVar: valid ? 'x' : 'broken',
    target: { kind: 'var' },
    resultVar: id,
  };
  return builder.add(states, id, { type: 'task', task, next }, { is: 'xml', next, valid, resultVar: id });
};

/** A task of any kind that is valid in this location. */
export const anyTask: Piece = (builder, states, next, where) => {
  const others: (readonly [number, Piece])[] = [
    [2, cache],
    [1, kafka],
    [1, signal],
    [2, activity],
    [1, xml],
    [0.5, jwt],
    [0.5, mtls],
    [0.5, apiKey],
    [1, plugin],
  ];
  // An existing schedule would be rejected, which is not tested here.
  if (where.atTop && !where.inLoop) others.push([1, schedule], [0.3, (b, s, n) => unschedule(b, s, n)]);
  const piece = where.inItem ? httpCall : builder.random.weighted([[14, httpCall], ...others]);
  return piece(builder, states, next, where);
};
