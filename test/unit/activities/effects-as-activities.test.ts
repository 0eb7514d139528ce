import type { Info } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { asActivities, withHeartbeats } from '../../../activities/effects-as-activities.js';
import { refuse } from '../../../src/base/problems/problem.js';

async function failure(work: () => Promise<never>): Promise<unknown> {
  const environment = new MockActivityEnvironment();
  return await environment.run(() => withHeartbeats(work)).catch((error: unknown) => error);
}

describe('failures of an activity', () => {
  it('do not retry a problem of the caller, and keep its code', async () => {
    const final = await failure(async () => refuse('CHANNEL_REFUSED', 'Slack says not_in_channel.'));
    expect(final).toMatchObject({ type: 'CHANNEL_REFUSED', nonRetryable: true, message: 'Slack says not_in_channel.' });
  });

  it('retry a problem of a service, after the delay that the service asks for', async () => {
    const later = await failure(async () =>
      refuse('CHANNEL_UNREACHABLE', 'Slack asks to wait.', { retryAfterSec: 30 }),
    );
    expect(later).toMatchObject({ type: 'CHANNEL_UNREACHABLE', nonRetryable: false, nextRetryDelay: 30_000 });
    expect(await failure(async () => refuse('CHANNEL_UNREACHABLE'))).not.toHaveProperty('nextRetryDelay', 30_000);
  });

  it('do not retry if the result is too large for the server, because the effect has happened', async () => {
    const { large } = asActivities({ large: async () => 'x'.repeat(2_100_000) });
    const failed = await new MockActivityEnvironment().run(() => large!(null)).catch((error: unknown) => error);
    expect(failed).toMatchObject({ type: 'PAYLOAD_TOO_LARGE', nonRetryable: true });
  });

  it('pass other errors through unchanged', async () => {
    const error = new Error('a bug');
    expect(
      await failure(async () => {
        throw error;
      }),
    ).toBe(error);
  });
});

describe('NEW-27 the budget of an effect', () => {
  const budgetIn = async (info: Partial<Info>, ...given: number[]) => {
    const { effect } = asActivities({ effect: async (_, { budgetMs }) => budgetMs ?? null });
    return await new MockActivityEnvironment(info).run(() => effect!(null, ...given));
  };

  it('is the timeout of an ordinary activity, less the time until it counts as lost', async () => {
    expect(await budgetIn({ isLocal: false, startToCloseTimeoutMs: 16_000 })).toBe(11_000);
  });

  it('is an argument of a local activity, not derived from its timeout', async () => {
    expect(await budgetIn({ isLocal: true, startToCloseTimeoutMs: 15_000 }, 3_000)).toBe(3_000);
    expect(await budgetIn({ isLocal: true, startToCloseTimeoutMs: 15_000 })).toBeNull();
  });
});
