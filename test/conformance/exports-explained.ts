import { equal, type Json, own } from '../../src/base/json/value.js';
import type { Definition } from '../../src/engine/definition/definition.js';
import { statusFields } from '../../src/engine/definition/response-fields-and-projection.js';
import { stepsOf } from '../../src/language/exports/journey-operations.js';
import { camelName } from '../../src/language/exports/operation-and-component-names.js';
import { flat } from './flat-schema.js';

/** A difference between our export and theirs; undefined where one of them has no value. */
export interface Difference {
  /** `post /journeys/x/start`, or a workflow. */
  readonly operation: string;
  /** A path in the operation's request and responses. */
  readonly at: string;
  readonly ours: Json | undefined;
  readonly theirs: Json | undefined;
}

/** A kind of accepted difference, and the reason. */
export interface Explained {
  readonly reason: string;
  is(difference: Difference, definition: Definition): boolean;
}

const rules: readonly Explained[] = [
  {
    reason: 'they leave out what the gateway refuses with (D8)',
    is: ({ at, theirs }) => /^\/responses\/([45]\d\d|default)$/.test(at) && theirs === undefined,
  },
  {
    reason: 'they leave out the cancel step (D8)',
    is: ({ operation, at, theirs }) => at === '' && operation.endsWith('/steps/cancel') && theirs === undefined,
  },
  {
    reason: 'their step has a name that no state of the journey has; steps are named after their states',
    is: ({ operation, at, ours }, definition) =>
      at === '' && ours === undefined && /\/steps\//.test(operation) && stepOf(definition, operation) === undefined,
  },
  {
    reason: 'they leave out a step of the journey, or name it otherwise',
    is: ({ operation, at, theirs }, definition) =>
      at === '' && theirs === undefined && stepOf(definition, operation) !== undefined,
  },
  {
    reason: 'parameters that the gateway takes: Idempotency-Key, and what bindings and auth tasks look at',
    is: ({ at, theirs, ours }, definition) =>
      theirs === undefined &&
      equal(ours, { required: false }) &&
      parameterNames(definition).includes(at.split('/')[2]!),
  },
  {
    reason: 'the gateway accepts a request without its credential, which the journey handles',
    is: ({ at, ours, theirs }, definition) =>
      at.endsWith('/required') &&
      ours === false &&
      theirs === true &&
      parameterNames(definition).includes(at.split('/')[2]!),
  },
  {
    reason: 'fields that we add to statuses and outcomes',
    is: ({ at, theirs }) =>
      theirs === undefined &&
      /^\/responses\/200\/properties\/(journeyVersion|activeStates|outcomeId|compensation|uncertain|error\/required)$/.test(
        at,
      ),
  },
  {
    reason: 'phases are written in capitals (D11)',
    is: ({ at, ours, theirs }) =>
      at.endsWith('/properties/phase/enum') && equal(ours, upper(theirs)) && (ours as Json[]).length === 3,
  },
  {
    reason: 'they forget to declare phase (D8)',
    is: ({ at, theirs }) => at.endsWith('/properties/phase') && theirs === undefined,
  },
  {
    reason: 'URLs are relative unless gateway.publicUrl is set',
    is: ({ at, ours, theirs }) =>
      /\/(href|statusUrl)\/format$/.test(at) && ours === 'uri-reference' && (theirs === undefined || theirs === 'uri'),
  },
  {
    reason: 'every link has an explicit method',
    is: ({ at, ours }) => at.endsWith('/properties/method/default') && ours === undefined,
  },
  {
    reason: 'additionalProperties: true is the default',
    is: ({ at, ours, theirs }) =>
      at.endsWith('/additionalProperties') && [ours, theirs].includes(true) && [ours, theirs].includes(undefined),
  },
  {
    reason:
      'a start returns an outcome or a status: any run can fail before its first step, or take longer than the start waits',
    is: ({ operation, at, theirs }, { lifecycle }) =>
      operation.endsWith('/start') &&
      at === '/responses/200/anyOf' &&
      theirs === undefined &&
      lifecycle.startMode === 'sync',
  },
  {
    reason: 'a journey without startMode is sync, and returns 200 (D27)',
    is: ({ operation, at, ours }, { lifecycle }) =>
      operation.endsWith('/start') &&
      lifecycle.startMode === 'sync' &&
      (at === '/responses/202' ? ours === undefined : at === '/responses/200'),
  },
  {
    reason: 'a body is optional if an empty one is valid',
    is: ({ at, ours, theirs }) => at === '/body/required' && ours === false && theirs === true,
  },
  {
    reason: 'the response to a step is a JourneyStatus with its projection (§12.4); theirs has only the projection',
    is: ({ operation, at, theirs }) =>
      /\/steps\//.test(operation) &&
      theirs === undefined &&
      (at === '/responses/200/required' || statusFields.includes(at.replace('/responses/200/properties/', ''))),
  },
  {
    reason: 'the journey’s own schema is authoritative; the hand-written one differs',
    is: ({ operation, at, ours }, definition) => {
      const [found, value] = inJourney(definition, operation, at);
      return found && equal(ours ?? null, value ?? null);
    },
  },
  {
    reason: 'a failed Api returns 500 unless its rules specify another status; theirs has 4XX',
    is: ({ at, ours }, { kind }) => kind === 'Api' && at === '/responses/4XX' && ours === undefined,
  },
  {
    reason: 'the operation of an Api is called <name>_call',
    is: ({ at, ours }, { kind, name }) => kind === 'Api' && at === '/operationId' && ours === `${camelName(name)}_call`,
  },
  {
    reason: 'their workflow uses a step without a state of that name in the journey',
    is: ({ operation, theirs }, definition) =>
      operation.startsWith('workflow ') && callsOf(theirs).some((call) => !operationNames(definition).includes(call)),
  },
  {
    reason: 'a webhook is called by another system, not by the client (§1.9)',
    is: ({ operation, ours, theirs }, definition) =>
      operation.startsWith('workflow ') &&
      (ours as string[]).includes(
        callsOf(theirs)
          .filter((call) => !webhooks(definition).includes(call))
          .join(' → '),
      ),
  },
  {
    reason: 'a workflow for each end, not for each way to it',
    is: ({ operation, theirs }, definition) =>
      operation.startsWith('workflow ') && callsOf(theirs).every((call) => operationNames(definition).includes(call)),
  },
];

/** The rule that covers a difference. */
export function explain(definition: Definition, difference: Difference): Explained | undefined {
  return rules.find((rule) => rule.is(difference, definition));
}

function upper(value: Json | undefined): Json {
  return Array.isArray(value) ? value.map((it) => String(it).toUpperCase()) : (value ?? null);
}

function stepOf(definition: Definition, operation: string) {
  const id = /\/steps\/([^/]+)$/.exec(operation)?.[1];
  return stepsOf(definition).find((it) => it.id === id)?.step;
}

/** The journey's own value at a path of an operation, and whether the journey determines it. */
function inJourney(definition: Definition, operation: string, at: string): [boolean, Json | undefined] {
  const step = stepOf(definition, operation);
  const output = definition.output?.schema;
  const places: [string, Json | undefined][] = [
    ['/body/schema', step ? step.schema : (definition.input?.schema ?? { type: 'object' })],
    ...(step ? [['/responses/200', step.response?.schema] as [string, Json | undefined]] : []),
    [definition.kind === 'Api' ? '/responses/200' : '/responses/200/properties/output', output],
  ];
  const place = places.find(([prefix]) => at === prefix || at.startsWith(`${prefix}/`));
  if (!place) return [false, undefined];
  const parts = at.slice(place[0].length).split('/').slice(1);
  const read = (value: Json | undefined, key: string) => own(value, key);
  return [true, parts.reduce(read, place[1] === undefined ? undefined : flat(place[1]))];
}

function parameterNames(definition: Definition): string[] {
  const text = JSON.stringify(definition);
  const sources = [...text.matchAll(/"location":"(\w+)","name":"([^"]+)"/g)].map(
    ([, where, name]) => `${where} ${name}`,
  );
  const { start, steps } = definition.http;
  const bound = [start, ...Object.values(steps)].flatMap((it) => [
    ...Object.keys(it.headersToContext),
    ...it.headersPassthrough.map(({ from }) => from),
  ]);
  return ['header Idempotency-Key', ...sources, ...bound.map((name) => `header ${name}`)];
}

function callsOf(calls: Json | undefined): string[] {
  return String(calls).split(' → ');
}

function operationNames(definition: Definition): string[] {
  const steps = stepsOf(definition).map(({ id }) => id);
  return ['start', 'getResult', 'cancel', ...steps].map((name) => `${camelName(definition.name)}_${name}`);
}

function webhooks(definition: Definition): string[] {
  const called = stepsOf(definition).filter(({ from }) => from === 'callback');
  return called.map(({ id }) => `${camelName(definition.name)}_${id}`);
}
