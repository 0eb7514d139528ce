import type { Client } from '@temporalio/client';
import type { HttpActivity } from '../../activities/http-call/http.js';
import { createChannels } from '../channels/channels.js';
import type { Config } from '../config/config.js';
import { unsupportedFeatures } from '../language/not-yet.js';
import { type Automation, createAutomation } from '../service/automation.js';
import type { Channels } from '../service/channels.js';
import { channelPostFunction } from '../service/functions/channel-post.js';
import { sayFunction } from '../service/functions/say.js';
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
  /** How channels are reached. */
  readonly http: HttpActivity;
}

/** Automation with what it is connected to. */
export interface ConnectedAutomation extends Automation {
  readonly jobs: TemporalJobs;
  readonly channels: Channels;
}

/** Jobs and everything around them on Temporal, as configured: the same for a gateway, a worker and a terminal. */
export function automationOf({ config, library, client, log, http }: AutomationOptions): ConnectedAutomation {
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
  const channels = createChannels(config.channelProfiles, http);
  automation.functions.register(
    sayFunction({ ...automation, library, channels }),
    channelPostFunction(channels, orchestrators),
  );
  return { ...automation, jobs, channels };
}
