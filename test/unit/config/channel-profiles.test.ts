import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.js';

function load(profile: string) {
  const cwd = mkdtempSync(join(tmpdir(), 'jm-channels-'));
  const file = join(cwd, 'journeyman.config.yaml');
  writeFileSync(
    file,
    `channelProfiles:\n  chat:\n    orchestratorId: main\n    ${profile.split('\n').join('\n    ')}\n`,
  );
  return { config: () => loadConfig({ cwd, env: {} }), cwd };
}

describe('channelProfiles', () => {
  it('contain references to secrets, never the secrets', () => {
    const { config, cwd } = load('channel: slack\nslack: { token: { file: token }, signingSecret: { env: SIGNING } }');
    expect(config().channelProfiles.chat).toMatchObject({
      channel: 'slack',
      slack: { token: { file: join(cwd, 'token') }, signingSecret: { env: 'SIGNING' } },
    });
  });

  it.each([
    ['a literal token', 'channel: slack\nslack: { token: xoxb-1 }'],
    ['an unknown channel', 'channel: teams'],
    ['a field of another channel', 'channel: webhook\nslack: { apiUrl: "https://slack.example.com/api/" }'],
    ['an invalid URL', 'channel: webhook\nwebhook: { url: bot.example.com }'],
  ])('reject %s', (_, profile) => {
    expect(load(profile).config).toThrowError(
      expect.objectContaining({ problem: expect.objectContaining({ code: 'CONFIG_FILE_INVALID' }) }),
    );
  });
});
