import type { Place } from '../../../base/document/placed-value.js';
import { escapePointer, pointerParts } from '../../../base/json/pointer.js';
import { nearestName } from '../../../base/problems/nearest-name.js';
import type { Definition } from '../../../engine/definition/definition.js';
import {
  isObjectShape,
  isScalarShape,
  type MissingField,
  type ObjectShape,
  type Shape,
  type ShapeFaults,
  type TypeMismatch,
  unionShape,
} from '../../../expressions/value-shape.js';
import type { Reading, Use } from '../../read/document-reading-state.js';
import { offsetIn } from '../../read/read-expressions-and-mappers.js';
import { allStates, type LocatedState } from '../../states/graph-traversal.js';
import { dataOf, stepOf } from '../../states/state-queries.js';
import { type BoundShapes, Flow, shapeOf, type Uses } from './context-shapes.js';
import { schemaShape } from './schema-shape.js';

/** Warns about reads of context fields that no path to the read writes. */
export function checkFlow(
  definition: Definition,
  reading: Reading,
  uses: Uses,
  /** States at which scheduled runs start. */
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
  const faults = new Faults();
  for (const placed of allStates(definition)) {
    const context = flow.before.get(placed.pointer);
    if (context === undefined) continue;
    for (const use of uses.in(placed.pointer))
      faults.check(use, flow.bindings(placed.pointer, use.user.pointer), placed.id);
    checkVariables(placed, context, flow.end, reading.root);
  }
  const input = flow.before.get(`/spec/states/${escapePointer(definition.start)}`);
  for (const use of uses.in('')) {
    if (isAtEnd(use)) faults.check(use, { context: flow.end });
    if (input && use.user.pointer.startsWith('/spec/key/')) faults.check(use, { context: input });
  }
  faults.report();
  checkVariable(
    definition.output?.response?.outputVar,
    flow.end,
    placeAt(reading.root, '/spec/output/response/outputVar'),
  );
}

/** Whether a use is evaluated on the final context of a run. */
function isAtEnd({ user }: Use): boolean {
  return /^\/spec\/(outcomes|bindings\/http\/apiResponses|compensation\/alsoFor)\//.test(user.pointer);
}

/** Checks the variables that states name outside of expressions. */
function checkVariables({ id, state, pointer }: LocatedState, context: Shape, end: Shape, root: Place): void {
  for (const { name, at } of dataOf(state).reads(state))
    checkVariable(name, context, placeAt(root, `${pointer}/${at}`), id);
  // The response of a step is computed where the run next parks or ends.
  const response = stepOf(state)?.step.response;
  if (response && pointer === `/spec/states/${escapePointer(id)}`)
    checkVariable(response.outputVar, end, placeAt(root, `${pointer}/${state.type}/response/outputVar`));
}

function checkVariable(name: string | undefined, context: Shape, place: Place, id?: string): void {
  if (name === undefined || !isObjectShape(context) || context.others === 'any' || context.fields.has(name)) return;
  const meant = meantBy(name, context);
  if (context.others === 'unsaid' && meant === undefined) return;
  const where = id === undefined ? 'No path' : `No path to "${id}"`;
  place.warn('OUTPUT_UNWRITTEN', `${where} writes context.${name}.`, meant && `Did you mean "${meant}"?`);
}

/** A warning about an expression. */
interface Warning {
  code: 'CONTEXT_UNWRITTEN' | 'TEXT_ADDED' | 'TYPES_DIFFER' | 'PREDICATE_NOT_BOOLEAN';
  message: string;
  hint?: string | undefined;
}

/** Faults of the uses in the document. A named mapper is reported only for faults that it has for all of its users. */
class Faults {
  private readonly found = new Map<string, { use: Use; offset: number; fault: Fault; state?: string; times: number }>();
  private readonly checks = new Map<string, number>();

  check(use: Use, bound: BoundShapes, state?: string): void {
    const faults: ShapeFaults = { misses: [], mismatches: [] };
    const shape = shapeOf(use, bound, faults);
    const { pointer } = use.place;
    this.checks.set(pointer, (this.checks.get(pointer) ?? 0) + 1);
    for (const miss of faults.misses) this.note(use, miss.offset, { miss }, state);
    for (const mismatch of faults.mismatches) this.note(use, mismatch.offset, { mismatch }, state);
    const neverBoolean = isObjectShape(shape) || (isScalarShape(shape) && shape !== 'boolean');
    if (use.predicate && neverBoolean) this.note(use, 0, { notBoolean: shape }, state);
  }

  private note(use: Use, offset: number, fault: Fault, state: string | undefined): void {
    const key = `${use.place.pointer} ${Object.keys(fault)[0]} ${offset}`;
    const known = this.found.get(key);
    if (!known) this.found.set(key, { use, offset, fault, ...(state !== undefined && { state }), times: 1 });
    else {
      known.times++;
      if ('miss' in fault && 'miss' in known.fault) {
        const from = unionShape(known.fault.miss.from, fault.miss.from) as ObjectShape;
        known.fault = { miss: { ...known.fault.miss, from } };
      }
    }
  }

  report(): void {
    for (const { use, offset, fault, state, times } of this.found.values()) {
      const { place } = use;
      const warning = warningOf(fault, state);
      if (!warning || times < (this.checks.get(place.pointer) ?? 0)) continue;
      place.warn(warning.code, warning.message, warning.hint, offsetIn(place, offset));
    }
  }
}

type Fault = { miss: MissingField } | { mismatch: TypeMismatch } | { notBoolean: Shape };

function warningOf(fault: Fault, state: string | undefined): Warning | undefined {
  if ('miss' in fault) return missing(fault.miss, state);
  if ('mismatch' in fault) return mismatched(fault.mismatch);
  const given = isObjectShape(fault.notBoolean) ? 'an object' : `a ${fault.notBoolean}`;
  return { code: 'PREDICATE_NOT_BOOLEAN', message: `A predicate returns true or false, and this returns ${given}.` };
}

function missing(miss: MissingField, state: string | undefined): Warning | undefined {
  const name = miss.path.at(-1)!;
  const meant = meantBy(name, miss.from) ?? nestedPath(name, miss.from)?.join('.');
  const surely = miss.from.others === 'none' || miss.from.others === 'undeclared';
  if (meant === undefined ? miss.guarded || !surely : !surely && meant.includes('.')) return undefined;
  const subject = state === undefined ? 'Nothing' : `No path to "${state}"`;
  return {
    code: 'CONTEXT_UNWRITTEN',
    message: `${subject} writes ${miss.path.join('.')}.`,
    hint: meant && `Did you mean ${[...miss.path.slice(0, -1), meant].join('.')}?`,
  };
}

function mismatched({ op, left, right, join }: TypeMismatch): Warning {
  if (op === '+') {
    const text = left.shape === 'text' ? left : right;
    const message = `+ adds numbers, and ${text.path?.join('.') ?? 'one of these'} is a text.`;
    return { code: 'TEXT_ADDED', message, hint: `Join texts with ${join}.` };
  }
  const [subject, other] = left.path || !right.path ? [left, right] : [right, left];
  const equality = op === '==' || op === '=' || op === '!=';
  const message = `${subject.path?.join('.') ?? 'One of these'} is a ${subject.shape}, compared with a ${other.shape}${equality ? ': they are never equal' : ''}.`;
  return { code: 'TYPES_DIFFER', message };
}

/**
 * The field that a name is probably a misspelling of. If the object may have other fields, short names and names that differ only in a
 * number or a plural are taken as intended.
 */
function meantBy(name: string, { fields, others }: ObjectShape): string | undefined {
  const near = nearestName(name, fields.keys());
  if (near === undefined || others === 'none' || others === 'undeclared') return near;
  if (name.length < 4 || near.length < 4) return undefined;
  const plain = (text: string) => text.toLowerCase().replace(/\d+|(e?s|ed|_?ids?)$/g, '');
  return plain(near) === plain(name) && near.toLowerCase() !== name.toLowerCase() ? undefined : near;
}

/** The path of a field with this name inside one of the given fields. */
function nestedPath(name: string, { fields }: ObjectShape): string[] | undefined {
  for (const [outer, shape] of fields)
    if (isObjectShape(shape)) {
      const inner = shape.fields.has(name) ? [name] : nestedPath(name, shape);
      if (inner) return [outer, ...inner];
    }
  return undefined;
}

function answerOf(operation: string, { apis, options }: Reading): Shape {
  const dot = operation.indexOf('.');
  const [api, id] = [operation.slice(0, dot), operation.slice(dot + 1)];
  const ref = apis.get(api)?.openApiRef;
  const documents = [ref === undefined ? undefined : options.catalogue?.document(ref), options.catalogue?.overlay(api)];
  const document = documents.find((it) => it?.operationIds.includes(id));
  if (!document) return 'anything';
  const { schemas, root } = document.answers(id);
  const shape = schemas.map((schema) => schemaShape(schema, root)).reduce(unionShape, 'nothing');
  if (!isObjectShape(shape)) return 'anything';
  // A response, in particular of a failure, may have more fields than its document declares.
  return shape.others === 'any' ? shape : { ...shape, others: 'unsaid' };
}

function placeAt(root: Place, pointer: string): Place {
  return pointerParts(pointer).reduce((at, part) => at.at(part), root);
}
