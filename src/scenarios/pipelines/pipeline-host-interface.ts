import type { JsonObject } from '../../base/json/value.js';
import type { Answer } from '../../pipelines/messages-and-effects.js';
import type { ScenarioProblem } from '../scenario-observation.js';
import type { ScriptedBackend } from '../scripted-backend.js';
import type { PipelineAction } from './pipeline-scenario.js';

/** Where the scenario of a pipeline is played: in virtual time, or on a real server. */
export interface PipelineHost {
  readonly backend: ScriptedBackend;
  /** Problems with the scenario itself. */
  readonly problems: readonly ScenarioProblem[];
  /** Performs an action of the scenario and everything that follows from it without delay. Only `advance` has no answer. */
  act(action: PipelineAction): Promise<Answer | undefined>;
  /** The state of the pipeline that scenarios can check. */
  seen(): JsonObject;
}
