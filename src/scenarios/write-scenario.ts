import { stringify } from 'yaml';
import type { JsonObject } from '../base/json/value.js';
import { formatInstant } from '../base/time/instant.js';
import type { Definition } from '../engine/definition/definition.js';
import type { Reply } from '../language/tasks/task-kind.js';
import type { Scenario } from './scenario.js';
import type { Observation } from './scenario-observation.js';
import type { RecordedCall } from './scripted-backend.js';
import type { Simulated } from './simulate/simulate.js';

/** A scenario as a separate file. */
export function scenarioFileText(journey: string, name: string, scenario: JsonObject): string {
  // YAML 1.1 quotes everything that some reader might parse as a date or a number.
  return stringify({ journey, scenarios: { [name]: scenario } }, { lineWidth: 120, schema: 'yaml-1.1' });
}

/** Replies of services: one rule for each call, its replies in order. */
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
    ...(afterMs > 0 && { after: durationText(afterMs) }),
  };
}

/** A duration in seconds, as scenarios write it. */
export function durationText(ms: number): string {
  return `PT${Math.round(ms) / 1000}S`;
}

/** The end of a run or its current position, as a scenario expects it. */
export function expectationOf({ phase, outcome, activeSteps = [], refused }: Observation): JsonObject {
  if (refused) return { refused: refused.code };
  if (!outcome) return { phase: phase ?? 'RUNNING', activeSteps };
  const { error, status, output } = outcome;
  return {
    phase: outcome.phase,
    ...(error ? { errorCode: error.code } : { status, output }),
  };
}

/** A finished play with its answers, as a scenario that passes. */
export function simulatedScenarioText(
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
      steps: given.steps.map(({ step, payload, atMs }) => ({
        step,
        payload,
        ...(atMs > 0 && { at: durationText(atMs) }),
      })),
    }),
    ...(until && { until: `P${until.years}Y${until.months}M${until.days}DT${until.millis / 1000}S` }),
    expect: expectationOf(observation),
  };
  return scenarioFileText(journey, `${name} as simulated`, scenario);
}
