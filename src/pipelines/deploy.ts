import { copy } from '../json/value.js';
import { type Problem, problem } from '../problems/problem.js';
import type { HandlerDefinition, PipelineDefinition } from './definition.js';
import type { Answer } from './message.js';
import { type Consumer, type Handler, type PipelineState, type Producer, reducerVersion } from './state.js';
import { done, type Step } from './step.js';
import { Topics } from './topics.js';

export interface Deployment {
  definition: PipelineDefinition;
  hash: string;
  deployer: string;
}

/** A pipeline that nothing has happened to. */
export function newPipeline({ definition, hash, deployer }: Deployment, now: number): PipelineState {
  return {
    version: reducerVersion,
    definition,
    hash,
    deployer,
    deployedAt: now,
    topics: new Topics(Object.keys(definition.topics)),
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

/** Takes a document: at once, or after the run that is active. */
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

/** The document that waited for the run that has ended. */
export function applyNext(step: Step): void {
  const { state, now } = step;
  const next = state.next!;
  delete state.next;
  const wrong = deploymentFault(state, next.definition);
  if (wrong) state.refused = { hash: next.hash, at: now, problem: wrong };
  else apply(step, next);
}

/** The document is gone: whoever deployed it pauses the pipeline; others have no say. */
export function remove({ state, now }: Step, deployer: string): Answer {
  const paused = state.pauses.some(({ reason }) => reason === 'removed');
  if (deployer !== state.deployer || paused) return done('unchanged');
  state.pauses.push({ reason: 'removed', at: now });
  return done('done');
}

function apply({ state, now }: Step, { definition, hash, deployer }: Deployment): void {
  for (const topic of state.topics.names) if (!Object.hasOwn(definition.topics, topic)) state.topics.close(topic);
  for (const topic of Object.keys(definition.topics)) state.topics.open(topic);
  state.producers = handlers<Producer>(definition.producers, state.producers);
  state.consumers = handlers<Consumer>(definition.consumers, state.consumers);
  // What made a consumer sleep may be what was changed.
  for (const consumer of Object.values(state.consumers)) delete consumer.sleep;
  Object.assign(state, { definition, hash, deployer, deployedAt: now });
}

/** Why a document cannot take the place of the present one. */
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

/** Handlers keep what they carry as long as their name stays. */
function handlers<H extends Handler>(
  definitions: Record<string, HandlerDefinition>,
  before: Record<string, H>,
): Record<string, H> {
  const all = Object.create(null) as Record<string, H>;
  for (const [name, { state }] of Object.entries(definitions))
    all[name] = Object.hasOwn(before, name) ? before[name]! : ({ state: copy(state) } as H);
  return all;
}
