import { setTimeout as delay } from 'node:timers/promises';
import type { Json, JsonObject } from '../../base/json/value.js';
import { addDuration } from '../../base/time/duration.js';
import { formatInstant } from '../../base/time/instant.js';
import { bindingCadence } from '../../schedules/bindings/binding-record.js';
import { isCoalescedSlot } from '../../schedules/cadence/detect-coalesced-slot.js';
import type { Scenario } from '../scenario.js';
import type { Observation, ScenarioProblem } from '../scenario-observation.js';
import type { GatewayClient } from './gateway-client.js';
import type { Stack } from './stack-interface.js';

const pollMs = 25;
/** Timeout for a schedule, or a run of it, to appear. */
const patienceMs = 20_000;
/** Every schedule that is not exhausted has a run within this span. */
const farMs = 5 * 366 * 86_400_000;

/** A schedule that is not listed after this time was not created. */
const removalMs = 3_000;
const aheadHint =
  'Times computed from now() are real: omit the scenario’s now and the times it expects, or write virtualOnly: true. For zones with clock changes, Temporal has the times of five years.';

const base = '/api/v1/schedules';

/** A schedule that a run created, in virtual time and on Temporal. */
interface Pair {
  readonly planned: JsonObject;
  readonly id: string;
  readonly runs: JsonObject[];
  /** Its last due time. */
  last: number;
  /** Start in virtual time of the run that is still active at the end of the scenario. */
  readonly underWay: number | undefined;
}

/**
 * The schedules that a scenario's run created on a real server. They are not awaited in real time: for each due time in virtual time,
 * Temporal is asked to start the run by a backfill, and the run is awaited. Times are compared only if the scenario is in the future;
 * otherwise Temporal's times are later than the scenario's.
 */
export class LiveSchedules {
  readonly problems: ScenarioProblem[] = [];
  private pairs: Pair[] = [];
  private readonly isAhead: boolean;
  private readonly begun = Date.now();
  /** When the scenario observes them. */
  private readonly end: number;

  constructor(
    private readonly stack: Stack,
    private readonly gateway: GatewayClient,
    private readonly journeyName: string,
    { now, until }: Pick<Scenario, 'now' | 'until'>,
    /** The number of calls made so far. */
    private readonly calls: () => number,
  ) {
    this.isAhead = now > this.begun;
    this.end = until ? addDuration(now, until) : now;
  }

  /** Plays the runs of virtual time and returns the observed schedules. */
  async play({ schedules = [], underWay = [], calls }: Observation): Promise<JsonObject[]> {
    await this.find(schedules, underWay);
    const due = this.pairs.flatMap((pair) => [
      ...runsOf(pair.planned).map((run, index) => ({ pair, run, index, at: instantOf(run.at) })),
      ...(pair.underWay === undefined ? [] : [{ pair, index: runsOf(pair.planned).length, at: pair.underWay }]),
    ]);
    due.sort((a, b) => a.at - b.at);
    for (const { pair, index, at, ...ended } of due) {
      const began = await this.begin(pair, index, at);
      if (!began || ('run' in ended && !(await this.ended(pair, ended.run, index, began)))) {
        this.missing(pair, index, at);
        break;
      }
    }
    // Runs that are still active at the end make calls too.
    for (const since = Date.now(); this.calls() < calls.length && Date.now() - since < patienceMs; )
      await delay(pollMs);
    return await Promise.all(this.pairs.map((pair) => this.seen(pair)));
  }

  private missing({ planned: { scheduleId } }: Pair, index: number, at: number): void {
    const when = this.isAhead ? ` at ${formatInstant(at)}` : '';
    this.problems.push({
      message: `On Temporal, run ${index + 1} of ${String(scheduleId)} did not start${when}.`,
      ...(this.isAhead && { hint: aheadHint }),
    });
  }

  /** Pauses each schedule, so that only the runs of the scenario start. */
  private async find(planned: readonly JsonObject[], underWay: readonly (number | undefined)[]): Promise<void> {
    const made = await listed(this.gateway, this.journeyName, planned.length, patienceMs);
    for (const { scheduleId } of made)
      await this.gateway.post(`${base}/${encodeURIComponent(String(scheduleId))}/pause`, {
        reason: 'a scenario starts its runs',
      });
    const found = await Promise.all(made.map(({ scheduleId }) => this.show(String(scheduleId))));
    found.sort((a, b) => instantOf(a.createdAt) - instantOf(b.createdAt));
    this.pairs = planned.flatMap((it, i) => {
      const alike = (fields: string[]) =>
        found.findIndex((found) => fields.every((field) => found[field] === it[field]));
      // With addAnother, several have the same start and subject.
      const exact = alike(['startStateId', 'subjectId', 'maxRuns']);
      const same = exact < 0 ? alike(['startStateId', 'subjectId']) : exact;
      const [one] = same < 0 ? [] : found.splice(same, 1);
      if (!one) return [];
      const early = startsAtOnce(one) && runsOf(it).length === 0 && underWay[i] === undefined;
      if (early)
        this.problems.push({
          message: `On Temporal, ${String(it.scheduleId)} started immediately, because its start time has passed.`,
          hint: 'Set the scenario’s now to a time in the future, and the start to a later one.',
        });
      return [{ planned: it, id: String(one.scheduleId), runs: [], last: this.begun, underWay: underWay[i] }];
    });
    if (made.length !== planned.length || found.length > 0)
      this.problems.push({
        message: `On Temporal, ${made.length} schedules were created, but ${planned.length} in virtual time.`,
      });
  }

  /** Starts a run. Returns undefined if Temporal has no such time, else whether the run started by itself. */
  private async begin(pair: Pair, index: number, wanted: number): Promise<{ atOnce: boolean } | undefined> {
    const view = await this.show(pair.id);
    // A schedule whose start has passed starts its first run when it is created.
    if (index === 0 && startsAtOnce(view)) {
      pair.last = instantOf(view.createdAt);
      return { atOnce: true };
    }
    const time = this.isAhead
      ? await this.next(view, wanted - 1, wanted)
      : await this.next(view, pair.last, pair.last + farMs);
    if (time === undefined) return undefined;
    pair.last = time;
    await this.stack.startAt(pair.id, time);
    return { atOnce: false };
  }

  private async ended(
    pair: Pair,
    { at, endedAt, terminatedAtState = null }: JsonObject,
    index: number,
    { atOnce }: { atOnce: boolean },
  ): Promise<boolean> {
    for (const since = Date.now(); Date.now() - since < patienceMs; await delay(pollMs)) {
      const view = await this.show(pair.id);
      const [newest] = (view.recentRuns ?? []) as JsonObject[];
      if (Number(view.runsExecuted) <= index || newest?.endedAt === undefined || newest.endedAt === null) continue;
      const { body } = await this.gateway.get(
        `/api/v1/journeys/${encodeURIComponent(String(newest.journeyId))}/result`,
      );
      const { phase, status = null, output = null, error } = body as JsonObject & { error?: JsonObject | null };
      pair.runs.push({
        // Times that cannot be compared, and fields that HTTP does not return, are copied from the plan.
        at: this.isAhead && !atOnce ? formatInstant(pair.last) : at!,
        endedAt: endedAt!,
        terminatedAtState,
        phase: phase ?? newest.phase ?? null,
        ...(status !== null && { status }),
        output,
        context: (view.lastContext ?? null) as Json,
        ...withError(error),
      });
      return true;
    }
    return false;
  }

  /** The first time of a schedule within an interval. Coalesced slots, which Temporal has where clocks go back, are skipped. */
  private async next(view: JsonObject, after: number, until: number): Promise<number | undefined> {
    const times = await this.stack.times(String(view.scheduleId), after, until);
    const { startAt, cron, timezone } = view;
    if (typeof cron !== 'string') return times[0];
    const cadence = bindingCadence({ startAt: String(startAt), cron, timezone: String(timezone) });
    return times.find((time) => !isCoalescedSlot(cadence, time));
  }

  private async show(id: string): Promise<JsonObject> {
    return (await this.gateway.get(`${base}/${encodeURIComponent(id)}`)).body;
  }

  /** The observed schedule. Fields that a real server does not show (overlaps, times that cannot be compared) are copied from the plan. */
  private async seen({ planned, id, runs, last }: Pair): Promise<JsonObject> {
    const view = await this.show(id);
    const { runsExecuted = null, maxRuns = null, state, lastContext = null } = view;
    const after = Math.max(last, this.end - 1);
    const next = this.isAhead && state !== 'exhausted' ? await this.next(view, after, after + farMs) : undefined;
    return {
      ...planned,
      runsExecuted,
      maxRuns,
      state: state === 'paused' ? 'active' : (state ?? null),
      ...(this.isAhead && { nextRunAt: next === undefined ? null : formatInstant(next) }),
      context: lastContext,
      runs,
    };
  }
}

/** Removes the schedules of a journey; `made` is their number. */
export async function removeSchedules(
  stack: Stack,
  gateway: GatewayClient,
  journeyName: string,
  count: number,
): Promise<void> {
  for (const { scheduleId } of await listed(gateway, journeyName, count, removalMs))
    await stack.removeSchedule(String(scheduleId));
  // A run may have just started.
  await stack.endRuns(journeyName);
}

/** A new schedule appears in lists with a delay. */
async function listed(
  gateway: GatewayClient,
  journeyName: string,
  count: number,
  forMs: number,
): Promise<JsonObject[]> {
  let items: JsonObject[] = [];
  for (const since = Date.now(); Date.now() - since < forMs; await delay(pollMs)) {
    const { body } = await gateway.get(base, { query: { journeyName, pageSize: '100' } });
    items = (body.items ?? []) as JsonObject[];
    if (items.length >= count) break;
  }
  return items;
}

/** Whether its start had passed when it was created. */
function startsAtOnce({ cron, startAt, createdAt }: JsonObject): boolean {
  return cron === null && instantOf(startAt) <= instantOf(createdAt);
}

function instantOf(value: Json | undefined): number {
  return Date.parse(String(value));
}

function runsOf({ runs }: JsonObject): JsonObject[] {
  return runs as JsonObject[];
}

function withError(error: JsonObject | null | undefined): JsonObject {
  if (!error) return {};
  return { errorCode: error.code ?? null, reason: error.reason ?? null, error };
}
