import type { HttpActivity } from '../../activities/http-call/http.js';
import type { ChannelProfileConfig } from '../config/config.js';
import type { Channels } from '../service/channels.js';
import { Profiles } from './profiles.js';
import { Slack } from './slack/adapter.js';
import { Webhook } from './webhook/adapter.js';

/** What the configuration of a profile says about its channel. */
export type ChannelSettings = Pick<ChannelProfileConfig, 'channel' | 'slack' | 'webhook'>;

/** Every kind of channel, with the profiles that are configured for it. */
export function createChannels(
  profiles: Readonly<Record<string, ChannelSettings>>,
  http: HttpActivity,
  { env = process.env, now }: { readonly env?: NodeJS.ProcessEnv; readonly now?: () => Date } = {},
): Channels {
  const of = <S>(channel: string, settings: (profile: ChannelSettings) => S) => {
    const own = Object.entries(profiles).filter(([, it]) => it.channel === channel);
    return new Profiles<S>(Object.fromEntries(own.map(([id, it]) => [id, settings(it)])), env);
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
