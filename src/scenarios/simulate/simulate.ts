import type { Definition, State } from '../../definition/definition.js';
import type { Json, JsonObject } from '../../json/value.js';
import { validate } from '../../json-schema/validate.js';
import { vocabulary } from '../../language/vocabulary.js';
import type { Reply } from '../../tasks/virtual.js';
import type { RecordedCall } from '../backend.js';
import type { Observation, Trouble } from '../observation.js';
import type { Scenario } from '../scenario.js';
import { listening } from '../virtual/listening.js';
import { play } from '../virtual/runner.js';
import type { Simulation } from '../virtual/simulation.js';
import { sampleOf } from './sample.js';
import { short, Timeline, type TimelineEvent } from './timeline.js';

/** What somebody does about a step: submit a payload, let time pass, or end the run. */
export type StepAnswer = { submit: Json } | 'wait' | 'cancel';

/** Who answers what the script does not: a person, or what schemas say. */
export interface Answers {
  call(call: RecordedCall, sample: Reply | undefined): Promise<Reply | undefined>;
  step(
    step: string,
    schema: Json,
    sample: Json | undefined,
    dueAt: number | undefined,
  ): Promise<StepAnswer | undefined>;
}

export interface SimulateOptions {
  answers: Answers;
  /** What OpenAPI documents say that an operation answers. */
  sampleAnswer: (operation: string) => Reply | undefined;
  heard?: (event: TimelineEvent) => void;
  /** Run this state alone, from this context; wherever it leads is the end. */
  alone?: { context: JsonObject; ends: ReadonlySet<State> };
}

/** What was answered without a script, so that it can be written down as one. */
export interface Given {
  calls: { call: RecordedCall; reply: Reply }[];
  steps: { step: string; payload: Json; atMs: number }[];
}

export interface Simulated {
  observation: Observation;
  events: TimelineEvent[];
  given: Given;
  /** What nobody could answer. */
  missing: Trouble[];
}

/** The same step is submitted so often from a schema at most: a loop that it does not leave is no use to anybody. */
const mostRepeats = 25;

/** A value that a schema describes and accepts. */
export function validSample(schema: Json): Json | undefined {
  const sample = sampleOf(schema) ?? {};
  return validate(schema, sample).length === 0 ? sample : undefined;
}

/** Answers with what schemas say. */
export const fromSchemas: Answers = {
  call: async (_, sample) => sample,
  step: async (_, __, sample) => (sample === undefined ? undefined : { submit: sample }),
};

/** Answers calls with what schemas say, and lets every step wait. */
export const nobody: Answers = { ...fromSchemas, step: async () => 'wait' };

/** Plays one run in virtual time and writes down what happens. */
export async function simulate(
  definition: Definition,
  scenario: Scenario,
  options: SimulateOptions,
): Promise<Simulated> {
  const { answers, alone } = options;
  const given: Given = { calls: [], steps: [] };
  const missing: Trouble[] = [];
  const timeline = new Timeline(scenario.now, options.heard, alone?.ends);
  const add = (trouble: Trouble) => {
    if (!missing.some(({ message }) => message === trouble.message)) missing.push(trouble);
  };
  const submitted = new Map<string, number>();

  const otherwise = async (call: RecordedCall): Promise<Reply | undefined> => {
    const sample = call.operation === undefined ? undefined : options.sampleAnswer(call.operation);
    const reply = await answers.call(call, sample);
    if (reply) given.calls.push({ call, reply });
    else add(missingCall(call));
    return reply;
  };

  const atRest = async (simulation: Simulation): Promise<boolean> => {
    for (const { id, schema, dueAt } of simulation.waiting) {
      const answer = await answers.step(id, schema, validSample(schema), dueAt);
      if (answer === 'wait') continue;
      const count = (submitted.get(id) ?? 0) + 1;
      submitted.set(id, count);
      // A person may go on for as long as they like.
      if (answer === undefined || (count > mostRepeats && answers === fromSchemas)) {
        const why = answer ? `it was submitted ${mostRepeats} times` : 'its schema gives no sample';
        add({ message: `Nothing is submitted to ${id}: ${why}.`, hint: `Script it under steps: step: ${id}.` });
        continue;
      }
      if (answer === 'cancel') {
        timeline.input(id, 'cancelled', simulation.now);
        simulation.cancel();
        return true;
      }
      const { refused } = simulation.submit(id, answer.submit)();
      const said = refused ? `refused: ${refused.code} ${refused.detail ?? ''}` : `submitted ${short(answer.submit)}`;
      timeline.input(id, said, simulation.now);
      if (!refused) given.steps.push({ step: id, payload: answer.submit, atMs: simulation.now - simulation.startedAt });
      return true;
    }
    return false;
  };

  const observation = await play(definition, scenario, {
    vocabulary: listening(vocabulary, timeline),
    otherwise,
    atRest,
    performed: (effect, answer, made, at) => timeline.performed(effect, answer, made, at),
    ...(alone && { alone: { context: alone.context } }),
  });
  return { observation, events: timeline.events, given, missing: [...missing, ...others(observation)] };
}

/** Troubles of the scenario itself; calls without an answer are told in words of their own. */
function others({ troubles }: Observation): Trouble[] {
  return troubles.filter(({ message }) => !message.startsWith('No reply is scripted'));
}

function missingCall({ method, url, operation }: RecordedCall): Trouble {
  const rule = operation === undefined ? `call: ${method} ${url}` : `operation: ${operation}`;
  const why =
    operation === undefined
      ? 'no script and no OpenAPI document'
      : 'no script, and no response in its OpenAPI document';
  return {
    message: `Nothing says what ${method} ${url} answers: ${why}; it got 404.`,
    hint: `Script it under backend: - { ${rule}, reply: { status: 200, body: {} } }.`,
  };
}
