import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sayCommand } from '../../../src/cli/schedule/plain-english-command.js';
import { sayFunction } from '../../../src/service/functions/plain-english-function.js';
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
  const open = async () => ({ automation: rig, close: async () => undefined });
  const say = async (...args: string[]) => {
    printed = '';
    await sayCommand(out, undefined, open, { canAsk: false, ask: async () => '' })
      .exitOverride()
      .parseAsync(args, { from: 'user' });
    return printed;
  };
  /** The same with these answers typed at a terminal. */
  const converse = async (answers: string[], ...args: string[]) => {
    printed = '';
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return answers.shift() ?? '';
    };
    await sayCommand(out, undefined, open, { canAsk: true, ask }).exitOverride().parseAsync(args, { from: 'user' });
    return { asked, printed };
  };
  return { rig, say, converse };
}

describe('journeyman schedule say', () => {
  const sentence = 'post hello in #team every Friday at 9am';

  it('R3-20 R3-29 prints the call and its next three runs, and makes the call with --yes', async () => {
    const { rig, say } = terminal();
    const proposed = await say(sentence, '--profile', 'slack_main');
    expect(proposed).toContain('schedule.create');
    expect(proposed.match(/09:00 \(UTC\+01:00\)/g)).toHaveLength(3);
    expect(proposed).toContain('--yes');
    expect(rig.jobs.records.size).toBe(0);
    expect(await say(sentence, '--profile', 'slack_main', '--yes')).toContain('The job was created');
    expect([...rig.jobs.records.values()]).toMatchObject([{ orchestratorId: 'eng', targetRef: { channelId: 'C100' } }]);
  });

  it('R3-21 asks a question and continues from the draft in a file', async () => {
    const { rig, say } = terminal();
    const asked = await say('post hello in #team every Friday', '--profile', 'slack_main', '--format', 'json');
    expect(process.exitCode).toBe(1);
    const file = join(mkdtempSync(join(tmpdir(), 'jm-say-')), 'draft.json');
    writeFileSync(file, asked);
    const answered = await say('--draft', file, '--answer', '9am', '--profile', 'slack_main', '--yes');
    expect(answered).toContain('The job was created');
    expect(process.exitCode).toBe(0);
    expect(rig.jobs.records.size).toBe(1);
  });

  it('GAP-23 on a terminal a question is answered in place, and so is the proposal', async () => {
    const { rig, converse } = terminal();
    const request = ['post hello in #team every Friday', '--profile', 'slack_main'];
    const { asked, printed } = await converse(['9am', 'yes'], ...request);
    expect(asked).toEqual([expect.stringContaining('At what time'), expect.stringContaining('schedule.create')]);
    expect(printed).toContain('The job was created');
    expect(process.exitCode).toBe(0);
    expect(rig.jobs.records.size).toBe(1);
    expect((await converse(['9am', 'no'], ...request)).printed).toContain('nothing was changed');
    // An empty line ends the conversation, and prints how to continue.
    expect((await converse([''], ...request)).printed).toContain('--draft');
    expect(process.exitCode).toBe(1);
    // Scripts get the question alone.
    expect((await converse([], ...request, '--format', 'json')).asked).toEqual([]);
    expect(rig.jobs.records.size).toBe(1);
  });

  it('R3-29 R3-30 requires an orchestrator', async () => {
    const { say } = terminal();
    await expect(say('list jobs')).rejects.toMatchObject({ problem: { code: 'ORCHESTRATOR_REQUIRED' } });
    await expect(say('list jobs', '-o', 'nobody')).rejects.toMatchObject({ problem: { code: 'ORCHESTRATOR_UNKNOWN' } });
    expect(await say('list jobs', '-o', 'eng')).toBe('There are no jobs.\n');
  });
});
