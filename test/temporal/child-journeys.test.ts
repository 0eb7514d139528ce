import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/value.js';
import type { Definition } from '../../src/engine/definition/definition.js';
import type { Outcome } from '../../src/engine/outcome.js';
import { definitionHash } from '../../src/library/read-journeys.js';
import { recordScenario } from '../../src/scenarios/record/record-scenario.js';
import { libraryOf } from '../../src/service/library-interface.js';
import type { StartRun } from '../../src/service/runs-interface.js';
import { recordedRun } from '../../src/temporal/runs/history/read-run-from-history.js';
import { keys } from '../../workflows/shared/run-search-attributes.js';
import { eventually } from '../support/eventually.js';
import { journeyOf, type Rig, rig } from './support/rig.js';

const document = (name: string, spec: string) => `
apiVersion: v1
kind: Journey
metadata: { name: ${name}, version: 1.2.0 }
spec:
  lifecycle: { startMode: async }
${spec}`;

const parent = (target: string, more = '', name = 'order') =>
  document(
    name,
    `
  start: ship
  states:
    ship:
      type: task
      task:
        kind: workflow:v1
        journey: ${target}
        input: { expr: 'context.input default {}' }
        resultVar: r
        ${more}
      next: done
    done: { type: succeed, outputVar: r }
`,
  );

/** Ends as its input specifies, or waits for a step. */
const ship = document(
  'ship-order',
  `
  input: { schema: { type: object, required: [parcel], properties: { parcel: { type: integer } } } }
  start: how
  states:
    how:
      type: choice
      choices:
        - { when: { predicate: { expr: context.parcel == 0 } }, next: refused }
        - { when: { predicate: { expr: context.parcel > 100 } }, next: loading }
      default: done
    loading: { type: wait, wait: { channel: manual, input: { schema: true } }, next: done }
    done: { type: succeed, output: { mapper: { expr: '{ status: "SHIPPED", parcel: context.parcel }' } } }
    refused: { type: fail, errorCode: NO_PARCEL, reason: There is no parcel }
`,
);

const keyed = (once: boolean) =>
  document(
    once ? 'ship-once' : 'ship-parcel',
    `
  key: { mapper: { expr: context.id }, onExisting: reject, once: ${once} }
  start: how
  states:
    how:
      type: choice
      choices: [{ when: { predicate: { expr: context.waits default false } }, next: loading }]
      default: done
    loading: { type: wait, wait: { channel: manual, input: { schema: true } }, next: done }
    done: { type: succeed, output: { mapper: { expr: context.id } } }
`,
  );

const texts = [
  ship,
  keyed(true),
  keyed(false),
  parent('round', '', 'around'),
  parent('around', '', 'round'),
  document('idle', '\n  start: done\n  states:\n    done: { type: succeed }\n'),
];

describe('NEW-26 workflow:v1 of another journey', () => {
  let rigged: Rig;
  beforeAll(async () => {
    const entries = texts
      .map((text) => journeyOf(text))
      .map((it: Definition) => ({ definition: it, hash: definitionHash(it) }));
    rigged = await rig({ library: libraryOf(entries) });
  });
  afterAll(() => rigged.stop());

  const handle = (id: string) => rigged.client.workflow.getHandle(id);
  const start = async (text: string, input: unknown, more: Partial<StartRun> = {}) =>
    (await rigged.start(text, { input } as JsonObject, more)).journeyId;
  const outcomeOf = async (id: string) => (await handle(id).result()) as Outcome;
  const output = async (text: string, input: unknown, more: Partial<StartRun> = {}) =>
    (await outcomeOf(await start(text, input, more))).output;
  const failed = (type: string) => ({ ok: false, error: { type } });
  /** The id of the run that a run has started. */
  const childOf = async (run: string) =>
    await eventually(
      async () =>
        ((await handle(run).fetchHistory()).events ?? []).find((it) => it.childWorkflowExecutionStartedEventAttributes)
          ?.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId ?? '',
      (id) => id !== '',
    );
  const submit = (id: string, caller = 'test') =>
    rigged.runs.submit({ id, stepId: 'loading', payload: {}, caller, headers: {}, early: true });

  it('returns its outcome: the output of a success, code and reason of a failure', async () => {
    const run = await start(parent('ship-order'), { parcel: 7 });
    const value = { status: 'SHIPPED', parcel: 7 };
    expect((await outcomeOf(run)).output).toEqual({ ok: true, value });
    expect(await output(parent('ship-order'), { parcel: 0 })).toEqual({
      ok: false,
      error: {
        type: 'NO_PARCEL',
        message: 'There is no parcel',
        details: { status: 'NO_PARCEL' },
        nonRetryable: true,
      },
    });
    const { entries, complete } = await rigged.runs.trail(run, { pageSize: 100 });
    expect(complete).toBe(true);
    expect(entries).toContainEqual(
      expect.objectContaining({
        state: 'ship',
        calls: [
          expect.objectContaining({
            kind: 'workflow',
            about: 'journey ship-order',
            outcome: 'answered',
            request: expect.objectContaining({ journey: 'ship-order', input: { parcel: 7 } }),
            response: { ok: true, value },
          }),
        ],
      }),
    );
  });

  it('reports an invalid input and an unknown journey as data', async () => {
    expect(await output(parent('ship-order'), {})).toMatchObject(failed('INPUT_INVALID'));
    expect(await output(parent('ship-order'), { parcel: 'x' })).toMatchObject(failed('INPUT_INVALID'));
    expect(await output(parent('ship-order'), [1])).toMatchObject(failed('INPUT_INVALID'));
    expect(await output(parent('nowhere'), {})).toMatchObject(failed('JOURNEY_UNKNOWN'));
    expect(await output(parent('order'), {})).toMatchObject(failed('JOURNEY_RECURSIVE'));
    expect(await output(parent('around'), {})).toMatchObject({
      ok: true,
      value: { ok: true, value: failed('JOURNEY_RECURSIVE') },
    });
    const run = await start(parent('ship-order'), {});
    await outcomeOf(run);
    const { events } = await handle(run).fetchHistory();
    expect(events?.filter((it) => it.startChildWorkflowExecutionInitiatedEventAttributes)).toEqual([]);
    const { entries, complete } = await rigged.runs.trail(run, { pageSize: 100 });
    expect(complete).toBe(true);
    expect(entries).toContainEqual(
      expect.objectContaining({ state: 'ship', calls: [expect.objectContaining({ code: 'INPUT_INVALID' })] }),
    );
  });

  it('belongs to the owner of its parent run', async () => {
    const run = await start(parent('ship-order'), { parcel: 200 }, { caller: 'ann', ownSchedules: true });
    const child = await childOf(run);
    const access = { runs: 'own', journeys: ['*'], actions: ['start', 'read', 'submit', 'cancel'] } as const;
    const as = (caller: string) => rigged.runs.as({ ...access, caller });
    expect(await as('ann').status(child)).toMatchObject({
      journeyName: 'ship-order',
      journeyVersion: '1.2.0',
    });
    await expect(as('ben').status(child)).rejects.toMatchObject({ problem: { code: 'RUN_UNKNOWN' } });
    const { memo, typedSearchAttributes } = await handle(child).describe();
    expect(typedSearchAttributes.get(keys.JourneyTags)).toContain(`parentJourneyId=${run}`);
    expect(memo?.journey).toMatchObject({ startedBy: 'ann', ownSchedules: true });
    await submit(child);
    expect(await outcomeOf(run)).toMatchObject({ output: { ok: true } });
  });

  it('is cancelled with its parent run, which awaits its end', async () => {
    const run = await start(parent('ship-order'), { parcel: 200 });
    const child = await childOf(run);
    await handle(run).cancel();
    await expect(outcomeOf(run)).rejects.toThrow();
    expect((await handle(child).describe()).status.name).toBe('CANCELLED');
    const { outcome } = await rigged.runs.result(run);
    expect(outcome.uncertain).toBeUndefined();
  });

  it('outlives its parent run if detached', async () => {
    const run = await start(parent('ship-order', 'detach: true'), { parcel: 200 });
    const { output: started } = await outcomeOf(run);
    const child = await childOf(run);
    expect(started).toEqual({ ok: true, value: { workflowId: child, runId: expect.any(String) } });
    expect(await rigged.runs.status(child)).toMatchObject({ phase: 'RUNNING' });
    await submit(child);
    expect(await outcomeOf(child)).toMatchObject({ output: { parcel: 200 } });
  });

  it('is identified by its business key and rejected while another run uses it', async () => {
    const id = randomUUID();
    const run = await start(parent('ship-parcel'), { id, waits: true });
    expect(await childOf(run)).toBe(`ship-parcel/${id}`);
    expect(await output(parent('ship-parcel'), { id })).toMatchObject(failed('WORKFLOW_ALREADY_STARTED'));
    await submit(`ship-parcel/${id}`);
    expect((await outcomeOf(run)).output).toEqual({ ok: true, value: id });
    // The key is free again, for the same owner.
    expect(await output(parent('ship-parcel'), { id })).toEqual({ ok: true, value: id });
    const others = { caller: 'ben', ownSchedules: true };
    expect(await output(parent('ship-parcel'), { id }, others)).toMatchObject(failed('WORKFLOW_ALREADY_STARTED'));
    expect(await output(parent('ship-parcel'), { id: 'a/b' })).toMatchObject(failed('KEY_INVALID'));
  });

  it('uses the key of a journey with `once` only once', async () => {
    const id = randomUUID();
    expect(await output(parent('ship-once'), { id })).toMatchObject({ ok: true });
    expect(await output(parent('ship-once'), { id })).toMatchObject(failed('WORKFLOW_ALREADY_STARTED'));
  });

  it('runs again only if the state of a failed child is retried', async () => {
    const failing = parent('ship-order').replace(
      'done: { type: succeed, outputVar: r }',
      'done: { type: fail, errorCode: NOT_SHIPPED, reason: It stays }',
    );
    const run = await start(failing, { parcel: 0 });
    await expect(outcomeOf(run)).rejects.toThrow();
    const first = await childOf(run);
    const { run: again } = await rigged.runs.rerun({ id: run });
    await handle(again.journeyId)
      .result()
      .catch(() => undefined);
    expect(await childOf(again.journeyId)).toBe(first);
    const { outcome } = await rigged.runs.result(again.journeyId);
    expect(outcome).toMatchObject({ error: { code: 'NOT_SHIPPED' } });
    const { entries } = await rigged.runs.trail(again.journeyId, { pageSize: 100 });
    expect(JSON.stringify(entries)).toContain('NO_PARCEL');
  });

  it('is recorded as a passing scenario', async () => {
    for (const [text, input, said] of [
      [parent('ship-order'), { parcel: 7 }, 'SHIPPED'],
      [parent('ship-order'), { parcel: 0 }, 'NO_PARCEL'],
      [parent('ship-order'), { parcel: 'x' }, 'INPUT_INVALID'],
    ] as const) {
      const run = await start(text, input);
      await outcomeOf(run);
      const recorded = await recordedRun(rigged.client, run);
      const { text: scenario } = await recordScenario(recorded, recorded.input.definition, './it.journey.yaml', 'it');
      expect(scenario).toContain('operation: journey.ship-order');
      expect(scenario).toContain(said);
    }
  });
});
