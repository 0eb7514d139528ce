import { randomUUID } from 'node:crypto';
import type { Definition } from '../../definition/definition.js';
import type { Outcome } from '../../engine/outcome.js';
import { own } from '../../json/value.js';
import { apiMethod, filledPath, parametersFrom } from '../../service/apis.js';
import { scheduleStarts } from '../../states/graphs.js';
import { slowMs } from '../../tasks/http-call/request.js';
import type { Observation, ScenarioRunner } from '../observation.js';
import type { Scenario } from '../scenario.js';
import { virtualRunner } from '../virtual/runner.js';
import { certificateHeader, GatewayClient, refusal } from './gateway-client.js';
import type { Leftovers } from './leftovers.js';
import { LivePlay } from './play.js';
import { realMs, scaled, type TimeScale } from './scale.js';
import { LiveSchedules, removeSchedules } from './schedules.js';
import { openScripted } from './scripted.js';
import type { Stack } from './stack.js';

/** A scenario may take this long in real time without anybody minding. */
const comfortableMs = 1_500;
/** It may take this long to keep moments apart when they are close together. */
const longestMs = 5_000;
/** Moments that are this far apart keep their order. */
const apartMs = 300;
/** How much slower a scenario is played again whose order was lost. */
const slower = 4;
/** But never so slowly that it takes longer than this: a run is given up on after a while. */
const slowestMs = 40_000;
/** With a slow reply it may take this long in real time: how a worker makes a slow call is part of what the scenario shows. */
const realTimeMs = 12_000;

export interface LiveOptions {
  stack: Stack;
  leftovers: Leftovers;
  /** Virtual milliseconds in one real one; chosen for each scenario when left out. */
  timeScale?: number;
}

/** Runs scenarios through the HTTP gateway on a real Temporal server, against a scripted backend behind real ports. */
export class LiveRunner implements ScenarioRunner {
  constructor(private readonly options: LiveOptions) {}

  /**
   * Plays a scenario so fast that things still happen in the order they have in virtual time. Where a busy machine could not keep that
   * order, it says nothing about the journey, and the scenario is played again more slowly.
   */
  async run(definition: Definition, scenario: Scenario): Promise<Observation> {
    const { timeScale } = this.options;
    const planned = await virtualRunner.run(definition, scenario);
    if (timeScale !== undefined) return await this.play(definition, scenario, planned, timeScale);
    const moments = ownMoments(planned, scenario);
    let factor = comfortable(planned, moments, scenario);
    for (let again = 2; ; again--) {
      const seen = await this.play(definition, scenario, planned, factor);
      const next = Math.max(1, factor / slower, (moments.at(-1) ?? 0) / slowestMs);
      if (next >= factor || again === 0 || inOrder(planned, seen)) return seen;
      factor = next;
    }
  }

  private async play(
    given: Definition,
    scenario: Scenario,
    planned: Observation,
    factor: number,
  ): Promise<Observation> {
    const { stack, leftovers } = this.options;
    const { schedules = [] } = planned;
    // Others may play the same journey on the same server, or mean it, and its schedules are known by its name.
    const name = scheduleStarts(given).size > 0 ? `${given.name}-${randomUUID().slice(0, 8)}` : given.name;
    const definition = { ...given, name };
    const scale: TimeScale = { factor, virtualStart: scenario.now, realStart: Date.now() };
    const shortened = scale.factor > 1;
    const { backend, servers, hasty } = await openScripted([definition], scenario.backend, {
      shortened,
      // A reply that nobody waits for any more must not keep the process alive.
      held: ({ afterMs }) => new Promise((resolve) => setTimeout(resolve, realMs(afterMs, scale)).unref()),
      sinceStart: () => (Date.now() - scale.realStart) * scale.factor,
    });
    const gateway = await stack.serve({
      journeys: [{ ...scaled(definition, scale, hasty), lifecycle: lifecycleFor(definition, scenario) }],
      config: { [name]: scenario.config },
      environment: scenario.environment,
      plugins: scenario.plugins,
      certificateHeader,
      rewrite: servers.rewrite,
      scheduledRuns: scenario.until !== undefined,
    });
    const client = new GatewayClient(gateway.url);
    const play = new LivePlay(stack.client, client, definition, scenario, scale, () => backend.calls.length);
    const made = new LiveSchedules(stack, client, name, scenario, () => backend.calls.length);
    const remove = async () => {
      await play.end();
      if (scheduleStarts(given).size > 0) await removeSchedules(stack, client, name, schedules.length);
    };
    const observation = await leftovers
      .around(remove, async () => {
        const seen = await (definition.kind === 'Api' ? callApi(client, definition, scenario) : play.toObservation());
        await play.end();
        return scenario.until && schedules.length > 0 ? { ...seen, schedules: await made.play(planned) } : seen;
      })
      .finally(async () => {
        await gateway.close();
        await servers.close();
      });
    const calls = play.withVirtualId(backend.calls);
    const troubles = [...observation.troubles, ...made.troubles, ...backend.troubles];
    return renamed({ ...observation, calls, troubles }, name, given.name);
  }
}

/** The same, with one name in place of another. */
function renamed<T>(value: T, from: string, to: string): T {
  return from === to ? value : (JSON.parse(JSON.stringify(value).replaceAll(from, to)) as T);
}

/** When something happens to the run itself. Its schedules do not wait for their times, only for their runs. */
function ownMoments(
  { momentsMs = [], elapsedMs = 0, schedules = [], underWay = [] }: Observation,
  { now }: Scenario,
): number[] {
  const runs = schedules.flatMap((it) => it.runs as { at: string; endedAt: string }[]);
  const end = now + (momentsMs.at(-1) ?? 0);
  const spans = [
    ...runs.map(({ at, endedAt }) => Date.parse(endedAt) - Date.parse(at)),
    ...underWay.flatMap((at) => (at === undefined ? [] : end - at)),
  ];
  if (spans.length === 0) return momentsMs;
  const longest = Math.max(...spans);
  const own = momentsMs.filter((moment) => moment <= elapsedMs);
  return longest > elapsedMs ? [...own, longest] : own;
}

/** A sync start answers when the run rests; what must happen before that needs an async one. */
function lifecycleFor({ lifecycle }: Definition, { steps, signals, cancel }: Scenario): Definition['lifecycle'] {
  const early = cancel !== undefined || signals.length > 0 || steps.some(({ at }) => at !== undefined);
  return early ? { ...lifecycle, startMode: 'async' } : lifecycle;
}

/**
 * How much faster time passes: enough for the scenario to end soon, but not so much that moments which follow each other in virtual
 * time come closer than real requests can keep apart. Virtual time tells when things happen.
 */
function comfortable(
  { closestMs = Number.POSITIVE_INFINITY, underWay = [] }: Observation,
  momentsMs: readonly number[],
  scenario: Scenario,
): number {
  const moments = [0, ...momentsMs];
  const gaps = [closestMs, ...momentsMs.map((moment, i) => moment - moments[i]!).filter((gap) => gap > 0)];
  const whole = moments.at(-1)!;
  const slow = scenario.backend.some(({ replies }) => replies.some(({ afterMs }) => afterMs >= slowMs));
  if (slow && whole <= realTimeMs) return 1;
  // What does not end in the scenario must not end before it was looked at.
  if (underWay.some((at) => at !== undefined)) return Math.max(1, whole / longestMs);
  const wanted = Math.min(whole / comfortableMs, ...gaps.map((gap) => gap / apartMs));
  return Math.max(1, wanted, whole / longestMs);
}

/**
 * Whether every input came when as many calls had been made as in virtual time, early enough to come before what it must, and was taken or
 * refused as there: one that is late for a short wait is refused.
 */
function inOrder({ order: planned = [], answers }: Observation, { order: seen = [], ...other }: Observation): boolean {
  return (
    seen.length === planned.length &&
    answers.every((answer, i) => answer?.code === other.answers[i]?.code) &&
    seen.every(({ pointer, callsBefore, lateMs }, i) => {
      const plan = planned[i]!;
      return plan.pointer === pointer && plan.callsBefore === callsBefore && lateMs < apartMs / 2;
    })
  );
}

/** An Api answers at once: its body is the output, or a problem. */
async function callApi(client: GatewayClient, definition: Definition, scenario: Scenario): Promise<Observation> {
  const path = filledPath(definition, parametersFrom(definition, scenario.input));
  const byGet = apiMethod(definition) === 'GET';
  const { status, body, json } = byGet
    ? await client.get(path, scenario)
    : await client.post(path, scenario.input, scenario);
  const code = own(body, 'code');
  if (code === 'INPUT_INVALID' || code === 'CONFIG_MISSING') {
    return { refused: refusal(body), calls: [], answers: [], troubles: [] };
  }
  const failed = status >= 400;
  const outcome = {
    phase: failed ? 'FAILED' : 'SUCCEEDED',
    output: failed ? null : json,
    error: failed ? { code: String(code), reason: String(own(body, 'title') ?? '') } : null,
  } as Outcome;
  return { phase: outcome.phase, outcome, calls: [], answers: [], troubles: [] };
}
