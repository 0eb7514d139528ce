import type { HttpClient } from '../../../activities/http-call/http-client.js';
import type { ChannelProfileConfig } from '../../config/config-types.js';
import type { Channels } from '../../service/channel-interface.js';
import { ChannelProfiles } from './channel-profiles.js';
import { Slack } from './slack/slack-channel.js';
import { Webhook } from './webhook-channel.js';

/** Channel settings of a profile. */
export type ChannelSettings = Pick<ChannelProfileConfig, 'channel' | 'slack' | 'webhook'>;

/** Creates all channels with their configured profiles. */
export function createChannels(
  profiles: Readonly<Record<string, ChannelSettings>>,
  http: HttpClient,
  { env = process.env, now }: { readonly env?: NodeJS.ProcessEnv; readonly now?: () => Date } = {},
): Channels {
  const of = <S>(channel: string, settings: (profile: ChannelSettings) => S) => {
    const own = Object.entries(profiles).filter(([, it]) => it.channel === channel);
    return new ChannelProfiles<S>(Object.fromEntries(own.map(([id, it]) => [id, settings(it)])), env);
  };
  return {
    slack: new Slack(
      of('slack', (it) => it.slack ?? {}),
      http,
      now,
    ),
    webhook: new Webhook(
      of('webhook', (it) => it.webhook ?? {}),
      http,
      now,
    ),
  };
}
