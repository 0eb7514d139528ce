import { setTimeout as sleep } from 'node:timers/promises';
import type { ScheduledRun } from '../../../src/service/schedules.js';
import { bindingId } from '../../../src/temporal/schedules/binding-id.js';
import { TemporalSchedules } from '../../../src/temporal/schedules/manage.js';
import { describeBinding, type Snapshot } from '../../../src/temporal/schedules/snapshot.js';
import type { Rig } from './rig.js';
import { testSecret } from './secret.js';

interface Counting {
  name?: string;
  interval?: string;
  /** In place of the interval, with `timezone`. */
  cron?: string;
  timezone?: string;
  maxRuns?: number;
  startAt?: string;
  onExisting?: string;
  /** States after `count`, instead of a plain end. */
  after?: string;
}

/** A journey that schedules runs which count: `n` goes up, and `seen` remembers what each run started from. */
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

/** The id of the binding that `counting` makes for a user. */
export function binding(subjectId: string, journeyName = 'counting'): string {
  return bindingId({ journeyName, journeyVersion: '1.0.0', subjectId, startStateId: 'tick' }, testSecret);
}

/** A binding, and how many runs its Schedule has started since it was made, whatever they did. */
type Seen = Snapshot & { actions: number };

async function look({ client }: Rig, id: string): Promise<Seen> {
  const snapshot = await describeBinding(client, id);
  return { ...snapshot, actions: Number(snapshot.raw.info?.actionCount ?? 0) };
}

/** Looks at a binding until it is as wanted. */
export async function until(
  rigged: Rig,
  id: string,
  wanted: (snapshot: Seen) => boolean,
  patienceMs = 90_000,
): Promise<Seen> {
  const end = Date.now() + patienceMs;
  for (;;) {
    // It may not be there yet, and the server may be away.
    const snapshot = await look(rigged, id).catch((error: Error) => error);
    if (!(snapshot instanceof Error) && wanted(snapshot)) return snapshot;
    const seen = snapshot instanceof Error ? snapshot : JSON.stringify({ ...snapshot, raw: undefined });
    if (Date.now() > end) throw new Error(`still ${seen}`);
    await sleep(50);
  }
}

/**
 * The runs of a schedule, newest first, once visibility knows those that its Schedule remembers, and that all of them have ended: a run
 * writes back before it closes.
 */
export async function endedRuns(rigged: Rig, id: string, patienceMs = 90_000): Promise<ScheduledRun[]> {
  const schedules = new TemporalSchedules(rigged.client, rigged.config);
  const { recent } = await look(rigged, id);
  const end = Date.now() + patienceMs;
  for (;;) {
    const { items } = await schedules.runs(id, { pageSize: 50 });
    const isKnown = recent.every((started) => items.some(({ journeyId }) => journeyId === started.id));
    if (isKnown && items.every(({ phase }) => phase !== 'RUNNING')) return items;
    if (Date.now() > end) throw new Error(`still ${JSON.stringify(items)}`);
    await sleep(50);
  }
}
