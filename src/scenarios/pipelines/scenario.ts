import type { LineColumn } from '../../document/positions.js';
import type { Json, JsonObject } from '../../json/value.js';
import type { PipelineDefinition } from '../../pipelines/definition.js';
import type { Resolution } from '../../pipelines/message.js';
import type { Duration } from '../../time/duration.js';
import type { BackendRule } from '../backend.js';
import type { ScenarioReport } from '../run-scenario.js';
import type { Expectation } from '../scenario.js';

/** One scenario of a pipeline: what happens to it, one thing after the other, and what must come of it. */
export interface PipelineScenario {
  name: string;
  /** JSON pointer of the scenario in its file. */
  pointer: string;
  /** Configuration of the handlers' journeys, by the journey's name. */
  config: JsonObject;
  environment: string;
  now: number;
  seed: number;
  backend: BackendRule[];
  /** Left out where it is played on a real server. */
  virtualOnly: boolean;
  happens: Happening[];
  /** Calls of all handlers. */
  calls: Pick<Expectation, 'calls' | 'callsInAnyOrder'>;
  /** Parts of what is seen in the end. */
  expect: JsonObject;
  /** Where a part of the scenario stands in its file. */
  place(pointer: string): LineColumn;
}

/** One thing that happens, and what must come of it. */
export interface Happening {
  pointer: string;
  action?: Action;
  /** The code that answers the action. */
  code?: string;
  /** Parts of what is seen after it. */
  expect?: JsonObject;
}

export type Action =
  | { type: 'publish'; topic: string; id: string; payload: Json }
  | { type: 'advance'; by: Duration }
  | { type: 'trigger'; handler: string }
  | { type: 'pause' }
  | { type: 'resume' }
  /** Decides about the oldest suspended run of a handler. */
  | { type: 'resolve'; handler: string; how: Resolution };

/** Where scenarios of pipelines run: in virtual time, or on a real server. */
export interface PipelineRunner {
  run(definition: PipelineDefinition, scenario: PipelineScenario): Promise<ScenarioReport>;
}
