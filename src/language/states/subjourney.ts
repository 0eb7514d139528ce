import { didYouMean } from '../../base/document/did-you-mean.js';
import type { Place } from '../../base/document/placed-value.js';
import {
  asExpression,
  ifDefined,
  isBlock,
  optionalIdentifier,
  optionalOneOf,
  quoteName,
} from '../../base/document/read-fields.js';
import { part, shape, textOf, wordOf } from '../../base/document/schema-builders.js';
import { emptyObject, isObject, type JsonObject } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { timeless } from '../../base/time/time-scale.js';
import { workCosts } from '../../engine/budgets.js';
import type { Expression } from '../../engine/definition/definition.js';
import { uniqueRunId } from '../../engine/definition/keyed-run-id.js';
import { executeGraph } from '../../engine/execute-graph.js';
import { childId, type Frame, newFrame, type Progress, progressOf, setRequest } from '../../engine/frame.js';
import { Interrupted, type Scope } from '../../engine/host.js';
import { type End, failure, innerOutcome } from '../../engine/outcome.js';
import type { Run } from '../../engine/run.js';
import type { Step } from '../../engine/runner-interfaces.js';
import { type EndedSpan, spanError } from '../../engine/trace-context-and-run-spans.js';
import { withField, withoutField } from '../../engine/update-context.js';
import { objectShape, withShape } from '../../expressions/value-shape.js';
import type { GraphReading } from '../read/document-reading-state.js';
import { mapper, siteIn } from '../read/read-expressions-and-mappers.js';
import { nextOf } from '../read/read-state-references.js';
import { noData, variable } from './context-reads-and-writes.js';
import {
  awaitsNothing,
  blockOf,
  next,
  noDifferences,
  noGraphs,
  type StateType,
  stateSchema,
  toNext,
} from './state-type.js';

/** A call of a local graph. */
export interface SubjourneyState {
  type: 'subjourney';
  ref: string;
  input?: Expression;
  resultVar?: string;
  resultKind: 'output' | 'outcome';
  onFailure: 'propagate' | 'capture';
  next: string;
}

/** JSON Schema of `subjourney`. */
const schema = stateSchema(
  'subjourney',
  'Calls a graph of spec.subjourneys with a context of its own.',
  {
    subjourney: shape(
      'The call.',
      {
        ref: textOf('An id under spec.subjourneys.'),
        input: part('mapperHolder', 'Computes the called graph’s context; an empty object when left out.'),
        resultVar: part('identifier', 'The context variable that takes the result.'),
        resultKind: { ...wordOf('output (default) or the whole outcome.', 'output', 'outcome'), default: 'output' },
        onFailure: shape('What a failure does.', {
          behavior: {
            ...wordOf('propagate (default) fails here; capture continues.', 'propagate', 'capture'),
            default: 'propagate',
          },
        }),
      },
      ['ref'],
    ),
    next,
  },
  ['subjourney', 'next'],
  [
    {
      subjourney: {
        ref: 'check',
        input: { mapper: { lang: 'dataweave', expr: '{ person: context.buyer }' } },
        resultVar: 'verdict',
        resultKind: 'outcome',
        onFailure: { behavior: 'capture' },
      },
      next: 'done',
    },
  ],
);

/** Calls a local graph. */
export const subjourney: StateType<SubjourneyState> = {
  type: 'subjourney',
  isExtension: false,
  impliedBy: ['subjourney'],
  schema,
  read,
  execute,
  instant: false,
  exits: toNext,
  awaits: awaitsNothing,
  caption: ({ ref }) => `calls ${ref}`,
  inner: { ...noGraphs, calls: ({ ref }) => [ref] },
  data: {
    ...noData,
    writes: ({ resultVar }) => variable(resultVar),
    after({ ref, input, resultVar, resultKind }, context, flow) {
      flow.call(ref, input ? flow.result('subjourney/input', context) : objectShape([]));
      if (resultVar === undefined) return context;
      return withShape(context, [resultVar], resultKind === 'outcome' ? outcomeShape : 'anything');
    },
  },
  scale: timeless,
  compare: noDifferences,
  migrate(before, after, frame, migration) {
    const progress = progressOf<SubjourneyProgress>(frame, 'subjourney');
    return progress && migration.subjourney(before.ref, after.ref, progress.frame);
  },
};

const outcomeShape = objectShape(
  ['phase', 'terminationKind', 'output', 'error'].map((name) => [name, 'anything'] as const),
);

/** Reads a `subjourney`. */
function read(state: Place, within: GraphReading): SubjourneyState | undefined {
  const next = nextOf(state, within);
  const block = blockOf(state, { type: 'subjourney', schema });
  if (!block) return undefined;
  const ref = block.at('ref');
  const known = within.reading.subjourneys;
  if (typeof ref.value !== 'string' || !known.has(ref.value)) {
    const hint = didYouMean(ref.value, known);
    (ref.value === undefined ? block : ref).error(
      'SUBJ_REF_UNKNOWN',
      `There is no subjourney ${quoteName(ref.value)}.`,
      hint,
    );
    return undefined;
  }
  const input = block.at('input');
  const site = { ...siteIn(within, 'mapper'), object: 'SUBJ_INPUT_NOT_OBJECT' as const };
  const computed = isBlock(input, 'FIELD_TYPE', 'input', asExpression) ? mapper(input, site) : undefined;
  const kind = optionalOneOf(block.at('resultKind'), ['output', 'outcome'], 'SUBJ_ENUM', 'resultKind');
  const failure = block.at('onFailure');
  if (isBlock(failure, 'SUBJ_ENUM', 'onFailure', 'Write onFailure: { behavior: capture }, or propagate.'))
    failure.only(['behavior']);
  const behavior = optionalOneOf(failure.at('behavior'), ['propagate', 'capture'], 'SUBJ_ENUM', 'onFailure.behavior');
  return {
    type: 'subjourney',
    ref: ref.value,
    ...ifDefined('input', computed),
    ...ifDefined('resultVar', optionalIdentifier(block.at('resultVar'), 'resultVar')),
    resultKind: kind ?? 'output',
    onFailure: behavior ?? 'propagate',
    next,
  };
}

interface SubjourneyProgress extends Progress {
  kind: 'subjourney';
  frame: Frame;
  /** Start time, if runs are traced. */
  from?: number;
}

/** Calls a local graph with its own context and stores its result. */
async function execute(state: SubjourneyState, frame: Frame, scope: Scope, run: Run): Promise<Step> {
  const graph = Object.hasOwn(run.definition.subjourneys, state.ref)
    ? run.definition.subjourneys[state.ref]
    : undefined;
  if (!graph) return refuse('SUBJ_REF_UNKNOWN', `There is no subjourney '${state.ref}'.`);
  let progress = progressOf<SubjourneyProgress>(frame, 'subjourney');
  if (!progress) {
    const context = state.input ? await input(state, frame, run) : emptyObject();
    progress = {
      kind: 'subjourney',
      frame: newFrame(childId(frame, state.ref), graph.start, context, frame),
      ...(run.host.spanEnded && { from: run.host.now() }),
    };
    frame.progress = progress;
    setRequest(frame, undefined);
  }
  const child = progress.frame;
  run.turn.spend(workCosts.subjourney);
  run.parking.working.add(child);
  run.parking.leave(frame);
  run.spans.begin(child);
  let end: End;
  try {
    end = await executeGraph(graph, child, scope, run, () => run.parking.working.add(frame));
  } catch (error) {
    if (error instanceof Interrupted && child.acted) leaveResult(state, child, frame);
    throw error;
  }
  if (child.acted) frame.acted = true;
  setRequest(frame, child.request);
  run.spans.end(child);
  run.host.spanEnded?.(spanOf(state.ref, progress, end, frame, run));
  if (state.resultVar !== undefined && (end.phase === 'SUCCEEDED' || captures(state))) {
    frame.context = withField(
      frame.context,
      state.resultVar,
      state.resultKind === 'outcome' ? innerOutcome(end) : end.output,
    );
  }
  if (end.phase === 'FAILED' && state.onFailure === 'propagate') return { end: { ...end, context: frame.context } };
  return { next: state.next };
}

/** A subjourney that was cut short after it had changed something in the world leaves its context as its output. */
function leaveResult({ resultVar, resultKind }: SubjourneyState, { context, at }: Frame, frame: Frame): void {
  frame.acted = true;
  if (resultVar === undefined) return;
  const error = { code: 'CUT_SHORT', reason: 'The run was interrupted.', state: at };
  const output = withoutField(context, 'payload');
  const outcome = innerOutcome({ ...failure('Cancel', error, context), output });
  frame.context = withField(frame.context, resultVar, resultKind === 'outcome' ? outcome : output);
}

/** Whether the result of a failure is stored: also for a propagated one with `resultKind: outcome`, because a compensation may need it. */
function captures(state: SubjourneyState): boolean {
  return state.onFailure === 'capture' || state.resultKind === 'outcome';
}

async function input(state: SubjourneyState, frame: Frame, run: Run): Promise<JsonObject> {
  const value = await run.evaluate(state.input!, 'mapper', frame);
  return isObject(value) ? value : refuse('SUBJ_INPUT_NOT_OBJECT', 'The input of a subjourney must be an object.');
}

function spanOf(name: string, { frame, from }: SubjourneyProgress, end: End, around: Frame, run: Run): EndedSpan {
  const { info, definition, host, spans } = run;
  return {
    run: uniqueRunId(info),
    ...(info.trace && { trace: info.trace }),
    frame: frame.id,
    parent: spans.around(around.id),
    name,
    version: definition.version,
    from: from ?? host.now(),
    to: host.now(),
    phase: end.phase,
    ...spanError(end),
  };
}
