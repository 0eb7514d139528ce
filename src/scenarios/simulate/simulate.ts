import { didYouMean } from '../../base/document/did-you-mean.js';
import type { Json, JsonObject } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import type { Definition, State } from '../../engine/definition/definition.js';
import { vocabulary } from '../../language/state-types-and-task-kinds.js';
import { allStates } from '../../language/states/graph-traversal.js';
import { nextStates } from '../../language/states/state-queries.js';
import type { Reply } from '../../language/tasks/task-kind.js';
import type { Scenario } from '../scenario.js';
import type { Observation, ScenarioProblem } from '../scenario-observation.js';
import type { RecordedCall } from '../scripted-backend.js';
import type { Simulation } from '../virtual/simulation.js';
import { withListener } from '../virtual/state-listener.js';
import { play } from '../virtual/virtual-runner.js';
import { validSample } from './schema-samples.js';
import { shortJson, Timeline, type TimelineEvent } from './timeline.js';

/** A decision about a waiting step: submit a payload, let time pass, or end the run. */
export type StepDecision = { submit: Json } | 'wait' | 'cancel';

/** Answers for calls and steps that the script does not cover: a person's, or samples of schemas. */
export interface AnswerSource {
  call(call: RecordedCall, sample: Reply | undefined): Promise<Reply | undefined>;
  step(
    step: string,
    schema: Json,
    sample: Json | undefined,
    dueAt: number | undefined,
  ): Promise<StepDecision | undefined>;
}

export interface SimulateOptions {
  /** Without it the scenario is played as by a test: calls and steps that it does not cover get no answer. */
  answers?: AnswerSource;
  /** Responses of operations, from OpenAPI documents. */
  sampleAnswer: (operation: string) => Reply | undefined;
  heard?: (event: TimelineEvent) => void;
  /** Run this state alone, from this context; every exit is the end. */
  alone?: { context: JsonObject; ends: ReadonlySet<State> };
}

/** Answers that were given without a script, to be written as one. */
export interface GivenAnswers {
  calls: { call: RecordedCall; reply: Reply }[];
  steps: { step: string; payload: Json; atMs: number }[];
}

export interface Simulated {
  observation: Observation;
  events: TimelineEvent[];
  given: GivenAnswers;
  /** Calls and steps without an answer. */
  missing: ScenarioProblem[];
}

/** Maximum number of sample submissions to one step, to leave loops. */
const mostRepeats = 25;

/** Answers with samples of schemas. */
export const schemaAnswers: AnswerSource = {
  call: async (_, sample) => sample,
  step: async (_, __, sample) => (sample === undefined ? undefined : { submit: sample }),
};

/** Answers calls with samples of schemas, and lets every step wait. */
export const idleAnswers: AnswerSource = { ...schemaAnswers, step: async () => 'wait' };

/** Plays one run in virtual time and records its events. */
export async function simulate(
  definition: Definition,
  scenario: Scenario,
  options: SimulateOptions,
): Promise<Simulated> {
  const { answers, alone } = options;
  const given: GivenAnswers = { calls: [], steps: [] };
  const missing: ScenarioProblem[] = [];
  const timeline = new Timeline(scenario.now, options.heard, alone?.ends);
  const add = (trouble: ScenarioProblem) => {
    if (!missing.some(({ message }) => message === trouble.message)) missing.push(trouble);
  };
  const submitted = new Map<string, number>();

  const otherwise =
    (source: AnswerSource) =>
    async (call: RecordedCall): Promise<Reply | undefined> => {
      const sample = call.operation === undefined ? undefined : options.sampleAnswer(call.operation);
      const reply = await source.call(call, sample);
      if (reply) given.calls.push({ call, reply });
      else add(missingCall(call));
      return reply;
    };

  const atRest =
    (source: AnswerSource) =>
    async (simulation: Simulation): Promise<boolean> => {
      for (const { id, schema, dueAt } of simulation.waiting) {
        const answer = await source.step(id, schema, validSample(schema), dueAt);
        if (answer === 'wait') continue;
        const count = (submitted.get(id) ?? 0) + 1;
        submitted.set(id, count);
        // A user may continue for as long as they like.
        if (answer === undefined || (count > mostRepeats && source === schemaAnswers)) {
          const why = answer ? `it was submitted ${mostRepeats} times` : 'no sample can be derived from its schema';
          add({ message: `Nothing is submitted to ${id}: ${why}.`, hint: `Script it under steps: step: ${id}.` });
          continue;
        }
        if (answer === 'cancel') {
          timeline.input(id, 'cancelled', simulation.now);
          simulation.cancel();
          return true;
        }
        const { refused } = simulation.submit(id, answer.submit)();
        const said = refused
          ? `rejected: ${refused.code} ${refused.detail ?? ''}`
          : `submitted ${shortJson(answer.submit)}`;
        timeline.input(id, said, simulation.now);
        if (!refused)
          given.steps.push({ step: id, payload: answer.submit, atMs: simulation.now - simulation.startedAt });
        return true;
      }
      return false;
    };

  const observation = await play(definition, scenario, {
    vocabulary: withListener(vocabulary, timeline),
    ...(answers && { otherwise: otherwise(answers), atRest: atRest(answers) }),
    performed: (effect, answer, made, at) => timeline.performed(effect, answer, made, at),
    ...(alone && { alone: { context: alone.context } }),
  });
  return {
    observation,
    events: timeline.events,
    given,
    missing: [...missing, ...(answers ? others(observation) : observation.problems)],
  };
}

/** Problems of the scenario itself; calls without an answer have their own message. */
function others({ problems }: Observation): ScenarioProblem[] {
  return problems.filter(({ message }) => !message.startsWith('No reply is scripted'));
}

function missingCall({ method, url, operation }: RecordedCall): ScenarioProblem {
  const rule = operation === undefined ? `call: ${method} ${url}` : `operation: ${operation}`;
  const why =
    operation === undefined
      ? 'no script and no OpenAPI document'
      : 'no script, and no response in its OpenAPI document';
  return {
    message: `There is no reply for ${method} ${url}: ${why}. It was answered with 404.`,
    hint: `Script it under backend: - { ${rule}, reply: { status: 200, body: {} } }.`,
  };
}

/** Returns a journey that consists of one of its states; every exit is an end. */
export function singleState(
  definition: Definition,
  wanted: string,
): { definition: Definition; ends: ReadonlySet<State> } {
  const all = [...allStates(definition)];
  const found = all.filter(({ id, pointer }) => pointer === wanted || id === wanted);
  const [one] = found;
  if (!one) {
    const hint = didYouMean(wanted, new Set(all.map(({ id }) => id)));
    refuse('STATE_UNKNOWN', `${definition.name} has no state '${wanted}'.`, hint === undefined ? {} : { hint });
  }
  const own = found.find(({ pointer }) => pointer.startsWith('/spec/states/') && pointer.split('/').length === 4);
  if (found.length > 1 && !own)
    refuse('STATE_UNKNOWN', `${definition.name} has ${found.length} states '${wanted}'.`, {
      hint: `Select one by its pointer: ${found.map(({ pointer }) => pointer).join(', ')}.`,
    });
  const { id, state } = own ?? one!;
  const { compensation: _, input: __, output: ___, ...rest } = definition;
  const ends = Object.fromEntries(
    nextStates(state)
      .filter((next) => next !== id)
      .map((next) => [next, { type: 'succeed' } as State]),
  );
  // The other states are kept, because runs of a schedule that the state creates start there.
  const states = { ...definition.states, [id]: state, ...ends };
  return { definition: { ...rest, start: id, states, outcomes: [] }, ends: new Set(Object.values(ends)) };
}
