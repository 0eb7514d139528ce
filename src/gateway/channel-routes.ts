import { refuse } from '../problems/problem.js';
import { apiBase } from '../service/apis.js';
import type { Automation } from '../service/automation.js';
import { requestOf } from '../service/channel-requests.js';
import type { Channels } from '../service/channels.js';
import { factsOf, headersOf } from './request.js';
import type { Route } from './route.js';

/**
 * What channels send us. There are no credentials of ours: the channel's own signature, over the bytes of the body, says who it is. The answer
 * comes as soon as the message stands in its orchestrator's queue, because Slack waits three seconds and then sends it again.
 */
export function channelRoutes({ automation, channels }: { automation: Automation; channels: Channels }): Route[] {
  const { orchestrators, dispatcher, now } = automation;
  return [
    {
      method: 'post',
      path: `${apiBase}/channels/:channelProfileId/events`,
      roles: [],
      async answer(request, response) {
        const profile = orchestrators.profile(request.params.channelProfileId as string);
        const channel = Object.hasOwn(channels, profile.channel) ? channels[profile.channel] : undefined;
        if (channel === undefined) refuse('CHANNEL_NOT_SERVED');
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const heard = await channel.receive(profile.id, {
          headers: headersOf(request, factsOf(response).principal),
          body,
        });
        if (heard.kind === 'handshake') response.json(heard.answer);
        else if (heard.kind === 'ignored') response.json({ accepted: false });
        else
          response.json({
            accepted: true,
            ...(await dispatcher.dispatch(requestOf(profile, heard.message, new Date(now())))),
          });
      },
    },
  ];
}
