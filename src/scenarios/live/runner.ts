import type { Definition } from '../../definition/definition.js';
import type { Outcome } from '../../engine/outcome.js';
import { own } from '../../json/value.js';
import { apiPath } from '../../service/apis.js';
import { slowMs } from '../../tasks/http-call/request.js';
import type { Reply } from '../../tasks/virtual.js';
import { type BackendRule, ScriptedBackend } from '../backend.js';
import { httpCalls } from '../http-calls.js';
import type { Observation, ScenarioRunner } from '../observation.js';
import type { Scenario } from '../scenario.js';
import { virtualRunner } from '../virtual/runner.js';
import { BackendServers, literalOrigins, operationCalls, originOf } from './backend-server.js';
import { GatewayClient, refusal } from './gateway-client.js';
import { LivePlay } from './play.js';
import { realMs, scaled, type TimeScale } from './scale.js';
import type { Stack } from './stack.js';

/** A scenario may take this long in real time without anybody minding. */
const comfortableMs = 1_500;
/** It may take this long to keep moments apart when they are close together. */
const longestMs = 5_000;
/** Moments that are this far apart keep their order. */
const apartMs = 300;
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

  async run(definition: Definition, scenario: Scenario): Promise<Observation> {
    const scale: TimeScale = {
      factor: this.options.timeScale ?? (await comfortable(definition, scenario)),
      virtualStart: scenario.now,
      realStart: Date.now(),
    };
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
      rewrite: servers.rewrite,
    });
    try {
      const client = new GatewayClient(gateway.url);
      const play = new LivePlay(this.options.stack.client, client, definition, scenario, scale);
      const observation = await (definition.kind === 'Api'
        ? callApi(client, definition, scenario)
        : play.toObservation());
      const calls = play.withVirtualId(backend.calls);
      return { ...observation, calls, troubles: [...observation.troubles, ...unscripted(backend)] };
    } finally {
      await gateway.close();
      await servers.close();
    }
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
async function comfortable(definition: Definition, scenario: Scenario): Promise<number> {
  const { momentsMs = [], closestMs = Number.POSITIVE_INFINITY } = await virtualRunner.run(definition, scenario);
  const moments = [0, ...momentsMs];
  const gaps = [closestMs, ...momentsMs.map((moment, i) => moment - moments[i]!).filter((gap) => gap > 0)];
  const whole = moments.at(-1)!;
  const slow = scenario.backend.some(({ replies }) => replies.some(({ afterMs }) => afterMs >= slowMs));
  if (slow && whole <= realTimeMs) return 1;
  const wanted = Math.min(whole / comfortableMs, ...gaps.map((gap) => gap / apartMs));
  return Math.max(1, wanted, whole / longestMs);
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
  const { input, headers, query } = scenario;
  const { status, body, json } = await client.post(apiPath(definition), input, headers, query);
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
