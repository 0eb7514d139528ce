import type { Place } from '../../base/document/placed-value.js';
import { mapperFields, mapperForms, part, shape } from '../../base/document/schema-builders.js';
import type { Json } from '../../base/json/value.js';
import { timeless } from '../../base/time/time-scale.js';
import type { Expression, Target } from '../../engine/definition/definition.js';
import type { Frame } from '../../engine/frame.js';
import type { Scope } from '../../engine/host.js';
import type { Run } from '../../engine/run.js';
import type { Step } from '../../engine/runner-interfaces.js';
import { writeTarget } from '../../engine/update-context.js';
import type { GraphReading } from '../read/document-reading-state.js';
import { forbidInApi } from '../read/forbid-in-api.js';
import { mapperIn, siteOf } from '../read/read-expressions-and-mappers.js';
import { readTarget } from '../read/read-mapper-target.js';
import { nextOf } from '../read/read-state-references.js';
import { noData, written } from './context-reads-and-writes.js';
import {
  awaitsNothing,
  blockOf,
  legacyField,
  migratesFreely,
  next,
  noDifferences,
  noGraphs,
  type StateType,
  stateSchema,
  toNext,
} from './state-type.js';

/** A mapper and the target of its result. */
export interface TransformState {
  type: 'transform';
  mapper: Expression;
  target: Target;
  next: string;
}

/** JSON Schema of `transform`. */
const schema = stateSchema(
  'transform',
  'Computes a value and writes it into the context.',
  {
    transform: {
      ...shape('What to compute and where it goes.', {
        ...mapperFields,
        target: part('target'),
        resultVar: part('identifier', 'The context variable that takes the value.'),
      }),
      oneOf: mapperForms,
    },
    resultVar: legacyField('Old place of transform.resultVar.'),
    next,
  },
  ['transform', 'next'],
  [
    {
      transform: {
        mapper: { lang: 'dataweave', expr: '{ total: sum(context.lines map ((line) -> line.price)) }' },
        target: { kind: 'var' },
        resultVar: 'summary',
      },
      next: 'done',
    },
    { transform: { mapperRef: 'summary', target: { kind: 'context', path: 'order.summary' } }, next: 'done' },
  ],
);

/** Computes a value. */
export const transform: StateType<TransformState> = {
  type: 'transform',
  isExtension: false,
  impliedBy: ['transform'],
  schema,
  read,
  execute,
  instant: true,
  exits: toNext,
  awaits: awaitsNothing,
  caption: ({ target }) => `sets ${targetName(target)}`,
  inner: noGraphs,
  data: {
    ...noData,
    writes: ({ target }) => [target],
    after: ({ target }, context, flow) => written(target, context, flow.result('transform', context)),
  },
  scale: timeless,
  compare: noDifferences,
  migrate: migratesFreely,
};

function targetName(target: Target): string {
  switch (target.kind) {
    case 'root':
      return 'the context';
    case 'var':
      return target.name;
    case 'path':
      return target.path.join('.');
    case 'attributes':
      return 'attributes';
  }
}

/** Reads a `transform`. */
function read(state: Place, within: GraphReading): TransformState | undefined {
  const next = nextOf(state, within);
  const block = blockOf(state, { type: 'transform', schema });
  if (!block) return undefined;
  let resultVar = block.at('resultVar');
  if (state.has('resultVar')) {
    state.at('resultVar').compat('C2', 'resultVar is beside transform instead of inside it.');
    if (resultVar.value === undefined) resultVar = state.at('resultVar');
  }
  const target = readTarget(block, ['context', 'var', 'attributes'], resultVar);
  const mapper = mapperIn(block, siteOf(within, target));
  if (target?.kind === 'attributes')
    forbidInApi(block.at('target').at('kind'), within, 'TRANSFORM_ATTR_API', 'write attributes');
  return mapper && target && { type: 'transform', mapper, target, next };
}

/** Computes a value and writes it to the target. */
function execute(state: TransformState, frame: Frame, _: Scope, run: Run): Step | Promise<Step> {
  const value = run.evaluate(state.mapper, 'mapper', frame);
  return value instanceof Promise ? value.then((it) => write(state, frame, run, it)) : write(state, frame, run, value);
}

function write(state: TransformState, frame: Frame, run: Run, value: Json): Step {
  writeTarget(state.target, value, frame, run);
  return { next: state.next };
}
