import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json/value.js';
import { sayCommand } from '../../../src/cli/schedule/plain-english-command.js';
import { bakery } from '../schedules/intents/support.js';

const folder = mkdtempSync(join(tmpdir(), 'say-'));
const file = (name: string, value: unknown) => {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(value));
  return path;
};
const contextFile = file('context.json', bakery);
const exitCode = process.exitCode;

afterEach(() => {
  process.exitCode = exitCode;
});
afterAll(() => rmSync(folder, { recursive: true }));

async function called(lines: string[], ...args: string[]): Promise<string> {
  let printed = '';
  const out = {
    write(text: string) {
      printed += text;
    },
  };
  async function* input() {
    yield* lines;
  }
  const command = sayCommand(out, input)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  await command.parseAsync(args, { from: 'user' });
  return printed;
}

const printedBy = (...args: string[]) => called([], ...args);

describe('journeyman schedule say', () => {
  it('R3-20 prints one line for each input line, also for invalid ones', async () => {
    const printed = await called(
      [
        JSON.stringify({ id: 1, utterance: 'pause the dough timer', context: bakery }),
        '',
        JSON.stringify({ id: 'b', utterance: 'hello', context: bakery }),
        JSON.stringify({ id: 3, utterance: 'pause the morning job', context: bakery }),
        '{ not json',
        JSON.stringify({ id: 5, utterance: 'pause it', context: { now: 'soon' } }),
        JSON.stringify({ id: 6, context: bakery }),
      ],
      '--jsonl',
    );
    const lines = printed.trimEnd().split('\n');
    expect(lines).toHaveLength(6);
    expect(lines[0]).toBe('{"id":1,"functionId":"schedule.pause","functionArgs":{"jobId":"job-7"}}');
    expect(lines[1]).toBe('{"id":"b","none":true,"reason":"NO_SCHEDULE_INTENT"}');
    expect(JSON.parse(lines[2]!)).toMatchObject({ id: 3, clarify: { code: 'AMBIGUOUS_JOB' } });
    expect(JSON.parse(lines[3]!)).toMatchObject({ id: null, error: expect.stringContaining('JSON') });
    expect(JSON.parse(lines[4]!)).toMatchObject({ id: 5, code: 'INTENT_INVALID' });
    expect(JSON.parse(lines[5]!)).toEqual({ id: 6, error: 'utterance must be a text' });
  });

  it('SCH-D16 prints the call and its next three runs without making it', async () => {
    const printed = await printedBy('run', 'stock-take', 'every Friday at 9am', '--context', contextFile);
    expect(printed).toContain('schedule.create {');
    expect(printed).toContain('every Friday at 09:00 Europe/Berlin');
    expect(printed.match(/2027-\d\d-\d\dT09:00:00\+02:00/g)).toEqual([
      '2027-06-11T09:00:00+02:00',
      '2027-06-18T09:00:00+02:00',
      '2027-06-25T09:00:00+02:00',
    ]);
    expect(process.exitCode).toBe(0);
    expect(await printedBy('run the morning prices now', '--context', contextFile)).toContain(
      'is paused and stays paused',
    );
  });

  it('R3-21 prints the question with a draft and continues from it', async () => {
    const text = await printedBy('run stock-take every day at 5', '--context', contextFile);
    expect(text).toContain('Did you mean 5:00 AM or 5:00 PM (Europe/Berlin)? (AMBIGUOUS_MERIDIEM)');
    expect(process.exitCode).toBe(1);
    const { draft } = JSON.parse(
      await printedBy('run stock-take every day at 5', '--context', contextFile, '--format', 'json'),
    ) as { draft: Json };
    const path = file('draft.json', draft);
    const answered = await printedBy('--draft', path, '--answer', '5:00 PM', '--context', contextFile);
    expect(answered).toContain('every day at 17:00 Europe/Berlin');
    const value = '{"expression":"0 5 * * *","timezone":"Europe/Berlin"}';
    expect(await printedBy('--draft', path, '--answer', value, '--context', contextFile)).toContain(
      'every day at 05:00',
    );
  });

  it('requires a request and a valid context', async () => {
    await expect(printedBy('--context', contextFile)).rejects.toThrow('specify a request');
    await expect(printedBy('pause it', '--context', join(folder, 'none.json'))).rejects.toThrow('cannot be used');
    await expect(printedBy('x', '--context', file('bad.json', { ...bakery, timezone: 'Mars/Base' }))).rejects.toThrow(
      'Mars/Base',
    );
    const { now: _, ...timeless } = bakery;
    expect(await printedBy('run stock-take in 20 minutes', '--context', file('now.json', timeless))).toContain(
      'once at ',
    );
    expect(await printedBy('what a day', '--context', contextFile)).toBe(
      'Not a request about schedules (NO_SCHEDULE_INTENT).\n',
    );
  });
});
