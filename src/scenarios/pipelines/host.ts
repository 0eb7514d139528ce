import type { JsonObject } from '../../json/value.js';
import type { Answer } from '../../pipelines/message.js';
import type { ScriptedBackend } from '../backend.js';
import type { Trouble } from '../observation.js';
import type { Action } from './scenario.js';

/** Where the scenario of a pipeline happens: in virtual time, or on a real server. */
export interface PipelineHost {
  readonly backend: ScriptedBackend;
  /** What went wrong with the scenario itself. */
  readonly troubles: readonly Trouble[];
  /** Does what the scenario says, and lets everything happen that takes no time. Only time that passes has no answer. */
  act(action: Action): Promise<Answer | undefined>;
  /** Everything that can be expected of the pipeline. */
  seen(): JsonObject;
}
