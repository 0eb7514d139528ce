import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Outcome } from '../../src/engine/outcome.js';
import { eventually } from '../support/eventually.js';
import {
  type ForeignWorker,
  foreignWorker,
  hasForeignWorkers,
  type Language,
  languages,
} from './support/foreign-workers.js';
import { type Rig, rig } from './support/rig.js';

const names = Object.keys(languages) as Language[];
const queues = Object.fromEntries(names.map((name) => [name, `test-${name}-${randomUUID()}`])) as Record<
  Language,
  string
>;

/** One journey that calls an activity of each worker. */
const journey = (more: string) => `
apiVersion: v1
kind: Journey
metadata: { name: foreign, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
  start: all
  states:
    all:
      type: parallel
      parallel:
        branches:
${names
  .map(
    (name) => `
          - name: ${name}
            start: work
            states:
              work:
                type: task
                task:
                  kind: activity:v1
                  activity: ${languages[name]}
                  taskQueue: ${queues[name]}
                  args: { expr: "[{ do: context.what, item: context.item }, 2.5]" }
                  timeouts: { startToClose: PT60S, heartbeat: PT2S }
                  ${more}
                  resultVar: ${name}
                next: end
              end: { type: succeed }`,
  )
  .join('')}
        join: { strategy: allOf, errorPolicy: collectAll }
      next: done
    done: { type: succeed, output: { mapper: { expr: "{ go: context.go, python: context.python, typescript: context.typescript }" } } }
`;

// The workers have no codec, so they cannot read what an encrypting run sends.
describe.skipIf(!hasForeignWorkers || process.env.PAYLOAD_CODEC)(
  'NEW-26 activities of workers in Go, Python and TypeScript',
  () => {
    const address = inject('temporalAddress');
    const workers = {} as Record<Language, ForeignWorker>;
    let rigged: Rig;

    const startAll = () =>
      Promise.all(
        names.map(async (name) => {
          workers[name] = await foreignWorker(name, address, queues[name]);
        }),
      );
    beforeAll(async () => {
      const activities = Object.fromEntries(names.map((name) => [queues[name], [languages[name]]]));
      rigged = await rig({ env: { JOURNEYMAN_TASKS_ACTIVITIES: JSON.stringify(activities) } });
      await startAll();
    });
    afterAll(async () => {
      await Promise.all(Object.values(workers).map((it) => it.kill9()));
      await rigged.stop();
    });

    const start = async (what: string, more = '') =>
      (await rigged.start(journey(more), { what, item: 'tea' })).journeyId;
    const outcomeOf = async (id: string) => (await rigged.client.workflow.getHandle(id).result()) as Outcome;
    /** The same for each language. */
    const each = (of: (name: Language) => unknown) => Object.fromEntries(names.map((name) => [name, of(name)]));
    const printed = (name: Language, line: string) => workers[name].printed.includes(line);
    const hasStarted = (line: string) =>
      eventually(
        async () => names.filter((name) => !printed(name, line)),
        (missing) => missing.length === 0,
      );
    const uncertain = ({ uncertain = [] }: Outcome) => uncertain.map(({ within }) => within).sort();

    it('returns their results', async () => {
      const { output } = await outcomeOf(await start('work'));
      expect(output).toEqual(each((by) => ({ ok: true, value: { by, item: 'tea', amount: 2.5 } })));
    });

    it('returns a failure that is not retried, with its type and details', async () => {
      const outcome = await outcomeOf(await start('decline', 'retry: { maximumAttempts: 5 }'));
      const error = { type: 'CardDeclined', details: ['tea'], nonRetryable: true };
      expect(outcome.output).toEqual(
        each(() => ({ ok: false, error: { ...error, message: expect.stringContaining('no money') } })),
      );
      expect(outcome.uncertain).toBeUndefined();
    });

    it('returns a heartbeat timeout, which is uncertain and not retried', async () => {
      const outcome = await outcomeOf(await start('hang', 'retry: { maximumAttempts: 5 }'));
      expect(outcome.output).toMatchObject(each(() => ({ ok: false, error: { type: 'TIMEOUT' }, uncertain: true })));
      expect(uncertain(outcome)).toHaveLength(3);
      for (const name of names) expect(workers[name].printed.filter((line) => line.startsWith('hang'))).toHaveLength(1);
    });

    it('propagates a cancellation and waits until they have ended', async () => {
      const id = await start('beat');
      await hasStarted('beat 1');
      await rigged.client.workflow.getHandle(id).cancel();
      await expect(outcomeOf(id)).rejects.toThrow();
      const { events = [] } = await rigged.client.workflow.getHandle(id).fetchHistory();
      expect(events?.filter((it) => it.activityTaskCanceledEventAttributes)).toHaveLength(3);
      for (const name of names) expect(printed(name, 'cancelled')).toBe(true);
    });

    it('survives kill -9 of each: an unsafe call is uncertain, a safe one is repeated by the next worker', async () => {
      const unsafe = await start('beat', 'retry: { maximumAttempts: 5 }');
      const safe = await start('survive', 'safe: true\n                  retry: { maximumAttempts: 5 }');
      await eventually(
        async () => names.filter((name) => workers[name].printed.filter((it) => it === 'beat 1').length < 2),
        (missing) => missing.length === 0,
      );
      await hasStarted('survive 1');
      await Promise.all(names.map((name) => workers[name].kill9()));
      const lost = await outcomeOf(unsafe);
      expect(lost.output).toMatchObject(each(() => ({ ok: false, error: { type: 'TIMEOUT' }, uncertain: true })));
      expect(uncertain(lost)).toHaveLength(3);
      await startAll();
      const done = await outcomeOf(safe);
      expect(done.output).toEqual(each((by) => ({ ok: true, value: { by, item: 'tea', amount: 2.5 } })));
      expect(done.uncertain).toBeUndefined();
    });

    it('shows the request and result of each call in the trail of its run', async () => {
      const id = await start('decline');
      await outcomeOf(id);
      const { entries } = await rigged.runs.trail(id, { pageSize: 100 });
      const calls = entries.flatMap((it) => (it.kind === 'visit' ? (it.calls ?? []) : []));
      const call = (name: Language) => ({
        kind: 'activity',
        about: `activity ${languages[name]}`,
        outcome: 'failed',
        attempts: 1,
        request: expect.objectContaining({
          activity: languages[name],
          taskQueue: queues[name],
          args: [{ do: 'decline', item: 'tea' }, 2.5],
        }),
        response: expect.objectContaining({ ok: false }),
      });
      expect(calls).toHaveLength(3);
      for (const name of names) expect(calls).toContainEqual(expect.objectContaining(call(name)));
    });
  },
);
