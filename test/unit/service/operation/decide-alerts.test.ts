import { expect, it } from 'vitest';
import {
  alertText,
  claimDue,
  type PendingMessage,
  tryLater,
} from '../../../../src/service/operation/alert-outbox-and-text.js';
import {
  type AlertState,
  type Condition,
  conditionsOf,
  decideNews,
  type Found,
  noAlerts,
} from '../../../../src/service/operation/decide-alerts.js';
import type { Faults } from '../../../../src/service/operation/faults-and-attention.js';
import type { RunView } from '../../../../src/service/runs-interface.js';

const minute = 60_000;
const window = 15 * minute;

function condition(kind: Condition['kind'], name: string, more: Partial<Condition> = {}): Condition {
  return { id: `${kind} ${name}`, kind, title: name, text: 'Something is wrong.', page: `/${kind}/${name}`, ...more };
}

/** Plays searches: minutes → conditions found; returns the reports. */
function play(
  searches: readonly (readonly [at: number, ...found: Condition[]])[],
  more: Partial<Found> = {},
): string[] {
  let state: AlertState = noAlerts;
  return searches.flatMap(([at, ...conditions]) => {
    const decided = decideNews(state, { conditions, isUnknown: () => false, ...more }, at * minute, window);
    // The record stores JSON.
    state = JSON.parse(JSON.stringify(decided.state)) as AlertState;
    const { begun, recovered } = decided.news;
    return [...begun.map(({ title }) => `${at}: ${title}`), ...recovered.map(({ title }) => `${at}: no more ${title}`)];
  });
}

const vans = condition('pipeline', 'vans');
const inbox = condition('pipeline', 'inbox');
const digest = condition('pipeline', 'digest');
const nightly = condition('job', 'nightly');

it('HOME-6 reports the first problem of a kind at once, and the others of the window together and once', () => {
  const all = [vans, inbox, digest];
  expect(
    play([
      [0, vans],
      [1, vans, inbox],
      [2, ...all],
      [3, ...all, nightly],
      [14, ...all, nightly],
      [15, ...all, nightly],
      [16, ...all, nightly],
      [99, ...all, nightly],
    ]),
  ).toEqual(['0: vans', '3: nightly', '15: inbox', '15: digest']);
});

it('HOME-6 reports a recovery once, and ignores a problem that recovered before it was reported', () => {
  expect(play([[0, vans], [1, vans, inbox], [2, vans], [3], [15], [16], [40, vans]])).toEqual([
    '0: vans',
    '15: no more vans',
    '40: vans',
  ]);
  // The problem returns before its recovery was reported.
  expect(play([[0, vans], [1], [2, vans], [20, vans]])).toEqual(['0: vans']);
});

it('HOME-6 an event, such as a failed run, does not recover', () => {
  expect(play([[0, condition('failedRun', 'r-1', { isEvent: true })], [20], [40]])).toEqual(['0: r-1']);
});

it('HOME-6 a problem that could not be checked has not recovered', () => {
  expect(play([[0, nightly], [20], [40, nightly]], { isUnknown: (_, kind) => kind === 'job' })).toEqual(['0: nightly']);
});

const faults: Faults = {
  blockedRuns: [{ journeyId: 'r 1', journeyName: 'order', attempt: 4 }],
  failedCompensations: [{ journeyId: 'c', journeyName: 'order', endedAt: null, text: 'Its compensation failed.' }],
  pipelines: [{ name: 'vans', status: 'paused', text: 'Suspended since yesterday.' }],
  schedules: [
    {
      ...{ scheduleId: 's', journeyName: 'pay', subjectId: 'ada', state: 'broken', lastRunAt: null },
      ...{ why: 'broken', code: null, text: 'Its action was rewritten; repair it.' },
    },
  ],
  jobs: [
    {
      ...{ orchestratorId: 'main', jobId: 'j', name: 'nightly', state: 'enabled', lastRunAt: null },
      ...{ why: 'missed', code: 'MISSED', text: 'Its last run was skipped with MISSED.' },
    },
  ],
  unavailable: ['pipelines'],
  activeJobs: ['k'],
};
const failed = ['1', '2', '3'].map((id) => ({ journeyId: id, journeyName: 'checkout', code: 'SOLD_OUT' }) as RunView);

it('HOME-6 a message lists each problem with its cause, a hint and a link to the console', () => {
  const { conditions } = conditionsOf(faults, failed);
  const recovered = [{ kind: 'pipeline' as const, title: 'inbox' }];
  expect(alertText('shop', { begun: conditions, recovered }, 'https://shop.test/console').split('\n')).toEqual([
    'shop: 8 things need a person.',
    'Blocked runs:',
    '• order r 1: Its workflow task failed 4 times. It continues once a worker can complete the task; see the worker’s log. https://shop.test/console/runs/r%201',
    'Pipelines:',
    '• vans: Suspended since yesterday. https://shop.test/console/pipelines/vans',
    'Schedules:',
    '• pay ada: Its action was rewritten; repair it. https://shop.test/console/schedules/s',
    'Jobs:',
    '• nightly: Its last run was skipped with MISSED. https://shop.test/console/jobs/main/j',
    'Failed compensations:',
    '• order c: Its compensation failed. https://shop.test/console/runs/c',
    'Failed runs:',
    '• checkout: 3 runs. A run failed with SOLD_OUT. See why, and retry it once the cause is gone. https://shop.test/console/runs?phase=FAILED&journey=checkout',
    'No longer a problem: pipelines: inbox',
  ]);
});

it('HOME-6 a message with many problems is short', () => {
  const begun = Array.from({ length: 300 }, (_, i) => condition('pipeline', `p${i}`, { text: 'x'.repeat(2_000) }));
  const text = alertText('shop', { begun, recovered: [] }, undefined);
  expect(text).toMatch(/^shop: 300 things need a person\./);
  expect(text.length).toBeLessThan(4_000);
  const brief = begun.map((it) => ({ ...it, text: 'Paused.' }));
  expect(alertText('shop', { begun: brief, recovered: [] }, undefined)).toMatch(/• p7: Paused\.\n• and 292 more:$/);
});

it('HOME-6 distinguishes problems that could not be checked, and omits kinds that are disabled', () => {
  const { isUnknown, conditions } = conditionsOf(faults, failed, ['failedRun', 'job']);
  expect(new Set(conditions.map(({ kind }) => kind))).toEqual(
    new Set(['blockedRun', 'pipeline', 'schedule', 'compensation']),
  );
  expect([isUnknown('pipeline x', 'pipeline'), isUnknown('schedule s broken', 'schedule')]).toEqual([true, false]);
  // The run is active, so it is not known yet whether it fails again.
  expect([isUnknown('job k failed', 'job'), isUnknown('job j missed', 'job')]).toEqual([true, false]);
});

const message = (id: string, at: number): PendingMessage => {
  const createdAt = new Date(at).toISOString();
  return { id, to: { channelProfileId: 'ops' }, text: id, createdAt, attempts: 0, notBefore: createdAt };
};

it('HOME-6 a message is claimed by one gateway until that one must have died, and its attempts are counted', () => {
  const first = claimDue([message('m', 0)], 0);
  expect(first.claimed).toMatchObject([{ id: 'm', attempts: 1 }]);
  expect(claimDue(first.outbox, minute - 1)).toMatchObject({ claimed: [], outbox: first.outbox });
  expect(claimDue(first.outbox, minute).claimed).toMatchObject([{ id: 'm', attempts: 2 }]);
});

it('HOME-6 a message that a channel rejects is retried for a day, with increasing delays or the delay that the channel requests', () => {
  let outbox: readonly PendingMessage[] = [message('m', 0)];
  const delays: number[] = [];
  for (let now = 0; outbox.length > 0; ) {
    const { claimed, outbox: taken } = claimDue(outbox, now);
    if (claimed.length === 0) {
      outbox = taken;
      continue;
    }
    const [later] = claimed.map((it) => tryLater(it, 'CHANNEL_UNREACHABLE: away', now));
    const next = Date.parse(later!.notBefore);
    delays.push((next - now) / 1_000);
    outbox = [later!];
    now = next;
  }
  expect(delays.slice(0, 8)).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
  const total = delays.reduce((sum, delay) => sum + delay, 0);
  expect([total >= 86_400, total < 86_400 + 301]).toEqual([true, true]);
  expect(tryLater(message('m', 0), 'x', 0, 42).notBefore).toBe('1970-01-01T00:00:42.000Z');
  // Messages of a channel that is unavailable for long do not fill the record.
  const many = Array.from({ length: 60 }, (_, i) => message(`m${i}`, 0));
  expect(claimDue(many, 0).dropped.map(({ id }) => id)).toEqual(many.slice(0, 10).map(({ id }) => id));
});
