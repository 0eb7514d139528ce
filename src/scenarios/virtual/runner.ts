import type { Definition } from '../../definition/definition.js';
import type { Effect } from '../../engine/host.js';
import type { Vocabulary } from '../../engine/vocabulary.js';
import { emptyObject, type Json, type JsonObject } from '../../json/value.js';
import type { Reply } from '../../tasks/virtual.js';
import { type RecordedCall, ScriptedBackend } from '../backend.js';
import type { Observation, ScenarioRunner } from '../observation.js';
import type { Scenario } from '../scenario.js';
import { prepareStart } from '../start.js';
import { bindingMetadata } from './bindings.js';
import { VirtualClock } from './clock.js';
import { VirtualEffects } from './effects.js';
import { Play } from './play.js';
import { VirtualRequests } from './requests.js';
import { Simulation } from './simulation.js';

/** What else plays along in virtual time. */
export interface PlayOptions {
  /** What runs the states, where somebody listens. */
  vocabulary?: Vocabulary;
  /** Answers calls that no rule of the scenario matches, if it can. */
  otherwise?: (call: RecordedCall) => Promise<Reply | undefined>;
  /** Answers effects in place of virtual time, where it knows what becomes of them. */
  perform?: (effect: Effect) => { answer: Json; afterMs: number } | 'never' | undefined;
  /** Hears of each effect and of its answer. */
  performed?: (effect: Effect, answer: Json, calls: RecordedCall[], now: number) => void;
  /** Called when the run rests at steps that the scenario submits nothing to; true when it did something about it. */
  atRest?: (simulation: Simulation) => Promise<boolean>;
  /** Start with this context as it is, in place of the scenario's input: nothing is checked. */
  alone?: { context: JsonObject };
}

/** Runs scenarios in virtual time. */
export const virtualRunner: ScenarioRunner = { run: (definition, scenario) => play(definition, scenario) };

/** Plays one scenario in virtual time. */
export async function play(
  definition: Definition,
  scenario: Scenario,
  options: PlayOptions = {},
): Promise<Observation> {
  const prepared = options.alone
    ? { start: { ...bareStart(definition, scenario), body: options.alone.context } }
    : prepareStart(definition, scenario);
  if ('refused' in prepared) return { refused: prepared.refused, calls: [], answers: [], troubles: [] };
  const { body, config, tags, attributes, headers } = prepared.start;
  const clock = new VirtualClock(scenario.now);
  const backend = new ScriptedBackend(scenario.backend, options.otherwise);
  const requests = new VirtualRequests();
  const { query, certificate, plugins, environment, seed } = scenario;
  const inbound = { headers, query: new URLSearchParams(query), ...(certificate !== undefined && { certificate }) };
  const effects = new VirtualEffects(clock, backend, undefined, { requests, plugins });
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
    metadata: { tags, attributes },
    info: { environment, config, ...(headers.traceparent !== undefined && { traceparent: headers.traceparent }) },
  });
  const { atRest } = options;
  const crashed = () => [...scheduled].find(({ crash }) => crash !== undefined)?.crash;
  const { bindings } = effects;
  const played = { scenario, simulation, clock, backend, requests, bindings, crashed, ...(atRest && { atRest }) };
  return await new Play(played).toObservation();
}

/** A start that nothing is checked for: the context is given as it is. */
function bareStart(definition: Definition, { headers, config }: Scenario) {
  return { headers, config, tags: definition.tags, attributes: emptyObject() };
}

/** Effects with somebody who hears of them, or answers in their place. */
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
