import type { ScheduledRun } from '../../../src/service/schedules-interface.js';
import { bindingId } from '../../../src/temporal/schedules/bindings/binding-id.js';
import { type BindingSnapshot, bindingSchedule } from '../../../src/temporal/schedules/bindings/binding-schedule.js';
import { TemporalSchedules } from '../../../src/temporal/schedules/bindings/temporal-bindings.js';
import { eventually } from '../../support/eventually.js';
import { type Rig, type RigOptions, rig } from './rig.js';
import { testSecret } from './secret.js';

export interface Counting {
  name?: string;
  interval?: string;
  /** Replaces the interval, with `timezone`. */
  cron?: string;
  timezone?: string;
  maxRuns?: number;
  startAt?: string;
  onExisting?: string;
  /** States after `count`; by default the run ends. */
  after?: string;
}

/** A journey that schedules counting runs: each increments `n` and appends its initial value to `seen`. */
export function counting({ name = 'counting', maxRuns = 5, startAt, onExisting, after, ...times }: Counting) {
  const { interval = 'PT2S', cron, timezone = 'UTC' } = times;
  return `
apiVersion: v1
kind: Journey
metadata: { name: ${name}, version: 1.0.0, tags: [nightly] }
spec:
  start: plan
  states:
    plan:
      type: task
      task:
        kind: schedule:v1
        start: tick
        ${cron === undefined ? `interval: ${interval}` : `cron: "${cron}"\n        timezone: ${timezone}`}
        maxRuns: ${maxRuns}
        ${startAt === undefined ? '' : `startAt: "${startAt}"`}
        ${onExisting === undefined ? '' : `onExisting: ${onExisting}`}
        subjectId: { mapper: { lang: dataweave, expr: "context.user" } }
        context: { mapper: { lang: dataweave, expr: "{ user: context.user, n: context.n, seen: [] }" } }
      next: say
    say: { type: transform, transform: { mapper: { lang: dataweave, expr: "{ went: 'on' }" }, target: { kind: var }, resultVar: out }, next: done }
    done: { type: succeed, outputVar: out }
    tick:
      type: transform
      transform:
        mapper: { lang: dataweave, expr: "context ++ { n: context.n + 1, seen: context.seen ++ [context.n] }" }
        target: { kind: context }
      next: ${after === undefined ? 'end' : 'after'}
    end: { type: succeed }
${after ?? ''}
`;
}

/** The id of the binding that `counting` creates for a user. */
export function binding(subjectId: string, journeyName = 'counting'): string {
  return bindingId({ journeyName, journeyVersion: '1.0.0', subjectId, startStateId: 'tick' }, testSecret);
}

/** A rig whose worker has already run a schedule, because the first run of a worker is slow. Stop `rigged` in `afterAll`. */
export async function scheduleRig(options: RigOptions = {}): Promise<{ rigged: Rig; schedules: TemporalSchedules }> {
  const rigged = await rig(options);
  await rigged.start(counting({ name: 'warm', interval: 'PT1H', maxRuns: 1 }), { user: 'w', n: 0 });
  return { rigged, schedules: new TemporalSchedules(rigged.client, rigged.config) };
}

/** Creates the schedule of `counting` with this name as its subject, and returns its id. */
export async function createSchedule(rigged: Rig, name: string, options: Counting, n = 0): Promise<string> {
  const { phase, outcome } = await rigged.start(counting({ name, ...options }), { user: name, n });
  if (phase !== 'SUCCEEDED') throw new Error(JSON.stringify(outcome?.error));
  return binding(name, name);
}

/** An RFC 3339 time on a whole second: by default in an hour. */
export function ahead(ms = 3_600_000): string {
  return new Date(Math.ceil((Date.now() + ms) / 1000) * 1000).toISOString();
}

/** A binding, and the number of runs that its Schedule has started since its creation. */
type Seen = BindingSnapshot & { actions: number };

async function look({ client }: Rig, id: string): Promise<Seen> {
  const snapshot = await bindingSchedule(client, id).read();
  return { ...snapshot, actions: Number(snapshot.raw.info?.actionCount ?? 0) };
}

/** Waits until a binding meets a condition. */
export async function until(
  rigged: Rig,
  id: string,
  wanted: (snapshot: Seen) => boolean,
  limitMs?: number,
): Promise<Seen> {
  return await eventually(() => look(rigged, id), wanted, { ...(limitMs !== undefined && { limitMs }) });
}

/**
 * The runs of a schedule, newest first; waits until visibility has all runs that its Schedule remembers and all have ended: a run writes back
 * before it closes.
 */
export async function endedRuns(rigged: Rig, id: string, limitMs?: number): Promise<ScheduledRun[]> {
  const schedules = new TemporalSchedules(rigged.client, rigged.config);
  const { recent } = await look(rigged, id);
  const isKnown = (items: ScheduledRun[]) =>
    recent.every((started) => items.some(({ journeyId }) => journeyId === started.id));
  return await eventually(
    async () => (await schedules.runs(id, { pageSize: 50 })).items,
    (items) => isKnown(items) && items.every(({ phase }) => phase !== 'RUNNING'),
    { ...(limitMs !== undefined && { limitMs }) },
  );
}
