import { stringify } from 'yaml';
import type { Definition } from '../definition/definition.js';
import type { JsonObject } from '../json/value.js';
import type { Reply } from '../tasks/virtual.js';
import { formatInstant } from '../time/duration.js';
import type { RecordedCall } from './backend.js';
import type { Observation } from './observation.js';
import type { Scenario } from './scenario.js';
import type { Simulated } from './simulate/simulate.js';

/** A scenario as a file of its own. */
export function scenarioFileText(journey: string, name: string, scenario: JsonObject): string {
  // YAML 1.1 puts in quotes whatever any reader might take for a date or a number.
  return stringify({ journey, scenarios: { [name]: scenario } }, { lineWidth: 120, schema: 'yaml-1.1' });
}

/** What services answered, one rule for each call, the answers in order. */
export function backendOf(
  calls: readonly { call: Pick<RecordedCall, 'method' | 'url' | 'operation'>; reply: Reply }[],
): JsonObject[] {
  const rules = new Map<string, JsonObject & { replies: JsonObject[] }>();
  for (const { call, reply } of calls) {
    const { method, url, operation } = call;
    const key = operation ?? `${method} ${url}`;
    const rule = rules.get(key) ?? { ...(operation === undefined ? { call: key } : { operation }), replies: [] };
    rule.replies.push(replyJson(reply));
    rules.set(key, rule);
  }
  return [...rules.values()].map(({ replies, ...rule }) => {
    const [first, ...more] = replies;
    return more.length === 0 ? { ...rule, reply: first! } : { ...rule, replies };
  });
}

function replyJson({ status, headers, body, afterMs, fail }: Reply): JsonObject {
  const { 'content-type': _, ...others } = headers;
  return {
    ...(fail === undefined ? { status } : { fail }),
    ...(Object.keys(others).length > 0 && { headers: others }),
    ...(body !== undefined && fail === undefined && { body }),
    ...(afterMs > 0 && { after: duration(afterMs) }),
  };
}

/** A duration in seconds, as scenarios write it. */
export function duration(ms: number): string {
  return `PT${Math.round(ms) / 1000}S`;
}

/** How a run ended, or where it stands, as a scenario expects it. */
export function expectationOf({ phase, outcome, activeSteps = [], refused }: Observation): JsonObject {
  if (refused) return { refused: refused.code };
  if (!outcome) return { phase: phase ?? 'RUNNING', activeSteps };
  const { error, status, output } = outcome;
  return {
    phase: outcome.phase,
    ...(error ? { errorCode: error.code } : { status, output }),
  };
}

/** What was played, with its answers, as a scenario that holds. */
export function recordedScenario(
  { name }: Definition,
  journey: string,
  { input, now, until }: Scenario,
  { given, observation }: Pick<Simulated, 'given' | 'observation'>,
): string {
  const scenario: JsonObject = {
    now: formatInstant(now),
    input,
    ...(given.calls.length > 0 && { backend: backendOf(given.calls) }),
    ...(given.steps.length > 0 && {
      steps: given.steps.map(({ step, payload, atMs }) => ({ step, payload, ...(atMs > 0 && { at: duration(atMs) }) })),
    }),
    ...(until && { until: `P${until.years}Y${until.months}M${until.days}DT${until.millis / 1000}S` }),
    expect: expectationOf(observation),
  };
  return scenarioFileText(journey, `${name} as it was simulated`, scenario);
}
