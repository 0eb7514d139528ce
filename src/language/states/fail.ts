import type { Place } from '../../base/document/placed-value.js';
import { text } from '../../base/document/read-fields.js';
import { part, textOf } from '../../base/document/schema-builders.js';
import type { JsonObject } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { timeless } from '../../base/time/time-scale.js';
import type { Expression } from '../../engine/definition/definition.js';
import { hasPlaceholder } from '../../engine/definition/parse-template.js';
import type { Frame } from '../../engine/frame.js';
import type { Scope } from '../../engine/host.js';
import { failure } from '../../engine/outcome.js';
import type { Run } from '../../engine/run.js';
import type { Step } from '../../engine/runner-interfaces.js';
import type { GraphReading } from '../read/document-reading-state.js';
import { hasMapper, mapper, siteIn } from '../read/read-expressions-and-mappers.js';
import { checkLiteral } from '../read/read-templates.js';
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

/** A failure with a literal or computed error code and reason. */
export interface FailState {
  type: 'fail';
  errorCode: string | { mapper: Expression };
  reason: string | { mapper: Expression };
}

const textOrComputed = (description: string): JsonObject => ({
  description,
  oneOf: [textOf(description), part('mapperHolder', 'Computes the text; an extension, refused by --strict.')],
});

/** JSON Schema of `fail`. */
const schema = stateSchema(
  'fail',
  'Ends the run with a failure.',
  { errorCode: textOrComputed('A stable code.'), reason: textOrComputed('What happened, for people.') },
  ['errorCode', 'reason'],
  [
    { errorCode: 'SOLD_OUT', reason: 'There is nothing left of it' },
    {
      errorCode: { mapper: { lang: 'dataweave', expr: 'context.answer.body.code' } },
      reason: { mapper: { lang: 'dataweave', expr: '"The shop refused order $(context.orderId)"' } },
    },
  ],
);

/** Ends with a failure. */
export const fail: StateType<FailState> = {
  type: 'fail',
  isExtension: false,
  impliedBy: [],
  schema,
  read,
  execute,
  instant: true,
  exits: ({ errorCode }) => [{ end: 'FAILED', ...(typeof errorCode === 'string' && { code: errorCode }) }],
  awaits: awaitsNothing,
  caption: ({ errorCode }) => `fails with ${typeof errorCode === 'string' ? errorCode : 'a computed code'}`,
  inner: noGraphs,
  data: noData,
  scale: timeless,
  compare: noDifferences,
  migrate: migratesFreely,
};

/** Reads a `fail`. */
function read(state: Place, within: GraphReading): FailState {
  state.only(fieldsOf(schema));
  return {
    type: 'fail',
    errorCode: readText(state.at('errorCode'), 'errorCode', within),
    reason: readText(state.at('reason'), 'reason', within),
  };
}

function readText(place: Place, name: string, within: GraphReading): string | { mapper: Expression } {
  if (hasMapper(place)) {
    if (!place.report.compat) place.error('FAIL_EXTENSION', `${name} is computed.`, undefined, 'key');
    const computed = mapper(place, siteIn(within, 'mapper'));
    return computed ? { mapper: computed } : '';
  }
  const given = text(place, 'FAIL_FIELDS', name) ?? '';
  if (hasPlaceholder(given))
    place.warn('INTERPOLATION_LITERAL', `${name} is a static text; placeholders in it are not replaced.`);
  checkLiteral(place, `Compute it: ${name}: { expr: … }.`);
  return given;
}

/** The longest computed code. Temporal shows the code as the type of the failure. */
const longestCode = 200;

/** Ends as a failure with the author's code and reason. */
function execute(state: FailState, frame: Frame, _: Scope, run: Run): Step | Promise<Step> {
  const { errorCode: code, reason } = state;
  if (typeof code === 'string' && typeof reason === 'string')
    return { end: failure('Fail', { code, reason }, frame.context) };
  return computed(state, frame, run);
}

async function computed(state: FailState, frame: Frame, run: Run): Promise<Step> {
  const code = await evaluateText('errorCode', state.errorCode, frame, run);
  const reason = await evaluateText('reason', state.reason, frame, run);
  if (code.length > longestCode)
    refuse('FAIL_NOT_TEXT', `errorCode returned a text of ${code.length} characters; the limit is ${longestCode}.`);
  return { end: failure('Fail', { code, reason }, frame.context) };
}

async function evaluateText(
  name: string,
  source: string | { mapper: Expression },
  frame: Frame,
  run: Run,
): Promise<string> {
  if (typeof source === 'string') return source;
  const value = await run.evaluate(source.mapper, 'mapper', frame);
  if (typeof value === 'string' && value.trim() !== '') return value;
  return refuse('FAIL_NOT_TEXT', `${name} returned ${JSON.stringify(value).slice(0, 60)}.`, {
    hint: 'Write a `default` with a text after the expression.',
  });
}
