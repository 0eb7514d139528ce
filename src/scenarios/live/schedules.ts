import { setTimeout as delay } from 'node:timers/promises';
import type { Json, JsonObject } from '../../json/value.js';
import { cadenceOf } from '../../scheduling/bindings/record.js';
import { isCoalescedSlot } from '../../scheduling/cadence/coalesced.js';
import { addDuration, formatInstant } from '../../time/duration.js';
import type { Observation, Trouble } from '../observation.js';
import type { Scenario } from '../scenario.js';
import type { GatewayClient } from './gateway-client.js';
import type { Stack } from './stack.js';

const pollMs = 25;
/** A schedule or a run of one that is not there by then is given up on. */
const patienceMs = 20_000;
/** Schedules have a time within this span, unless they have none any more. */
const farMs = 5 * 366 * 86_400_000;

/** In the end one that is not listed by then was not made. */
const removalMs = 3_000;
const aheadHint =
  'Times made of now() are real ones: leave out the scenario’s now and the times it expects, or write virtualOnly: true. Where clocks change, Temporal knows the times of five years.';

const base = '/api/v1/schedules';

/** A schedule that a run made, in virtual time and on Temporal. */
interface Pair {
  readonly planned: JsonObject;
  readonly id: string;
  readonly runs: JsonObject[];
  /** The last of its times that has come. */
  last: number;
  /** When the run began in virtual time that does not end in the scenario. */
  readonly underWay: number | undefined;
}

/**
 * The schedules that a scenario's run made on a real server. Their calendar is Temporal's, so that nobody waits for it: each time that comes in
 * virtual time is brought about by Temporal itself, and its run is waited for. Times are compared where the scenario lies in the future;
 * before that, Temporal's own come later than the scenario's.
 */
export class LiveSchedules {
  readonly troubles: Trouble[] = [];
  private pairs: Pair[] = [];
  private readonly isAhead: boolean;
  private readonly begun = Date.now();
  /** When the scenario looks at them. */
  private readonly end: number;

  constructor(
    private readonly stack: Stack,
    private readonly gateway: GatewayClient,
    private readonly journeyName: string,
    { now, until }: Pick<Scenario, 'now' | 'until'>,
    /** How many calls have been made. */
    private readonly calls: () => number,
  ) {
    this.isAhead = now > this.begun;
    this.end = until ? addDuration(now, until) : now;
  }

  /** Plays what virtual time has played, and answers with what was seen of it. */
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
    // Runs that do not end in the scenario make their calls too.
    for (const since = Date.now(); this.calls() < calls.length && Date.now() - since < patienceMs; )
      await delay(pollMs);
    return await Promise.all(this.pairs.map((pair) => this.seen(pair)));
  }

  private missing({ planned: { scheduleId } }: Pair, index: number, at: number): void {
    const when = this.isAhead ? ` at ${formatInstant(at)}` : '';
    this.troubles.push({
      message: `On Temporal, run ${index + 1} of ${String(scheduleId)} did not come${when}.`,
      ...(this.isAhead && { hint: aheadHint }),
    });
  }

  /** Pauses each, so that only the times of the scenario come. */
  private async find(planned: readonly JsonObject[], underWay: readonly (number | undefined)[]): Promise<void> {
    const made = await listed(this.gateway, this.journeyName, planned.length, patienceMs);
    for (const { scheduleId } of made)
      await this.gateway.post(`${base}/${encodeURIComponent(String(scheduleId))}/pause`, {
        reason: 'a scenario brings its times about',
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
        this.troubles.push({
          message: `On Temporal, ${String(it.scheduleId)} started at once: its start has passed by now.`,
          hint: 'Let the scenario’s now lie in the future, and the start after it.',
        });
      return [{ planned: it, id: String(one.scheduleId), runs: [], last: this.begun, underWay: underWay[i] }];
    });
    if (made.length !== planned.length || found.length > 0)
      this.troubles.push({
        message: `On Temporal, ${made.length} schedules were made, and ${planned.length} in virtual time.`,
      });
  }

  /** Lets a run begin; undefined where Temporal has no such time, else whether it began by itself. */
  private async begin(pair: Pair, index: number, wanted: number): Promise<{ atOnce: boolean } | undefined> {
    const view = await this.show(pair.id);
    // The first run of one whose start has passed begins with it.
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
        // Where its own time is not Temporal's, it is as planned; so is what HTTP does not tell.
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

  /** The first time of a schedule after one instant and up to another. Where clocks go back, Temporal has times that do nothing. */
  private async next(view: JsonObject, after: number, until: number): Promise<number | undefined> {
    const times = await this.stack.times(String(view.scheduleId), after, until);
    const { startAt, cron, timezone } = view;
    if (typeof cron !== 'string') return times[0];
    const cadence = cadenceOf({ startAt: String(startAt), cron, timezone: String(timezone) });
    return times.find((time) => !isCoalescedSlot(cadence, time));
  }

  private async show(id: string): Promise<JsonObject> {
    return (await this.gateway.get(`${base}/${encodeURIComponent(id)}`)).body;
  }

  /** What cannot be seen on a real server is as planned: what overlapped, and times that are not Temporal's. */
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

/** Removes the schedules of a journey; so many of them were made. */
export async function removeSchedules(
  stack: Stack,
  gateway: GatewayClient,
  journeyName: string,
  count: number,
): Promise<void> {
  for (const { scheduleId } of await listed(gateway, journeyName, count, removalMs))
    await stack.removeSchedule(String(scheduleId));
  // One may just have begun.
  await stack.endRuns(journeyName);
}

/** Lists know of a new schedule a moment later. */
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

/** Whether its start had passed when it was made. */
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
