import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { asActivities } from '../../../activities/activity.js';
import { loadConfig } from '../../../src/config/load.js';
import type { Task } from '../../../src/definition/definition.js';
import { optionalIdentifier, text } from '../../../src/document/fields.js';
import { part, shape, textOf } from '../../../src/document/schema-parts.js';
import { InProcessApis } from '../../../src/in-process/apis.js';
import { own } from '../../../src/json/value.js';
import { load } from '../../../src/language/load.js';
import { vocabulary } from '../../../src/language/vocabulary.js';
import { refuse } from '../../../src/problems/problem.js';
import { template } from '../../../src/reading/template.js';
import { ScriptedBackend } from '../../../src/scenarios/backend.js';
import { VirtualClock } from '../../../src/scenarios/virtual/clock.js';
import { VirtualEffects } from '../../../src/scenarios/virtual/effects.js';
import { Simulation } from '../../../src/scenarios/virtual/simulation.js';
import type { Effects } from '../../../src/tasks/effects.js';
import { taskKinds } from '../../../src/tasks/index.js';
import type { TaskKind } from '../../../src/tasks/kind.js';
import { apiRequest } from '../../support/api-request.js';

/** A kind that nothing of the product knows: made here as CONTRIBUTING says, listed nowhere else. */
interface ShoutTask extends Task {
  kind: 'shout:v1';
  words: string;
  resultVar: string;
}

const shout: TaskKind<ShoutTask> = {
  kind: 'shout:v1',
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
    ask: ({ words }, host) => ({ name: 'shout', input: host.interpolate(words), safe: false, budgetMs: 1_000 }),
    take(task, answer, host) {
      host.setVar(task.resultVar, answer);
      return undefined;
    },
  },
  virtual: () => ({
    shout: async (input, _budget, world) => {
      await world.wait(250);
      return { heard: String(input).toUpperCase(), after: 250 };
    },
  }),
};

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

describe('a task kind of one’s own', () => {
  it('is read by its reader, its fields by its schema', () => {
    expect(load({ text: document('Journey') }, { words }).findings).toEqual([]);
    const codes = (task: string) => load({ text: document('Journey', task) }, { words }).findings.map((it) => it.code);
    expect(codes('{ kind: "shout:v1" }')).toEqual(['FIELD_REQUIRED']);
    expect(codes('{ kind: "shout:v1", words: a, wrods: b }')).toEqual(['UNKNOWN_FIELD']);
    expect(codes('{ kind: "shout:v1", words: "${nobody}" }')).toEqual(['INTERPOLATION_SYNTAX']);
    expect(codes('{ kind: "shot:v1" }')).toEqual(['TASK_KIND_UNKNOWN']);
    expect(load({ text: document('Journey') }).findings.map((it) => it.code)).toEqual(['TASK_KIND_UNKNOWN']);
  });

  it('runs in virtual time with what it answers there', async () => {
    const { definition } = load({ text: document('Journey') }, { words });
    const clock = new VirtualClock(0);
    const run = new Simulation(
      definition!,
      { name: 'Ada' },
      {
        clock,
        effects: new VirtualEffects(clock, new ScriptedBackend([]), words.tasks.values()),
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

  it('whose effect refuses ends a run with the problem, here and on a worker, where it is not tried again', async () => {
    const { definition } = load({ text: document('Api') }, { words });
    const refusing: Effects = { shout: async () => refuse('FIELD_TYPE', 'Nobody may shout here.') };
    const { body } = await new InProcessApis(loadConfig({ env: {} }), refusing, { words }).call(
      definition!,
      apiRequest({ name: 'Ada' }),
    );
    expect(own(body, 'code')).toBe('FIELD_TYPE');
    const activity = asActivities(refusing).shout!;
    await expect(new MockActivityEnvironment().run(activity, 'hello', 1_000)).rejects.toMatchObject({
      type: 'FIELD_TYPE',
      nonRetryable: true,
    });
  });

  it('whose effect a process does not have is refused, never sent somewhere else', async () => {
    const { definition } = load({ text: document('Api') }, { words });
    const calls: unknown[] = [];
    const http: Effects = { http: async (input) => calls.push(input) };
    const apis = new InProcessApis(loadConfig({ env: {} }), http, { words });
    const { status, body } = await apis.call(definition!, apiRequest({ name: 'Ada' }));
    expect({ status, code: own(body, 'code'), calls }).toEqual({ status: 500, code: 'EFFECT_UNKNOWN', calls: [] });
  });
});
