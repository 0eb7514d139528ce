import { mapperFields, part, shape, textOf, wholeOf, wordOf } from '../../document/schema-parts.js';
import type { Json, JsonObject } from '../../json/value.js';
import { taskKinds } from '../../tasks/kinds.js';

const next = { $ref: '#/$defs/stateId' };
const old = (description: string): JsonObject => ({ description, deprecated: true });
const textOrMapper = (description: string) => ({ description, oneOf: [{ type: 'string' }, part('mapperHolder')] });

/** A state of one type: its block, its own fields, and nothing else. */
function state(type: string, description: string, properties: Record<string, Json>, required: string[]): JsonObject {
  return shape(description, { type: { const: type }, ...properties }, ['type', ...required]);
}

const stepFields = {
  input: shape('What the step accepts.', { schema: part('jsonSchema') }, ['schema']),
  response: part('projection'),
  timeoutSec: wholeOf('Seconds until onTimeout.'),
  onTimeout: { $ref: '#/$defs/stateId' },
  default: old('Old name of next.'),
};
const stepState = { next, default: old('Old name of next.'), response: old('Old place of response.') };
const timeoutPair = { dependentRequired: { timeoutSec: ['onTimeout'] } };

/** What reading names each branch of a `parallel`. */
const branch = shape(
  'A graph that runs beside the others, on its own copy of the context.',
  { name: textOf('Its name in join.mapper.'), start: part('stateId'), states: part('states') },
  ['name', 'start', 'states'],
);

/** One schema per state type. */
export const stateSchemas: Record<string, JsonObject> = {
  task: {
    ...state('task', 'Runs a task once, then goes on.', { task: part('task'), next }, ['task', 'next']),
  },
  choice: state(
    'choice',
    'Goes on along the first branch whose predicate is true.',
    {
      choices: {
        type: 'array',
        minItems: 1,
        items: shape(
          'A branch.',
          { when: shape('The condition.', { predicate: part('expression') }, ['predicate']), next },
          ['when', 'next'],
        ),
      },
      default: { ...next, description: 'Where to go when no predicate is true.' },
    },
    ['choices'],
  ),
  transform: state(
    'transform',
    'Computes a value and writes it into the context.',
    {
      transform: {
        ...shape('What to compute and where it goes.', {
          ...mapperFields,
          target: part('target'),
          resultVar: part('identifier'),
        }),
        oneOf: [{ required: ['mapper'] }, { required: ['mapperRef'] }],
      },
      resultVar: old('Old place of transform.resultVar.'),
      next,
    },
    ['transform', 'next'],
  ),
  wait: state(
    'wait',
    'Pauses until someone submits the step; its body is then context.payload.',
    {
      wait: {
        ...shape('The step.', { channel: { const: 'manual' }, ...stepFields }, ['channel', 'input']),
        ...timeoutPair,
      },
      ...stepState,
    },
    ['wait'],
  ),
  webhook: state(
    'webhook',
    'Pauses until another system calls back; its body is then context.payload.',
    { webhook: { ...shape('The step.', stepFields, ['input']), ...timeoutPair }, ...stepState },
    ['webhook'],
  ),
  timer: state(
    'timer',
    'Sleeps durably. Journeys only.',
    {
      timer: {
        ...shape('How long, or until when.', {
          duration: textOrMapper('An ISO-8601 duration, like PT5M, P1D or P1M.'),
          until: textOrMapper('An RFC 3339 instant.'),
        }),
        oneOf: [{ required: ['duration'] }, { required: ['until'] }],
      },
      next,
    },
    ['timer', 'next'],
  ),
  parallel: state(
    'parallel',
    'Runs branches side by side and joins them.',
    {
      parallel: shape(
        'The branches and how they join.',
        {
          branches: { type: 'array', minItems: 1, items: branch },
          join: shape(
            'When to go on and what to keep.',
            {
              strategy: wordOf(
                'allOf waits for every branch; the others go on with the first.',
                'allOf',
                'anyOf',
                'firstCompleted',
              ),
              errorPolicy: wordOf(
                'What a failed branch does; collectAll by default.',
                'collectAll',
                'failFast',
                'ignoreErrors',
              ),
              ...mapperFields,
              resultVar: part('identifier'),
            },
            ['strategy'],
          ),
        },
        ['branches', 'join'],
      ),
      next,
    },
    ['parallel'],
  ),
  subjourney: state(
    'subjourney',
    'Calls a graph of spec.subjourneys with a context of its own.',
    {
      subjourney: shape(
        'The call.',
        {
          ref: textOf('An id under spec.subjourneys.'),
          input: part('mapperHolder', 'Computes the called graph’s context; an empty object when left out.'),
          resultVar: part('identifier'),
          resultKind: wordOf('output (default) or the whole outcome.', 'output', 'outcome'),
          onFailure: shape('What a failure does.', {
            behavior: wordOf('propagate (default) fails here; capture goes on.', 'propagate', 'capture'),
          }),
        },
        ['ref'],
      ),
      next,
    },
    ['subjourney', 'next'],
  ),
  succeed: state(
    'succeed',
    'Ends the run with success.',
    { outputVar: part('identifier', 'The context variable that becomes the output; the whole context when left out.') },
    [],
  ),
  fail: state(
    'fail',
    'Ends the run with a failure.',
    { errorCode: textOf('A stable code.'), reason: textOf('What happened, for people.') },
    ['errorCode', 'reason'],
  ),
};

/** A step says where it goes by `next`; the old spellings count too. */
function withNext(type: string, schema: JsonObject): JsonObject {
  if (type !== 'wait' && type !== 'webhook') return schema;
  return {
    ...schema,
    anyOf: [{ required: ['next'] }, { required: ['default'] }, { properties: { [type]: { required: ['default'] } } }],
  };
}

/** Picks a schema by the value of one property: editors then complain about that alternative only. */
function choose(property: string, schemas: Iterable<[string, Json]>): JsonObject {
  const all = [...schemas];
  return {
    type: 'object',
    required: [property],
    properties: { [property]: { enum: all.map(([name]) => name) } },
    allOf: all.map(([name, then]) => ({
      if: { properties: { [property]: { const: name } }, required: [property] },
      then,
    })),
  };
}

/** The parts of the schema that states are made of. */
export const stateParts: Record<string, JsonObject> = {
  states: {
    type: 'object',
    minProperties: 1,
    additionalProperties: { $ref: '#/$defs/state' },
    description: 'States by id.',
  },
  state: choose(
    'type',
    Object.keys(stateSchemas).map((type): [string, Json] => [type, { $ref: `#/$defs/state.${type}` }]),
  ),
  task: choose(
    'kind',
    [...taskKinds.keys()].map((kind): [string, Json] => [kind, { $ref: `#/$defs/task.${kind}` }]),
  ),
  ...Object.fromEntries(
    Object.entries(stateSchemas).map(([type, schema]) => [`state.${type}`, withNext(type, schema)]),
  ),
  ...Object.fromEntries([...taskKinds].map(([kind, { schema }]) => [`task.${kind}`, schema as JsonObject])),
};
