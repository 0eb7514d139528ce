import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { untilProcessed } from '../../../src/temporal/runs/temporal-runs.js';

function failed(type: string): WorkflowUpdateFailedError {
  const cause = ApplicationFailure.create({ type, message: 'The update was not processed.', nonRetryable: true });
  return new WorkflowUpdateFailedError('Workflow Update failed', cause);
}

it('a submission that no worker has processed, because one shuts down, is sent again', async () => {
  const ends: (Error | string)[] = [failed('UnprocessedUpdate'), failed('UnprocessedUpdate'), 'accepted'];
  const send = async () => {
    const end = ends.shift();
    if (end instanceof Error) throw end;
    return end;
  };
  expect(await untilProcessed(send)).toBe('accepted');
});

it.each(['UnprocessedUpdate', 'STEP_INVALID'])('a submission that always ends as %s is abandoned', async (type) => {
  let sent = 0;
  const send = async () => {
    sent += 1;
    throw failed(type);
  };
  await expect(untilProcessed(send)).rejects.toThrow('Workflow Update failed');
  expect(sent).toBe(type === 'STEP_INVALID' ? 1 : 5);
});
