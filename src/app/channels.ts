import type { HttpActivity } from '../../activities/http-call/http.js';
import { createChannels } from '../channels/channels.js';
import type { Config } from '../config/config.js';
import type { Automation } from '../service/automation.js';
import type { Channels } from '../service/channels.js';
import { channelPostFunction } from '../service/functions/channel-post.js';
import { sayFunction } from '../service/functions/say.js';

/** The channels of a configuration; the functions that need them are registered with the others. */
export function connectChannels(config: Config, http: HttpActivity, automation: Automation): Channels {
  const channels = createChannels(config.channelProfiles, http);
  const { functions, orchestrators, targets } = automation;
  functions.register(
    sayFunction({ ...automation, library: targets.library, channels }),
    channelPostFunction(channels, orchestrators),
  );
  return channels;
}
