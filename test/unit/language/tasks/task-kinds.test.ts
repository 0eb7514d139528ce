import { describe, expect, it } from 'vitest';
import { dispatchActivities } from '../../../../activities/dispatch/dispatch-activities.js';
import { createActivities, createConnections, createEffects, type EffectDeps } from '../../../../activities/index.js';
import type { JsonObject } from '../../../../src/base/json/value.js';
import { loadConfig } from '../../../../src/config/load-config.js';
import type { Task } from '../../../../src/engine/definition/definition.js';
import { ownActivityTypes } from '../../../../src/engine/definition/external-activity-types.js';
import { authEffects } from '../../../../src/gateway/auth/auth-task-effects.js';
import { load } from '../../../../src/language/load-journey.js';
import { taskOf } from '../../../../src/language/states/state-queries.js';
import { behaviourOf, effectForms, taskKinds } from '../../../../src/language/tasks/registry.js';

/** The examples in a kind's schema, normalised by the loader, without those that need an OpenAPI document or a policy. */
function examplesOf(examples: unknown): Task[] {
  return (examples as JsonObject[]).flatMap((example) => {
    const start = 'start' in example ? { [String(example.start)]: { type: 'succeed' } } : {};
    const states = { ...start, a: { type: 'task', task: example, next: 'z' }, z: { type: 'succeed' } };
    const document = { apiVersion: 'v1', kind: 'Journey', metadata: { name: 'probe', version: '1.0.0' } };
    const { definition } = load({ text: JSON.stringify({ ...document, spec: { start: 'a', states } }) });
    return definition ? [taskOf(definition.states.a!)!] : [];
  });
}

describe.each([...taskKinds.values()])('$kind', (kind) => {
  it('is the constant of its own schema', () => {
    expect(kind.schema.properties.kind).toMatchObject({ const: kind.kind });
  });

  it('has an example that loads, and its columns accept it', () => {
    const tasks = examplesOf(kind.schema.examples);
    expect(tasks).not.toEqual([]);
    for (const task of tasks) {
      expect(behaviourOf(task)).toBe(kind);
      const { least, most } = kind.cost(task, true);
      expect(least.events).toBeLessThanOrEqual(most.events);
      expect(most.activities + most.localActivities > 0).toBe(kind.effect !== undefined);
      expect(kind.scale(task, { factor: 1, virtualStart: 0, realStart: 0 })).toEqual(task);
      const variables = kind.data.writes(task).map((target) => (target.kind === 'var' ? target.name : ''));
      const credential = kind.credential(task);
      if (credential) expect(variables).toContain(credential.variable);
    }
  });

  it('requests an effect exactly if it does not compute', () => {
    expect('compute' in kind.run).toBe(kind.effect === undefined);
  });
});

it('createEffects implements exactly the effects that task kinds request', () => {
  const perform = async () => null;
  const config = loadConfig({ env: {} });
  const deps = {
    http: perform,
    jars: {},
    auth: authEffects({ plugins: config.plugins }),
    client: {},
    runs: {},
    connections: createConnections(config, { warn: () => undefined }, { secret: () => ({ reveal: () => '' }) }),
    plugin: perform,
  } as unknown as EffectDeps;
  const names = effectForms().map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const ours = effectForms().flatMap(({ name, external }) => (external ? [] : [name]));
  expect(Object.keys(createEffects(deps)).sort()).toEqual(ours.sort());
});

it('a configuration cannot allow our own activities', () => {
  const deps = { connections: { effects: {} }, client: {}, runs: {}, config: {} } as never;
  const dispatch = dispatchActivities({} as never);
  const offered = [
    ...Object.keys(createActivities(deps)),
    ...Object.keys(dispatch),
    ...effectForms().map((it) => it.name),
  ];
  expect(offered.filter((name) => !ownActivityTypes.has(name))).toEqual([]);
  const known = new Set([...offered, 'cache', 'kafka']);
  expect([...ownActivityTypes].filter((name) => !known.has(name))).toEqual([]);
});
