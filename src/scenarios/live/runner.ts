import type { Definition } from '../../definition/definition.js';
import type { Outcome } from '../../engine/outcome.js';
import { own } from '../../json/value.js';
import { apiMethod, filledPath, parametersFrom } from '../../service/apis.js';
import { slowMs } from '../../tasks/http-call/request.js';
import type { Reply } from '../../tasks/virtual.js';
import { type BackendRule, ScriptedBackend } from '../backend.js';
import { httpCalls } from '../http-calls.js';
import type { Observation, ScenarioRunner } from '../observation.js';
import type { Scenario } from '../scenario.js';
import { virtualRunner } from '../virtual/runner.js';
import { BackendServers, literalOrigins, operationCalls, originOf } from './backend-server.js';
import { certificateHeader, GatewayClient, refusal } from './gateway-client.js';
import { LivePlay } from './play.js';
import { realMs, scaled, type TimeScale } from './scale.js';
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
    if (timeScale !== undefined) return await this.play(definition, scenario, timeScale);
    const planned = await virtualRunner.run(definition, scenario);
    let factor = comfortable(planned, scenario);
    for (let again = 2; ; again--) {
      const seen = await this.play(definition, scenario, factor);
      const next = Math.max(1, factor / slower, (planned.momentsMs?.at(-1) ?? 0) / slowestMs);
      if (next >= factor || again === 0 || inOrder(planned, seen)) return seen;
      factor = next;
    }
  }

  private async play(definition: Definition, scenario: Scenario, factor: number): Promise<Observation> {
    const scale: TimeScale = { factor, virtualStart: scenario.now, realStart: Date.now() };
    const shortened = scale.factor > 1;
    const rules = shortened ? withoutLateReplies(definition, scenario) : scenario.backend;
    const backend = new ScriptedBackend(rules);
    const operations = operationCalls(definition);
    const servers = await BackendServers.open(originsOf(definition, scenario), {
      backend,
      operations: (call) => operations.find(({ pattern }) => pattern.matches(call))?.operation,
      waitMs: (reply) => realMs(reply.afterMs, scale),
      sinceStart: () => (Date.now() - scale.realStart) * scale.factor,
    });
    const hasty = shortened && rules.some(({ replies }) => replies.some(({ fail }) => fail === 'timeout'));
    const gateway = await this.options.stack.serve({
      definition: { ...scaled(definition, scale, hasty), lifecycle: lifecycleFor(definition, scenario) },
      config: scenario.config,
      environment: scenario.environment,
      plugins: scenario.plugins,
      certificateHeader,
      rewrite: servers.rewrite,
    });
    const client = new GatewayClient(gateway.url);
    const { client: temporal } = this.options.stack;
    const play = new LivePlay(temporal, client, definition, scenario, scale, () => backend.calls.length);
    let observation: Observation;
    try {
      observation = await (definition.kind === 'Api' ? callApi(client, definition, scenario) : play.toObservation());
    } finally {
      await gateway.close();
      await servers.close();
    }
    const calls = play.withVirtualId(backend.calls);
    return { ...observation, calls, troubles: [...observation.troubles, ...unscripted(backend)] };
  }
}

/** A reply that takes longer than its call will wait never comes; shortened, it would be in time. */
function withoutLateReplies(definition: Definition, { backend }: Scenario): BackendRule[] {
  const tasks = httpCalls(definition);
  return backend.map(({ calls, replies }) => {
    const meant = tasks.filter((task) => calls.matches(task));
    const shortest = Math.min(...(meant.length > 0 ? meant : tasks).map(({ timeoutMs }) => timeoutMs));
    const onTime = (reply: Reply): Reply => (reply.afterMs > shortest ? { ...reply, fail: 'timeout' } : reply);
    return { calls, replies: replies.map(onTime) };
  });
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
function comfortable(planned: Observation, scenario: Scenario): number {
  const { momentsMs = [], closestMs = Number.POSITIVE_INFINITY } = planned;
  const moments = [0, ...momentsMs];
  const gaps = [closestMs, ...momentsMs.map((moment, i) => moment - moments[i]!).filter((gap) => gap > 0)];
  const whole = moments.at(-1)!;
  const slow = scenario.backend.some(({ replies }) => replies.some(({ afterMs }) => afterMs >= slowMs));
  if (slow && whole <= realTimeMs) return 1;
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

function originsOf(definition: Definition, scenario: Scenario): string[] {
  const scripted = scenario.backend.flatMap(({ calls }) => originOf(calls.text.replace(/^\S+ +/, '')) ?? []);
  return [...literalOrigins(definition), ...scripted].map((origin) => new URL(origin).origin);
}

function unscripted(backend: ScriptedBackend): Observation['troubles'] {
  return backend.unexpected.map(({ method, url }) => ({ message: `No reply is scripted for ${method} ${url}.` }));
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
