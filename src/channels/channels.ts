import type { HttpActivity } from '../../activities/http-call/http.js';
import type { Channels } from '../service/channels.js';
import { Profiles } from './profiles.js';
import { Slack, type SlackSettings } from './slack/adapter.js';
import { Webhook, type WebhookSettings } from './webhook/adapter.js';

/** What a profile's configuration says about its kind of channel. */
export interface ProfileSettings {
  readonly channel: string;
  readonly slack?: SlackSettings;
  readonly webhook?: WebhookSettings;
}

/** Every kind of channel, with the profiles that are configured for it. */
export function createChannels(
  profiles: Readonly<Record<string, ProfileSettings>>,
  http: HttpActivity,
  { env = process.env, now }: { readonly env?: NodeJS.ProcessEnv; readonly now?: () => Date } = {},
): Channels {
  const of = <S>(channel: string, settings: (profile: ProfileSettings) => S) => {
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
