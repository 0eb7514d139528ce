import type { Client } from '@temporalio/client';
import type { Config } from '../config/config-types.js';
import { type Automation, createAutomation } from '../service/job-automation.js';
import type { Dispatcher, Jobs } from '../service/jobs-interface.js';
import type { KeptRequests } from '../service/kept-request-store.js';
import type { Library } from '../service/library-interface.js';
import { orchestratorsOf } from '../service/orchestrators.js';
import { Starts } from '../service/prepare-start-with-ajv.js';
import type { Runs } from '../service/runs-interface.js';
import { TemporalRuns } from '../temporal/runs/temporal-runs.js';
import { TemporalDispatcher } from '../temporal/schedules/jobs/temporal-dispatcher.js';
import { TemporalJobs } from '../temporal/schedules/jobs/temporal-jobs.js';
import { type AuditLog, FileAudit } from './telemetry/audit-file.js';

/** The ports to jobs and runs. */
export interface AutomationPorts {
  readonly jobs: Jobs;
  readonly dispatcher: Dispatcher;
  readonly runs: Pick<Runs, 'submit'>;
}

/** Creates the automation service of a configuration. */
export function automationFor(config: Config, library: Library, log: AuditLog, ports: AutomationPorts): Automation {
  const orchestrators = orchestratorsOf(config);
  return createAutomation({
    ...ports,
    library,
    starts: new Starts(config.platform, config.limits.metadata),
    orchestrators,
    audit: new FileAudit(orchestrators, log),
  });
}

/** The ports to jobs, queues of orchestrators and runs on Temporal. */
export function temporalJobPorts(client: Client, config: Config, requests?: KeptRequests) {
  return {
    jobs: new TemporalJobs(client, config),
    dispatcher: new TemporalDispatcher(client, config),
    runs: new TemporalRuns(client, config, requests),
  };
}
