import type { Client } from '@temporalio/client';
import type { Config } from '../config/config.js';
import { type Automation, createAutomation } from '../service/automation.js';
import type { Dispatcher, Jobs } from '../service/jobs.js';
import type { Library } from '../service/library.js';
import { orchestratorsOf } from '../service/orchestrators.js';
import type { KeptRequests } from '../service/requests.js';
import type { Runs } from '../service/runs.js';
import { Starts } from '../service/start.js';
import { TemporalDispatcher } from '../temporal/jobs/dispatcher.js';
import { TemporalJobs } from '../temporal/jobs/jobs.js';
import { TemporalRuns } from '../temporal/runs.js';
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
    starts: new Starts(config.platform, config.limits.metadata),
    orchestrators,
    audit: new FileAudit(orchestrators, log),
  });
}

/** Jobs, orchestrators' queues and runs on Temporal. */
export function portsOn(client: Client, config: Config, requests?: KeptRequests) {
  return {
    jobs: new TemporalJobs(client, config),
    dispatcher: new TemporalDispatcher(client, config),
    runs: new TemporalRuns(client, config, requests),
  };
}
