import type { Client } from '@temporalio/client';
import type { AuthPlugins } from '../../config/config.js';
import type { Definition } from '../../definition/definition.js';
import type { JsonObject } from '../../json/value.js';

/** What one scenario needs from the stack. */
export interface StackScenario {
  definition: Definition;
  config: JsonObject;
  environment: string;
  /** Profiles of auth tasks. */
  plugins: AuthPlugins;
  /** The header in which its gateway takes a caller's certificate, as behind a proxy. */
  certificateHeader: string;
  /** Origin → origin, for its calls. */
  rewrite: Record<string, string>;
}

/** A gateway that serves one journey. */
export interface ScenarioGateway {
  url: string;
  close(): Promise<void>;
}

/** A Temporal server with a worker, and a gateway for each scenario. */
export interface Stack {
  readonly client: Client;
  serve(scenario: StackScenario): Promise<ScenarioGateway>;
}
