import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { asActivities } from '../../activities/effects-as-activities.js';
import { ProblemError } from '../../src/base/problems/problem.js';
import { definitionHash } from '../../src/library/read-document-file.js';
import type { LibraryEntry } from '../../src/service/library-interface.js';
import { bundled } from './support/encryption.js';
import { journeyOf, type Rig, rig } from './support/rig.js';
import { workerProcess } from './support/worker-process.js';

interface Asking {
  version?: string;
  /** The replacement of the state `approve`. */
  approve?: string;
  more?: string;
}

const schema = '{ schema: { type: object, required: [ok], properties: { ok: { type: boolean } } } }';

/** Waits for a name, then for an approval within a day, and returns the version in which it ends. */
function asking({ version = '1.0.0', approve, more = '' }: Asking = {}): string {
  return `
apiVersion: v1
kind: Journey
metadata: { name: asking, version: ${version} }
spec:
  ${more}
  start: name
  states:
    name:
      type: wait
      wait: { channel: manual, input: { schema: { type: object } } }
      next: keep
    keep: { type: transform, transform: { mapper: { lang: dataweave, expr: "context.payload.name" }, target: { kind: var }, resultVar: name }, next: approve }
    approve: ${approve ?? `{ type: wait, wait: { channel: manual, input: ${schema}, timeoutSec: 86400, onTimeout: late }, next: say }`}
    late: { type: fail, errorCode: TOO_LATE, reason: Nobody came }
    say:
      type: transform
      transform: { mapper: { lang: dataweave, expr: "{ name: context.name, by: '${version}' }" }, target: { kind: var }, resultVar: out }
      next: done
    done: { type: succeed, outputVar: out }
`;
}

/** Waits in every kind of inner graph at once: branches, a subjourney, items of a map. */
const everywhere = (version: string, within = 'PT3S') => `
apiVersion: v1
kind: Journey
metadata: { name: everywhere, version: ${version} }
spec:
  lifecycle: { startMode: async }
  start: both
  subjourneys:
    rest:
      start: nap
      states:
        nap: { type: timer, timer: { duration: ${within} }, next: say }
        say: { type: transform, transform: { mapper: { lang: dataweave, expr: "'sub ${version}'" }, target: { kind: var }, resultVar: said }, next: end }
        end: { type: succeed, outputVar: said }
  states:
    both:
      type: parallel
      parallel:
        branches:
          - name: done
            start: end
            states: { end: { type: succeed } }
          - name: sub
            start: call
            states:
              call: { type: subjourney, subjourney: { ref: rest, resultVar: sub }, next: end }
              end: { type: succeed }
          - name: items
            start: all
            states:
              all:
                type: map
                map:
                  items: { mapper: { lang: dataweave, expr: "[1, 2, 3]" } }
                  maxConcurrency: 2
                  start: nap
                  states:
                    nap: { type: timer, timer: { duration: ${within} }, next: say }
                    say: { type: transform, transform: { mapper: { lang: dataweave, expr: "'$(item) ${version}'" }, target: { kind: var }, resultVar: said }, next: end }
                    end: { type: succeed, outputVar: said }
                  resultVar: items
                next: end
              end: { type: succeed }
        join: { strategy: allOf }
      next: out
    out: { type: transform, transform: { mapper: { lang: dataweave, expr: "{ sub: context.sub, items: context.items }" }, target: { kind: var }, resultVar: out }, next: end }
    end: { type: succeed, outputVar: out }
`;

function entryOf(text: string): LibraryEntry {
  const definition = journeyOf(text);
  return { definition, hash: definitionHash(definition) };
}

describe('R15-MOVE a parked run migrates to another version of its journey', () => {
  let rigged: Rig;
  let answer: (() => void) | undefined;
  beforeAll(async () => {
    const http = () =>
      new Promise<{ ok: true; status: number; headers: object; body: object }>((resolve) => {
        answer = () => resolve({ ok: true, status: 200, headers: {}, body: {} });
      });
    rigged = await rig({ activities: asActivities({ http: http as never }) });
  });
  afterAll(() => rigged.stop());

  const submit = (id: string, stepId: string, payload: object, idempotencyKey?: string) =>
    rigged.runs.submit({
      id,
      stepId,
      payload: payload as never,
      caller: 'test',
      headers: {},
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });

  /** A run that waits for its approval. */
  async function parked(text = asking()): Promise<string> {
    const { journeyId } = await rigged.start(text);
    await submit(journeyId, 'name', { name: 'Ada' }, 'named');
    return journeyId;
  }

  async function refusal(work: Promise<unknown>) {
    const error = await work.then(
      () => undefined,
      (thrown) => thrown,
    );
    if (!(error instanceof ProblemError)) throw error ?? new Error('not refused');
    return error.problem;
  }

  const outcome = async (id: string) => (await rigged.runs.result(id)).outcome;

  it('in place: id, step, due time, keys and position are unchanged, and every execution replays', async () => {
    const id = await parked();
    const before = await rigged.runs.status(id);
    const moved = await rigged.runs.migrate(id, entryOf(asking({ version: '2.0.0' })));
    expect(moved).toMatchObject({ from: '1.0.0', changed: true, run: { journeyId: id, journeyVersion: '2.0.0' } });
    const after = await rigged.runs.status(id);
    expect(after).toMatchObject({ phase: 'RUNNING', steps: ['approve'], journeyVersion: '2.0.0' });
    expect(after.status.activeStates).toEqual(before.status.activeStates);
    expect(after.status.activeStates[0]?.dueAt).toBeDefined();
    expect(await rigged.runs.migrate(id, entryOf(asking({ version: '2.0.0' })))).toMatchObject({ changed: false });
    const query = { journeyName: 'asking', journeyVersion: '2.0.0', currentState: 'approve', tags: [], attributes: {} };
    await expect
      .poll(async () => (await rigged.runs.list({ ...query, pageSize: 9 })).items.map((it) => it.journeyId))
      .toContain(id);
    // A submission from before the migration has the same response afterwards.
    expect(await submit(id, 'name', { name: 'Ada' }, 'named')).toMatchObject({ phase: 'RUNNING' });
    expect((await submit(id, 'approve', { ok: true })).phase).toBe('SUCCEEDED');
    expect(await outcome(id)).toMatchObject({ output: { name: 'Ada', by: '2.0.0' } });
    const trail = await rigged.runs.trail(id, { pageSize: 100 });
    expect(trail).toMatchObject({ complete: true, journeyVersion: '2.0.0' });
    expect(trail.entries).toContainEqual(expect.objectContaining({ kind: 'migrated', from: '1.0.0', to: '2.0.0' }));
    expect(trail.entries).toContainEqual(expect.objectContaining({ kind: 'visit', state: 'keep' }));
    const last = rigged.client.workflow.getHandle(id);
    const first = (await last.describe()).raw.workflowExecutionInfo?.firstRunId;
    for (const handle of [rigged.client.workflow.getHandle(id, first!), last])
      await Worker.runReplayHistory(bundled(rigged.config), await handle.fetchHistory(), id);
  });

  it('timeouts of the new version apply where the old one had none', async () => {
    const open = `{ type: wait, wait: { channel: manual, input: ${schema} }, next: say }`;
    const id = await parked();
    await rigged.runs.migrate(id, entryOf(asking({ version: '2.0.0', approve: open })));
    const { activeStates } = (await rigged.runs.status(id)).status;
    expect(activeStates).toEqual([{ state: 'approve', type: 'wait', since: expect.any(String) }]);
    const limit = 'execution: { maxDurationSec: 86400, onTimeout: { errorCode: OVER, reason: Over } }';
    await rigged.runs.migrate(id, entryOf(asking({ version: '3.0.0', more: limit })));
    const [active] = (await rigged.runs.status(id)).status.activeStates;
    expect(Date.parse(active!.dueAt!)).toBeGreaterThan(Date.now() + 80_000_000);
    const { carried } = await rigged.runs.input(id);
    expect(carried).toMatchObject({ migratedFrom: '2.0.0', position: { deadlineAt: expect.any(Number) } });
    await rigged.runs.migrate(id, entryOf(asking({ version: '4.0.0' })));
    expect((await rigged.runs.input(id)).carried?.position).not.toHaveProperty('deadlineAt');
    await rigged.runs.cancel(id);
  });

  it('a concurrent submission or signal is accepted by one of the versions', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => parked()));
    const to = entryOf(asking({ version: '2.0.0' }));
    await Promise.all(
      ids.map(async (id, i) => {
        const handle = rigged.client.workflow.getHandle(id);
        const sends = () =>
          i % 2 === 0 ? submit(id, 'approve', { ok: true }) : handle.signal('approve', { ok: true });
        const moves = () => rigged.runs.migrate(id, to).catch((error) => error.problem.code);
        const [sent, moved] = await (i % 4 < 2
          ? Promise.all([sends(), moves()])
          : Promise.all([moves(), sends()]).then(([a, b]) => [b, a]));
        if (i % 2 === 0) expect(sent).toMatchObject({ phase: 'SUCCEEDED' });
        if (typeof moved === 'string') expect(moved).toBe('MIGRATION_NOT_POSSIBLE');
        const ended = await handle.result();
        expect(ended).toMatchObject({ phase: 'SUCCEEDED', output: { name: 'Ada' } });
        // The response names the version that accepted it.
        if (i % 2 === 0) expect(sent).toMatchObject({ journeyVersion: ended.output.by });
      }),
    );
  });

  it('branches, subjourneys and map items are migrated in place', async () => {
    const { journeyId } = await rigged.start(everywhere('1.0.0'));
    await expect.poll(async () => (await rigged.runs.status(journeyId)).resting).toBe(true);
    await rigged.runs.migrate(journeyId, entryOf(everywhere('2.0.0', 'PT20M')));
    // The timers of the first two items keep their times; the third starts in the new version, with a longer one.
    const done = async () =>
      (await rigged.runs.status(journeyId)).status.activeStates.flatMap(({ items }) => items ?? []);
    await expect.poll(done).toEqual([{ total: 3, done: 2, failed: 0 }]);
    expect((await rigged.runs.status(journeyId)).journeyVersion).toBe('2.0.0');
    await rigged.runs.cancel(journeyId);
  });

  it('an incompatible migration is rejected with its location, and the run continues unchanged', async () => {
    const id = await parked();
    const to = (more: Asking) => rigged.runs.migrate(id, entryOf(asking({ version: '2.0.0', ...more })));
    const gone = asking({ version: '2.0.0' }).replaceAll('approve', 'agree');
    expect(await refusal(rigged.runs.migrate(id, entryOf(gone)))).toMatchObject({
      code: 'MIGRATION_NOT_POSSIBLE',
      detail: "asking 2.0.0 is not compatible: It has no state 'approve'.",
      pointer: '/spec/states',
    });
    const hook = '{ type: webhook, webhook: { input: { schema: { type: object } } }, next: say }';
    expect(await refusal(to({ approve: hook }))).toMatchObject({ pointer: '/spec/states/approve' });
    const needs = 'platform: { config: { key: { type: string, required: true } } }';
    expect(await refusal(to({ more: needs }))).toMatchObject({ code: 'CONFIG_MISSING' });
    expect(await rigged.runs.status(id)).toMatchObject({ journeyVersion: '1.0.0', steps: ['approve'] });
    await submit(id, 'approve', { ok: true });
    expect(await outcome(id)).toMatchObject({ output: { by: '1.0.0' } });
    expect(await refusal(to({}))).toMatchObject({ code: 'MIGRATION_NOT_POSSIBLE', detail: 'The run has ended.' });

    const mapping = (version: string, policy: string) =>
      asking({
        version,
        approve: `
      type: map
      map:
        items: { mapper: { lang: dataweave, expr: "[1, 2]" } }
        errorPolicy: ${policy}
        start: which
        states:
          which: { type: choice, choices: [{ when: { predicate: { lang: dataweave, expr: "item == 1" } }, next: broken }], default: nap }
          broken: { type: fail, errorCode: BROKEN, reason: Broken }
          nap: { type: timer, timer: { duration: PT1H }, next: end }
          end: { type: succeed }
        resultVar: all
      next: say`,
      });
    const failing = await parked(mapping('1.0.0', 'all'));
    expect(await refusal(rigged.runs.migrate(failing, entryOf(mapping('2.0.0', 'first'))))).toMatchObject({
      code: 'MIGRATION_NOT_POSSIBLE',
      detail:
        "asking 2.0.0 is not compatible: Its state 'approve' tolerates 0 failed items, and 1 have failed already.",
      pointer: '/spec/states/approve',
    });
    expect(await rigged.runs.migrate(failing, entryOf(mapping('2.0.0', '{ tolerate: 1 }')))).toMatchObject({
      changed: true,
    });
    await rigged.runs.cancel(failing);

    const call =
      '{ type: task, task: { kind: "httpCall:v1", method: POST, url: "http://shop.test/buy", resultVar: bought }, next: say }';
    const { journeyId: working } = await rigged.start(asking({ approve: call }));
    const submitted = submit(working, 'name', { name: 'Ada' });
    await expect.poll(() => answer).toBeDefined();
    expect(
      await refusal(rigged.runs.migrate(working, entryOf(asking({ version: '2.0.0', approve: call })))),
    ).toMatchObject({
      code: 'MIGRATION_NOT_POSSIBLE',
      hint: 'Migrate it when it waits for a step or a timer.',
    });
    answer!();
    expect(await submitted).toMatchObject({ phase: 'SUCCEEDED' });
  });

  it('after kill -9 during a migration, a repetition migrates it once, and it continues on another worker', async () => {
    const lone = await rig({ worker: false });
    const { taskQueue } = lone.config.temporal;
    const env = { TEMPORAL_ADDRESS: inject('temporalAddress'), JOURNEYMAN_TEMPORAL_TASK_QUEUE: taskQueue };
    const worker = await workerProcess(env);
    const { journeyId } = await lone.start(asking());
    await submit(journeyId, 'name', { name: 'Ada' });
    const to = entryOf(asking({ version: '2.0.0' }));
    const moving = lone.runs.migrate(journeyId, to).catch(() => undefined);
    await worker.kill9();
    const second = await rig({ env: { JOURNEYMAN_TEMPORAL_TASK_QUEUE: taskQueue } });
    await moving;
    const moved = () =>
      second.runs.migrate(journeyId, to).then(({ run }) => [run.journeyVersion, ...run.steps], String);
    await expect.poll(moved, { timeout: 90_000 }).toEqual(['2.0.0', 'approve']);
    await submit(journeyId, 'approve', { ok: true });
    expect(await outcome(journeyId)).toMatchObject({ output: { name: 'Ada', by: '2.0.0' } });
    await second.stop();
    await lone.stop();
  });
});
