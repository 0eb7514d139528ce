import { onTestFinished } from 'vitest';
import { createHttpClient, type HttpClient } from '../../../../activities/http-call/http-client.js';
import { loadConfig } from '../../../../src/config/load-config.js';
import { type ChannelSettings, createChannels } from '../../../../src/gateway/channels/create-channels.js';
import type { Channel, Post } from '../../../../src/service/channel-interface.js';
import { FakeSlack } from '../../../support/slack.js';

export const signingSecret = 'stand-in-signing-secret';

/** The HTTP calls of a process that may reach this machine, and all its log lines. */
export function openHttp(loopbackAllowed = true): { http: HttpClient; logged: unknown[] } {
  const logged: unknown[] = [];
  const note = (...line: unknown[]) => void logged.push(line);
  const { http: config } = loadConfig({ cwd: '/nowhere', env: {} });
  const http = createHttpClient({ http: config, log: { warn: note, debug: note }, loopbackAllowed });
  onTestFinished(() => http.close());
  return { http, logged };
}

/** The Slack adapter with the profile `slack_main` and a stand-in of Slack. */
export async function openSlack(options: { loopbackAllowed?: boolean; now?: () => Date } = {}) {
  const slack = await FakeSlack.start();
  onTestFinished(() => slack.stop());
  const { http, logged } = openHttp(options.loopbackAllowed);
  const profiles: Record<string, ChannelSettings> = {
    slack_main: {
      channel: 'slack',
      slack: { token: { env: 'SLACK_TOKEN' }, signingSecret: { env: 'SLACK_SIGNING_SECRET' }, apiUrl: slack.url },
    },
  };
  const env = { SLACK_TOKEN: slack.token, SLACK_SIGNING_SECRET: signingSecret } as NodeJS.ProcessEnv;
  const channels = createChannels(profiles, http, { env, ...(options.now && { now: options.now }) });
  return { slack, adapter: channels.slack as Channel, env, logged };
}

/** A message to #team. */
export function post(rest: Partial<Post> & { threadTs?: string; channelId?: string } = {}): Post {
  const { threadTs, channelId = 'C100', ...more } = rest;
  return {
    executionId: 'exec-1',
    text: 'hello world',
    firstAttempt: true,
    targetRef: {
      channel: 'slack',
      channelProfileId: 'slack_main',
      channelId,
      ...(threadTs === undefined ? { postingMode: 'channel_post' } : { postingMode: 'thread_reply', threadTs }),
    },
    ...more,
  };
}
