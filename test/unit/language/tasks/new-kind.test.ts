import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asActivities } from '../../../../activities/effects-as-activities.js';
import { optionalIdentifier, text } from '../../../../src/base/document/read-fields.js';
import { part, shape, textOf } from '../../../../src/base/document/schema-builders.js';
import { own } from '../../../../src/base/json/value.js';
import { refuse } from '../../../../src/base/problems/problem.js';
import { timeless } from '../../../../src/base/time/time-scale.js';
import { loadConfig } from '../../../../src/config/load-config.js';
import type { Task } from '../../../../src/engine/definition/definition.js';
import { ordinaryActivity } from '../../../../src/language/analysis/cost/cost-counters.js';
import { load } from '../../../../src/language/load-journey.js';
import { template } from '../../../../src/language/read/read-templates.js';
import { vocabulary } from '../../../../src/language/state-types-and-task-kinds.js';
import { variable, writing } from '../../../../src/language/states/context-reads-and-writes.js';
import type { Effects } from '../../../../src/language/tasks/effect-interface.js';
import { effectForms, taskBehaviours, taskKinds } from '../../../../src/language/tasks/registry.js';
import { none, type TaskBehaviour, type TaskKind } from '../../../../src/language/tasks/task-kind.js';
import { ScriptedBackend } from '../../../../src/scenarios/scripted-backend.js';
import { Simulation } from '../../../../src/scenarios/virtual/simulation.js';
import { VirtualClock } from '../../../../src/scenarios/virtual/virtual-clock.js';
import { VirtualEffects } from '../../../../src/scenarios/virtual/virtual-effects.js';
import { InProcessApis } from '../../../../src/service/in-process/apis-and-guards.js';
import { apiRequest } from '../../../support/api-request.js';

/** A task kind unknown to the product: written as CONTRIBUTING describes, registered only here. */
interface ShoutTask extends Task {
  kind: 'shout:v1';
  words: string;
  resultVar: string;
}

const shout: TaskKind<ShoutTask> = {
  kind: 'shout:v1',
  isExtension: true,
  schema: shape(
    'Says something loudly.',
    { kind: { const: 'shout:v1' }, words: textOf('What to say.'), resultVar: part('identifier') },
    ['kind', 'words'],
  ),
  read(block, within): ShoutTask | undefined {
    const place = block.at('words');
    const resultVar = optionalIdentifier(block.at('resultVar'), 'resultVar') ?? 'heard';
    if (text(place, 'FIELD_REQUIRED', 'words') === undefined) return undefined;
    return { kind: 'shout:v1', words: template(place, within), resultVar };
  },
  run: {
    buildRequest: ({ words }, host) => ({
      name: 'shout',
      input: host.interpolate(words),
      safe: false,
      budgetMs: 1_000,
    }),
    handleResult(task, answer, host) {
      host.setVar(task.resultVar, answer);
      return undefined;
    },
  },
  effect: {
    name: 'shout',
    virtual: () => async (input, _budgetMs, world) => {
      await world.wait(250);
      return { heard: String(input).toUpperCase(), after: 250 };
    },
    recorded: 'virtual',
    summary: none,
  },
  cost: () => ordinaryActivity,
  caption: ({ words }) => `shouts ${words}`,
  data: writing(({ resultVar }) => variable(resultVar)),
  call: none,
  credential: none,
  scheduledStart: none,
  stops: none,
  failures: none,
  scale: timeless,
};

// Its line in the registry, for the duration of these tests.
const registry = taskBehaviours as Map<string, TaskBehaviour>;
beforeAll(() => void registry.set(shout.kind, shout as TaskBehaviour));
afterAll(() => void registry.delete(shout.kind));

const words = { ...vocabulary, tasks: new Map([...taskKinds, [shout.kind, shout as TaskKind]]) };
const effects: Effects = { shout: async (input) => ({ heard: String(input).toUpperCase() }) };

const document = (kind: string, task = '{ kind: "shout:v1", words: "hello ${context.name}" }') => `
apiVersion: v1
kind: ${kind}
metadata: { name: loud, version: 1.0.0 }
spec:
  start: say
  states:
    say: { type: task, task: ${task}, next: done }
    done: { type: succeed, outputVar: heard }
`;

describe('a new task kind', () => {
  it('is read by its reader, with the fields of its schema', () => {
    expect(load({ text: document('Journey') }, { words }).findings).toEqual([]);
    const codes = (task: string) => load({ text: document('Journey', task) }, { words }).findings.map((it) => it.code);
    expect(codes('{ kind: "shout:v1" }')).toEqual(['FIELD_REQUIRED']);
    expect(codes('{ kind: "shout:v1", words: a, wrods: b }')).toEqual(['UNKNOWN_FIELD']);
    expect(codes('{ kind: "shout:v1", words: "${nobody}" }')).toEqual(['INTERPOLATION_SYNTAX']);
    expect(codes('{ kind: "shot:v1" }')).toEqual(['TASK_KIND_UNKNOWN']);
    expect(load({ text: document('Journey') }).findings.map((it) => it.code)).toEqual(['TASK_KIND_UNKNOWN']);
  });

  it('runs in virtual time with its virtual result', async () => {
    const { definition } = load({ text: document('Journey') }, { words });
    const clock = new VirtualClock(0);
    const run = new Simulation(
      definition!,
      { name: 'Ada' },
      {
        clock,
        effects: new VirtualEffects(clock, new ScriptedBackend([]), effectForms()),
        vocabulary: words,
      },
    );
    await run.toEnd();
    expect(run.outcome).toMatchObject({ phase: 'SUCCEEDED', output: { heard: 'HELLO ADA', after: 250 } });
    expect(run.endedAt).toBe(250);
  });

  it('runs in the gateway’s process with the same effect that a worker offers as an activity', async () => {
    const { definition } = load({ text: document('Api') }, { words });
    const apis = new InProcessApis(loadConfig({ env: {} }), effects, { words });
    expect(await apis.call(definition!, apiRequest({ name: 'Ada' }))).toMatchObject({
      status: 200,
      body: { heard: 'HELLO ADA' },
    });
    const activity = asActivities(effects).shout!;
    expect(await new MockActivityEnvironment().run(activity, 'hello', 1_000)).toEqual({ heard: 'HELLO' });
  });

  it('ends a run with the problem of its effect, here and on a worker, without retries', async () => {
    const { definition } = load({ text: document('Api') }, { words });
    const refusing: Effects = { shout: async () => refuse('TASK_FAILED', 'Nobody may shout here.') };
    const { body } = await new InProcessApis(loadConfig({ env: {} }), refusing, { words }).call(
      definition!,
      apiRequest({ name: 'Ada' }),
    );
    expect(own(body, 'code')).toBe('TASK_FAILED');
    const activity = asActivities(refusing).shout!;
    await expect(new MockActivityEnvironment().run(activity, 'hello', 1_000)).rejects.toMatchObject({
      type: 'TASK_FAILED',
      nonRetryable: true,
    });
  });

  it('is rejected if a process does not have its effect, and never sent to another one', async () => {
    const { definition } = load({ text: document('Api') }, { words });
    const calls: unknown[] = [];
    const http: Effects = { http: async (input) => calls.push(input) };
    const apis = new InProcessApis(loadConfig({ env: {} }), http, { words });
    const { status, body } = await apis.call(definition!, apiRequest({ name: 'Ada' }));
    expect({ status, code: own(body, 'code'), calls }).toEqual({ status: 500, code: 'EFFECT_UNKNOWN', calls: [] });
  });
});
