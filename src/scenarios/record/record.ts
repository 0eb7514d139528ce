import type { Definition } from '../../definition/definition.js';
import type { Outcome } from '../../engine/outcome.js';
import { isObject, type Json, type JsonObject } from '../../json/value.js';
import { vocabulary } from '../../language/vocabulary.js';
import { refuse } from '../../problems/problem.js';
import { formatInstant } from '../../time/duration.js';
import type { Mismatch } from '../compare.js';
import type { ScenarioRunner } from '../observation.js';
import { readScenarios } from '../read-scenarios.js';
import { runScenario } from '../run-scenario.js';
import type { Scenario } from '../scenario.js';
import { listening } from '../virtual/listening.js';
import { play } from '../virtual/runner.js';
import { backendOf, duration, scenarioFileText } from '../write-scenario.js';
import { withVirtualCallbacks } from './callbacks.js';
import { type AnsweredEffect, type PlayedAgain, playAgain } from './play-again.js';
import { redacted } from './redact.js';
import { Way } from './way.js';

/** A run as its history tells it. */
export interface RunToRecord {
  input: {
    definition: Definition;
    context: JsonObject;
    bindings?: JsonObject;
    info: { environment: string; config: JsonObject; scheduled?: boolean };
  };
  startedAt: number;
  /** In the order they were asked for. */
  answers: AnsweredEffect[];
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

/** Writes the scenario of a real run: it goes the same way in virtual time, or it is refused with where it does not. */
export async function recordScenario(
  real: RunToRecord,
  definition: Definition,
  journey: string,
  name: string,
): Promise<Recorded> {
  refuseUnsupported(real);
  const run = withVirtualCallbacks(real);
  const again = await playAgain(run.input.definition, scenarioFrom(run), run.answers);
  let differs = again.unasked.map((state) => `calls: ${state} asks less often than it did in the run`);
  for (const precise of differs.length > 0 ? [] : [false, true]) {
    const { value, places } = redacted(scenarioOf(run, again, precise));
    const text = () => scenarioFileText(journey, name, value);
    const { leftOut, differs: found } = await settle(value, () => played(text(), definition), again.way);
    if (found.length === 0) return { text: text(), redacted: places, leftOut };
    differs = found;
  }
  return refuse('SCENARIO_RECORD', 'Played in virtual time, the run takes another way.', {
    errors: differs.map((message) => ({ code: 'SCENARIO_RECORD', severity: 'error', pointer: '', message })),
  });
}

/** Makes a scenario expect what holds: without what differs from run to run, and with the calls that are made. */
async function settle(document: JsonObject, play: () => ReturnType<typeof played>, way: Way) {
  let seen = await play();
  const leftOut = (seen.mismatches.length > 0 && forget(document, seen.mismatches)) || [];
  if (leftOut.length > 0) seen = await play();
  if (seen.mismatches.length === 0) {
    document.expect = { ...(document.expect as JsonObject), ...expectedCalls(seen) };
    seen = await play();
  }
  const said = seen.mismatches.map(({ subject, message }) => `${subject}: ${message}`);
  return { leftOut, differs: [...said, ...way.differences(seen.way)] };
}

/** The calls of a scenario that was played, as it expects them; in any order where branches make them. */
function expectedCalls({ calls, way }: Pick<Awaited<ReturnType<typeof played>>, 'calls' | 'way'>): JsonObject {
  const expected = calls.map(({ method, url, operation }) =>
    operation === undefined ? `${method} ${url}` : { operation },
  );
  return { [way.sideBySide && calls.length > 1 ? 'callsInAnyOrder' : 'calls']: expected };
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

/** The fields of the scenario. */
function scenarioOf(run: RunToRecord, again?: PlayedAgain, precise = true): JsonObject {
  const { input, startedAt, inputs, cancelledAtMs, outcome } = run;
  const { environment, config } = input.info;
  const { calls = [], way } = again ?? {};
  const when = precise || !way ? exactly : inSeconds(startedAt, way);
  const sent = inputs.map((it) => ({ ...it, value: { step: it.step, payload: it.payload, ...when(it) } }));
  const answered = calls.map(({ call, reply }) => ({ call, reply: precise ? reply : { ...reply, afterMs: 0 } }));
  const [steps, signals] = [sent.filter((it) => !it.signal), sent.filter((it) => it.signal)];
  return {
    now: formatInstant(startedAt),
    input: input.context,
    ...(environment !== 'test' && { environment }),
    ...(Object.keys(config).length > 0 && { config }),
    ...(calls.length > 0 && { backend: backendOf(answered) }),
    ...(steps.length > 0 && { steps: steps.map((it) => it.value) }),
    ...(signals.length > 0 && { signals: signals.map((it) => it.value) }),
    ...(cancelledAtMs !== undefined && { cancel: { at: duration(cancelledAtMs) } }),
    expect: expectationOf(outcome),
  } as JsonObject;
}

/** When something reached a run, as a scenario says it. */
type When = (input: RunToRecord['inputs'][number]) => { at?: string; delay?: string };

const exactly: When = ({ atMs }) => ({ at: duration(atMs) });

/** In whole seconds, as people would write it: a step from when it could be submitted, a signal from the start. */
function inSeconds(startedAt: number, way: Way): When {
  let before = 0;
  return ({ step, atMs, signal }) => {
    const open = way.enteredBy(step, startedAt + atMs);
    const from = signal ? 0 : Math.max(before, open === undefined ? 0 : open - startedAt);
    if (!signal) before = atMs;
    const ms = Math.floor((atMs - from) / 1000) * 1000;
    return ms <= 0 ? {} : { [signal ? 'at' : 'delay']: duration(ms) };
  };
}

function expectationOf(outcome: Outcome | undefined): JsonObject {
  if (!outcome) return { phase: 'RUNNING' };
  const { phase, error, status, output } = outcome;
  return { phase, ...(error ? { errorCode: error.code } : { status, output }) };
}

/** The scenario of a run to play it again, with everything at its time. */
function scenarioFrom(run: RunToRecord): Scenario {
  const document = scenarioOf(run);
  return readScenarios(JSON.stringify({ scenarios: { run: document } }), 'run.scenario.json').scenarios[0]!.scenario;
}

/** Plays the text of a scenario, and says which way the run went. */
async function played(text: string, definition: Definition) {
  const way = new Way();
  const { scenarios, findings } = readScenarios(text, 'run.scenario.yaml');
  const mismatches: Mismatch[] = findings.map(({ message }) => ({ subject: 'scenario', message, line: 1, column: 1 }));
  if (mismatches.length > 0) return { mismatches, calls: [], way };
  const words = listening(vocabulary, way);
  const runner: ScenarioRunner = { run: (it, scenario) => play(it, scenario, { vocabulary: words }) };
  const { mismatches: found, observation } = await runScenario(definition, scenarios[0]!.scenario, runner);
  return { mismatches: found, calls: observation?.calls ?? [], way };
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
