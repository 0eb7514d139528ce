import { shape, textOf, wholeOf, wordOf } from '../document/schema-parts.js';
import type { Json, JsonObject } from '../json/value.js';
import { terminationKinds } from './read-expectation.js';
import { profilesSchema } from './read-profiles.js';

const duration = (description: string): JsonObject => ({
  type: 'string',
  pattern: '^P[0-9YMWDTHS.,]+$',
  description: `${description} An ISO-8601 duration such as PT1S, PT5M or P30D.`,
});
const texts = (description: string): JsonObject => ({
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean'] },
  description,
});
/** Those of a request that starts a journey. */
const sharedTexts = (description: string): JsonObject => ({
  ...texts(`${description} null takes a shared one away.`),
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
});
const anything = (description: string): JsonObject => ({ description });
const object = (description: string): JsonObject => ({ type: 'object', description });
const listOf = (items: Json, description: string, more: JsonObject = {}): JsonObject => ({
  type: 'array',
  items,
  description,
  ...more,
});
const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const phase = wordOf('Where the run stands.', 'RUNNING', 'SUCCEEDED', 'FAILED');

const whichCalls = {
  call: {
    type: 'string',
    pattern: '^(GET|HEAD|POST|PUT|PATCH|DELETE|ANY) +https?://\\S+$',
    description:
      'A method (or ANY) and a URL. In the path * or {name} stands for one segment and ** for any number; without ? the query does not matter.',
  },
  operation: textOf('<api>.<operationId>, as in the journey’s operationRef; or the kind of a plugin, like slugify:v1.'),
};
const oneOfCalls = { oneOf: [{ required: ['call'] }, { required: ['operation'] }] };

const timing = {
  at: duration('Since the start of the run.'),
  afterState: textOf('As soon as this state is entered.'),
  delay: duration('This long after that moment.'),
};

const oneMoment = { not: { required: ['at', 'afterState'] } };

/** `format: path` means something to our configuration alone. */
function withoutPaths(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === 'format' && value === 'path' ? undefined : value)));
}

const shared = {
  input: object('The body that starts the journey.'),
  headers: sharedTexts('Headers of the request that starts the journey.'),
  query: sharedTexts('Query parameters of the request that starts the journey.'),
  certificate: textOf('The client certificate of the request that starts the journey, as PEM.'),
  profiles: withoutPaths(profilesSchema as unknown as Json) as JsonObject,
  config: object('Values of the keys declared under spec.platform.config; null takes a shared one away.'),
  environment: textOf('platform.environment; test when left out.'),
  now: {
    type: 'string',
    format: 'date-time',
    description: 'When the run starts, as an RFC 3339 timestamp in quotes; "2026-01-01T00:00:00Z" when left out.',
  },
  seed: wholeOf('What uuid() and random() are derived from; 1 when left out.', 0),
  backend: listOf(
    ref('rule'),
    'What services answer. The first rule that matches a call serves it; a call without a rule fails the scenario.',
  ),
};

/** The JSON Schema of scenario files, as published; editors complete and check with it. */
export const scenarioSchema: Json = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Journeyman scenarios',
  ...shape(
    'Scenarios of one journey: what it meets, and what must come of it.',
    {
      journey: textOf('The journey, relative to this file; the file of the same name when left out.'),
      given: shape('What all scenarios of this file share; a scenario’s own fields win.', shared),
      scenarios: {
        type: 'object',
        minProperties: 1,
        additionalProperties: ref('scenario'),
        description: 'Scenarios by name.',
      },
    },
    ['scenarios'],
  ),
  $defs: {
    scenario: shape(
      'One scenario.',
      {
        description: textOf('For people.'),
        ...shared,
        steps: listOf(
          ref('step'),
          'Submissions, one after the other; each as soon as its step is active unless it says when.',
        ),
        signals: listOf(ref('signal'), 'Plain Temporal signals named after steps; an early one is kept for its step.'),
        cancel: {
          ...shape('When the run is asked to end.', timing),
          ...oneMoment,
          anyOf: [{ required: ['at'] }, { required: ['afterState'] }],
        },
        until: duration(
          'Look at the run this long after its start, instead of at its end. Schedules that it makes start their runs up to then.',
        ),
        virtualOnly: {
          type: 'boolean',
          description: 'Not for a real server: it depends on the start instant, or on times that cannot be shortened.',
        },
        expect: ref('expectation'),
      },
      ['expect'],
    ),
    rule: {
      ...shape('Calls and the replies they get.', {
        ...whichCalls,
        reply: ref('reply'),
        replies: listOf(ref('reply'), 'Given in order; the last one again and again.', { minItems: 1 }),
      }),
      allOf: [oneOfCalls, { oneOf: [{ required: ['reply'] }, { required: ['replies'] }] }],
    },
    reply: shape('An answer, or its absence.', {
      status: { type: 'integer', minimum: 100, maximum: 599, description: 'HTTP status; 200 when left out.' },
      headers: texts('Response headers.'),
      body: anything('The body: JSON, or a text as it is.'),
      after: duration('How long the answer takes; longer than the call’s timeout is a timeout.'),
      fail: wordOf('No answer comes.', 'timeout', 'network'),
    }),
    step: {
      ...shape(
        'A submission over HTTP.',
        {
          step: textOf('The id of the wait or webhook state.'),
          payload: anything('The body; {} when left out.'),
          headers: texts('Headers of the request.'),
          query: texts('Query parameters of the request.'),
          certificate: textOf('The client certificate of the request, as PEM.'),
          ...timing,
          expect: ref('stepExpectation'),
        },
        ['step'],
      ),
      ...oneMoment,
    },
    signal: {
      ...shape(
        'A plain Temporal signal.',
        {
          step: textOf('The id of the wait or webhook state.'),
          payload: anything('The payload; {} when left out.'),
          ...timing,
        },
        ['step'],
      ),
      ...oneMoment,
    },
    stepExpectation: shape('The answer to the submission; a refusal must be expected.', {
      status: wholeOf('HTTP status.', 100),
      code: textOf('The code of the problem it is refused with.'),
      phase,
      currentState: textOf('Where the run rests then.'),
      activeSteps: listOf({ type: 'string' }, 'The steps that wait then, in any order.'),
      includes: object('Fields of the response, in part.'),
    }),
    expectation: {
      ...shape('What must be true in the end; what is left out may be anything.', {
        refused: textOf('The start is refused with this code.'),
        phase,
        errorCode: textOf('The code of the error the run failed with.'),
        reason: textOf('The reason of that error, word for word.'),
        terminationKind: wordOf('How the run ended.', ...terminationKinds),
        status: textOf('The business status.'),
        outcomeId: textOf('The named outcome.'),
        output: anything('The whole output.'),
        outputIncludes: anything('Part of the output.'),
        contextIncludes: object('Part of the journey’s final context.'),
        calls: listOf(
          { oneOf: [whichCalls.call, ref('expectedCall')] },
          'Every call that was made, retries included, in order.',
        ),
        callsInAnyOrder: listOf(
          { oneOf: [whichCalls.call, ref('expectedCall')] },
          'Like calls, where branches make them in any order.',
        ),
        states: listOf({ type: 'string' }, 'The journey’s own states in the order they were entered.'),
        elapsed: duration('How long the run took.'),
        dueAt: duration('When the run next goes on by itself, counted from its start.'),
        currentState: textOf('Where the run ended or rests.'),
        activeSteps: listOf({ type: 'string' }, 'The steps that wait for a submission, in any order.'),
        tags: listOf({ type: 'string' }, 'The run’s tags, in any order.'),
        attributes: object('The run’s attributes.'),
        compensation: {
          description: 'How the compensation went, or `none`.',
          oneOf: [
            { const: 'none' },
            shape('How it went.', {
              mode: wordOf('Whether the caller waited for it.', 'sync', 'async'),
              phase: wordOf('How it ended.', 'SUCCEEDED', 'FAILED'),
              errorCode: textOf('The code of the error it failed with.'),
            }),
          ],
        },
        schedules: listOf(
          ref('expectedSchedule'),
          'The schedules that the run made, in the order it made them; each in part. They are played up to `until`.',
        ),
      }),
      minProperties: 1,
    },
    expectedSchedule: shape(
      'A schedule as it is seen at `until`; objects may have more fields, lists may not have more items.',
      {
        scheduleId: textOf('<journey>-<number>, in the order they were made.'),
        startStateId: textOf('The state at which its runs start.'),
        subjectId: anything('Whom it is for, or null.'),
        maxRuns: wholeOf('How many runs it may have.', 1),
        runsExecuted: wholeOf('How many it has had.', 0),
        state: wordOf('Whether it has had all its runs.', 'active', 'exhausted'),
        overlapped: wholeOf('Times that came while a run was active, and started none.', 0),
        nextRunAt: anything('When it comes next, like "2026-02-01T09:00:00.000Z", or null.'),
        context: object('What the next run starts from.'),
        runs: listOf(ref('scheduledRun'), 'Its runs that have ended, in order.'),
      },
    ),
    scheduledRun: shape('A run that a schedule started.', {
      at: textOf('When it started, like "2026-02-01T09:00:00.000Z".'),
      endedAt: textOf('When it ended.'),
      phase: wordOf('How it ended.', 'SUCCEEDED', 'FAILED'),
      status: textOf('The business status.'),
      terminatedAtState: textOf('Where it ended.'),
      output: anything('Its output.'),
      errorCode: textOf('The code of the error it failed with.'),
      reason: textOf('The reason of that error.'),
      context: object('What the next run starts from.'),
    }),
    expectedCall: {
      ...shape('A call that was made.', {
        ...whichCalls,
        body: anything('Its whole body, parsed where it is JSON.'),
        bodyIncludes: anything('Part of its body.'),
        headers: texts('Some of its headers.'),
      }),
      ...oneOfCalls,
    },
  },
};
