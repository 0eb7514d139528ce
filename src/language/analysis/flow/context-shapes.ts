import { escapePointer } from '../../../base/json/pointer.js';
import type { Definition, Graph, State } from '../../../engine/definition/definition.js';
import {
  type KnownValue,
  limitShape,
  objectShape,
  type Shape,
  type ShapeFaults,
  sameShape,
  selectShape,
  unionShape,
} from '../../../expressions/value-shape.js';
import type { Use } from '../../read/document-reading-state.js';
import { withCopied } from '../../states/context-reads-and-writes.js';
import { subjourneysIn } from '../../states/graph-traversal.js';
import { dataOf, isTerminal, nextStates, roundsAtMost } from '../../states/state-queries.js';
import { schemaShape } from './schema-shape.js';

/** Known shapes of an expression's bindings, by name. */
export type BoundShapes = Readonly<Record<string, Shape>>;

/** Uses of the context, grouped by the state that contains them; those outside of states have the empty pointer. */
export class Uses {
  private readonly ofState = new Map<string, Use[]>();

  constructor(uses: readonly Use[], states: ReadonlySet<string>) {
    for (const use of uses) {
      const owner = ownerOf(use.user.pointer, states);
      const known = this.ofState.get(owner);
      if (known) known.push(use);
      else this.ofState.set(owner, [use]);
    }
  }

  /** The uses within a state; `below` limits them to one part of it. */
  in(state: string, below = ''): Use[] {
    const all = this.ofState.get(state) ?? [];
    return below === '' ? all : all.filter(({ user }) => `${user.pointer}/`.startsWith(`${state}/${below}/`));
  }
}

function ownerOf(pointer: string, states: ReadonlySet<string>): string {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) if (states.has(at)) return at;
  return '';
}

/** The shape of a use's result with the given bindings. Adds the faults of the use to `faults`. */
export function shapeOf({ reads }: Use, bound: BoundShapes, faults: ShapeFaults): Shape {
  const known = (name: string): KnownValue => ({ shape: bound[name] ?? 'anything', path: [name] });
  if ('parts' in reads) {
    for (const part of reads.parts) {
      if (!('root' in part)) continue;
      let offset = part.at + '${'.length + part.root.length;
      let at = known(part.root);
      for (const name of part.path) {
        at = selectShape(at, name, offset + 1, false, faults.misses);
        offset += name.length + 1;
      }
    }
    return 'anything';
  }
  const names = [
    'context',
    'payload',
    'platform',
    'error',
    'branches',
    'branchOutcomes',
    'output',
    'outcome',
    'request',
    'results',
    'failures',
    'result',
    'item',
    'index',
  ];
  return reads.shape?.(new Map(names.map((name) => [name, known(name)])), faults) ?? 'anything';
}

/** Upper bound for visits of states; a larger document is not analysed. */
const mostVisits = 20_000;
/** After this many visits of a state, a context that still changes is treated as unknown. */
const settled = 8;

/** The shape of an operation's response, by `<api>.<operationId>`. */
type Answers = (operation: string) => Shape;

/** Shapes of the context: on entry to each state, and at the end of each graph. */
export class Flow {
  readonly before = new Map<string, Shape>();
  /** Bindings of expressions that have more than the state's context, by location. */
  private readonly bound = new Map<string, BoundShapes>();
  private readonly visited = new Map<string, number>();
  private readonly inputs = new Map<string, Shape>();
  private readonly ends = new Map<string, Map<string, Shape>>();
  private visits = 0;

  constructor(
    private readonly definition: Definition,
    private readonly uses: Uses,
    private readonly answers: Answers,
  ) {}

  /** Follows every path. Undefined if the document is too large. */
  static of(
    definition: Definition,
    uses: Uses,
    answers: Answers,
    /** Shape of the context that the document declares. */
    declared: Shape,
    scheduled: Iterable<string>,
  ): Flow | undefined {
    const flow = new Flow(definition, uses, answers);
    try {
      flow.follow(declared, scheduled);
    } catch (error) {
      if (error === tooLong) return undefined;
      throw error;
    }
    return flow;
  }

  /** Shape of the context when the main graph ends, at any state. */
  end: Shape = 'nothing';

  private follow(declared: Shape, scheduled: Iterable<string>): void {
    const { input, http, compensation, subjourneys, access } = this.definition;
    const given = unionShape(input ? schemaShape(input.schema) : objectShape([], 'unsaid'), declared);
    const starts = new Map<string, Shape>([[this.definition.start, withCopied(http.start, given)]]);
    // A scheduled run starts with the context of the run before it.
    for (const id of scheduled) starts.set(id, 'anything');
    this.end = this.walk(this.definition, '/spec', starts, true);
    if (compensation) this.walk(compensation, '/spec/compensation', new Map([[compensation.start, this.end]]), false);
    if (access) this.inputs.set(access.read.guardRef, 'anything');
    for (const ref of this.callersFirst()) {
      const context = this.inputs.get(ref);
      const graph = subjourneys[ref]!;
      if (context !== undefined)
        this.walk(graph, `/spec/subjourneys/${escapePointer(ref)}`, new Map([[graph.start, context]]), false);
    }
  }

  /** The subjourneys in an order in which callers precede the subjourneys that they call. */
  private callersFirst(): string[] {
    const { subjourneys } = this.definition;
    const done: string[] = [];
    const seen = new Set<string>();
    const visit = (ref: string): void => {
      if (seen.has(ref) || !Object.hasOwn(subjourneys, ref)) return;
      seen.add(ref);
      for (const called of subjourneysIn(subjourneys[ref]!)) visit(called);
      done.push(ref);
    };
    for (const ref of Object.keys(subjourneys)) visit(ref);
    return done.reverse();
  }

  /** Follows a graph until nothing changes. Returns the context at its ends; with `anywhere`, wherever a run may stop. */
  private walk(graph: Graph, pointer: string, starts: ReadonlyMap<string, Shape>, anywhere: boolean): Shape {
    const open = new Set<string>();
    const enter = (id: string, context: Shape): void => {
      const at = `${pointer}/states/${escapePointer(id)}`;
      const known = this.before.get(at);
      const both = known === undefined ? context : unionShape(known, context);
      if (known !== undefined && sameShape(known, both)) return;
      const count = (this.visited.get(at) ?? 0) + 1;
      this.visited.set(at, count);
      this.before.set(at, count > settled ? 'anything' : limitShape(both));
      open.add(id);
    };
    const ends = this.ends.get(pointer) ?? new Map<string, Shape>();
    this.ends.set(pointer, ends);
    for (const [id, context] of starts) enter(id, context);
    for (const id of open) {
      open.delete(id);
      const state = Object.hasOwn(graph.states, id) ? graph.states[id] : undefined;
      if (!state) continue;
      if (++this.visits > mostVisits) throw tooLong;
      const at = `${pointer}/states/${escapePointer(id)}`;
      const context = this.before.get(at) ?? 'anything';
      const after = limitShape(this.after(id, state, at, context));
      if (anywhere || isTerminal(state)) ends.set(id, anywhere ? unionShape(context, after) : after);
      for (const next of nextStates(state)) enter(next, after);
    }
    return [...ends.values()].reduce(unionShape, 'nothing');
  }

  private after(id: string, state: State, at: string, context: Shape): Shape {
    const { steps } = this.definition.http;
    return dataOf(state).after(state, context, {
      result: (part, seen, bindings = {}) => this.result(at, part, { context: seen, ...bindings }),
      answer: this.answers,
      matching: schemaShape,
      submitted: (before) => withCopied(Object.hasOwn(steps, id) ? steps[id] : undefined, before),
      walk: (graph, path, start, anywhere = false) => {
        const once = (before: Shape) =>
          this.walk(graph, [at, ...path].join('/'), new Map([[graph.start, before]]), anywhere);
        return roundsAtMost(state) === undefined ? once(start) : inRounds(once, start);
      },
      call: (ref, input) => {
        const known = this.inputs.get(ref);
        this.inputs.set(ref, known === undefined ? input : unionShape(known, input));
      },
    });
  }

  private result(at: string, part: string, bound: BoundShapes): Shape {
    this.bound.set(`${at}/${part}/`, bound);
    const [use] = this.uses.in(at, part);
    return use ? shapeOf(use, bound, { misses: [], mismatches: [] }) : 'anything';
  }

  /** The bindings of an expression of a state, by the location of the expression. */
  bindings(state: string, expression: string): BoundShapes {
    for (let end = expression.length; end > state.length; end = expression.lastIndexOf('/', end - 1)) {
      const bound = this.bound.get(`${expression.slice(0, end)}/`);
      if (bound) return bound;
    }
    return { context: this.before.get(state) ?? 'anything' };
  }
}

/** The context at the end of any round: each begins with the result of the one before. */
function inRounds(once: (before: Shape) => Shape, start: Shape): Shape {
  for (let before = start; ; ) {
    const end = once(before);
    const both = unionShape(before, end);
    if (sameShape(before, both)) return end;
    before = both;
  }
}

const tooLong = Symbol('too long');
