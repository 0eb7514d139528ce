import type { Definition } from '../../definition/definition.js';
import type { Place } from '../../document/place.js';
import type { Miss } from '../../expressions/shapes/select.js';
import { either, isObjectShape, type ObjectShape, type Shape } from '../../expressions/shapes/shape.js';
import { escapePointer, pointerParts } from '../../json/pointer.js';
import { nearest } from '../../problems/nearest.js';
import { spotIn } from '../../reading/expressions.js';
import type { Reading, Use } from '../../reading/reading.js';
import { allStates, type PlacedState } from '../../states/graphs.js';
import type { HttpCallTask } from '../../tasks/http-call/read.js';
import { Flow } from './flow.js';
import { schemaShape } from './schema-shape.js';
import { type Bound, shapeOf, type Uses } from './uses.js';
import { callResult } from './writes.js';

/** Warns where something is read from the context that nothing on the way there writes. */
export function checkFlow(
  definition: Definition,
  reading: Reading,
  uses: Uses,
  /** Where scheduled runs start. */
  scheduled: ReadonlySet<string>,
): void {
  const declared = schemaShape(reading.root.at('spec').at('context').at('schema').value);
  const flow = Flow.of(
    definition,
    uses,
    (operation) => answerOf(operation, reading),
    isObjectShape(declared) ? { ...declared, others: 'none' } : 'nothing',
    scheduled,
  );
  if (!flow) return;
  const missing = new Missing();
  for (const placed of allStates(definition)) {
    const context = flow.before.get(placed.pointer);
    if (context === undefined) continue;
    for (const use of uses.in(placed.pointer)) missing.look(use, boundIn(use, placed, context, flow), placed.id);
    checkVariables(placed, context, flow.end, reading.root);
  }
  for (const use of uses.in('')) if (isAtEnd(use)) missing.look(use, { context: flow.end });
  missing.report();
  checkVariable(
    definition.output?.response?.outputVar,
    flow.end,
    placeAt(reading.root, '/spec/output/response/outputVar'),
  );
}

/** What the expressions of a state see. */
function boundIn({ user }: Use, { state, pointer }: PlacedState, context: Shape, flow: Flow): Bound {
  const within = (part: string) => user.pointer.startsWith(`${pointer}/${part}/`);
  if (state.type === 'parallel' && within('parallel/join'))
    return { context, branches: flow.branches.get(pointer) ?? 'anything' };
  if (state.type === 'task' && within('task/errorMapping')) {
    const call = state.task as HttpCallTask;
    const payload = callResult(call, flow.parts(pointer));
    if (call.resultVar === undefined || !isObjectShape(context)) return { context, payload };
    return { context: { ...context, fields: new Map(context.fields).set(call.resultVar, payload) }, payload };
  }
  return { context };
}

/** Whether something is evaluated on the context that a run ends with. */
function isAtEnd({ user }: Use): boolean {
  return /^\/spec\/(outcomes|bindings\/http\/apiResponses|compensation\/alsoFor)\//.test(user.pointer);
}

/** The variables that states name outside of expressions. */
function checkVariables({ id, state, pointer }: PlacedState, context: Shape, end: Shape, root: Place): void {
  if (state.type === 'succeed') checkVariable(state.outputVar, context, placeAt(root, `${pointer}/outputVar`), id);
  // A step is answered where the run comes to rest after it.
  if ((state.type === 'wait' || state.type === 'webhook') && pointer === `/spec/states/${escapePointer(id)}`)
    checkVariable(state.response?.outputVar, end, placeAt(root, `${pointer}/${state.type}/response/outputVar`));
  if (state.type === 'task' && 'sourceVar' in state.task)
    checkVariable(String(state.task.sourceVar), context, placeAt(root, `${pointer}/task/sourceVar`), id);
}

function checkVariable(name: string | undefined, context: Shape, place: Place, id?: string): void {
  if (name === undefined || !isObjectShape(context) || context.others === 'any' || context.fields.has(name)) return;
  const meant = meantBy(name, context);
  if (context.others === 'unsaid' && meant === undefined) return;
  const where = id === undefined ? 'No path' : `No path to "${id}"`;
  place.warn('OUTPUT_UNWRITTEN', `${where} writes context.${name}.`, meant && `Did you mean "${meant}"?`);
}

/** Misses of each use in the document; a mapper with a name is told only of what none of its users has. */
class Missing {
  private readonly found = new Map<string, { use: Use; miss: Miss; state: string | undefined; times: number }>();
  private readonly looked = new Map<string, number>();

  look(use: Use, bound: Bound, state?: string): void {
    const misses: Miss[] = [];
    shapeOf(use, bound, misses);
    const { pointer } = use.place;
    this.looked.set(pointer, (this.looked.get(pointer) ?? 0) + 1);
    for (const miss of misses) {
      const key = `${pointer} ${miss.offset}`;
      const known = this.found.get(key);
      if (!known) this.found.set(key, { use, miss, state, times: 1 });
      else {
        known.times++;
        known.miss = { ...known.miss, from: either(known.miss.from, miss.from) as ObjectShape };
      }
    }
  }

  report(): void {
    for (const { use, miss, state, times } of this.found.values()) {
      const { place } = use;
      if (times < (this.looked.get(place.pointer) ?? 0)) continue;
      const name = miss.path.at(-1)!;
      const meant = meantBy(name, miss.from) ?? insideOf(name, miss.from)?.join('.');
      const surely = miss.from.others === 'none' || miss.from.others === 'undeclared';
      if (meant === undefined ? miss.guarded || !surely : !surely && meant.includes('.')) continue;
      const where = state === undefined ? '' : ` on the way to "${state}"`;
      const at = place.has('expr') ? place.at('expr') : place;
      at.warn(
        'CONTEXT_UNWRITTEN',
        `Nothing${where} writes ${miss.path.join('.')}.`,
        meant && `Did you mean ${[...miss.path.slice(0, -1), meant].join('.')}?`,
        spotIn(at, miss.offset),
      );
    }
  }
}

/**
 * The field that a name is a slip of the pen for. Where others may be there that nobody named, short names, and names that differ in
 * a number or a plural, count as names of their own.
 */
function meantBy(name: string, { fields, others }: ObjectShape): string | undefined {
  const near = nearest(name, fields.keys());
  if (near === undefined || others === 'none' || others === 'undeclared') return near;
  if (name.length < 4 || near.length < 4) return undefined;
  const plain = (text: string) => text.toLowerCase().replace(/\d+|(e?s|ed|_?ids?)$/g, '');
  return plain(near) === plain(name) && near.toLowerCase() !== name.toLowerCase() ? undefined : near;
}

/** Where further inside a field of this name stands. */
function insideOf(name: string, { fields }: ObjectShape): string[] | undefined {
  for (const [outer, shape] of fields)
    if (isObjectShape(shape)) {
      const inner = shape.fields.has(name) ? [name] : insideOf(name, shape);
      if (inner) return [outer, ...inner];
    }
  return undefined;
}

function answerOf(operation: string, { apis, options }: Reading): Shape {
  const dot = operation.indexOf('.');
  const [api, id] = [operation.slice(0, dot), operation.slice(dot + 1)];
  const ref = apis.get(api);
  const documents = [ref === undefined ? undefined : options.catalogue?.document(ref), options.catalogue?.overlay(api)];
  const document = documents.find((it) => it?.operationIds.includes(id));
  if (!document) return 'anything';
  const { schemas, root } = document.answers(id);
  const shape = schemas.map((schema) => schemaShape(schema, root)).reduce(either, 'nothing');
  if (!isObjectShape(shape)) return 'anything';
  // A service may answer more than its document says; a failure often does.
  return shape.others === 'any' ? shape : { ...shape, others: 'unsaid' };
}

function placeAt(root: Place, pointer: string): Place {
  return pointerParts(pointer).reduce((at, part) => at.at(part), root);
}
