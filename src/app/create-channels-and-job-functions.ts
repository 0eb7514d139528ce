import type { HttpClient } from '../../activities/http-call/http-client.js';
import type { Config } from '../config/config-types.js';
import { createChannels } from '../gateway/channels/create-channels.js';
import type { Channels } from '../service/channel-interface.js';
import { channelPostFunction } from '../service/functions/channel-post-function.js';
import { sayFunction } from '../service/functions/plain-english-function.js';
import type { Automation } from '../service/job-automation.js';

/** Creates the configured channels and registers the functions that use them. */
export function connectChannels(config: Config, http: HttpClient, automation: Automation): Channels {
  const channels = createChannels(config.channelProfiles, http);
  const { functions, orchestrators, targets } = automation;
  functions.register(
    sayFunction({ ...automation, library: targets.library, channels }),
    channelPostFunction(channels, orchestrators),
  );
  return channels;
}
