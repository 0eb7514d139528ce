import { shape, textOf, wholeOf, wordOf } from '../../base/document/schema-builders.js';
import type { Json, JsonObject } from '../../base/json/value.js';
import { profilesSchema } from './auth-profile-schema-and-merge.js';
import { terminationKinds } from './read-expectation.js';

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
/** Texts of the start request. */
const sharedTexts = (description: string): JsonObject => ({
  ...texts(`${description} null removes a shared one.`),
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
const phase = wordOf('Phase of the run.', 'RUNNING', 'SUCCEEDED', 'FAILED');

const whichCalls = {
  call: {
    type: 'string',
    pattern: '^(GET|HEAD|POST|PUT|PATCH|DELETE|ANY) +https?://\\S+$',
    description:
      'A method (or ANY) and a URL. In the path, * or {name} matches one segment and ** any number. Without ?, the query is ignored.',
  },
  operation: textOf(
    '<api>.<operationId>, as in the journey’s operationRef; the kind of a plugin, like slugify:v1; or activity.<type>, workflow.<type>, journey.<name>.',
  ),
};
const oneOfCalls = { oneOf: [{ required: ['call'] }, { required: ['operation'] }] };

/** The fields of a scripted result of another worker. */
const externalReply = {
  value: anything('The result; null by default.'),
  error: shape(
    'A failure.',
    {
      type: textOf('Its type.'),
      message: { type: 'string', description: 'Its message.' },
      details: anything('Its details.'),
      nonRetryable: { type: 'boolean', description: 'Whether the retry policy does not apply; false by default.' },
    },
    ['type'],
  ),
};

const timing = {
  at: duration('Since the start of the run.'),
  afterState: textOf('As soon as this state is entered.'),
  delay: duration('Additional delay.'),
};

const oneMoment = { not: { required: ['at', 'afterState'] } };

/** Removes `format: path`, which only our configuration uses. */
function withoutPaths(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === 'format' && value === 'path' ? undefined : value)));
}

const shared = {
  input: object('Body of the start request.'),
  headers: sharedTexts('Headers of the start request.'),
  query: sharedTexts('Query parameters of the start request.'),
  certificate: textOf('Client certificate of the start request, as PEM.'),
  profiles: withoutPaths(profilesSchema as unknown as Json) as JsonObject,
  config: object('Values of the keys declared under spec.platform.config; null removes a shared one.'),
  environment: textOf('platform.environment; test by default.'),
  now: {
    type: 'string',
    format: 'date-time',
    description: 'Start of the run, as an RFC 3339 timestamp in quotes; "2026-01-01T00:00:00Z" by default.',
  },
  seed: wholeOf('Seed of uuid() and random(); 1 by default.', 0),
  backend: listOf(
    ref('rule'),
    'Replies of services. The first rule that matches a call applies; a call without a rule fails the scenario.',
  ),
  activities: listOf(
    ref('activityRule'),
    'Results of activities of other workers, by their type; otherwise like backend.',
  ),
  workflows: listOf(
    ref('workflowRule'),
    'Results of child workflows, by their type or journey; otherwise like backend.',
  ),
};

/** The published JSON Schema of scenario files, for editors. */
export const scenarioSchema: Json = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Journeyman scenarios',
  ...shape(
    'Scenarios of one journey: inputs, replies of services, and expected results.',
    {
      journey: textOf('Path of the journey, relative to this file; by default the file of the same name.'),
      given: shape('Fields shared by all scenarios of this file; a scenario’s own fields take precedence.', shared),
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
        description: textOf('A description for readers.'),
        ...shared,
        steps: listOf(
          ref('step'),
          'Submissions, in order; each is sent as soon as its step is active, unless it has a time.',
        ),
        signals: listOf(
          ref('signal'),
          'Plain Temporal signals named after steps; an early signal is stored for its step.',
        ),
        cancel: {
          ...shape('When cancellation is requested.', timing),
          ...oneMoment,
          anyOf: [{ required: ['at'] }, { required: ['afterState'] }],
        },
        until: duration(
          'Observe the run this long after its start, instead of at its end. Schedules that it creates start their runs until then.',
        ),
        virtualOnly: {
          type: 'boolean',
          description:
            'Skip it on a real server, because it depends on the start instant or on times that cannot be shortened.',
        },
        expect: ref('expectation'),
      },
      ['expect'],
    ),
    rule: {
      ...shape('Calls and their replies.', {
        ...whichCalls,
        reply: ref('reply'),
        replies: listOf(ref('reply'), 'Replies in order; the last one is repeated.', { minItems: 1 }),
      }),
      allOf: [oneOfCalls, { oneOf: [{ required: ['reply'] }, { required: ['replies'] }] }],
    },
    activityRule: {
      ...shape(
        'Calls of an activity and their results.',
        {
          activity: textOf('The type of the activity.'),
          reply: ref('activityReply'),
          replies: listOf(ref('activityReply'), 'Results in order; the last one is repeated.', { minItems: 1 }),
        },
        ['activity'],
      ),
      oneOf: [{ required: ['reply'] }, { required: ['replies'] }],
    },
    activityReply: {
      ...shape('A result, or a failure. Timeouts and the retry policy of the task apply.', {
        ...externalReply,
        after: duration('Duration of the attempt; it times out if this exceeds startToClose.'),
        fail: wordOf('End without an answer: the attempt times out, or no worker accepts it.', 'timeout', 'notStarted'),
      }),
    },
    workflowRule: {
      ...shape('Starts of a child workflow and their results.', {
        workflow: textOf('The type of the workflow.'),
        journey: textOf('The name of the journey.'),
        reply: ref('workflowReply'),
        replies: listOf(ref('workflowReply'), 'Results in order; the last one is repeated.', { minItems: 1 }),
      }),
      allOf: [
        { oneOf: [{ required: ['workflow'] }, { required: ['journey'] }] },
        { oneOf: [{ required: ['reply'] }, { required: ['replies'] }] },
      ],
    },
    workflowReply: {
      ...shape('A result, or a failure. Timeouts and the retry policy of the task apply.', {
        ...externalReply,
        after: duration('Duration of the run; it times out if this exceeds its timeouts.'),
        fail: wordOf('End without an answer: the workflow times out, or is terminated.', 'timeout', 'terminated'),
      }),
    },
    reply: shape('A reply, or a failure.', {
      status: { type: 'integer', minimum: 100, maximum: 599, description: 'HTTP status; 200 by default.' },
      headers: texts('Response headers.'),
      body: anything('Body: JSON, or text.'),
      after: duration('Delay of the reply; the call times out if it exceeds the call’s timeout.'),
      fail: wordOf('Fail the call instead of replying.', 'timeout', 'network'),
    }),
    step: {
      ...shape(
        'A submission over HTTP.',
        {
          step: textOf('The id of the wait or webhook state.'),
          payload: anything('The body; {} by default.'),
          headers: texts('Headers of the request.'),
          query: texts('Query parameters of the request.'),
          certificate: textOf('The client certificate of the request, as PEM.'),
          hook: {
            type: 'boolean',
            description:
              'Send it, signed, to the fixed URL of a step with correlate; before the step is active, the run keeps it.',
          },
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
          payload: anything('The payload; {} by default.'),
          ...timing,
        },
        ['step'],
      ),
      ...oneMoment,
    },
    stepExpectation: shape(
      'Expected response to the submission. A rejection that is not expected fails the scenario.',
      {
        status: wholeOf('HTTP status.', 100),
        code: textOf('Code of the problem that rejects it.'),
        phase,
        currentState: textOf('State in which the run waits afterwards.'),
        activeSteps: listOf({ type: 'string' }, 'Active steps afterwards, in any order.'),
        includes: object('Fields of the response, in part.'),
      },
    ),
    expectation: {
      ...shape('Expected result; omitted fields are not checked.', {
        refused: textOf('The start is rejected with this code.'),
        phase,
        errorCode: textOf('Code of the error that the run failed with.'),
        reason: textOf('Exact reason of that error.'),
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
          'Like calls, but in any order, for calls from several branches.',
        ),
        states: listOf({ type: 'string' }, 'The journey’s own states in the order they were entered.'),
        elapsed: duration('Duration of the run.'),
        dueAt: duration('When the run continues without input, since its start.'),
        currentState: textOf('State in which the run ended or waits.'),
        activeSteps: listOf({ type: 'string' }, 'Active steps, in any order.'),
        tags: listOf({ type: 'string' }, 'The run’s tags, in any order.'),
        attributes: object('The run’s attributes.'),
        compensation: {
          description: 'Expected compensation, or `none`.',
          oneOf: [
            { const: 'none' },
            shape('Expected compensation.', {
              mode: wordOf('Whether the caller waited for it.', 'sync', 'async'),
              phase: wordOf('How it ended.', 'SUCCEEDED', 'FAILED'),
              errorCode: textOf('The code of the error it failed with.'),
            }),
          ],
        },
        schedules: listOf(
          ref('expectedSchedule'),
          'Schedules that the run created, in order of creation, each in part. Their runs are played up to `until`.',
        ),
      }),
      minProperties: 1,
    },
    expectedSchedule: shape('A schedule at `until`. Objects may have additional fields; lists must match exactly.', {
      scheduleId: textOf('<journey>-<number>, in order of creation.'),
      startStateId: textOf('The state at which its runs start.'),
      subjectId: anything('Its subject, or null.'),
      maxRuns: wholeOf('Maximum number of runs.', 1),
      runsExecuted: wholeOf('Number of runs so far.', 0),
      state: wordOf('State of the schedule.', 'active', 'exhausted'),
      overlapped: wholeOf('Due times skipped because a run was active.', 0),
      nextRunAt: anything('Its next run, like "2026-02-01T09:00:00.000Z", or null.'),
      context: object('Context that the next run starts from.'),
      runs: listOf(ref('scheduledRun'), 'Its ended runs, in order.'),
    }),
    scheduledRun: shape('A run that a schedule started.', {
      at: textOf('Start of the run, like "2026-02-01T09:00:00.000Z".'),
      endedAt: textOf('End of the run.'),
      phase: wordOf('How it ended.', 'SUCCEEDED', 'FAILED'),
      status: textOf('The business status.'),
      terminatedAtState: textOf('State in which it ended.'),
      output: anything('Its output.'),
      errorCode: textOf('The code of the error it failed with.'),
      reason: textOf('The reason of that error.'),
      context: object('Context that the next run starts from.'),
    }),
    expectedCall: {
      ...shape('A call that was made.', {
        ...whichCalls,
        body: anything('Its whole body, parsed if it is JSON.'),
        bodyIncludes: anything('Part of its body.'),
        headers: texts('Some of its headers.'),
      }),
      ...oneOfCalls,
    },
  },
};
