import type { Definition } from '../../definition/definition.js';
import type { Effect } from '../../engine/host.js';
import type { Outcome } from '../../engine/outcome.js';
import { isObject, type Json, type JsonObject, own } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import type { Reply } from '../../tasks/virtual.js';
import { formatInstant } from '../../time/duration.js';
import type { Mismatch } from '../compare.js';
import { readScenarios } from '../read-scenarios.js';
import { runScenario } from '../run-scenario.js';
import type { Scenario } from '../scenario.js';
import { play } from '../virtual/runner.js';
import { backendOf, duration, scenarioFileText } from '../write-scenario.js';
import { redacted } from './redact.js';

/** A run as its history tells it. */
export interface RunToRecord {
  input: {
    definition: Definition;
    context: JsonObject;
    bindings?: JsonObject;
    info: { environment: string; config: JsonObject; scheduled?: boolean };
  };
  startedAt: number;
  answers: { name: string; label: string; answer: Json; ms: number }[];
  inputs: { step: string; payload: Json; atMs: number; signal?: true }[];
  cancelledAtMs?: number;
  outcome?: Outcome;
}

/** A scenario that was recorded, and what is not in it as it was. */
export interface Recorded {
  text: string;
  /** Where values that look like secrets were replaced. */
  redacted: string[];
  /** Parts of the outcome that differ from run to run. */
  leftOut: string[];
}

/** Writes the scenario of a real run: it holds in virtual time, or it is refused with what does not. */
export async function recordScenario(
  run: RunToRecord,
  definition: Definition,
  journey: string,
  name: string,
): Promise<Recorded> {
  refuseUnsupported(run);
  const calls = await callsOf(run);
  let mismatches: Mismatch[] = [];
  for (const timed of [false, true]) {
    const { value, places } = redacted(scenarioOf(run, calls, timed));
    const leftOut: string[] = [];
    for (let tries = 0; tries < 2; tries++) {
      const played = await holds(value, definition, journey, name);
      mismatches = played.mismatches;
      if (mismatches.length === 0) return { text: scenarioFileText(journey, name, value), redacted: places, leftOut };
      const forgotten = forget(value, mismatches);
      if (!forgotten) break;
      leftOut.push(...forgotten);
    }
  }
  return refuse('SCENARIO_RECORD', 'Played in virtual time, the run takes another way.', {
    errors: mismatches.map(({ subject, message }) => ({
      code: 'SCENARIO_RECORD',
      severity: 'error',
      pointer: '',
      message: `${subject}: ${message}`,
    })),
  });
}

function refuseUnsupported({ input, answers }: RunToRecord): void {
  const hint = 'Record a run that somebody started.';
  if (input.info.scheduled)
    refuse('SCENARIO_RECORD', 'It is the run of a schedule, and a scenario begins where a journey does.', { hint });
  if (input.bindings) refuse('SCENARIO_RECORD', 'It is the compensation of another run.', { hint });
  if (input.definition.looksAtRequests)
    refuse('SCENARIO_RECORD', 'Its journey looks at credentials, which no history holds.', {
      hint: 'Write the scenario by hand.',
    });
  if (answers.some(({ name }) => name === 'cache'))
    refuse('SCENARIO_RECORD', 'It used a cache, whose content no scenario can begin with.', {
      hint: 'Write the scenario by hand.',
    });
}

/** The calls of a run with their answers: the run is played again, and gets the answers it got. */
async function callsOf(run: RunToRecord) {
  const left = run.answers.filter(({ answer }) => !isObject(own(answer, 'retryLater')));
  const calls: { call: { method: string; url: string; operation?: string }; reply: Reply }[] = [];
  const perform = (effect: Effect): { answer: Json; afterMs: number } | undefined => {
    if (effect.name !== 'http' && effect.name !== 'plugin') return undefined;
    const at = left.findIndex(({ name, label }) => name === effect.name && stateOf(label) === stateOf(effect.label));
    if (at < 0) return undefined;
    const { answer, ms } = left.splice(at, 1)[0]!;
    calls.push(callOf(effect, answer, ms));
    return { answer, afterMs: ms };
  };
  await play(run.input.definition, scenarioFrom(run), { perform });
  return calls;
}

/** A label begins with the state; what follows is for people, and not the same in every version. */
function stateOf(label: string): string {
  return label.split(' · ')[0]!;
}

function callOf({ name, input }: Effect, answer: Json, ms: number) {
  if (name === 'plugin') {
    const kind = String(own(input, 'plugin'));
    const problem = own(answer, 'problem');
    const reply: Reply = {
      status: isObject(problem) ? 400 : 200,
      headers: {},
      body: isObject(problem) ? problem : (own(answer, 'result') ?? null),
      afterMs: ms,
    };
    return { call: { method: 'POST', url: `plugin://${kind}`, operation: kind }, reply };
  }
  const { method, url, operation } = input as { method: string; url: string; operation?: string };
  const error = own(answer, 'error');
  const body = own(answer, 'body');
  const reply: Reply = {
    status: Number(own(answer, 'status') ?? 200),
    headers: headersOf(own(answer, 'headers')),
    ...(body !== undefined && body !== null && { body }),
    afterMs: ms,
    ...(isObject(error) && { fail: error.type === 'TIMEOUT' ? 'timeout' : 'network' }),
  };
  return { call: { method, url, ...(operation !== undefined && { operation }) }, reply };
}

const transport =
  /^(date|connection|keep-alive|content-length|transfer-encoding|server|set-cookie|content-type|etag|x-powered-by|vary)$/i;

/** Headers that say something about the answer, not about how it came. */
function headersOf(headers: Json | undefined): Record<string, string> {
  const all = Object.entries(isObject(headers) ? headers : {});
  return Object.fromEntries(
    all.filter(([name]) => !transport.test(name)).map(([name, value]) => [name, String(value)]),
  );
}

/** The fields of the scenario. */
function scenarioOf(run: RunToRecord, calls: Awaited<ReturnType<typeof callsOf>>, timed: boolean): JsonObject {
  const { input, startedAt, inputs, cancelledAtMs, outcome } = run;
  const { environment, config } = input.info;
  const untimed = calls.map(({ call, reply }) => ({ call, reply: timed ? reply : { ...reply, afterMs: 0 } }));
  const when = (atMs: number) => (timed ? { at: duration(atMs) } : {});
  const sent = inputs.map(({ step, payload, atMs, signal }) => ({ signal, value: { step, payload, ...when(atMs) } }));
  const [steps, signals] = [sent.filter((it) => !it.signal), sent.filter((it) => it.signal)];
  return {
    now: formatInstant(startedAt),
    input: input.context,
    ...(environment !== 'test' && { environment }),
    ...(Object.keys(config).length > 0 && { config }),
    ...(calls.length > 0 && { backend: backendOf(untimed) }),
    ...(steps.length > 0 && { steps: steps.map((it) => it.value) }),
    ...(signals.length > 0 && { signals: signals.map((it) => it.value) }),
    ...(cancelledAtMs !== undefined && { cancel: { at: duration(cancelledAtMs) } }),
    expect: expectationOf(outcome),
  } as JsonObject;
}

function expectationOf(outcome: Outcome | undefined): JsonObject {
  if (!outcome) return { phase: 'RUNNING' };
  const { phase, error, status, output } = outcome;
  return { phase, ...(error ? { errorCode: error.code } : { status, output }) };
}

/** The scenario of a run to play it again, with everything at its time. */
function scenarioFrom(run: RunToRecord): Scenario {
  const document = scenarioOf(run, [], true);
  return readScenarios(JSON.stringify({ scenarios: { run: document } }), 'run.scenario.json').scenarios[0]!.scenario;
}

async function holds(
  document: JsonObject,
  definition: Definition,
  journey: string,
  name: string,
): Promise<{ mismatches: Mismatch[] }> {
  const { scenarios, findings } = readScenarios(scenarioFileText(journey, name, document), 'run.scenario.yaml');
  const [first] = findings;
  if (first) return { mismatches: [{ subject: 'scenario', message: first.message, line: 1, column: 1 }] };
  return await runScenario(definition, scenarios[0]!.scenario);
}

/** Expects less: fields of the output that came out otherwise, such as ids and times. Undefined when something else is wrong. */
function forget(document: JsonObject, mismatches: readonly Mismatch[]): string[] | undefined {
  const expect = document.expect as JsonObject;
  const { output, ...rest } = expect;
  const fields = mismatches.map(({ subject }) => /^output\.([A-Za-z_$][\w$-]*)/.exec(subject)?.[1]);
  if (!isObject(output) || fields.some((it) => it === undefined)) return undefined;
  const kept = Object.entries(output).filter(([key]) => !fields.includes(key));
  document.expect = { ...rest, ...(kept.length > 0 && { outputIncludes: Object.fromEntries(kept) }) };
  return [...new Set(fields as string[])].map((field) => `output.${field}`);
}
