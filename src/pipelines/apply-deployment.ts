import { copy } from '../base/json/value.js';
import { type Problem, problem } from '../base/problems/problem.js';
import type { HandlerDefinition, PipelineDefinition } from './definition.js';
import type { Answer } from './messages-and-effects.js';
import { done, type Step } from './reducer-step.js';
import { type Consumer, type Handler, type PipelineState, type Producer, reducerVersion } from './state.js';
import { sourceStates } from './topics/deliver-source-records.js';
import { joinsOf } from './topics/join-by-key.js';
import { Topics } from './topics/topic-event-store.js';

export interface Deployment {
  definition: PipelineDefinition;
  hash: string;
  deployer: string;
}

/** The initial state of a pipeline. */
export function newPipeline({ definition, hash, deployer }: Deployment, now: number): PipelineState {
  const topics = new Topics(Object.keys(definition.topics));
  topics.setJoins(joinsOf(definition));
  return {
    version: reducerVersion,
    definition,
    hash,
    deployer,
    deployedAt: now,
    topics,
    sources: sourceStates(definition, {}, now),
    producers: handlers<Producer>(definition.producers, {}),
    consumers: handlers<Consumer>(definition.consumers, {}),
    pauses: [],
    suspended: [],
    retries: [],
    runs: [],
    runBytes: 0,
    counts: { begun: 0, prepares: 0, committed: 0, failed: 0, suspended: 0 },
  };
}

/** Applies a document: at once, or after the active run. */
export function deploy(step: Step, deployment: Deployment): Answer {
  const { state } = step;
  const wrong = deploymentFault(state, deployment.definition);
  if (wrong) return { ok: false, problem: wrong };
  const removed = state.pauses.some(({ reason }) => reason === 'removed');
  state.pauses = state.pauses.filter(({ reason }) => reason !== 'removed');
  delete state.refused;
  delete state.next;
  if (deployment.hash === state.hash) {
    state.deployer = deployment.deployer;
    return done(removed ? 'done' : 'unchanged');
  }
  if (state.active) {
    state.next = deployment;
    return done('waiting');
  }
  apply(step, deployment);
  return done('done');
}

/** Applies the document that waited for the active run. */
export function applyNext(step: Step): void {
  const { state, now } = step;
  const next = state.next!;
  delete state.next;
  const wrong = deploymentFault(state, next.definition);
  if (wrong) state.refused = { hash: next.hash, at: now, problem: wrong };
  else apply(step, next);
}

/** Pauses a pipeline whose document was removed, if that deployer deployed it last. */
export function remove({ state, now }: Step, deployer: string): Answer {
  const paused = state.pauses.some(({ reason }) => reason === 'removed');
  if (deployer !== state.deployer || paused) return done('unchanged');
  state.pauses.push({ reason: 'removed', at: now });
  return done('done');
}

function apply({ state, now }: Step, { definition, hash, deployer }: Deployment): void {
  for (const topic of state.topics.names) if (!Object.hasOwn(definition.topics, topic)) state.topics.close(topic);
  for (const topic of Object.keys(definition.topics)) state.topics.open(topic);
  state.topics.setJoins(joinsOf(definition));
  const { sources } = state;
  state.sources = sourceStates(definition, sources, now);
  // Another source has other records.
  state.pauses = state.pauses.filter(({ source }) => !source || state.sources[source.topic] === sources[source.topic]);
  state.producers = handlers<Producer>(definition.producers, state.producers);
  state.consumers = handlers<Consumer>(definition.consumers, state.consumers);
  // The change may concern the reason of a sleep.
  for (const consumer of Object.values(state.consumers)) delete consumer.sleep;
  Object.assign(state, { definition, hash, deployer, deployedAt: now });
}

/** The reason why a document cannot replace the current one. */
function deploymentFault(state: PipelineState, definition: PipelineDefinition): Problem | undefined {
  for (const topic of state.topics.names) {
    const size = state.topics.size(topic);
    if (size > 0 && !Object.hasOwn(definition.topics, topic))
      return problem(
        'PIPELINE_TOPIC_IN_USE',
        `The document drops the topic ${topic}, in which ${size === 1 ? 'an event waits' : `${size} events wait`}.`,
      );
  }
  for (const { handler } of [...state.suspended, ...state.retries]) {
    const same = Object.hasOwn(state.consumers, handler) ? definition.consumers : definition.producers;
    if (!Object.hasOwn(same, handler))
      return problem('PIPELINE_HANDLER_IN_USE', `The document drops ${handler}, which has a suspended run.`);
  }
  return undefined;
}

/** Handlers with the same name keep their state. */
function handlers<H extends Handler>(
  definitions: Record<string, HandlerDefinition>,
  before: Record<string, H>,
): Record<string, H> {
  const all = Object.create(null) as Record<string, H>;
  for (const [name, { state }] of Object.entries(definitions))
    all[name] = Object.hasOwn(before, name) ? before[name]! : ({ state: copy(state) } as H);
  return all;
}
