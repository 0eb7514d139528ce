import type { Config } from '../config/config.js';
import { unsupportedFeatures } from '../language/not-yet.js';
import { refuse } from '../problems/problem.js';
import { type Automation, createAutomation } from '../service/automation.js';
import type { Dispatcher, Jobs } from '../service/jobs.js';
import type { Library } from '../service/library.js';
import { orchestratorsOf } from '../service/orchestrators.js';
import type { Runs } from '../service/runs.js';
import { Starts } from '../service/start.js';
import { type AuditLog, FileAudit } from './audit.js';

/** Where jobs and runs of this process are. */
export interface AutomationPorts {
  readonly jobs: Jobs;
  readonly dispatcher: Dispatcher;
  readonly runs: Pick<Runs, 'submit'>;
}

/** Jobs and everything around them, as configured. */
export function automationOf(config: Config, library: Library, log: AuditLog, ports: AutomationPorts): Automation {
  const orchestrators = orchestratorsOf(config);
  return createAutomation({
    ...ports,
    library,
    starts: new Starts(config.platform, unsupportedFeatures),
    orchestrators,
    audit: new FileAudit(orchestrators, log),
  });
}

const refused = new Proxy({}, { get: () => async () => refuse('NOT_YET_SUPPORTED', 'Jobs do not run yet.') });

/** Stands in for jobs on Temporal until they are there. */
export const notYet = { jobs: refused as Jobs, dispatcher: refused as Dispatcher };
