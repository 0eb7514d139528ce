import { withoutUsual, withUsual } from '../../base/json/usual-values.js';
import { canonical, type Json, type JsonObject } from '../../base/json/value.js';
import type { Definition, Graph, Task } from '../../engine/definition/definition.js';
import type { State } from './registry.js';
import { mapStates, taskOf } from './state-queries.js';

/**
 * A definition as it travels in the input of a run: what is usual is left out, and what the tasks of a kind have in common is written once.
 * Every run has it in its history, and every run that continues as new has it again.
 */
export type CompactDefinition = Partial<Definition> &
  Graph & {
    /** By kind, fields of tasks that do not have their own. */
    tasks?: Record<string, JsonObject>;
  };

/** Fields that most definitions have. They are a part of the format: to change them would change what histories contain. */
const usual = {
  kind: 'Journey',
  tags: [],
  subjourneys: {},
  lifecycle: { cancellable: true, startMode: 'sync' },
  links: true,
  platformConfig: {},
  metadata: { tags: [], attributes: [] },
  outcomes: [],
  http: { start: { headersToContext: {}, queryToContext: {}, headersPassthrough: [] }, steps: {} },
} satisfies Partial<Definition>;

const compacted = new WeakMap<Definition, CompactDefinition>();

/** The definition as it travels. */
export function compactDefinition(definition: Definition): CompactDefinition {
  const known = compacted.get(definition);
  if (known) return known;
  const tasks = commonFields(tasksOf(definition));
  const bare = withTasks(definition, (task) => withoutCommon(task, own(tasks, task.kind)));
  const compact = {
    ...withoutUsual(bare, usual),
    ...(Object.keys(tasks).length > 0 && { tasks }),
  } as CompactDefinition;
  compacted.set(definition, compact);
  return compact;
}

/** The definition that travelled; also one that is complete already. */
export function completeDefinition({ tasks = {}, ...compact }: CompactDefinition): Definition {
  const definition = withUsual(compact, usual) as unknown as Definition;
  if (Object.keys(tasks).length === 0) return definition;
  return withTasks(definition, (task) => ({ ...own(tasks, task.kind), ...task }));
}

/** A definition with each of its tasks changed. */
function withTasks(definition: Definition, change: (task: Task) => Task): Definition {
  const inState = (state: State): State => {
    const task = taskOf(state);
    if (!task) return state;
    const fields = Object.entries(state).map(([key, value]) => [key, value === task ? change(task) : value]);
    return Object.fromEntries(fields) as State;
  };
  const { subjourneys, compensation } = definition;
  const called = Object.entries(subjourneys).map(([id, graph]) => [id, mapStates(graph, inState)]);
  return {
    ...mapStates(definition, inState),
    subjourneys: Object.fromEntries(called) as Definition['subjourneys'],
    ...(compensation && { compensation: mapStates(compensation, inState) }),
  };
}

function tasksOf(definition: Definition): Task[] {
  const tasks: Task[] = [];
  withTasks(definition, (task) => {
    tasks.push(task);
    return task;
  });
  return tasks;
}

/** By kind, the most frequent value of each field that all its tasks have, if several have the same. */
function commonFields(tasks: readonly Task[]): Record<string, JsonObject> {
  const kinds = [...new Set(tasks.map(({ kind }) => kind))].flatMap((kind) => {
    const all = tasks.filter((task) => task.kind === kind);
    const fields = Object.keys(all[0]!).flatMap((field) => {
      const value = field === 'kind' ? undefined : mostFrequent(all.map((task) => own(task, field)));
      return value === undefined ? [] : [[field, value] as const];
    });
    return fields.length > 0 ? [[kind, Object.fromEntries(fields)] as const] : [];
  });
  return Object.fromEntries(kinds);
}

/** The value that most have; undefined if one has none, or no two have the same. */
function mostFrequent(values: readonly (Json | undefined)[]): Json | undefined {
  const counts = new Map<string, number>();
  let found: { value: Json; count: number } | undefined;
  for (const value of values) {
    if (value === undefined) return undefined;
    const text = canonical(value);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    if (count > 1 && count > (found?.count ?? 0)) found = { value, count };
  }
  return found?.value;
}

/** A task without the fields whose values are the common ones. */
function withoutCommon(task: Task, common: JsonObject | undefined): Task {
  if (!common) return task;
  const fields = Object.entries(task).filter(
    ([key, value]) => !Object.hasOwn(common, key) || canonical(value) !== canonical(common[key]!),
  );
  return Object.fromEntries(fields) as unknown as Task;
}

function own<T>(record: object, key: string): T | undefined {
  return Object.hasOwn(record, key) ? (record as Record<string, T>)[key] : undefined;
}
