import { copy, emptyObject, type Json, type JsonObject } from '../../base/json/value.js';
import { type Problem, ProblemError, problem } from '../../base/problems/problem.js';
import type { AuthPlugins } from '../../config/config-types.js';
import type { Definition } from '../../engine/definition/definition.js';
import { keyedRunId } from '../../engine/definition/keyed-run-id.js';
import type { Effect } from '../../engine/host.js';
import type { Vocabulary } from '../../engine/runner-interfaces.js';
import type { Effects } from '../../language/tasks/effect-interface.js';
import type { Reply } from '../../language/tasks/task-kind.js';
import { apiMethod, parametersFrom } from '../../service/apis-interface.js';
import { declaredConfig } from '../../service/check-platform-config.js';
import { runKeyOf } from '../../service/keys/evaluate-run-key.js';
import { deliveryOf, findHook } from '../../service/keys/incoming-hook-deliveries.js';
import type { InputChecks } from '../../service/start/input-checks.js';
import { type PreparedStart, StartPreparation } from '../../service/start/prepare-start.js';
import type { Scenario, StepInput } from '../scenario.js';
import type { Observation } from '../scenario-observation.js';
import { type RecordedCall, ScriptedBackend } from '../scripted-backend.js';
import { Play } from './deliver-scenario-inputs.js';
import { SeededRandom } from './seeded-random.js';
import { Simulation, type SimulationOptions, type VirtualDelivery } from './simulation.js';
import { VirtualClock } from './virtual-clock.js';
import { VirtualEffects, VirtualRequests } from './virtual-effects.js';
import { bindingMetadata } from './virtual-schedules.js';

/** The parts of a play that depend on where it runs. */
export interface PlayPlatform {
  /** Validates the inputs of a definition. */
  inputChecks(definition: Definition): InputChecks;
  /** Checks of credentials, as effects of auth tasks. */
  authEffects(plugins: AuthPlugins, now: () => Date): Effects;
}

/** The start of a scenario's run, or the problem that rejects it, as over HTTP. */
function prepareStart(
  definition: Definition,
  { input, headers, query, config, environment }: Scenario,
  checks: InputChecks,
): { start: PreparedStart } | { refused: Problem } {
  const starts = new StartPreparation({ environment, config: { [definition.name]: config } }, undefined, checks);
  // A GET has no body: its path parameters are in the input, under the fields they are bound to.
  const byGet = definition.kind === 'Api' && apiMethod(definition) === 'GET';
  const body = Object.assign(emptyObject(), byGet ? {} : copy(input));
  const path = parametersFrom(definition, input);
  try {
    return {
      start: starts.prepare({ definition, hash: '' }, { body, headers, path, query: new URLSearchParams(query) }),
    };
  } catch (error) {
    if (error instanceof ProblemError) return { refused: error.problem };
    throw error;
  }
}

/** The start, or the reason why its run cannot have its key. */
async function keyed(
  prepared: ReturnType<typeof prepareStart>,
  { now, seed }: Scenario,
): Promise<typeof prepared & { key?: string | undefined }> {
  if ('refused' in prepared) return prepared;
  try {
    const how = { now, chance: new SeededRandom(seed) };
    return { ...prepared, key: await runKeyOf(prepared.start.definition, prepared.start.body, how) };
  } catch (error) {
    if (error instanceof ProblemError) return { refused: error.problem };
    throw error;
  }
}

/** The deliveries that submissions at fixed URLs are, for a run with this key. */
async function deliveriesOf(
  definition: Definition,
  { steps, now }: Scenario,
  key: string | undefined,
): Promise<Map<StepInput, VirtualDelivery>> {
  const deliveries = new Map<StepInput, VirtualDelivery>();
  for (const input of steps.filter(({ hook }) => hook))
    deliveries.set(input, await virtualDelivery(definition, input, key, now));
  return deliveries;
}

async function virtualDelivery(
  definition: Definition,
  { step, payload, headers, query }: StepInput,
  key: string | undefined,
  now: number,
): Promise<VirtualDelivery> {
  try {
    const hook = findHook({ find: () => ({ definition, hash: '' }) }, definition.name, step);
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const inbound = { headers: lower, query: new URLSearchParams(query) };
    const { id, idempotencyKey } = await deliveryOf(hook, { inbound, payload, body: new Uint8Array() }, { now });
    if (id !== keyedRunId(definition.name, key ?? ''))
      return hook.correlate.input ? { startsAnother: true } : { refused: problem('RUN_UNKNOWN') };
    return idempotencyKey === undefined ? {} : { deliveryId: idempotencyKey };
  } catch (error) {
    if (error instanceof ProblemError) return { refused: error.problem };
    throw error;
  }
}

/** Options of a play in virtual time. */
export interface PlayOptions {
  /** Runs the states; given by listeners. */
  vocabulary?: Vocabulary;
  /** Answers calls that no rule of the scenario matches, if possible. */
  otherwise?: (call: RecordedCall) => Promise<Reply | undefined>;
  /** Returns results of effects instead of virtual time, if known. */
  perform?: (effect: Effect) => { answer: Json; afterMs: number } | 'never' | undefined;
  /** Receives each effect and its answer. */
  performed?: (effect: Effect, answer: Json, calls: RecordedCall[], now: number) => void;
  /** Called when the run waits at steps without a scripted submission; returns true if it acted on the run. */
  atRest?: (simulation: Simulation) => Promise<boolean>;
  /** Asked between states; true lets the run continue as a new execution from its position. */
  wantsContinue?: SimulationOptions['wantsContinue'];
  /** Start with this unchecked context instead of the scenario's input. */
  alone?: { context: JsonObject };
}

/** Plays one scenario in virtual time. */
export async function playOn(
  platform: PlayPlatform,
  definition: Definition,
  scenario: Scenario,
  options: PlayOptions = {},
): Promise<Observation> {
  const prepared = options.alone
    ? { start: { ...bareStart(definition, scenario), body: options.alone.context } }
    : await keyed(prepareStart(definition, scenario, platform.inputChecks(definition)), scenario);
  if ('refused' in prepared) return { refused: prepared.refused, calls: [], answers: [], problems: [] };
  const { body, config, tags, attributes, headers } = prepared.start;
  const clock = new VirtualClock(scenario.now);
  const backend = new ScriptedBackend(scenario.backend, options.otherwise);
  const requests = new VirtualRequests();
  const { query, certificate, plugins, environment, seed } = scenario;
  const inbound = { headers, query: new URLSearchParams(query), ...(certificate !== undefined && { certificate }) };
  const effects = new VirtualEffects(clock, backend, undefined, {
    requests,
    checks: platform.authEffects(plugins, () => new Date(clock.now())),
  });
  const shared = {
    clock,
    effects: options.performed || options.perform ? watched(effects, backend, clock, options) : effects,
    ...(options.vocabulary && { vocabulary: options.vocabulary }),
  };
  const scheduled = new Set<Simulation>();
  if (scenario.until)
    effects.bindings.play((binding, id, ended) => {
      const { request, context } = binding;
      const run: Simulation = new Simulation(definition, context, {
        ...shared,
        seed: seed + binding.runs.length + 1,
        startState: request.startStateId,
        metadata: bindingMetadata(definition, request),
        info: { id, environment, config, scheduled: true },
        ended: (outcome, ends) => {
          scheduled.delete(run);
          ended(outcome, ends);
        },
      });
      scheduled.add(run);
    });
  const simulation = new Simulation(definition, body, {
    ...shared,
    ...(definition.looksAtRequests && { request: requests.keep(inbound, definition.http.start) }),
    seed,
    ...(options.wantsContinue && { wantsContinue: options.wantsContinue }),
    metadata: { tags, attributes },
    info: { environment, config, ...(headers.traceparent !== undefined && { traceparent: headers.traceparent }) },
  });
  const { atRest } = options;
  const crashed = () => [...scheduled].find(({ crash }) => crash !== undefined)?.crash;
  const { bindings } = effects;
  const deliveries = await deliveriesOf(definition, scenario, 'key' in prepared ? prepared.key : undefined);
  const played = {
    scenario,
    simulation,
    clock,
    backend,
    requests,
    bindings,
    deliveries,
    crashed,
    ...(atRest && { atRest }),
  };
  return await new Play(played).toObservation();
}

/** A start without checks: the context is used unchanged. */
function bareStart(definition: Definition, { headers, environment, ...scenario }: Scenario) {
  const config = declaredConfig(definition, { environment, config: { [definition.name]: scenario.config } });
  return { headers, config, tags: definition.tags, attributes: emptyObject() };
}

/** Effects with a listener, which may answer in their place. */
function watched(effects: VirtualEffects, backend: ScriptedBackend, clock: VirtualClock, options: PlayOptions) {
  const perform: VirtualEffects['perform'] = async (effect, stop) => {
    const known = options.perform?.(effect);
    if (known === 'never') return await new Promise<never>(() => undefined);
    if (known) {
      if (known.afterMs > 0) await new Promise<void>((done) => stop(clock.at(clock.now() + known.afterMs, done)));
      return known.answer;
    }
    const before = backend.calls.length;
    const answer = await effects.perform(effect, stop);
    options.performed?.(effect, answer, backend.calls.slice(before), clock.now());
    return answer;
  };
  return { perform };
}
