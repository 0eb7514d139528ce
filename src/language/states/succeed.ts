import type { Place } from '../../base/document/placed-value.js';
import { describeType, ifDefined, optionalIdentifier } from '../../base/document/read-fields.js';
import { part } from '../../base/document/schema-builders.js';
import type { Json } from '../../base/json/value.js';
import { timeless } from '../../base/time/time-scale.js';
import type { Expression } from '../../engine/definition/definition.js';
import type { Frame } from '../../engine/frame.js';
import type { Scope } from '../../engine/host.js';
import { success } from '../../engine/outcome.js';
import type { Run } from '../../engine/run.js';
import type { Step } from '../../engine/runner-interfaces.js';
import { withoutField } from '../../engine/update-context.js';
import type { GraphReading } from '../read/document-reading-state.js';
import { hasMapper, mapper, siteIn } from '../read/read-expressions-and-mappers.js';
import { noData } from './context-reads-and-writes.js';
import {
  awaitsNothing,
  fieldsOf,
  migratesFreely,
  noDifferences,
  noGraphs,
  type StateType,
  stateSchema,
} from './state-type.js';

/** The end of a graph, with one variable, a computed value or the whole context as its output. */
export interface SucceedState {
  type: 'succeed';
  outputVar?: string;
  output?: Expression;
}

/** JSON Schema of `succeed`. */
const schema = stateSchema(
  'succeed',
  'Ends the run with success.',
  {
    outputVar: part('identifier', 'The context variable that becomes the output; the whole context when left out.'),
    output: part('mapperHolder', 'Computes the output; an extension, refused by --strict.'),
  },
  [],
  [{ outputVar: 'answer' }, { output: { expr: '{ total: context.total }' } }],
);

/** Ends with success. */
export const succeed: StateType<SucceedState> = {
  type: 'succeed',
  isExtension: false,
  impliedBy: [],
  schema,
  read,
  execute,
  instant: true,
  exits: ({ outputVar, output }) => [
    { end: 'SUCCEEDED', ...(outputVar === undefined && !output && { outputsContext: true }) },
  ],
  awaits: awaitsNothing,
  caption: ({ outputVar }) => (outputVar === undefined ? 'succeeds' : `succeeds with ${outputVar}`),
  inner: noGraphs,
  data: {
    ...noData,
    reads: ({ outputVar }) => (outputVar === undefined ? [] : [{ name: outputVar, at: 'outputVar' }]),
  },
  scale: timeless,
  compare: noDifferences,
  migrate: migratesFreely,
};

/** Reads a `succeed`. */
function read(state: Place, within: GraphReading): SucceedState {
  state.only(fieldsOf(schema));
  const outputVar = optionalIdentifier(state.at('outputVar'), 'outputVar');
  const output = state.has('output') ? readOutput(state.at('output'), within) : undefined;
  if (output) state.report.forms?.twoStates.push({ pointer: state.pointer, ...computedBefore });
  if (state.has('output') && state.has('outputVar'))
    state.at('output').error('SUCCEED_OUTPUT_BOTH', 'output and outputVar are both given.', undefined, 'key');
  return { type: 'succeed', ...ifDefined('outputVar', outputVar), ...ifDefined('output', output) };
}

/** A computed output in the language’s own form: a transform before the end. */
const computedBefore = {
  rename: { output: 'transform' },
  set: { type: 'transform', transform: { target: { kind: 'var' }, resultVar: 'output' } },
  second: { type: 'succeed', outputVar: 'output' },
};

function readOutput(place: Place, within: GraphReading): Expression | undefined {
  if (!place.report.compat) place.error('SUCCEED_EXTENSION', 'The output is computed.', undefined, 'key');
  if (hasMapper(place)) return mapper(place, siteIn(within, 'mapper'));
  const hint = 'Write output: { expr: … }, or outputVar: with the name of a variable.';
  place.error('EXPR_REQUIRED', `An expression is expected, not ${describeType(place.value)}.`, hint);
  return undefined;
}

/** Ends with the computed output, with `context.<outputVar>`, or with the whole context less the last submission. */
function execute(state: SucceedState, frame: Frame, _: Scope, run: Run): Step | Promise<Step> {
  const { outputVar, output: computed } = state;
  if (computed) {
    const value = run.evaluate(computed, 'mapper', frame);
    const end = (output: Json): Step => ({ end: success(output, frame.context) });
    return value instanceof Promise ? value.then(end) : end(value);
  }
  const named = outputVar !== undefined && Object.hasOwn(frame.context, outputVar);
  const output = named ? (frame.context[outputVar] as Json) : withoutField(frame.context, 'payload');
  return { end: success(output, frame.context) };
}
