import type { JsonObject } from '../../../base/json/value.js';
import { ProblemError } from '../../../base/problems/problem.js';
import { journeySchema } from '../../../language/schema/journey-schema.js';
import { scenarioSchema } from '../../../scenarios/read/scenario-schema.js';
import { addSubmission } from './add-submission-to-scenario.js';
import { check } from './check-documents.js';
import { evaluate, expressionAt } from './evaluate.js';
import { example, exampleNames } from './examples.js';
import { playDocuments } from './play.js';
import { describeAt, suggest } from './suggest.js';
import type { Requests, TextPlace } from './worker-protocol.js';

type Handlers = {
  [K in keyof Requests]: (ask: Requests[K]['ask']) => Requests[K]['answer'] | Promise<Requests[K]['answer']>;
};

/** The schema of one scenario, without its name. */
const scriptSchema = { ...(scenarioSchema as JsonObject), properties: {}, $ref: '#/$defs/scenario' };

const schemaOf = ({ document }: TextPlace) => (document === 'journey' ? journeySchema : scriptSchema);

const handlers: Handlers = {
  examples: () => exampleNames(),
  example: (name) => example(name),
  check,
  play: playDocuments,
  evaluate,
  addSubmission,
  expressionAt,
  complete: (place) => suggest(schemaOf(place), place.text, place.offset),
  describe: (place) => describeAt(schemaOf(place), place.text, place.offset),
};

/** A question of the page. */
export interface WorkerQuestion {
  readonly id: number;
  readonly name: keyof Requests;
  readonly ask: never;
}

self.addEventListener('message', async ({ data }: MessageEvent<WorkerQuestion>) => {
  const { id, name, ask } = data;
  try {
    self.postMessage({ id, answer: await handlers[name](ask) });
  } catch (error) {
    const problem = error instanceof ProblemError ? error.problem : undefined;
    self.postMessage({ id, failed: problem?.detail ?? problem?.title ?? (error as Error).message });
  }
});
