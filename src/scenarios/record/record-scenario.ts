import { percentEncoded } from '../../base/json/percent-encode.js';
import { isObject, type Json, type JsonObject } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { formatInstant } from '../../base/time/instant.js';
import type { Definition } from '../../engine/definition/definition.js';
import type { Outcome } from '../../engine/outcome.js';
import { stepAddress } from '../../engine/steps/step-address.js';
import { vocabulary } from '../../language/state-types-and-task-kinds.js';
import { runsConcurrently } from '../../language/states/state-queries.js';
import { effectForm } from '../../language/tasks/registry.js';
import type { ScriptedCall } from '../../language/tasks/task-kind.js';
import { callbackParameter } from '../../service/runs-interface.js';
import { urlAsSent } from '../call-pattern.js';
import type { Mismatch } from '../compare-expectation.js';
import { readScenarios } from '../read/read-scenario-file.js';
import { runScenario } from '../run-scenario.js';
import type { Scenario } from '../scenario.js';
import type { ScenarioRunner } from '../scenario-observation.js';
import type { PlayOptions } from '../virtual/prepare-and-play-scenario.js';
import { virtualCallback, virtualToken } from '../virtual/simulation.js';
import { type StateListener, withListener } from '../virtual/state-listener.js';
import { play } from '../virtual/virtual-runner.js';
import { backendOf, durationText, scenarioFileText } from '../write-scenario.js';

/** A token of `src/temporal/runs/callback-urls.ts`, or of an item: its expiry and an HMAC. */
const token = String.raw`[0-9a-z]{6,9}\.[\w-]{43}(?:[\w-]{21})?(?![\w-])`;
const url = new RegExp(
  String.raw`https?://[^\s"'<>\\?#]{1,300}/api/v1/journeys/[^\s/?#]{1,300}/steps/([^\s/?#]{1,300}(?:/[^\s/?#]{0,1200})?)\?${callbackParameter}=${token}`,
  'g',
);
/** Matches a token elsewhere: alone, or in a URL that is encoded in another text (`callback%3D…`). */
const bare = new RegExp(String.raw`(?:(?<![\w-])|(?<=3[Dd]))${token}`, 'g');

/**
 * Replaces the callback URLs of a run by those of virtual time. The real URLs are credentials; consistent replacement keeps the path of
 * journeys that compare them.
 */
function withVirtualCallbacks(run: RunToRecord): RunToRecord {
  const { definition, ...input } = run.input;
  const { input: changed, ...rest } = virtual({ ...run, input });
  return { ...rest, input: { ...changed, definition } };
}

function virtual<T>(value: T): T {
  const change = (text: string) =>
    text.replace(url, (_, step: string) => virtualCallback(step)).replace(bare, virtualToken);
  return mapStrings(value as Json, change) as T;
}

/** A run, read from its history. */
export interface RunToRecord {
  input: {
    definition: Definition;
    context: JsonObject;
    bindings?: JsonObject;
    info: { environment: string; config: JsonObject; scheduled?: boolean };
  };
  startedAt: number;
  /** In the order of the requests. */
  answers: AnsweredEffect[];
  inputs: { step: string; payload: Json; atMs: number; signal?: true }[];
  cancelledAtMs?: number;
  outcome?: Outcome;
}

/** A recorded scenario, and the values that were replaced or omitted. */
export interface Recorded {
  text: string;
  /** Paths of replaced values that look like secrets. */
  redacted: string[];
  /** Omitted parts of the outcome, which differ between runs. */
  leftOut: string[];
}

/** Writes the scenario of a real run. Fails with the differences if the scenario takes another path in virtual time. */
export async function recordScenario(
  real: RunToRecord,
  definition: Definition,
  journey: string,
  name: string,
): Promise<Recorded> {
  refuseUnsupported(real);
  const run = withVirtualCallbacks(real);
  const again = await replayRun(run.input.definition, scenarioFrom(run), run.answers);
  let differs = again.unasked.map((state) => `calls: ${state} makes fewer calls than in the run`);
  for (const precise of differs.length > 0 ? [] : [false, true]) {
    const { value, places } = redactSecrets(scenarioOf(run, again, precise));
    const text = () => scenarioFileText(journey, name, value);
    const { leftOut, differs: found } = await settle(value, () => played(text(), definition), again.path);
    if (found.length === 0) return { text: text(), redacted: places, leftOut };
    differs = found;
  }
  return refuse('SCENARIO_RECORD', 'In virtual time, the run takes another path.', {
    errors: differs.map((message) => ({ code: 'SCENARIO_RECORD', severity: 'error', pointer: '', message })),
  });
}

/** Adjusts the expectations of a scenario: removes values that differ between runs, and adds the calls that were made. */
async function settle(document: JsonObject, play: () => ReturnType<typeof played>, path: VisitedPath) {
  let seen = await play();
  const leftOut = (seen.mismatches.length > 0 && forget(document, seen.mismatches)) || [];
  if (leftOut.length > 0) seen = await play();
  if (seen.mismatches.length === 0) {
    document.expect = { ...(document.expect as JsonObject), ...expectedCalls(seen) };
    seen = await play();
  }
  const said = seen.mismatches.map(({ subject, message }) => `${subject}: ${message}`);
  return { leftOut, differs: [...said, ...path.differences(seen.path)] };
}

/** The calls of a played scenario as expectations; in any order if several branches make them. */
function expectedCalls({ calls, path }: Pick<Awaited<ReturnType<typeof played>>, 'calls' | 'path'>): JsonObject {
  const expected = calls.map(({ method, url, operation }) =>
    operation === undefined ? `${method} ${url}` : { operation },
  );
  return { [path.sideBySide && calls.length > 1 ? 'callsInAnyOrder' : 'calls']: expected };
}

function refuseUnsupported({ input, answers }: RunToRecord): void {
  const hint = 'Record a run that a caller started.';
  if (input.info.scheduled)
    refuse('SCENARIO_RECORD', 'It is a scheduled run; a scenario starts at the start of a journey.', { hint });
  if (input.bindings) refuse('SCENARIO_RECORD', 'It is the compensation of another run.', { hint });
  if (input.definition.looksAtRequests)
    refuse('SCENARIO_RECORD', 'Its journey uses credentials, which are never stored in a history.', {
      hint: 'Write the scenario by hand.',
    });
  for (const { name } of answers) {
    const recorded = effectForm(name)?.recorded;
    if (typeof recorded === 'object')
      refuse('SCENARIO_RECORD', recorded.refusal, { hint: 'Write the scenario by hand.' });
  }
}

/** The fields of the scenario. */
function scenarioOf(run: RunToRecord, again?: ReplayedRun, precise = true): JsonObject {
  const { input, startedAt, inputs, cancelledAtMs, outcome } = run;
  const { environment, config } = input.info;
  const { calls = [], path } = again ?? {};
  const when = precise || !path ? exactly : inSeconds(startedAt, path);
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
    ...(cancelledAtMs !== undefined && { cancel: { at: durationText(cancelledAtMs) } }),
    expect: expectationOf(outcome),
  } as JsonObject;
}

/** The time of an input, in the form of a scenario. */
type When = (input: RunToRecord['inputs'][number]) => { at?: string; delay?: string };

const exactly: When = ({ atMs }) => ({ at: durationText(atMs) });

/** In whole seconds: for a step since it became active, for a signal since the start. */
function inSeconds(startedAt: number, path: VisitedPath): When {
  let before = 0;
  return ({ step, atMs, signal }) => {
    const open = path.enteredBy(step, startedAt + atMs);
    const from = signal ? 0 : Math.max(before, open === undefined ? 0 : open - startedAt);
    if (!signal) before = atMs;
    const ms = Math.floor((atMs - from) / 1000) * 1000;
    return ms <= 0 ? {} : { [signal ? 'at' : 'delay']: durationText(ms) };
  };
}

function expectationOf(outcome: Outcome | undefined): JsonObject {
  if (!outcome) return { phase: 'RUNNING' };
  const { phase, error, status, output } = outcome;
  return { phase, ...(error ? { errorCode: error.code } : { status, output }) };
}

/** The scenario of a run with exact times, to replay it. */
function scenarioFrom(run: RunToRecord): Scenario {
  const document = scenarioOf(run);
  return readScenarios(JSON.stringify({ scenarios: { run: document } }), 'run.scenario.json').scenarios[0]!.scenario;
}

/** Plays the text of a scenario and returns the path of the run. */
async function played(text: string, definition: Definition) {
  const path = new VisitedPath();
  const { scenarios, findings } = readScenarios(text, 'run.scenario.yaml');
  const mismatches: Mismatch[] = findings.map(({ message }) => ({ subject: 'scenario', message, line: 1, column: 1 }));
  if (mismatches.length > 0) return { mismatches, calls: [], path };
  const words = withListener(vocabulary, path);
  const runner: ScenarioRunner = { run: (it, scenario) => play(it, scenario, { vocabulary: words }) };
  const { mismatches: found, observation } = await runScenario(definition, scenarios[0]!.scenario, runner);
  return { mismatches: found, calls: observation?.calls ?? [], path };
}

/** Removes expectations of output fields that differ, such as ids and times. Undefined if anything else differs. */
function forget(document: JsonObject, mismatches: readonly Mismatch[]): string[] | undefined {
  const expect = document.expect as JsonObject;
  const { output, ...rest } = expect;
  const fields = mismatches.map(({ subject }) => /^output\.([A-Za-z_$][\w$-]*)/.exec(subject)?.[1]);
  if (!isObject(output) || fields.some((it) => it === undefined)) return undefined;
  const kept = Object.entries(output).filter(([key]) => !fields.includes(key));
  document.expect = { ...rest, ...(kept.length > 0 && { outputIncludes: Object.fromEntries(kept) }) };
  return [...new Set(fields as string[])].map((field) => `output.${field}`);
}

const secret =
  /pass(word|wd|phrase)?$|secret|token|api[-_]?key|authorization|credential|cookie|signature|private[-_]?key|^pin$|card[-_]?number|^cvc$|^iban$/i;
/** Shorter texts are not replaced inside other texts, because they would match by chance. */
const shortestPart = 6;

/** Replaces values that look like secrets by their name; the same secret always gets the same replacement. */
export function redactSecrets<T extends Json>(value: T): { value: T; places: string[] } {
  const standIns = new Map<string, string>();
  const places: string[] = [];
  find(value, '', (text, place) => {
    places.push(place);
    if (!standIns.has(text)) standIns.set(text, `redacted-${standIns.size + 1}`);
  });
  return { value: replaced(value, standIns) as T, places };
}

function find(value: Json, place: string, found: (text: string, place: string) => void): void {
  if (Array.isArray(value)) for (const [i, item] of value.entries()) find(item, `${place}[${i}]`, found);
  else if (isObject(value))
    for (const [key, inner] of Object.entries(value)) {
      const at = place === '' ? key : `${place}.${key}`;
      if (secret.test(key) && typeof inner === 'string' && inner !== '') found(inner, at);
      else find(inner, at, found);
    }
}

function replaced(value: Json, standIns: ReadonlyMap<string, string>): Json {
  return mapStrings(value, (whole) => {
    let text = standIns.get(whole) ?? whole;
    for (const [from, to] of standIns)
      if (from.length >= shortestPart) text = text.replaceAll(from, to).replaceAll(percentEncoded(from), to);
    return text;
  });
}

/** Maps every text in a value. */
function mapStrings(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapStrings(inner, change)]));
}

/** An effect of a recorded run, with its result if it has one. */
export interface AnsweredEffect {
  name: string;
  label: string;
  answer?: Json;
  ms: number;
}

/** The calls of a run with their replies, and its path. */
interface ReplayedRun {
  calls: ScriptedCall[];
  path: VisitedPath;
  /** States that requested an effect in the run, but not in the replay. */
  unasked: string[];
}

/** Replays a run in virtual time, with its inputs at their times and with the recorded results. */
async function replayRun(
  definition: Definition,
  scenario: Scenario,
  answers: readonly AnsweredEffect[],
): Promise<ReplayedRun> {
  const left = answers.filter(({ name }) => scriptOf(name));
  const calls: ScriptedCall[] = [];
  const path = new VisitedPath();
  const perform: PlayOptions['perform'] = (effect) => {
    const script = scriptOf(effect.name);
    if (!script) return undefined;
    const found = (same: (label: string) => boolean) =>
      left.findIndex(({ name, label }) => name === effect.name && same(label));
    const exact = found((label) => label === effect.label);
    const at = exact >= 0 ? exact : found((label) => stateOf(label) === stateOf(effect.label));
    const [{ answer, ms } = { ms: 0 } as AnsweredEffect] = at < 0 ? [] : left.splice(at, 1);
    const { call, reply } = script(effect.input, answer, ms);
    calls.push({ call: { ...call, url: urlAsSent(call.url) }, reply });
    return answer === undefined ? 'never' : { answer, afterMs: ms };
  };
  await play(definition, scenario, { perform, vocabulary: withListener(vocabulary, path) });
  return { calls, path, unasked: left.filter(({ answer }) => answer !== undefined).map(({ label }) => stateOf(label)) };
}

function scriptOf(effect: string) {
  const recorded = effectForm(effect)?.recorded;
  return typeof recorded === 'function' ? recorded : undefined;
}

/** A label starts with the state; the rest is for display and differs between versions. */
function stateOf(label: string): string {
  return label.split(' · ')[0]!;
}

/** The states that a run visits, those of branches and subjourneys included. */
class VisitedPath implements StateListener {
  private readonly visits: { frame: string; state: string; step: string; at: number }[] = [];
  /** Whether it visited states that run branches or items concurrently. */
  sideBySide = false;

  readonly entered: NonNullable<StateListener['entered']> = ({ id, frame, run, state }) => {
    this.visits.push({ frame: frame.id, state: id, step: stepAddress(id, frame.item), at: run.host.now() });
    this.sideBySide ||= runsConcurrently(state);
  };

  /** When a step was last entered, up to an instant. */
  enteredBy(step: string, instant: number): number | undefined {
    return this.visits.findLast((visit) => visit.step === step && visit.at <= instant)?.at;
  }

  /** Where another path diverges from this one. The order of concurrent branches does not matter. */
  differences(other: VisitedPath): string[] {
    const [mine, its] = [this.byFrame(), other.byFrame()];
    return [...new Set([...mine.keys(), ...its.keys()])].flatMap((frame) => {
      const [was, is] = [mine.get(frame) ?? [], its.get(frame) ?? []].map((states) => states.join(' → ') || 'nothing');
      return was === is ? [] : [`${frame === '' ? '' : `in ${frame} `}the run took ${was}, the scenario takes ${is}`];
    });
  }

  private byFrame(): Map<string, string[]> {
    const frames = new Map<string, string[]>();
    for (const { frame, state } of this.visits) {
      const states = frames.get(frame) ?? [];
      states.push(state);
      frames.set(frame, states);
    }
    return frames;
  }
}
