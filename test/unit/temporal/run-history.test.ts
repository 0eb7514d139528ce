import { Metadata } from '@grpc/grpc-js';
import type { Client } from '@temporalio/client';
import { expect, it } from 'vitest';
import type { HistoryLine } from '../../../src/service/run-history.js';
import { followRun } from '../../../src/temporal/run-history.js';
import { msToTs } from '../../../src/temporal/sdk.js';

it('following a run goes on when a server that was away is back, from where it was', async () => {
  const away = Object.assign(new Error('14 UNAVAILABLE'), {
    code: 14,
    details: 'No connection established',
    metadata: new Metadata(),
  });
  const event = (eventId: number, more: object) => ({
    eventId,
    eventTime: msToTs(1_900_000_000_000),
    ...more,
  });
  const answers = [
    {
      history: { events: [event(1, { workflowExecutionTimedOutEventAttributes: {} })] },
      nextPageToken: Buffer.from('a'),
    },
    away,
    away,
    { history: { events: [event(2, { workflowExecutionTerminatedEventAttributes: {} })] } },
  ];
  const tokens: (string | undefined)[] = [];
  const client = {
    options: { namespace: 'default' },
    withDeadline: (_: number, work: () => unknown) => work(),
    workflow: { getHandle: () => ({ query: () => Promise.reject(new Error('no worker')) }) },
    workflowService: {
      getWorkflowExecutionHistory: async ({ nextPageToken }: { nextPageToken?: Buffer }) => {
        tokens.push(nextPageToken?.toString());
        const answer = answers.shift();
        if (answer === away) throw away;
        return answer;
      },
    },
  } as unknown as Client;
  const lines: HistoryLine[] = [];
  for await (const line of followRun(client, 'run', 'execution')) lines.push(line);
  expect(lines).toHaveLength(2);
  expect(tokens).toEqual([undefined, 'a', 'a', 'a']);
});
