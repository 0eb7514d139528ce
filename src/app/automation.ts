import type { Client } from '@temporalio/client';
import type { Config } from '../config/config.js';
import { unsupportedFeatures } from '../language/not-yet.js';
import { type Automation, createAutomation } from '../service/automation.js';
import type { Library } from '../service/library.js';
import { orchestratorsOf } from '../service/orchestrators.js';
import { Starts } from '../service/start.js';
import { TemporalDispatcher } from '../temporal/jobs/dispatcher.js';
import { TemporalJobs } from '../temporal/jobs/jobs.js';
import { TemporalRuns } from '../temporal/runs.js';
import { type AuditLog, FileAudit } from './audit.js';

/** What automation on Temporal is built on. */
export interface AutomationOptions {
  readonly config: Config;
  readonly library: Library;
  readonly client: Client;
  readonly log: AuditLog;
}

/** Jobs and everything around them on Temporal, as configured: the same for a gateway, a worker and a terminal. */
export function automationOf({ config, library, client, log }: AutomationOptions): Automation & { jobs: TemporalJobs } {
  const orchestrators = orchestratorsOf(config);
  const jobs = new TemporalJobs(client, config);
  const automation = createAutomation({
    library,
    starts: new Starts(config.platform, unsupportedFeatures),
    orchestrators,
    jobs,
    dispatcher: new TemporalDispatcher(client, config),
    runs: new TemporalRuns(client, config),
    audit: new FileAudit(orchestrators, log),
  });
  return { ...automation, jobs };
}
