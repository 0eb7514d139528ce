import type { LineColumn } from '../../base/document/source-positions.js';
import type { Json, JsonObject } from '../../base/json/value.js';
import type { Duration } from '../../base/time/duration.js';
import type { PipelineDefinition } from '../../pipelines/definition.js';
import type { Resolution } from '../../pipelines/messages-and-effects.js';
import type { ScenarioReport } from '../run-scenario.js';
import type { Expectation } from '../scenario.js';
import type { BackendRule } from '../scripted-backend.js';

/** One scenario of a pipeline: actions in order, and expected results. */
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
  /** Skipped on a real server. */
  virtualOnly: boolean;
  steps: PipelineStep[];
  /** Calls of all handlers. */
  calls: Pick<Expectation, 'calls' | 'callsInAnyOrder'>;
  /** Expected state at the end, in part. */
  expect: JsonObject;
  /** The position of a part of the scenario in its file. */
  place(pointer: string): LineColumn;
}

/** One action and its expected result. */
export interface PipelineStep {
  pointer: string;
  action?: PipelineAction;
  /** The expected answer to the action. */
  code?: string;
  /** Expected state after the action, in part. */
  expect?: JsonObject;
}

export type PipelineAction =
  | { type: 'publish'; topic: string; id: string; payload: Json }
  | { type: 'advance'; by: Duration }
  | { type: 'trigger'; handler: string }
  | { type: 'pause' }
  | { type: 'resume' }
  /** Resolves the oldest suspended run of a handler. */
  | { type: 'resolve'; handler: string; how: Resolution };

/** Where scenarios of pipelines run: in virtual time, or on a real server. */
export interface PipelineRunner {
  run(definition: PipelineDefinition, scenario: PipelineScenario): Promise<ScenarioReport>;
}
