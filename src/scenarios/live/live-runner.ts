import { randomUUID } from 'node:crypto';
import { own } from '../../base/json/value.js';
import type { TimeScale } from '../../base/time/time-scale.js';
import type { Definition } from '../../engine/definition/definition.js';
import type { Outcome } from '../../engine/outcome.js';
import { scheduleStarts } from '../../language/states/graph-traversal.js';
import { slowMs } from '../../language/tasks/http-call/request-and-result-types.js';
import { apiMethod, filledPath, parametersFrom } from '../../service/apis-interface.js';
import type { Scenario } from '../scenario.js';
import type { Observation, ScenarioRunner } from '../scenario-observation.js';
import { virtualRunner } from '../virtual/virtual-runner.js';
import type { Cleanup } from './cleanup.js';
import { certificateHeader, GatewayClient, problemFrom } from './gateway-client.js';
import { LiveSchedules, removeSchedules } from './live-schedules.js';
import { LivePlay } from './play-scenario.js';
import { openScriptedServices } from './scripted-services.js';
import { realMs, scaleTimes } from './shorten-times.js';
import { signatureSecrets } from './sign-request.js';
import type { Stack } from './stack-interface.js';

/** Target duration of a scenario in real time. */
const comfortableMs = 1_500;
/** Maximum duration if events are close together and must be kept apart. */
const longestMs = 5_000;
/** Distance at which events keep their order. */
const apartMs = 300;
/** Slowdown factor for replaying a scenario whose order was lost. */
const slower = 4;
/** Upper bound for the duration of such a replay, because runs have a timeout. */
const slowestMs = 40_000;
/** Maximum duration of a scenario with a slow reply that is played in real time, because slow calls run differently on a worker. */
const realTimeMs = 12_000;

export interface LiveRunnerOptions {
  stack: Stack;
  leftovers: Cleanup;
  /** Virtual milliseconds per real millisecond; chosen for each scenario by default. */
  timeScale?: number;
}

/** Runs scenarios through the HTTP gateway on a real Temporal server, against a scripted backend behind real ports. */
export class LiveRunner implements ScenarioRunner {
  constructor(private readonly options: LiveRunnerOptions) {}

  /**
   * Plays a scenario as fast as possible while events keep the order that they have in virtual time. If a busy machine could not keep that
   * order, the result is meaningless and the scenario is played again more slowly.
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
    // The server may be shared with others that use the same journey, and schedules and keyed runs are found by the journey's name.
    const name = scheduleStarts(given).size > 0 || given.key ? `${given.name}-${randomUUID().slice(0, 8)}` : given.name;
    const definition = { ...given, name };
    const scale: TimeScale = { factor, virtualStart: scenario.now, realStart: Date.now() };
    const shortened = scale.factor > 1;
    const { backend, servers, activities, hasty } = await openScriptedServices([definition], scenario.backend, {
      shortened,
      // An abandoned reply must not keep the process alive.
      held: ({ afterMs }) => new Promise((resolve) => setTimeout(resolve, realMs(afterMs, scale)).unref()),
      sinceStart: () => (Date.now() - scale.realStart) * scale.factor,
    });
    const gateway = await stack.serve({
      journeys: [{ ...scaleTimes(definition, scale, hasty), lifecycle: lifecycleFor(definition, scenario) }],
      config: { [name]: scenario.config },
      environment: scenario.environment,
      plugins: scenario.plugins,
      secrets: signatureSecrets(definition),
      certificateHeader,
      rewrite: servers.rewrite,
      activities,
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
    const problems = [...observation.problems, ...made.problems, ...backend.problems];
    return renamed({ ...observation, calls, problems }, name, given.name);
  }
}

/** Replaces one name by another in a value. */
function renamed<T>(value: T, from: string, to: string): T {
  return from === to ? value : (JSON.parse(JSON.stringify(value).replaceAll(from, to)) as T);
}

/** Times of the run's own events. Due times of its schedules are not awaited, only their runs. */
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

/** A sync start responds when the run parks, so inputs that must arrive before that need an async start. */
function lifecycleFor({ lifecycle }: Definition, { steps, signals, cancel }: Scenario): Definition['lifecycle'] {
  const early = cancel !== undefined || signals.length > 0 || steps.some(({ at }) => at !== undefined);
  return early ? { ...lifecycle, startMode: 'async' } : lifecycle;
}

/**
 * The speed-up factor: high enough for the scenario to end soon, but low enough that consecutive events in virtual time stay further
 * apart than real requests take. The times of events are those of virtual time.
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
  // A run that is still active at the end of the scenario must not end before it is observed.
  if (underWay.some((at) => at !== undefined)) return Math.max(1, whole / longestMs);
  const wanted = Math.min(whole / comfortableMs, ...gaps.map((gap) => gap / apartMs));
  return Math.max(1, wanted, whole / longestMs);
}

/**
 * Whether as many calls were made as in virtual time, so that no deadline came before one, and every input arrived after the same number of
 * them, in time, and was accepted or rejected as there: an input that is too late for a short wait is rejected.
 */
function inOrder(
  { order: planned = [], answers, calls }: Observation,
  { order: seen = [], ...other }: Observation,
): boolean {
  return (
    other.calls.length === calls.length &&
    seen.length === planned.length &&
    answers.every((answer, i) => answer?.code === other.answers[i]?.code) &&
    seen.every(({ pointer, callsBefore, lateMs }, i) => {
      const plan = planned[i]!;
      return plan.pointer === pointer && plan.callsBefore === callsBefore && lateMs < apartMs / 2;
    })
  );
}

/** Calls an Api, whose response is the output or a problem. */
async function callApi(client: GatewayClient, definition: Definition, scenario: Scenario): Promise<Observation> {
  const path = filledPath(definition, parametersFrom(definition, scenario.input));
  const byGet = apiMethod(definition) === 'GET';
  const { status, body, json } = byGet
    ? await client.get(path, scenario)
    : await client.post(path, scenario.input, scenario);
  const code = own(body, 'code');
  if (code === 'INPUT_INVALID' || code === 'CONFIG_MISSING') {
    return { refused: problemFrom(body), calls: [], answers: [], problems: [] };
  }
  const failed = status >= 400;
  const outcome = {
    phase: failed ? 'FAILED' : 'SUCCEEDED',
    output: failed ? null : json,
    error: failed ? { code: String(code), reason: String(own(body, 'title') ?? '') } : null,
  } as Outcome;
  return { phase: outcome.phase, outcome, calls: [], answers: [], problems: [] };
}
