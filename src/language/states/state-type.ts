import type { Place } from '../../base/document/placed-value.js';
import { describeType } from '../../base/document/read-fields.js';
import { fixed, type ObjectSchema, part, shape } from '../../base/document/schema-builders.js';
import { isObject, type Json, type JsonObject } from '../../base/json/value.js';
import type { TimeScale } from '../../base/time/time-scale.js';
import type { Correlation, Expression, Graph, Projection, Task } from '../../engine/definition/definition.js';
import type { Signature } from '../../engine/definition/inbound-signature-scheme.js';
import type { Frame } from '../../engine/frame.js';
import type { StateRunner } from '../../engine/runner-interfaces.js';
import type { GraphReading } from '../read/document-reading-state.js';
import type { DataFlow } from './context-reads-and-writes.js';

/** Fields of every normalised state; the others belong to its type. */
export interface StateShape {
  type: string;
}

/** The location of something below a state, as the parts of a JSON pointer. */
export type Path = readonly (string | number)[];

/**
 * One state type of the language. Other code uses these members and never compares type names, so a new type is one file and one line of
 * the registry. Every member is required; most have a constant for the trivial case.
 */
export interface StateType<S extends StateShape = StateShape> extends StateRunner<S> {
  readonly type: S['type'];
  /** True for a type that the journey language does not have; `--strict` then rejects it (`TYPE_EXTENSION`). */
  readonly isExtension: boolean;
  /** Fields by which a state without `type` is known to be of this type: its block, if it has one. */
  readonly impliedBy: readonly string[];
  /** JSON Schema 2020-12 of the whole state; a field that it does not name is an unknown field. */
  readonly schema: ObjectSchema;
  /** Returns the state in its normal form; undefined if too little of it is understood. */
  read(state: Place, graph: GraphReading, id: string): S | undefined;
  /** Edges to other states of the same graph, and ends of the graph; `toNext` for a state that always continues at its `next`. */
  exits(state: S): Exit[];
  /** The task, timer or step that a run waits for here. Determines the cost, where a run parks, and the steps of the HTTP API. `awaitsNothing` if it does not wait. */
  awaits(state: S): Awaited | undefined;
  /** A few words on what happens in the state, for drawings; its exits, which are drawn beside it, are left out. */
  caption(state: S): string;
  /** Graphs inside the state, and subjourneys that it calls; `noGraphs` for most types. */
  readonly inner: InnerGraphs<S>;
  /** Reads and writes of the context; `noData` if there are none besides its expressions. */
  readonly data: DataFlow<S>;
  /** Returns the state with its times shortened, for a scenario on a real server; `timeless` for most types. */
  scale(state: S, scale: TimeScale): S;
  /** Differences between two versions of the state that callers notice; `noDifferences` for most types. */
  compare(before: S, after: S, id: string): StateDifference[];
  /** Why a run in the middle of this state cannot migrate to another version of it; `migratesFreely` for most types. */
  migrate(before: S, after: S, frame: Frame, migration: StateMigration): MigrationConflict | undefined;
}

/** An edge to another state, or an end of the graph. */
export type Exit = Edge | GraphEnd;

export interface Edge {
  to: string;
  /** The condition on which it is taken, and the location of the branch; branches are tried in their order. */
  when?: Expression;
  at?: Path;
  /** Set for the edge that is taken if nobody submits the step in time. */
  isTimeout?: true;
  /** Set for an edge that is taken after failures: their codes, or an empty list for all others. */
  failures?: readonly string[];
}

export type GraphEnd =
  | {
      end: 'SUCCEEDED';
      /** The whole context becomes the output. */
      outputsContext?: true;
    }
  | {
      end: 'FAILED';
      /** Absent if it is computed. */
      code?: string;
    };

/** The exits of a state that always continues at its `next`. */
export function toNext({ next }: { next: string }): Exit[] {
  return [{ to: next }];
}

/** The answer of a task, a timer, or a step that a client or another system submits. */
export type Awaited = AwaitedTask | { timer: true } | AwaitedStep;

export interface AwaitedTask {
  task: Task;
  /** The most times that the task is repeated, with a pause in between. */
  rounds?: number;
}

export interface AwaitedStep {
  step: StepForm;
  from: 'client' | 'callback';
}

/** The part of a step that callers see. */
export interface StepForm {
  /** Schema of the body that it accepts. */
  schema: Json;
  response?: Projection;
  timeout?: { sec: number; next: string };
  /** The signing scheme of its submissions. */
  signature?: Signature;
  /** How requests to its fixed URL find their run. */
  correlate?: Correlation;
  next: string;
}

/** The `awaits` of a state that only computes, or only runs other states. */
export const awaitsNothing = (): undefined => undefined;

/** Graphs that run inside the states of one type. */
export interface InnerGraphs<S> {
  /**
   * Returns the state with each graph inside it replaced by the result of `change`. `name` is what `execute` passes to `childId` for frames
   * of this graph, by which drawings find them. A graph without a name has a number there: the index of an item, or the round.
   */
  map(state: S, change: <G extends Graph>(graph: G, at: Path, name?: string) => G): S;
  /** Ids of the subjourneys that it calls. */
  calls(state: S): readonly string[];
  /**
   * Whether it waits for all its concurrent graphs or for the first that ends, or runs its graph for each item of a list, or in up to so
   * many rounds, at least one, each beginning with the result of the one before.
   */
  runs(state: S): 'all' | 'first' | { itemsAtOnce: number } | { roundsAtMost: number };
}

/** The `inner` of a type without graphs. */
export const noGraphs = {
  map: <S>(state: S): S => state,
  calls: (): readonly string[] => [],
  runs: () => 'all' as const,
};

/** Why a run cannot continue with another definition, and the location there that does not fit. */
export interface MigrationConflict {
  readonly why: string;
  readonly pointer: string;
}

/** A migration that has reached one state. */
export interface StateMigration {
  misfit(why: string): MigrationConflict;
  /** Checks a frame inside the state against the graph at `at` below it. */
  inner(before: Graph, after: Graph, frame: Frame, at: Path): MigrationConflict | undefined;
  /** Checks the frame of a subjourney that the state calls. */
  subjourney(before: string, after: string, frame: Frame): MigrationConflict | undefined;
}

/** The `migrate` of a type whose progress fits every state of the same type. */
export const migratesFreely = (): undefined => undefined;

/** A difference between two versions of a state. */
export interface StateDifference {
  breaking: boolean;
  message: string;
}

/** The `compare` of a type whose differences callers do not notice. */
export const noDifferences = (): StateDifference[] => [];

/** An error policy, by the number of failures that it tolerates. */
export interface ErrorPolicy {
  name: string;
  failures: number;
}

/** The difference between two error policies of a state: it breaks callers if fewer failures are tolerated. */
export function policyDifference(id: string, before: ErrorPolicy, after: ErrorPolicy): StateDifference[] {
  if (before.name === after.name) return [];
  const message = `The errorPolicy of '${id}' changed from ${before.name} to ${after.name}.`;
  return [{ breaking: after.failures < before.failures, message }];
}

/** The schema of a state: its type and its own fields. The examples, which omit the type, show every field. */
export function stateSchema(
  type: string,
  description: string,
  properties: Record<string, Json>,
  required: string[],
  examples: JsonObject[],
): ObjectSchema {
  const fields = { type: fixed(type, 'What the state does.'), ...properties };
  return {
    ...shape(description, fields, required),
    examples: examples.map((example) => ({ type, ...example })),
  };
}

/** The schema of a reference to a state of the same graph. */
export const next = part('stateId', 'The state to continue with.');

/** The schema of a field that only old documents have. */
export function legacyField(description: string): { description: string; deprecated: true } {
  return { description, deprecated: true };
}

/**
 * Returns the block named after the state's type, and checks the keys of the state and of the block against the schema. A key of the
 * state inside the block, or a key of the block beside it, gets a hint about indentation.
 */
export function blockOf(
  state: Place,
  { type, schema }: Pick<StateType, 'type' | 'schema'>,
  blockKeys = fieldsOf(schema.properties[type] as ObjectSchema),
): Place | undefined {
  const stateKeys = fieldsOf(schema).filter((key) => key !== type);
  state.only([type, ...stateKeys], 'error', (key) => {
    if (blockKeys.includes(key)) return `It belongs one level deeper, under ${type}.`;
    return state.at(key).has('type') ? 'It looks like a state: indent it as far as the state above it.' : undefined;
  });
  const block = state.at(type);
  if (!block.object) {
    state.error(
      'STATE_BLOCK',
      `The state needs an object under ${type}, not ${describeType(block.value)}.`,
      undefined,
      'key',
    );
    return undefined;
  }
  block.only(blockKeys, 'error', (key) => {
    if (stateKeys.includes(key)) return 'It belongs one level up, beside type.';
    if (key === 'retry' && blockKeys.includes('resiliencePolicyRef'))
      return 'Name a policy of spec.policies.httpResilience with resiliencePolicyRef.';
    const [inner, ...others] = blockKeys.filter((it) => isObject(fieldsAt(schema, type, it)?.[key]));
    return inner !== undefined && others.length === 0 ? `It belongs one level deeper, under ${inner}.` : undefined;
  });
  return block;
}

/** The fields of a block inside the state's own block, if it is one. */
function fieldsAt(schema: ObjectSchema, type: string, field: string): JsonObject | undefined {
  const block = schema.properties[type] as ObjectSchema;
  const inner = block.properties?.[field];
  return isObject(inner) && isObject(inner.properties) ? inner.properties : undefined;
}

/** The fields that a schema names. */
export function fieldsOf(schema: ObjectSchema): string[] {
  return Object.keys(schema.properties);
}
