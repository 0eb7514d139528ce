import type { Definition, Graph, State } from '../../definition/definition.js';
import { bounded, either, objectOf, type Shape, sameShape } from '../../expressions/shapes/shape.js';
import { escapePointer } from '../../json/pointer.js';
import { exitsOf, innerGraphs, isTerminal } from '../../states/graphs.js';
import { schemaShape } from './schema-shape.js';
import { shapeOf, type Uses } from './uses.js';
import { contextAfter, type Parts, withCopied } from './writes.js';

/** A document has at most this many visits of states; beyond, nothing is said about it. */
const mostVisits = 20_000;
/** A context that still changes at the eighth visit of a state may be anything. */
const settled = 8;

/** What calls are answered with, by `<api>.<operationId>`. */
export type Answers = (operation: string) => Shape;

/** What the context may hold wherever a run can be: each state's, on entry and after it, and each graph's at its end. */
export class Flow {
  readonly before = new Map<string, Shape>();
  /** What is bound beside the context where branches are joined. */
  readonly branches = new Map<string, Shape>();
  private readonly visited = new Map<string, number>();
  private readonly inputs = new Map<string, Shape>();
  private readonly ends = new Map<string, Map<string, Shape>>();
  private visits = 0;

  constructor(
    private readonly definition: Definition,
    private readonly uses: Uses,
    private readonly answers: Answers,
  ) {}

  /** Follows every path; undefined where the document is too large to. */
  static of(
    definition: Definition,
    uses: Uses,
    answers: Answers,
    /** Fields that the document says a context has. */
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

  /** What the context may hold when the journey's own graph ends, wherever that is. */
  end: Shape = 'nothing';

  private follow(declared: Shape, scheduled: Iterable<string>): void {
    const { input, http, compensation, subjourneys, access } = this.definition;
    const given = either(input ? schemaShape(input.schema) : objectOf([], 'unsaid'), declared);
    const starts = new Map<string, Shape>([[this.definition.start, withCopied(http.start, given)]]);
    // What a scheduled run finds is what the run before it left.
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

  /** The subjourneys, each after all that call it. */
  private callersFirst(): string[] {
    const { subjourneys } = this.definition;
    const done: string[] = [];
    const seen = new Set<string>();
    const visit = (ref: string): void => {
      if (seen.has(ref) || !Object.hasOwn(subjourneys, ref)) return;
      seen.add(ref);
      for (const called of callsOf(subjourneys[ref]!)) visit(called);
      done.push(ref);
    };
    for (const ref of Object.keys(subjourneys)) visit(ref);
    return done.reverse();
  }

  /** Follows a graph until nothing changes; gives the context at its ends, or wherever it may have stopped. */
  private walk(graph: Graph, pointer: string, starts: ReadonlyMap<string, Shape>, anywhere: boolean): Shape {
    const open = new Set<string>();
    const enter = (id: string, context: Shape): void => {
      const at = `${pointer}/states/${escapePointer(id)}`;
      const known = this.before.get(at);
      const both = known === undefined ? context : either(known, context);
      if (known !== undefined && sameShape(known, both)) return;
      const count = (this.visited.get(at) ?? 0) + 1;
      this.visited.set(at, count);
      this.before.set(at, count > settled ? 'anything' : bounded(both));
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
      const after = bounded(this.after(id, state, at, context));
      if (anywhere || isTerminal(state)) ends.set(id, anywhere ? either(context, after) : after);
      for (const next of exitsOf(state)) enter(next, after);
    }
    return [...ends.values()].reduce(either, 'nothing');
  }

  private after(id: string, state: State, at: string, context: Shape): Shape {
    if (state.type === 'parallel') return this.afterParallel(state, at, context);
    if (state.type === 'subjourney')
      this.call(state.ref, state.input ? this.given(at, 'subjourney/input', context) : objectOf([]));
    else if (innerGraphs(state).length > 0) this.unknownInside(state, at);
    return contextAfter(id, state, context, this.parts(at));
  }

  private call(ref: string, input: Shape): void {
    const known = this.inputs.get(ref);
    this.inputs.set(ref, known === undefined ? input : either(known, input));
  }

  private afterParallel(state: Extract<State, { type: 'parallel' }>, at: string, context: Shape): Shape {
    const ends = state.branches.map((branch, i) => {
      const end = this.walk(branch, `${at}/parallel/branches/${i}`, new Map([[branch.start, context]]), true);
      return [branch.name, end] as const;
    });
    const { mapper, resultVar } = state.join;
    this.branches.set(at, objectOf(ends));
    if (!mapper) return ends.map(([, end]) => end).reduce(either, context);
    if (resultVar === undefined) return context;
    const value = this.given(at, 'parallel/join', context, { branches: objectOf(ends) });
    return contextAfter(
      '',
      { type: 'transform', mapper, target: { kind: 'var', name: resultVar }, next: '' },
      context,
      {
        ...this.parts(at),
        given: () => value,
      },
    );
  }

  /** Graphs inside a state that this module does not know run on data that it does not know. */
  private unknownInside(state: State, at: string): void {
    for (const inner of innerGraphs(state))
      this.walk(inner.graph, [at, ...inner.at].join('/'), new Map([[inner.graph.start, 'anything']]), false);
  }

  private given(at: string, below: string, context: Shape, more: Readonly<Record<string, Shape>> = {}): Shape {
    const [use] = this.uses.in(at, below);
    return use ? shapeOf(use, { context, ...more }, []) : 'anything';
  }

  /** What a state's own parts come to. */
  parts(at: string): Parts {
    return {
      given: (below, context, payload) => this.given(at, below, context, payload === undefined ? {} : { payload }),
      answer: this.answers,
      body: (schema) => schemaShape(schema),
      copied: (step, context) =>
        withCopied(
          Object.hasOwn(this.definition.http.steps, step) ? this.definition.http.steps[step] : undefined,
          context,
        ),
    };
  }
}

const tooLong = Symbol('too long');

function* callsOf(graph: Graph): Generator<string> {
  for (const state of Object.values(graph.states)) {
    if (state.type === 'subjourney') yield state.ref;
    for (const { graph: inner } of innerGraphs(state)) yield* callsOf(inner);
  }
}
