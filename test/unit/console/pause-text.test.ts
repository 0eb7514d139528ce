import { expect, it } from 'vitest';
import { changeText, pauseText } from '../../../src/console/pages/pause-text.js';
import { pausesOf } from '../../../src/pipelines/describe-pause-reasons.js';

type State = Parameters<typeof pausesOf>[0];

const at = Date.parse('2030-01-01T12:00:00.000Z');
const state = {
  definition: { name: 'refunds' },
  suspended: [
    {
      key: 'pay-1',
      handler: 'pay',
      reservations: [['refunds', 'r5']],
      error: { code: 'REFUND_FAILED', reason: 'The bank did not confirm' },
      endedAt: at,
    },
  ],
  pauses: [
    { reason: 'user', at, note: 'Stocktaking' },
    { reason: 'failed', at, run: 'pay-0', note: 'NO_MONEY' },
  ],
  runs: [],
} as unknown as State;

it('gives the reason of a pause without terminal commands that the page has buttons for', () => {
  const texts = pausesOf(state).map(({ text }) => text);
  expect(texts.every((it) => it.includes('run: journeyman pipeline'))).toBe(true);
  const shown = texts.map(pauseText);
  expect(shown.join(' ')).not.toMatch(/journeyman|2030-01-01T/);
  expect(shown.map((it) => it.replace(/since 1 Jan 2030, [\d:]+\d/, 'since then'))).toEqual([
    'Suspended since then: pay holds the event refunds r5 (run pay-1). Its journey ended with REFUND_FAILED: The bank did not confirm. The results of its calls are unknown. Find out what happened.',
    'Paused since then: Stocktaking.',
    'Paused since then: a run failed (run pay-0) with NO_MONEY. Fix the cause.',
  ]);
});

it('keeps commands without a button', () => {
  const text = 'Paused since 2030-01-01T12:00:00.000Z: … To skip it, run: journeyman pipeline resolve refunds r5 skip';
  expect(pauseText(text)).toContain('journeyman pipeline resolve refunds r5 skip');
});

it('says once that something was paused, and by whom', () => {
  const since = (note: string) => pauseText(`Paused since 2030-01-01T12:00:00.000Z: ${note}`);
  expect(since('Paused by anonymous: holidays.')).toMatch(/^Paused since 1 Jan 2030, [\d:]+ by anonymous: holidays\.$/);
  expect(since('Paused by anonymous.')).toMatch(/^Paused since 1 Jan 2030, [\d:]+ by anonymous\.$/);
  expect(changeText('paused: Paused by anonymous: holidays')).toBe('paused: holidays');
  expect(changeText('resumed: Resumed by anonymous')).toBe('resumed');
  expect(changeText('set interval PT1H')).toBe('set interval PT1H');
});
