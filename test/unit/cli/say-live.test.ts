import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sayCommand } from '../../../src/cli/say.js';
import { sayFunction } from '../../../src/service/functions/say.js';
import { automation, twoScopes } from '../../support/automation.js';

afterEach(() => {
  process.exitCode = undefined;
});

function terminal() {
  const { orchestrators, channelProfiles } = twoScopes;
  const slack_main = { ...channelProfiles.slack_main!, timezone: 'Europe/Rome' };
  const rig = automation({ orchestrators, channelProfiles: { ...channelProfiles, slack_main } });
  rig.functions.register(sayFunction({ ...rig, library: rig.targets.library, channels: {} }));
  let printed = '';
  const out = {
    write(text: string) {
      printed += text;
    },
  };
  const say = async (...args: string[]) => {
    printed = '';
    const open = async () => ({ automation: rig, close: async () => undefined });
    await sayCommand(out, undefined, open).exitOverride().parseAsync(args, { from: 'user' });
    return printed;
  };
  return { rig, say };
}

describe('journeyman schedule say', () => {
  const sentence = 'post hello in #team every Friday at 9am';

  it('R3-20 R3-29 prints the command and its next three runs, and does it with --yes', async () => {
    const { rig, say } = terminal();
    const proposed = await say(sentence, '--profile', 'slack_main');
    expect(proposed).toContain('schedule.create');
    expect(proposed.match(/09:00 \(UTC\+01:00\)/g)).toHaveLength(3);
    expect(proposed).toContain('--yes');
    expect(rig.jobs.records.size).toBe(0);
    expect(await say(sentence, '--profile', 'slack_main', '--yes')).toContain('The job was made');
    expect([...rig.jobs.records.values()]).toMatchObject([{ orchestratorId: 'eng', targetRef: { channelId: 'C100' } }]);
  });

  it('R3-21 asks, and goes on with the draft from a file', async () => {
    const { rig, say } = terminal();
    const asked = await say('post hello in #team every Friday', '--profile', 'slack_main', '--format', 'json');
    expect(process.exitCode).toBe(1);
    const file = join(mkdtempSync(join(tmpdir(), 'jm-say-')), 'draft.json');
    writeFileSync(file, asked);
    const answered = await say('--draft', file, '--answer', '9am', '--profile', 'slack_main', '--yes');
    expect(answered).toContain('The job was made');
    expect(process.exitCode).toBe(0);
    expect(rig.jobs.records.size).toBe(1);
  });

  it('R3-29 R3-30 needs to know in which orchestrator', async () => {
    const { say } = terminal();
    await expect(say('list jobs')).rejects.toMatchObject({ problem: { code: 'ORCHESTRATOR_REQUIRED' } });
    await expect(say('list jobs', '-o', 'nobody')).rejects.toMatchObject({ problem: { code: 'ORCHESTRATOR_UNKNOWN' } });
    expect(await say('list jobs', '-o', 'eng')).toBe('There are no jobs.\n');
  });
});
